/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-mpls-label-imposition-uniform, ip6-mpls-label-imposition-uniform: push labels.
 *
 * The labels get the packet's TTL or hop limit, decremented, and its precedence as their class. A
 * packet without hops left, or too long with the labels, causes an ICMP error. An IPv4 packet that
 * may be fragmented is fragmented instead, and its fragments come here again.
 *
 * Uses: adjacency (ADJACENCY_LABELS). Next: <if>-output, like mpls-output; by the kind of the next
 * adjacency, which becomes the packet's, if that is not a next hop or the packet is too long for
 * it; ip4-icmp-error or ip6-icmp-error; ip4-frag.
 */
#include "graph/graph.h"
#include "router/fib/adjacency_nodes.h"
#include "router/mpls/mpls_forward.h"
#include "router/path/count_forwarding.h"
#include "router/path/ip_hop.h"

struct ip_family {
	uint16_t output; /* the first edge of "*-output" */
	/* Decrement TTL or hop limit and return true; false if none is left or the packet is longer
	 * than `mtu`. */
	bool (*hop)(struct rte_mbuf *packet, uint16_t mtu, uint32_t *class_and_ttl);
	/* The edge of a packet for which `hop` returned false, or that gets no labels. */
	uint16_t (*refuse)(struct graph_node *node, struct rte_mbuf *packet, uint16_t mtu);
};

/* ---- IPv4 ---- */

enum { IP4_EDGE_ICMP_ERROR = ADJACENCY_KINDS, IP4_EDGE_FRAG, IP4_EDGE_OUTPUT };
enum { CLASS_OF_TOS_SHIFT = 5, FRAGMENT_UNIT = 8 };
static const char *const ip4_edges[] = {EDGES_BEHIND_LABELLED, "ip4-icmp-error", "ip4-frag",
										"*-output"};

enum ip4_counter { IP4_MTU = IP4_HOP_COUNTERS, IP4_NO_ROOM };
static const struct graph_counter ip4_counters[] = {
	IP4_HOP_COUNTER_NAMES,
	[IP4_MTU] = {"ip4 MTU exceeded and labels leave no room for fragments", true},
	[IP4_NO_ROOM] = {"no headroom for labels", true},
};

static inline __attribute__((always_inline)) bool ip4_hop(struct rte_mbuf *packet, uint16_t mtu,
														  uint32_t *class_and_ttl)
{
	struct ip4_header *ip = (struct ip4_header *)(void *)packet_data(packet);
	if (unlikely(ip->ttl <= 1 || be16toh(ip->total_length) > mtu))
		return false;
	ip4_decrement_ttl(ip);
	*class_and_ttl = (uint32_t)(ip->tos >> CLASS_OF_TOS_SHIFT) << MPLS_CLASS_SHIFT | ip->ttl;
	return true;
}

static __attribute__((noinline)) uint16_t ip4_refuse(struct graph_node *node,
													 struct rte_mbuf *packet, uint16_t mtu)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	if (ip4_hop_error(node, packet, mtu))
		return IP4_EDGE_ICMP_ERROR;
	if (be16toh(ip->total_length) <= mtu) {
		graph_count(node, IP4_NO_ROOM, 1);
		return ADJACENCY_DROP;
	}
	/* After the longest header there must be room for at least one unit of payload. */
	if (mtu >= IP4_MAX_LEN + FRAGMENT_UNIT)
		return IP4_EDGE_FRAG;
	graph_count(node, IP4_MTU, 1);
	return ADJACENCY_DROP;
}

static const struct ip_family ip4_family = {IP4_EDGE_OUTPUT, ip4_hop, ip4_refuse};

/* ---- IPv6 ---- */

enum { IP6_EDGE_ICMP_ERROR = ADJACENCY_KINDS, IP6_EDGE_OUTPUT };
enum { CLASS_SHIFT = 25 /* position of the class in the first word */ };
static const char *const ip6_edges[] = {EDGES_BEHIND_LABELLED, "ip6-icmp-error", "*-output"};

enum ip6_counter { IP6_NO_ROOM = IP6_HOP_COUNTERS };
static const struct graph_counter ip6_counters[] = {
	IP6_HOP_COUNTER_NAMES,
	[IP6_NO_ROOM] = {"no headroom for labels", true},
};

static inline __attribute__((always_inline)) bool ip6_hop(struct rte_mbuf *packet, uint16_t mtu,
														  uint32_t *class_and_ttl)
{
	struct ip6_header *ip = (struct ip6_header *)(void *)packet_data(packet);
	if (unlikely(ip->hop_limit <= 1 || ip6_packet_length(ip) > mtu))
		return false;
	ip->hop_limit--;
	uint32_t precedence = be32toh(ip->version_class_flow) >> CLASS_SHIFT & 7;
	*class_and_ttl = precedence << MPLS_CLASS_SHIFT | ip->hop_limit;
	return true;
}

static __attribute__((noinline)) uint16_t ip6_refuse(struct graph_node *node,
													 struct rte_mbuf *packet, uint16_t mtu)
{
	if (ip6_hop_error(node, packet, mtu))
		return IP6_EDGE_ICMP_ERROR;
	graph_count(node, IP6_NO_ROOM, 1);
	return ADJACENCY_DROP;
}

static const struct ip_family ip6_family = {IP6_EDGE_OUTPUT, ip6_hop, ip6_refuse};

/* ---- Both ---- */

static inline __attribute__((always_inline)) uint16_t impose(const struct ip_family *family,
															 struct graph *graph,
															 struct graph_node *node,
															 void **packets, uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	const struct adjacency *adjacencies = router->adjacencies.adjacencies;
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		const struct adjacency *adjacency = &adjacencies[packet_adjacency(packet)];
		uint16_t mtu = adjacency_unlabelled_mtu(adjacencies, adjacency);
		uint32_t class_and_ttl;
		if (unlikely(!mpls_has_headroom(packet, adjacency) ||
					 !family->hop(packet, mtu, &class_and_ttl)))
			next[i] = family->refuse(node, packet, mtu);
		else
			next[i] =
				mpls_impose(router, packet, adjacency, class_and_ttl, MPLS_BOTTOM, family->output);
	}
	count_adjacencies(graph, packets, next, n, family->output);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static uint16_t ip4_mpls_label_imposition_process(struct graph *graph, struct graph_node *node,
												  void **packets, uint16_t n)
{
	return impose(&ip4_family, graph, node, packets, n);
}

static uint16_t ip6_mpls_label_imposition_process(struct graph *graph, struct graph_node *node,
												  void **packets, uint16_t n)
{
	return impose(&ip6_family, graph, node, packets, n);
}

GRAPH_NODE(ip4_mpls_label_imposition, .name = "ip4-mpls-label-imposition-uniform",
		   .takes = TAKES_PACKET | TAKES_DECIDED, GRAPH_EDGES(ip4_edges),
		   GRAPH_COUNTERS(ip4_counters))
ADJACENCY_NODE(BEHIND_IP4, ADJACENCY_LABELS, "ip4-mpls-label-imposition-uniform")

GRAPH_NODE(ip6_mpls_label_imposition, .name = "ip6-mpls-label-imposition-uniform",
		   .takes = TAKES_PACKET | TAKES_DECIDED, GRAPH_EDGES(ip6_edges),
		   GRAPH_COUNTERS(ip6_counters))
ADJACENCY_NODE(BEHIND_IP6, ADJACENCY_LABELS, "ip6-mpls-label-imposition-uniform")
