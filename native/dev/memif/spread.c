/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/memif/spread.h"

#include "dev/memif/control.h"

#include <netinet/in.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_jhash.h>
#include <string.h>

enum { MOST_TAGS = 2, FLOW_WORDS = 10, PORTS = 4, LABEL = 4 };

/* ---- Which flow a packet is of ---- */

/* The next `bytes` of what is left. */
static bool append(uint32_t *flow, uint32_t *words, const uint8_t *from, uint16_t left,
				   uint16_t bytes)
{
	if (left < bytes)
		return false;
	memcpy(flow + *words, from, bytes);
	*words += bytes / (uint32_t)sizeof(*flow);
	return true;
}

static void append_ports(uint32_t *flow, uint32_t *words, uint8_t protocol, const uint8_t *from,
						 uint16_t left)
{
	flow[(*words)++] = protocol;
	if (protocol == IPPROTO_TCP || protocol == IPPROTO_UDP || protocol == IPPROTO_SCTP)
		append(flow, words, from, left, PORTS);
}

static void append_ip4(uint32_t *flow, uint32_t *words, const uint8_t *ip, uint16_t left)
{
	struct rte_ipv4_hdr header;
	if (left < sizeof(header))
		return;
	memcpy(&header, ip, sizeof(header));
	uint16_t length = RTE_MIN((uint16_t)((header.version_ihl & 0xf) * 4u), left);
	/* Only the first of several fragments has ports. */
	bool is_piece = header.fragment_offset & htons(0x3fff);
	flow[(*words)++] = header.src_addr;
	flow[(*words)++] = header.dst_addr;
	append_ports(flow, words, is_piece ? 0 : header.next_proto_id, ip + length,
				 (uint16_t)(left - length));
}

static void append_ip6(uint32_t *flow, uint32_t *words, const uint8_t *ip, uint16_t left)
{
	enum { NEXT_AT = 6, ADDRESSES_AT = 8, ADDRESSES = 32, HEADER = 40 };
	if (left < HEADER)
		return;
	append(flow, words, ip + ADDRESSES_AT, left, ADDRESSES);
	append_ports(flow, words, ip[NEXT_AT], ip + HEADER, (uint16_t)(left - HEADER));
}

uint32_t memif_flow_hash(const uint8_t *frame, uint16_t length)
{
	enum { ADDRESSES = 12, TAG = 4 };
	uint32_t flow[FLOW_WORDS], words = 0;
	uint16_t at = RTE_ETHER_HDR_LEN, type = 0;
	for (int tags = 0; tags <= MOST_TAGS && at <= length; tags++, at += TAG) {
		memcpy(&type, frame + at - sizeof(type), sizeof(type));
		if (type != htons(RTE_ETHER_TYPE_VLAN) && type != htons(RTE_ETHER_TYPE_QINQ))
			break;
	}
	uint16_t left = at < length ? (uint16_t)(length - at) : 0;
	if (type == htons(RTE_ETHER_TYPE_IPV4))
		append_ip4(flow, &words, frame + at, left);
	else if (type == htons(RTE_ETHER_TYPE_IPV6))
		append_ip6(flow, &words, frame + at, left);
	else if (type == htons(RTE_ETHER_TYPE_MPLS))
		append(flow, &words, frame + at, left, LABEL);
	if (!words)
		append(flow, &words, frame, length, ADDRESSES);
	return rte_jhash_32b(flow, words, 0);
}

/* ---- Into its ring ---- */

/* What takes one slot of a client's. */
static bool is_plain(const struct rte_mbuf *packet)
{
	return packet->nb_segs == 1 && packet->data_len <= MEMIF_BUFFER;
}

/* Of a client's ring, which nobody else fills. */
static uint16_t room_in(struct memif_queue *queue)
{
	uint16_t room = 0;
	rte_spinlock_lock(&queue->lock);
	if (queue->has_ring)
		room = (uint16_t)(__atomic_load_n(&queue->ring->tail, __ATOMIC_ACQUIRE) + queue->slots -
						  queue->at);
	rte_spinlock_unlock(&queue->lock);
	return room;
}

/* Those of ring `ring`, which has room for them, unless it has gone meanwhile: then they go as all
 * that was in it. */
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

/* One after the other, since nobody knows how many slots each takes. */
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
