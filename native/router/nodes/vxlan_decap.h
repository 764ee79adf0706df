/* SPDX-License-Identifier: Apache-2.0 */
/* What vxlan4-input and vxlan6-input share: the tunnel of a datagram, and what it carries. */
#ifndef ROUTER_VXLAN_DECAP_H
#define ROUTER_VXLAN_DECAP_H

#include "graph/graph.h"
#include "router/nodes/forward.h"
#include "router/observe/trace.h"
#include "router/packet/packet_checksum.h"
#include "router/vxlan/vxlan.h"

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

/* Where the UDP header is, how many bytes IP has from it on, and what its checksum begins with. */
struct vxlan_datagram {
	uint16_t offset, claimed;
	uint64_t pseudo_sum;
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
	if (packet->pkt_len > length)
		packet_cut(packet, length);
	if (unlikely(trace_frame_start(packet, &before)))
		trace_moved(packet, before + headers - (tunnel->decap == WS_VXLAN_L2 ? 0 : ETHERNET_LEN));
	packet_advance(packet, headers);
	packet->port = tunnel->interface;
	if (tunnel->decap == WS_VXLAN_L2)
		return VXLAN_FRAME;
	bool is_ip4 = tunnel->decap == WS_VXLAN_IP4;
	ethernet_write(packet_data(packet) - ETHERNET_LEN, nobody, nobody,
				   is_ip4 ? ETHERNET_IP4 : ETHERNET_IP6);
	return is_ip4 ? VXLAN_PACKET4 : VXLAN_PACKET6;
}

/* `key` has the addresses. The datagram's first bytes up to UDP's are readable. */
static inline uint16_t vxlan_decap(struct graph *graph, struct graph_node *node,
								   struct rte_mbuf *packet, const struct vxlan_datagram *datagram,
								   struct vxlan_key *key, uint8_t family)
{
	const struct ws_router *router = router_of(graph);
	const struct vxlan_room *room = vxlan_room(router);
	const uint8_t *at = packet_data(packet) + datagram->offset;
	size_t readable = packet->data_len - datagram->offset;
	const struct udp_header *udp = udp_parse(at, readable, datagram->claimed);
	if (unlikely(!udp))
		return vxlan_refuse(node, VXLAN_BAD_UDP);
	uint16_t length = be16toh(udp->length);
	const struct vxlan_header *vxlan =
		vxlan_parse(at + UDP_LEN, RTE_MIN(readable, (size_t)length) - UDP_LEN);
	if (unlikely(!vxlan))
		return vxlan_refuse(node, VXLAN_BAD_HEADER);
	key->words[4] =
		vxlan_last_word(vxlan->vni & htobe32((uint32_t)VXLAN_MAX_VNI << VXLAN_VNI_SHIFT),
						packet_table(router, family, packet), family);
	const struct vxlan_tunnel *tunnel =
		room ? vxlan_find(__atomic_load_n(&room->ends, __ATOMIC_ACQUIRE), key) : NULL;
	if (unlikely(!tunnel))
		return vxlan_refuse(node, VXLAN_NO_TUNNEL);
	if (udp->checksum && packet_checksum(datagram->pseudo_sum, packet, datagram->offset, length))
		return vxlan_refuse(node, VXLAN_BAD_CHECKSUM);
	if (unlikely(!router->interfaces[tunnel->interface].admin_up))
		return vxlan_refuse(node, VXLAN_DOWN);
	uint16_t edge = vxlan_take_out(packet, tunnel, datagram->offset + UDP_LEN + VXLAN_LEN,
								   datagram->offset + (uint32_t)length);
	struct interface_counts *counts = router_worker_of(graph)->interfaces;
	counts->rx.at[packet->port].packets++;
	counts->rx.at[packet->port].bytes += packet->pkt_len;
	graph_count(node, VXLAN_GOOD, 1);
	return edge;
}

#endif
