/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip6-rewrite: one hop less to live, and the next hop's Ethernet header in front.
 *
 * A packet whose last hop this was, or that is too long for the link, is answered, unchanged.
 *
 * Uses: adjacency. Sets: the data begins at the Ethernet header again; tx interface. Next:
 * <if>-output, ip6-icmp-error.
 */
#include "graph/graph.h"
#include "router/fib/adjacency_nodes.h"
#include "router/nodes/count_forwarding.h"
#include "router/nodes/ip6_hop.h"
#include "router/packet/eight.h"
#include "router/packet/output.h"
#include "wirespeed/counters.h"

enum edge { EDGE_ICMP_ERROR, EDGE_OUTPUT };
static const char *const edges[] = {
	[EDGE_ICMP_ERROR] = "ip6-icmp-error",
	[EDGE_OUTPUT] = "*-output",
};

static const struct graph_counter counters[] = {IP6_HOP_COUNTER_NAMES};

/* Eight packets for one next hop without tags, none of which is an error; false for others. */
LANES_INLINE bool ip6_rewrite_eight(const struct adjacency *adjacencies, void *const *packets,
									uint16_t *next)
{
	uint32_t index = packet_adjacency(packets[0]);
	const struct adjacency *adjacency = &adjacencies[index];
	void *data[EIGHT];
	if (!eight_have_adjacency(packets, index) || unlikely(adjacency->rewrite_len != ETHERNET_LEN))
		return false;
	eight_data(packets, data);
	/* Payload length, next header and hop limit are one word. */
	size_t at = offsetof(struct ip6_header, payload_length);
	lanes words = lanes_load_at((const void *const *)data, at), swapped = lanes_swap(words);
	lanes lengths = (swapped >> 16) + IP6_LEN;
	if (unlikely(lanes_any(lanes_less(swapped & 0xff, lanes_all(2)) |
						   lanes_less(lanes_all(adjacency_mtu(adjacency)), lengths))))
		return false;
	lanes_store_at(data, at, words - (1u << 24));
	eight_rewrite(packets, data, adjacency, 0);
	eight_fill(next, EDGE_OUTPUT + adjacency_output(adjacency));
	return true;
}

static inline __attribute__((always_inline)) uint16_t
ip6_rewrite_one(struct graph_node *node, const struct adjacency *adjacencies,
				struct rte_mbuf *packet)
{
	const struct adjacency *adjacency = &adjacencies[packet_adjacency(packet)];
	struct ip6_header *ip = (struct ip6_header *)(void *)packet_data(packet);
	if (unlikely(ip->hop_limit <= 1 || ip6_packet_length(ip) > adjacency_mtu(adjacency))) {
		ip6_hop_error(node, packet, adjacency_mtu(adjacency));
		return EDGE_ICMP_ERROR;
	}
	ip->hop_limit--;
	packet_rewrite(packet, adjacency, 0);
	return EDGE_OUTPUT + adjacency_output(adjacency);
}

static inline __attribute__((always_inline)) uint16_t ip6_rewrite_frame(struct graph *graph,
																		struct graph_node *node,
																		void **packets, uint16_t n,
																		bool counts)
{
	const struct adjacency *adjacencies = router_of(graph)->adjacencies.adjacencies;
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0, end; i < n; i = end) {
		end = eight_end(i, n);
		if (end - i == EIGHT && ip6_rewrite_eight(adjacencies, packets + i, next + i))
			continue;
		for (uint16_t k = i; k < end; k++)
			next[k] = ip6_rewrite_one(node, adjacencies, packets[k]);
	}
	if (counts)
		count_adjacencies(graph, packets, next, n, EDGE_OUTPUT);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static uint16_t ip6_rewrite_process(struct graph *graph, struct graph_node *node, void **packets,
									uint16_t n)
{
	return ip6_rewrite_frame(graph, node, packets, n, false);
}

static uint16_t ip6_rewrite_counting(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	return ip6_rewrite_frame(graph, node, packets, n, true);
}

static struct graph_registration ip6_rewrite = {
	.name = "ip6-rewrite",
	.process = ip6_rewrite_process,
	.takes = TAKES_PACKET | TAKES_DECIDED,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(counters),
};
GRAPH_REGISTER(ip6_rewrite)
GRAPH_REGISTER_VARIANT(ip6_rewrite, WS_COUNT_ADJACENCIES, ip6_rewrite_counting)
ADJACENCY_NODE(BEHIND_IP6, ADJACENCY_REWRITE, "ip6-rewrite")
