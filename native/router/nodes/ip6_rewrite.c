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
#include "router/ip6_hop.h"
#include "router/output.h"

enum edge { EDGE_ICMP_ERROR, EDGE_OUTPUT };
static const char *const edges[] = {
	[EDGE_ICMP_ERROR] = "ip6-icmp-error",
	[EDGE_OUTPUT] = "*-output",
};

static const struct graph_counter counters[] = {IP6_HOP_COUNTER_NAMES};

static uint16_t ip6_rewrite_process(struct graph *graph, struct graph_node *node, void **packets,
									uint16_t n)
{
	const struct adjacency *adjacencies = router_of(graph)->adjacencies.adjacencies;
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		const struct adjacency *adjacency = &adjacencies[packet_adjacency(packet)];
		struct ip6_header *ip = (struct ip6_header *)(void *)packet_data(packet);
		if (unlikely(ip->hop_limit <= 1 || ip6_packet_length(ip) > adjacency->mtu)) {
			ip6_hop_error(node, packet, adjacency->mtu);
			next[i] = EDGE_ICMP_ERROR;
			continue;
		}
		ip->hop_limit--;
		packet_rewrite(packet, adjacency, 0);
		next[i] = EDGE_OUTPUT + adjacency->tx_output;
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static struct graph_registration ip6_rewrite = {
	.name = "ip6-rewrite",
	.process = ip6_rewrite_process,
	.edge_count = 2,
	.edges = edges,
	.counter_count = IP6_HOP_COUNTERS,
	.counters = counters,
};
GRAPH_REGISTER(ip6_rewrite)
