/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/observe/capture_ring.h"

#include "dev/error.h"
#include "generator/observe/flow_wire.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/ip6.h"

#include <errno.h>
#include <rte_memcpy.h>
#include <stdlib.h>
#include <string.h>

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
	/* The main thread touches all pages, since each first access would cost the worker
	 * microseconds. */
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
		return version == 4 ? frame[l3 + IP4_PROTOCOL_AT] == IP4_ICMP
							: frame[l3 + IP6_NEXT_AT] == IP6_ICMP;
	return l3 && frame[l3 - 2] == ETHERNET_ARP >> 8 && frame[l3 - 1] == (ETHERNET_ARP & 0xff);
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

const struct ws_captured *capture_oldest(struct capture_ring *ring)
{
	if (ring->read == __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE))
		return NULL;
	return &slot_at(ring, ring->read)->packet;
}

bool capture_take(struct capture_ring *ring, struct ws_captured *out, uint8_t *bytes, uint64_t room)
{
	if (ring->read == __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE))
		return false;
	const struct capture_slot *slot = slot_at(ring, ring->read);
	if (slot->packet.byte_count > room)
		return false;
	*out = slot->packet;
	memcpy(bytes, slot->bytes, slot->packet.byte_count);
	__atomic_store_n(&ring->read, ring->read + 1, __ATOMIC_RELEASE);
	return true;
}
