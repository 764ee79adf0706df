/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/memif/spread.h"

#include "dev/memif/control.h"
#include "wire/frame_flow.h"
#include "wire/mpls.h"
#include "wire/vlan.h"

#include <string.h>

/* Hash of frames other than IP: of the Ethernet addresses and the first label. */
static uint64_t hash_of_others(const uint8_t *frame, uint16_t length)
{
	uint8_t bytes[2 * sizeof(uint64_t)] = {0};
	uint64_t words[2];
	uint16_t type = 0;
	size_t at = frame_payload(frame, length, &type);
	memcpy(bytes, frame, RTE_MIN(length, (uint16_t)ETHERNET_TYPE_AT));
	if (type == ETHERNET_MPLS && at + MPLS_LEN <= length)
		memcpy(bytes + ETHERNET_TYPE_AT, frame + at, MPLS_LEN);
	memcpy(words, bytes, sizeof(words));
	return flow_mix(words[0], words[1]);
}

/* The seed makes the choice of a ring independent of that of a bond's member and of a hand-off's
 * worker. */
uint32_t memif_flow_hash(const uint8_t *frame, uint16_t length)
{
	enum { SEED = 0x5bd1e995 };
	uint64_t flow = frame_flow_hash(frame, length, false);
	return flow_fold(flow_mix(flow ? flow : hash_of_others(frame, length), SEED));
}

/* ---- Into one ring ---- */

/* True if the packet fits one slot of a client's ring. */
static bool is_plain(const struct rte_mbuf *packet)
{
	return packet->nb_segs == 1 && packet->data_len <= MEMIF_BUFFER;
}

/* Free slots of a client's ring. Only this worker fills it. */
static uint16_t room_in(struct memif_queue *queue)
{
	uint16_t room = 0;
	rte_spinlock_lock(&queue->lock);
	if (queue->has_ring)
		room = memif_free_slots(queue, true, __atomic_load_n(&queue->ring->tail, __ATOMIC_ACQUIRE));
	rte_spinlock_unlock(&queue->lock);
	return room;
}

/* Send the packets for one ring, which has enough free slots. If the ring was detached in the
 * meantime, they are dropped like all packets in it. */
static void transmit_of(struct memif_port *port, uint8_t ring, struct rte_mbuf **packets,
						const uint8_t *rings, uint16_t n)
{
	struct rte_mbuf *chosen[MEMIF_BURST];
	uint16_t count = 0;
	for (uint16_t i = 0; i < n; i++)
		if (rings[i] == ring)
			chosen[count++] = packets[i];
	uint16_t sent = port->transmit(&port->tx[ring], chosen, count);
	rte_pktmbuf_free_bulk(chosen + sent, count - sent);
}

static uint16_t transmit_grouped(struct memif_port *port, uint8_t count, struct rte_mbuf **packets,
								 const uint8_t *rings, uint16_t n)
{
	uint16_t rooms[WS_MAX_QUEUES], fits = 0;
	for (uint8_t ring = 0; ring < count; ring++)
		rooms[ring] = room_in(&port->tx[ring]);
	while (fits < n && rooms[rings[fits]]) {
		rooms[rings[fits]]--;
		fits++;
	}
	for (uint8_t ring = 0; ring < count; ring++)
		transmit_of(port, ring, packets, rings, fits);
	return fits;
}

/* One by one, since the number of slots per packet is unknown. */
static uint16_t transmit_in_order(struct memif_port *port, struct rte_mbuf **packets,
								  const uint8_t *rings, uint16_t n)
{
	uint16_t sent = 0, end;
	for (; sent < n; sent = end) {
		for (end = sent + 1; end < n && rings[end] == rings[sent];)
			end++;
		uint16_t now = port->transmit(&port->tx[rings[sent]], packets + sent, end - sent);
		if (now < end - sent)
			return sent + now;
	}
	return sent;
}

uint16_t memif_transmit_spread(void *argument, struct rte_mbuf **packets, uint16_t n)
{
	struct memif_port *port = argument;
	uint8_t rings[MEMIF_BURST];
	uint8_t count = __atomic_load_n(&port->tx_rings, __ATOMIC_ACQUIRE);
	bool are_plain = port->role == MEMIF_CLIENT;
	if (!n)
		for (uint8_t ring = 0; ring < count; ring++)
			port->transmit(&port->tx[ring], packets, 0);
	if (count < 2)
		return port->transmit(&port->tx[0], packets, n);
	n = RTE_MIN(n, (uint16_t)MEMIF_BURST);
	for (uint16_t i = 0; i < n; i++) {
		uint32_t hash =
			memif_flow_hash(rte_pktmbuf_mtod(packets[i], uint8_t *), packets[i]->data_len);
		rings[i] = (uint8_t)((uint64_t)hash * count >> 32);
		are_plain = are_plain && is_plain(packets[i]);
	}
	return are_plain ? transmit_grouped(port, count, packets, rings, n)
					 : transmit_in_order(port, packets, rings, n);
}
