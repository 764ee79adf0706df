/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-rewrite: one hop less to live, and the next hop's Ethernet header in front.
 *
 * A packet whose last hop this was, or that is too long for the link and may not be fragmented, is
 * answered, unchanged; one that may be is cut, and its fragments come here again.
 *
 * Uses: adjacency. Sets: the data begins at the Ethernet header again; tx interface. Next:
 * <if>-output, ip4-frag, ip4-icmp-error.
 */
#include "graph/graph.h"
#include "router/fib/adjacency_nodes.h"
#include "router/nodes/count_forwarding.h"
#include "router/nodes/ip4_hop.h"
#include "router/packet/eight.h"
#include "router/packet/output.h"
#include "wirespeed/counters.h"

enum edge { EDGE_FRAG, EDGE_ICMP_ERROR, EDGE_OUTPUT };
static const char *const edges[] = {
	[EDGE_FRAG] = "ip4-frag",
	[EDGE_ICMP_ERROR] = "ip4-icmp-error",
	[EDGE_OUTPUT] = "*-output",
};

static const struct graph_counter counters[] = {IP4_HOP_COUNTER_NAMES};

/* Eight packets for one next hop without tags, none of which is an error; false for others. */
LANES_INLINE bool ip4_rewrite_eight(const struct adjacency *adjacencies, void *const *packets,
									uint16_t *next)
{
	uint32_t index = packet_adjacency(packets[0]);
	const struct adjacency *adjacency = &adjacencies[index];
	void *data[EIGHT];
	if (!eight_have_adjacency(packets, index) || unlikely(adjacency->rewrite_len != ETHERNET_LEN))
		return false;
	eight_data(packets, data);
	lanes hops = lanes_load_at((const void *const *)data, offsetof(struct ip4_header, ttl));
	lanes lengths = lanes_swap(lanes_load_at((const void *const *)data, 0)) & 0xffff;
	if (unlikely(lanes_any(lanes_less(hops & 0xff, lanes_all(2)) |
						   lanes_less(lanes_all(adjacency_mtu(adjacency)), lengths))))
		return false;
	/* As ip4_decrement_ttl(); the word stays unsigned. */
	hops += 0xffff + ((lanes)(hops >= 0xfffe0000) & 0x10000);
	lanes_store_at(data, offsetof(struct ip4_header, ttl), hops);
	eight_rewrite(packets, data, adjacency, 0);
	eight_fill(next, EDGE_OUTPUT + adjacency_output(adjacency));
	return true;
}

static inline __attribute__((always_inline)) uint16_t
ip4_rewrite_one(struct graph_node *node, const struct adjacency *adjacencies,
				struct rte_mbuf *packet)
{
	const struct adjacency *adjacency = &adjacencies[packet_adjacency(packet)];
	struct ip4_header *ip = (struct ip4_header *)(void *)packet_data(packet);
	if (unlikely(ip->ttl <= 1 || be16toh(ip->total_length) > adjacency_mtu(adjacency)))
		return ip4_hop_error(node, packet, adjacency_mtu(adjacency)) ? EDGE_ICMP_ERROR : EDGE_FRAG;
	ip4_decrement_ttl(ip);
	packet_rewrite(packet, adjacency, 0);
	return EDGE_OUTPUT + adjacency_output(adjacency);
}

static inline __attribute__((always_inline)) uint16_t ip4_rewrite_frame(struct graph *graph,
																		struct graph_node *node,
																		void **packets, uint16_t n,
																		bool counts)
{
	const struct adjacency *adjacencies = router_of(graph)->adjacencies.adjacencies;
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0, end; i < n; i = end) {
		end = eight_end(i, n);
		if (end - i == EIGHT && ip4_rewrite_eight(adjacencies, packets + i, next + i))
			continue;
		for (uint16_t k = i; k < end; k++)
			next[k] = ip4_rewrite_one(node, adjacencies, packets[k]);
	}
	if (counts)
		count_adjacencies(graph, packets, next, n, EDGE_OUTPUT);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static uint16_t ip4_rewrite_process(struct graph *graph, struct graph_node *node, void **packets,
									uint16_t n)
{
	return ip4_rewrite_frame(graph, node, packets, n, false);
}

static uint16_t ip4_rewrite_counting(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	return ip4_rewrite_frame(graph, node, packets, n, true);
}

static struct graph_registration ip4_rewrite = {
	.name = "ip4-rewrite",
	.process = ip4_rewrite_process,
	.takes = TAKES_PACKET | TAKES_DECIDED,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(counters),
};
GRAPH_REGISTER(ip4_rewrite)
GRAPH_REGISTER_VARIANT(ip4_rewrite, WS_COUNT_ADJACENCIES, ip4_rewrite_counting)
ADJACENCY_NODE(BEHIND_IP4, ADJACENCY_REWRITE, "ip4-rewrite")
