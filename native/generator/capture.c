/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/capture.h"

#include "dev/error.h"
#include "dev/port.h"
#include "generator/flow_wire.h"
#include "generator/generator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ETHER_TYPE_AT = 12, ARP = 0x0806, ICMP = 1, ICMP6 = 58 };
static const uint64_t MAX_BYTES = 1ULL << 30;

/* ---- a ring */

struct capture_ring *capture_create(const struct ws_capture_config *config, uint16_t longest)
{
	uint32_t room = config->snap_len && config->snap_len < longest ? config->snap_len : longest;
	uint32_t slot = RTE_ALIGN_CEIL((uint32_t)sizeof(struct capture_slot) + room, 8u);
	uint64_t size = sizeof(struct capture_ring) + (uint64_t)slot * config->slots;
	if (!config->slots || size > MAX_BYTES) {
		fail(-EINVAL, "a capture of %u packets of %u bytes; 1 to %lu such packets are possible",
			 config->slots, room, (unsigned long)(MAX_BYTES / slot));
		return NULL;
	}
	struct capture_ring *ring = aligned_alloc(64, RTE_ALIGN_CEIL(size, 64ul));
	if (!ring) {
		fail(-ENOMEM, "no memory for a capture of %u packets", config->slots);
		return NULL;
	}
	/* The worker must not be the first to touch a page: each would cost it microseconds. */
	memset(ring, 0, size);
	*ring = (struct capture_ring){.config = *config, .slot_size = slot, .room = room};
	return ring;
}

void capture_free(struct capture_ring *ring)
{
	free(ring);
}

static struct capture_slot *slot_at(struct capture_ring *ring, uint32_t number)
{
	return (struct capture_slot *)(ring->slots +
								   (uint64_t)(number % ring->config.slots) * ring->slot_size);
}

/* ---- the worker's side */

void captures_set(struct captures *captures, uint32_t capture, struct capture_ring *ring)
{
	captures->rings[capture] = ring;
	captures->tx_ports = captures->rx_ports = 0;
	for (uint32_t i = 0; i < WS_MAX_CAPTURES; i++) {
		const struct capture_ring *one = captures->rings[i];
		captures->tx_ports |= one ? one->config.tx_ports : 0;
		captures->rx_ports |= one ? one->config.rx_ports : 0;
	}
}

static bool is_control(const struct rte_mbuf *packet)
{
	int version;
	const uint8_t *frame = rte_pktmbuf_mtod(packet, const uint8_t *);
	uint16_t l3 = flow_find_ip(frame, packet->data_len, &version);
	if (version)
		return version == 4 ? frame[l3 + 9] == ICMP : frame[l3 + 6] == ICMP6;
	return l3 <= packet->data_len && frame[l3 - 2] == ARP >> 8 && frame[l3 - 1] == (ARP & 0xff);
}

static void stage(struct capture_ring *ring, const struct rte_mbuf *packet, uint16_t in_burst,
				  struct ws_captured described)
{
	if (ring->staged - __atomic_load_n(&ring->read, __ATOMIC_ACQUIRE) >= ring->config.slots) {
		ring->missed++;
		return;
	}
	struct capture_slot *slot = slot_at(ring, ring->staged++);
	slot->in_burst = in_burst;
	slot->packet = described;
	slot->packet.packet_len = (uint16_t)packet->pkt_len;
	slot->packet.byte_count = (uint16_t)RTE_MIN(packet->pkt_len, ring->room);
	const void *bytes = rte_pktmbuf_read(packet, 0, slot->packet.byte_count, slot->bytes);
	if (bytes != slot->bytes)
		rte_memcpy(slot->bytes, bytes, slot->packet.byte_count);
}

void captures_stage(struct captures *captures, uint16_t port, bool is_tx,
					struct rte_mbuf *const *packets, uint16_t n, uint64_t now)
{
	struct ws_captured described = {.tsc = now, .port = port, .is_tx = is_tx};
	for (uint32_t i = 0; i < WS_MAX_CAPTURES; i++) {
		struct capture_ring *ring = captures->rings[i];
		if (!ring || !((is_tx ? ring->config.tx_ports : ring->config.rx_ports) >> port & 1))
			continue;
		for (uint16_t j = 0; j < n; j++)
			if (ring->config.what == WS_CAPTURE_ALL || is_control(packets[j]))
				stage(ring, packets[j], j, described);
	}
}

void captures_commit(struct captures *captures, uint16_t n)
{
	for (uint32_t i = 0; i < WS_MAX_CAPTURES; i++) {
		struct capture_ring *ring = captures->rings[i];
		if (!ring || ring->staged == ring->written)
			continue;
		while (ring->staged != ring->written && slot_at(ring, ring->staged - 1)->in_burst >= n)
			ring->staged--;
		__atomic_store_n(&ring->written, ring->staged, __ATOMIC_RELEASE);
	}
}

/* ---- the main thread's */

