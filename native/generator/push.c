/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/push.h"

#include "dev/error.h"
#include "dev/port.h"
#include "generator/generator.h"

#include <errno.h>
#include <math.h>
#include <rte_cycles.h>
#include <rte_memcpy.h>
#include <stdlib.h>

enum { SEND_AT_ONCE = 16 };
static const double LONGEST_US = 1e15;

static int check(const struct ws_push *packet, double before_us, uint32_t number, uint16_t longest)
{
	if (!packet->packet || packet->packet_len < 14 || packet->packet_len > longest)
		return fail(-EINVAL, "packet %u has %u bytes; 14 to %u can be sent", number,
					packet->packet_len, longest);
	if (!(packet->at_us >= before_us && packet->at_us <= LONGEST_US))
		return fail(-EINVAL, "packet %u is due after %g us; %g or more is possible", number,
					packet->at_us, before_us);
	return 0;
}

struct push *push_create(const struct ws_push *packets, uint32_t count, uint16_t longest,
						 int *error)
{
	uint64_t room = 0;
	*error = count ? 0 : fail(-EINVAL, "no packets to send; give 1 or more");
	for (uint32_t i = 0; !*error && i < count; i++) {
		*error = check(&packets[i], i ? packets[i - 1].at_us : 0, i, longest);
		room += RTE_MAX(packets[i].packet_len, (uint16_t)FRAME_MIN_LEN);
	}
	if (!*error && room > UINT32_MAX)
		*error =
			fail(-EINVAL, "%lu bytes of packets; send at most 4 GB at once", (unsigned long)room);
	if (*error || !room)
		return NULL;
	struct push *push = malloc(sizeof(*push) + count * sizeof(push->packets[0]));
	if (push)
		push->bytes = calloc(1, room);
	if (!push || !push->bytes) {
		free(push);
		*error = fail(-ENOMEM, "no memory for %u packets", count);
		return NULL;
	}
	push->count = count;
	push->next = 0;
	push->stuck_since = 0;
	uint32_t offset = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint16_t length = RTE_MAX(packets[i].packet_len, (uint16_t)FRAME_MIN_LEN);
		push->packets[i] =
			(struct pushed){packets[i].at_us * (double)ws_tsc_hz() / 1e6, offset, length};
		memcpy(push->bytes + offset, packets[i].packet, packets[i].packet_len);
		offset += length;
	}
	return push;
}

void push_free(struct push *push)
{
	if (push)
		free(push->bytes);
	free(push);
}

/* ---- on the worker */

static bool send_one(struct generator_port *port, const struct pushed *pushed)
{
	struct rte_mbuf *packet;
	struct captures *captures = &port->worker->captures;
	bool captured = captures->tx_ports >> port->index & 1;
	if (rte_mempool_get(port->fresh, (void **)&packet))
		return false;
	rte_memcpy(rte_pktmbuf_mtod(packet, uint8_t *), port->push->bytes + pushed->offset,
			   pushed->length);
	packet->pkt_len = packet->data_len = pushed->length;
	if (captured)
		captures_stage(captures, port->index, true, &packet, 1, rte_rdtsc());
	uint16_t sent = port_transmit(port->index, 0, &packet, 1);
	if (captured)
		captures_commit(captures, sent);
	if (!sent)
		rte_pktmbuf_free(packet);
	return sent;
}

/* What the driver does not take is tried again the next time, until it took nothing for the port's
 * patience. */
uint32_t generator_transmit_pushed(struct generator_port *port)
{
	struct push *push = port->push;
	uint64_t tsc = rte_rdtsc();
	double now = (double)(tsc - push->origin);
	uint32_t next = push->next, count = push->count, sent = 0;
	for (; next < count && sent < SEND_AT_ONCE && push->packets[next].at <= now; next++) {
		bool went = send_one(port, &push->packets[next]);
		if (went || !push->stuck_since)
			push->stuck_since = went ? 0 : tsc;
		if (!went && (double)(tsc - push->stuck_since) <= port->patience)
			break;
		port->counters.asked_packets++;
		*(went ? &port->counters.tx_packets : &port->counters.refused_packets) += 1;
		port->counters.tx_bytes += went ? push->packets[next].length + FCS_LEN : 0;
		sent += went;
	}
	if (next == count)
		port->push = NULL;
	/* From here on the main thread may free it. */
	__atomic_store_n(&push->next, next, __ATOMIC_RELEASE);
	return sent;
}

static void do_push(void *argument)
{
	struct generator_port *port = argument;
	port->pushing->origin = rte_rdtsc();
	port->push = port->pushing;
}

static void do_drop(void *argument)
{
	struct generator_port *port = argument;
	port->push = NULL;
}

/* ---- on the main thread */

int ws_generator_push(struct ws_generator *generator, uint16_t index, const struct ws_push *packets,
					  uint32_t count)
{
	struct ws_port_info info;
	int error = ws_generator_push_left(generator, index);
	if (error > 0)
		return fail(-EBUSY, "port %s has %d packets of before to send", port_name(index), error);
	if (!error)
		error = ws_port_info(index, &info);
	if (!error)
		error = generator_make_fresh(generator);
	if (error)
		return error;
	struct generator_port *port = &generator->ports[index];
	struct push *push = push_create(packets, count, info.mtu + 14 + 8, &error);
	if (!push)
		return error;
	push_free(port->pushing);
	port->pushing = push;
	port->fresh = generator->fresh;
	generator_ask(generator, generator_worker_of(generator, index), do_push, port);
	return 0;
}

int ws_generator_push_left(struct ws_generator *generator, uint16_t index)
{
	if (index >= generator->port_count)
		return fail(-ENODEV, "there is no port %u; there are %u", index, generator->port_count);
	const struct push *push = generator->ports[index].pushing;
	return push ? (int)(push->count - __atomic_load_n(&push->next, __ATOMIC_ACQUIRE)) : 0;
}

void generator_drop_pushed(struct ws_generator *generator, uint16_t index)
{
	struct generator_port *port = &generator->ports[index];
	generator_ask(generator, generator_worker_of(generator, index), do_drop, port);
	push_free(port->pushing);
	port->pushing = NULL;
}
