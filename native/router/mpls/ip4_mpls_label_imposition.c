/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-mpls-label-imposition-uniform: labels in front of an IPv4 packet.
 *
 * They bear the packet's TTL, one less for this hop, and its precedence as their class. A packet
 * whose last hop this was, or that is too long with them and may not be fragmented, is answered;
 * one that may be is cut, and its fragments come here again.
 *
 * Uses: adjacency (ADJACENCY_LABELS). Next: <if>-output, as mpls-output would; by the kind
 * of the adjacency behind, which becomes the packet's, when that is no next hop or the packet is
 * too long for it; ip4-icmp-error; ip4-frag.
 */
#include "router/fib/adjacency_nodes.h"
#include "router/mpls/mpls_forward.h"
#include "router/path/count_forwarding.h"
#include "router/path/ip4_hop.h"

enum { EDGE_ICMP_ERROR = ADJACENCY_KINDS, EDGE_FRAG, EDGE_OUTPUT, CLASS_OF_TOS_SHIFT = 5 };
enum { FRAGMENT_UNIT = 8 };
static const char *const edges[] = {EDGES_BEHIND_LABELLED, "ip4-icmp-error", "ip4-frag",
									"*-output"};

enum counter { MTU = IP4_HOP_COUNTERS, NO_ROOM };
static const struct graph_counter counters[] = {
	IP4_HOP_COUNTER_NAMES,
	[MTU] = {"ip4 MTU exceeded and labels leave no room for fragments", true},
	[NO_ROOM] = {"no headroom for labels", true},
};

static __attribute__((noinline)) uint16_t refuse(struct graph_node *node, struct rte_mbuf *packet,
												 uint16_t mtu)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	if (ip4_hop_error(node, packet, mtu))
		return EDGE_ICMP_ERROR;
	if (be16toh(ip->total_length) <= mtu) {
		graph_count(node, NO_ROOM, 1);
		return ADJACENCY_DROP;
	}
	/* Behind any header at least one unit of a fragment's payload. */
	if (mtu >= IP4_MAX_LEN + FRAGMENT_UNIT)
		return EDGE_FRAG;
	graph_count(node, MTU, 1);
	return ADJACENCY_DROP;
}

static uint16_t ip4_mpls_label_imposition_process(struct graph *graph, struct graph_node *node,
												  void **packets, uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	const struct adjacency *adjacencies = router->adjacencies.adjacencies;
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		const struct adjacency *adjacency = &adjacencies[packet_adjacency(packet)];
		struct ip4_header *ip = (struct ip4_header *)(void *)packet_data(packet);
		uint16_t mtu = adjacency_unlabelled_mtu(router->adjacencies.adjacencies, adjacency);
		if (unlikely(ip->ttl <= 1 || be16toh(ip->total_length) > mtu ||
					 !mpls_has_room(packet, adjacency))) {
			next[i] = refuse(node, packet, mtu);
			continue;
		}
		ip4_decrement_ttl(ip);
		uint32_t class_and_ttl =
			(uint32_t)(ip->tos >> CLASS_OF_TOS_SHIFT) << MPLS_CLASS_SHIFT | ip->ttl;
		next[i] = mpls_impose(router, packet, adjacency, class_and_ttl, MPLS_BOTTOM, EDGE_OUTPUT);
	}
	count_adjacencies(graph, packets, next, n, EDGE_OUTPUT);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static struct graph_registration ip4_mpls_label_imposition = {
	.name = "ip4-mpls-label-imposition-uniform",
	.process = ip4_mpls_label_imposition_process,
	.takes = TAKES_PACKET | TAKES_DECIDED,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(counters),
};
GRAPH_REGISTER(ip4_mpls_label_imposition)
ADJACENCY_NODE(BEHIND_IP4, ADJACENCY_LABELS, "ip4-mpls-label-imposition-uniform")