struct change {
	struct generator_worker *worker;
	struct capture_ring *ring;
	uint32_t capture;
	uint64_t missed;
};

static void do_set(void *argument)
{
	const struct change *change = argument;
	captures_set(&change->worker->captures, change->capture, change->ring);
}

static void do_read_missed(void *argument)
{
	struct change *change = argument;
	change->missed = change->ring->missed;
}

static void set(struct ws_generator *generator, uint16_t worker, uint32_t capture,
				struct capture_ring *ring)
{
	struct change change = {
		.worker = &generator->workers[worker], .ring = ring, .capture = capture};
	generator_ask(generator, worker, do_set, &change);
}

static int check(const struct ws_generator *generator, int32_t capture)
{
	if (capture >= 0 && capture < WS_MAX_CAPTURES && generator->captures >> capture & 1)
		return 0;
	return fail(-ENOENT, "there is no capture %d", capture);
}

static int remove_capture(struct ws_generator *generator, uint32_t capture)
{
	for (uint16_t i = 0; i < generator->worker_count; i++) {
		struct capture_ring *ring = generator->workers[i].captures.rings[capture];
		if (!ring)
			continue;
		set(generator, i, capture, NULL);
		capture_free(ring);
	}
	generator->captures &= ~(1u << capture);
	return 0;
}

/* The longest frame that any of its ports can have. */
static int find_longest(const struct ws_generator *generator, uint32_t ports, uint16_t *longest)
{
	*longest = 0;
	for (uint16_t i = 0; i < generator->port_count; i++) {
		struct ws_port_info info;
		int error = ports >> i & 1 ? ws_port_info(i, &info) : 0;
		if (error)
			return error;
		if (ports >> i & 1)
			*longest = RTE_MAX(*longest, (uint16_t)(info.mtu + 14 + 8));
	}
	return 0;
}

int ws_generator_capture_start(struct ws_generator *generator,
							   const struct ws_capture_config *config)
{
	uint32_t ports = config->tx_ports | config->rx_ports;
	uint32_t capture = (uint32_t)__builtin_ctz(~generator->captures);
	uint16_t longest;
	if (!ports || (uint64_t)ports >> generator->port_count)
		return fail(-EINVAL, "a capture on ports 0x%x; ports 0 to %u are there", ports,
					generator->port_count - 1);
	if (config->what != WS_CAPTURE_ALL && config->what != WS_CAPTURE_CONTROL)
		return fail(-EINVAL, "there is no kind %d of capture", config->what);
	if (capture >= WS_MAX_CAPTURES)
		return fail(-EBUSY, "%d captures run already; stop one", WS_MAX_CAPTURES);
	int error = find_longest(generator, ports, &longest);
	if (error)
		return error;
	generator->captures |= 1u << capture;
	for (uint16_t i = 0; i < generator->worker_count; i++) {
		if (!(ports & generator->workers[i].port_mask))
			continue;
		struct capture_ring *ring = capture_create(config, longest);
		if (!ring) {
			remove_capture(generator, capture);
			return config->slots ? -ENOMEM : -EINVAL;
		}
		set(generator, i, capture, ring);
	}
	return (int)capture;
}

/* Returns whether the packet was taken; false: there is none, or no room. */
static bool take(struct capture_ring *ring, struct ws_captured *out, uint8_t *bytes, uint64_t room)
{
	if (!ring || ring->read == __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE))
		return false;
	const struct capture_slot *slot = slot_at(ring, ring->read);
	if (slot->packet.byte_count > room)
		return false;
	*out = slot->packet;
	memcpy(bytes, slot->bytes, slot->packet.byte_count);
	__atomic_store_n(&ring->read, ring->read + 1, __ATOMIC_RELEASE);
	return true;
}

int ws_generator_capture_read(struct ws_generator *generator, int32_t capture,
							  struct ws_captured *out, uint32_t max, uint8_t *bytes,
							  uint64_t bytes_len)
{
	uint32_t count = 0;
	uint64_t used = 0;
	int error = check(generator, capture);
	if (error)
		return error;
	for (uint16_t i = 0; i < generator->worker_count; i++)
		for (; count < max && take(generator->workers[i].captures.rings[capture], &out[count],
								   bytes + used, bytes_len - used);
			 count++)
			used += out[count].byte_count;
	return (int)count;
}

int64_t ws_generator_capture_missed(struct ws_generator *generator, int32_t capture)
{
	int64_t missed = 0;
	int error = check(generator, capture);
	for (uint16_t i = 0; !error && i < generator->worker_count; i++) {
		struct change change = {.ring = generator->workers[i].captures.rings[capture]};
		if (!change.ring)
			continue;
		generator_ask(generator, i, do_read_missed, &change);
		missed += (int64_t)change.missed;
	}
	return error ? error : missed;
}

int ws_generator_capture_stop(struct ws_generator *generator, int32_t capture)
{
	int error = check(generator, capture);
	return error ? error : remove_capture(generator, (uint32_t)capture);
}
