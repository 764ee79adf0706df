/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by vxlan4-input and vxlan6-input: the tunnel of a datagram, and its contents. */
#pragma once

#include "router/observe/trace.h"
#include "router/packet/packet_checksum.h"
#include "router/path/forward.h"
#include "router/vxlan/vxlan.h"
#include "wire/own_count.h"

enum vxlan_decap_edge { VXLAN_DROP, VXLAN_FRAME, VXLAN_PACKET4, VXLAN_PACKET6, VXLAN_EDGES };
static const char *const vxlan_decap_edges[] = {
	[VXLAN_DROP] = "error-drop",
	[VXLAN_FRAME] = "ethernet-input",
	[VXLAN_PACKET4] = "ip4-input",
	[VXLAN_PACKET6] = "ip6-input",
};

enum vxlan_decap_counter {
	VXLAN_BAD_UDP,
	VXLAN_BAD_CHECKSUM,
	VXLAN_BAD_HEADER,
	VXLAN_NO_TUNNEL,
	VXLAN_DOWN,
	VXLAN_GOOD,
	VXLAN_DECAP_COUNTERS,
};
static const struct graph_counter vxlan_decap_counters[] = {
	[VXLAN_BAD_UDP] = {"bad udp length", true},
	[VXLAN_BAD_CHECKSUM] = {"bad udp checksum", true},
	[VXLAN_BAD_HEADER] = {"vxlan header without a VNI", true},
	[VXLAN_NO_TUNNEL] = {"no such tunnel", true},
	[VXLAN_DOWN] = {"interface is down", true},
	[VXLAN_GOOD] = {"good packets decapsulated", false},
};

/* Where the UDP header is, and how many bytes IP has from it on. */
struct vxlan_datagram {
	uint16_t offset, claimed;
};

static inline uint16_t vxlan_refuse(struct graph_node *node, enum vxlan_decap_counter reason)
{
	graph_count(node, reason, 1);
	return VXLAN_DROP;
}

/* The data becomes what is in the tunnel, with an Ethernet header in front of what has none. */
static inline uint16_t vxlan_take_out(struct rte_mbuf *packet, const struct vxlan_tunnel *tunnel,
									  uint16_t headers, uint32_t length)
{
	static const uint8_t nobody[6];
	int before;
	if (unlikely(packet->pkt_len > length))
		packet_cut(packet, length);
	if (unlikely(trace_frame_start(packet, &before)))
		trace_moved(packet, before + headers - (tunnel->decap == WS_VXLAN_L2 ? 0 : ETHERNET_LEN));
	packet_advance(packet, headers);
	packet->port = tunnel->interface;
	if (likely(tunnel->decap == WS_VXLAN_L2))
		return VXLAN_FRAME;
	bool is_ip4 = tunnel->decap == WS_VXLAN_IP4;
	ethernet_write(packet_data(packet) - ETHERNET_LEN, nobody, nobody,
				   is_ip4 ? ETHERNET_IP4 : ETHERNET_IP6);
	return is_ip4 ? VXLAN_PACKET4 : VXLAN_PACKET6;
}

static __attribute__((noinline, unused)) bool
vxlan_checksum_is_right(const struct rte_mbuf *packet, uint8_t family,
						const struct vxlan_datagram *datagram, uint16_t length)
{
	const uint8_t *ip = packet_data(packet);
	uint64_t sum = family == WS_IP4 ? checksum_add(0, ip + IP4_ADDRESSES_AT, IP4_ADDRESSES_LEN) +
										  htobe16(IP4_UDP) + htobe16(length)
									: ip6_pseudo_sum((const void *)ip, length, IP6_UDP);
	return !packet_checksum(sum, packet, datagram->offset, length);
}

/* Packets in a row out of one tunnel, counted for its interface at once. */
struct vxlan_run {
	const struct vxlan_tunnel *tunnel; /* NULL: of none yet */
	uint16_t came_by;                  /* the interface of the last one that was in it */
	bool is_up;
	uint64_t packets, bytes, good;
};

static inline void vxlan_run_end(struct vxlan_run *run, struct graph *graph)
{
	struct interface_counts *counts = router_worker_of(graph)->interfaces;
	if (!run->packets)
		return;
	own_pair_add(&counts->rx.at[run->tunnel->interface], run->packets, run->bytes);
	run->good += run->packets;
	run->packets = run->bytes = 0;
}

/* False: there is no such tunnel. */
static inline bool vxlan_run_take(struct vxlan_run *run, struct graph *graph,
								  const struct rte_mbuf *packet, const struct vxlan_key *key)
{
	const struct ws_router *router = router_of(graph);
	if (likely(run->tunnel && vxlan_is_key(&run->tunnel->key, key))) {
		run->came_by = packet->port;
		return true;
	}
	const struct vxlan_room *room = vxlan_room(router);
	const struct vxlan_tunnel *tunnel =
		room ? vxlan_find(__atomic_load_n(&room->ends, __ATOMIC_ACQUIRE), key) : NULL;
	if (unlikely(!tunnel))
		return false;
	vxlan_run_end(run, graph);
	run->tunnel = tunnel;
	run->came_by = packet->port;
	run->is_up = interface_is_up(&router->interfaces[tunnel->interface]);
	return true;
}

/* Where a datagram's UDP header is, and the addresses of `key`; UDP's bytes are readable. */
typedef void vxlan_read_fn(const struct rte_mbuf *packet, struct vxlan_datagram *datagram,
						   struct vxlan_key *key);

static inline __attribute__((always_inline)) uint16_t
vxlan_decap_one(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet,
				struct vxlan_run *run, uint8_t family, vxlan_read_fn *read)
{
	struct vxlan_datagram datagram;
	struct vxlan_key key;
	read(packet, &datagram, &key);
	const uint8_t *at = packet_data(packet) + datagram.offset;
	size_t readable = packet->data_len - datagram.offset;
	const struct udp_header *udp = udp_parse(at, readable, datagram.claimed);
	if (unlikely(!udp))
		return vxlan_refuse(node, VXLAN_BAD_UDP);
	uint16_t length = be16toh(udp->length);
	const struct vxlan_header *vxlan =
		vxlan_parse(at + UDP_LEN, RTE_MIN(readable, (size_t)length) - UDP_LEN);
	if (unlikely(!vxlan))
		return vxlan_refuse(node, VXLAN_BAD_HEADER);
	key.words[4] = vxlan_last_word(vxlan->vni & htobe32((uint32_t)VXLAN_MAX_VNI << VXLAN_VNI_SHIFT),
								   packet_table(router_of(graph), family, packet), family);
	if (unlikely(!vxlan_run_take(run, graph, packet, &key)))
		return vxlan_refuse(node, VXLAN_NO_TUNNEL);
	if (udp->checksum && !vxlan_checksum_is_right(packet, family, &datagram, length))
		return vxlan_refuse(node, VXLAN_BAD_CHECKSUM);
	if (unlikely(!run->is_up))
		return vxlan_refuse(node, VXLAN_DOWN);
	uint16_t edge = vxlan_take_out(packet, run->tunnel, datagram.offset + UDP_LEN + VXLAN_LEN,
								   datagram.offset + (uint32_t)length);
	run->packets++;
	run->bytes += packet->pkt_len;
	return edge;
}

static inline void vxlan_decap_end(struct graph *graph, struct graph_node *node,
								   struct vxlan_run *run, void **packets, uint16_t *next,
								   uint16_t n)
{
	vxlan_run_end(run, graph);
	graph_count(node, VXLAN_GOOD, run->good);
	graph_enqueue(graph, node, packets, next, n);
}
