/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip6-mpls-label-imposition-uniform: labels in front of an IPv6 packet.
 *
 * They bear the packet's hop limit, one less for this hop, and its precedence as their class. A
 * packet whose last hop this was, or that is too long with them, is answered.
 *
 * Uses: adjacency (ADJACENCY_LABELS). Next: <if>-output, as mpls-output would; by the kind
 * of the adjacency behind, which becomes the packet's, when that is no next hop or the packet is
 * too long for it; ip6-icmp-error.
 */
#include "router/fib/adjacency_nodes.h"
#include "router/mpls/mpls_forward.h"
#include "router/path/count_forwarding.h"
#include "router/path/ip6_hop.h"

enum {
	EDGE_ICMP_ERROR = ADJACENCY_KINDS,
	EDGE_OUTPUT,
	CLASS_SHIFT = 25 /* of the first word's class */
};
static const char *const edges[] = {EDGES_BEHIND_LABELLED, "ip6-icmp-error", "*-output"};

enum counter { NO_ROOM = IP6_HOP_COUNTERS };
static const struct graph_counter counters[] = {
	IP6_HOP_COUNTER_NAMES,
	[NO_ROOM] = {"no headroom for labels", true},
};

static __attribute__((noinline)) uint16_t refuse(struct graph_node *node, struct rte_mbuf *packet,
												 uint16_t mtu)
{
	if (ip6_hop_error(node, packet, mtu))
		return EDGE_ICMP_ERROR;
	graph_count(node, NO_ROOM, 1);
	return ADJACENCY_DROP;
}

static uint16_t ip6_mpls_label_imposition_process(struct graph *graph, struct graph_node *node,
												  void **packets, uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	const struct adjacency *adjacencies = router->adjacencies.adjacencies;
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		const struct adjacency *adjacency = &adjacencies[packet_adjacency(packet)];
		struct ip6_header *ip = (struct ip6_header *)(void *)packet_data(packet);
		uint16_t mtu = adjacency_unlabelled_mtu(router->adjacencies.adjacencies, adjacency);
		if (unlikely(ip->hop_limit <= 1 || ip6_packet_length(ip) > mtu ||
					 !mpls_has_room(packet, adjacency))) {
			next[i] = refuse(node, packet, mtu);
			continue;
		}
		ip->hop_limit--;
		uint32_t precedence = be32toh(ip->version_class_flow) >> CLASS_SHIFT & 7;
		uint32_t class_and_ttl = precedence << MPLS_CLASS_SHIFT | ip->hop_limit;
		next[i] = mpls_impose(router, packet, adjacency, class_and_ttl, MPLS_BOTTOM, EDGE_OUTPUT);
	}
	count_adjacencies(graph, packets, next, n, EDGE_OUTPUT);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static struct graph_registration ip6_mpls_label_imposition = {
	.name = "ip6-mpls-label-imposition-uniform",
	.process = ip6_mpls_label_imposition_process,
	.takes = TAKES_PACKET | TAKES_DECIDED,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(counters),
};
GRAPH_REGISTER(ip6_mpls_label_imposition)
ADJACENCY_NODE(BEHIND_IP6, ADJACENCY_LABELS, "ip6-mpls-label-imposition-uniform")
