/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vxlan4-encap: frames out of VXLAN tunnels in UDP over IPv4, without a UDP checksum (RFC 7348
 * section 5).
 *
 * Uses: tx interface. Sets: adjacency; the data begins at the outer IPv4 header. Next: by
 * enum adjacency_kind.
 */
#include "graph/graph.h"
#include "router/nodes/each_packet.h"
#include "router/nodes/ip4_forward.h"
#include "router/nodes/vxlan_encap.h"

static const char *const edges[] = {EDGES_BEHIND_IP4};
static const struct graph_counter counters[] = {VXLAN_ENCAP_COUNTERS};

static uint16_t vxlan4_encap_one(struct graph *graph, struct graph_node *node,
								 struct rte_mbuf *packet)
{
	const struct ws_router *router = router_of(graph);
	const struct vxlan_tunnel *tunnel =
		vxlan_encap_tunnel(router, node, packet, VXLAN_IP4_OVERHEAD);
	if (unlikely(!tunnel))
		return ADJACENCY_DROP;
	vxlan_push(packet, tunnel, VXLAN_IP4_OVERHEAD);
	struct ip4_header *ip = (struct ip4_header *)(void *)packet_data(packet);
	ip->total_length = htobe16((uint16_t)packet->pkt_len);
	ip->checksum = checksum_update(ip->checksum, 0, ip->total_length);
	return vxlan_forward(router, node, packet, tunnel, WS_IP4, ip4_table_lookup, &ip4_refusal);
}

static uint16_t vxlan4_encap_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	return each_packet(graph, node, packets, n, vxlan4_encap_one);
}

static struct graph_registration vxlan4_encap = {
	.name = "vxlan4-encap",
	.process = vxlan4_encap_process,
	.edge_count = 1,
	.edges = edges,
	.counter_count = VXLAN_COUNTERS,
	.counters = counters,
};
GRAPH_REGISTER(vxlan4_encap)
