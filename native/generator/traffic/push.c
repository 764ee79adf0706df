/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/traffic/push.h"

#include "dev/error.h"
#include "dev/port.h"
#include "generator/observe/watch.h"
#include "wire/ethernet.h"
#include "wirespeed/push.h"
#include "wirespeed/runtime.h"

#include <errno.h>
#include <math.h>
#include <rte_cycles.h>
#include <rte_memcpy.h>
#include <stdlib.h>

enum { SEND_AT_ONCE = 16 };
static const double LONGEST_US = 1e15;

static int check_push(const struct ws_push *packet, double before_us, uint32_t number,
					  uint16_t longest)
{
	if (!packet->packet || packet->packet_len < ETHERNET_LEN || packet->packet_len > longest)
		return fail(-EINVAL, "packet %u has %u bytes; %d to %u can be sent", number,
					packet->packet_len, ETHERNET_LEN, longest);
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
		*error = check_push(&packets[i], i ? packets[i - 1].at_us : 0, i, longest);
		room += packets[i].packet_len;
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
		uint16_t length = packets[i].packet_len;
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

/* Counter for the packet: sent, or the reason why it was not. */
static uint64_t *send_pushed(struct generator_port *port, const struct pushed *pushed)
{
	struct rte_mbuf *packet;
	struct captures *captures = &port->watch->captures;
	bool captured = captures->tx_ports >> port->index & 1;
	if (rte_mempool_get(port->fresh, (void **)&packet))
		return &port->counters.no_buffer_packets;
	rte_memcpy(rte_pktmbuf_mtod(packet, uint8_t *), port->push->bytes + pushed->offset,
			   pushed->length);
	packet->pkt_len = packet->data_len = pushed->length;
	if (captured)
		captures_stage(captures, port->index, true, &packet, 1, rte_rdtsc());
	uint16_t sent = port_transmit(port->index, port->tx_queue, &packet, 1);
	if (captured)
		captures_commit(captures, sent);
	if (sent)
		return &port->counters.tx_packets;
	rte_pktmbuf_free(packet);
	return &port->counters.refused_packets;
}

/* Refused packets are retried until the driver has taken none for the port's patience. */
uint32_t generator_transmit_pushed(struct generator_port *port)
{
	struct push *push = port->push;
	uint64_t tsc = rte_rdtsc();
	double now = (double)(tsc - push->origin);
	uint32_t next = push->next, count = push->count, sent = 0;
	for (; next < count && sent < SEND_AT_ONCE && push->packets[next].at <= now; next++) {
		uint64_t *counter = send_pushed(port, &push->packets[next]);
		bool went = counter == &port->counters.tx_packets;
		if (went || !push->stuck_since)
			push->stuck_since = went ? 0 : tsc;
		if (!went && (double)(tsc - push->stuck_since) <= port->patience)
			break;
		port->counters.intended_packets++;
		++*counter;
		uint64_t bytes = went ? push->packets[next].length + ETHERNET_FCS_LEN : 0;
		port->counters.tx_bytes += bytes;
		port->counters.pushed_bytes += bytes;
		port->counters.pushed_packets += went;
		sent += went;
	}
	if (next == count)
		port->push = NULL;
	/* From here on the main thread may free the push. */
	__atomic_store_n(&push->next, next, __ATOMIC_RELEASE);
	return sent;
}
