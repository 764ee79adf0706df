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
#include "router/ip4_hop.h"
#include "router/output.h"

enum edge { EDGE_FRAG, EDGE_ICMP_ERROR, EDGE_OUTPUT };
static const char *const edges[] = {
	[EDGE_FRAG] = "ip4-frag",
	[EDGE_ICMP_ERROR] = "ip4-icmp-error",
	[EDGE_OUTPUT] = "*-output",
};

static const struct graph_counter counters[] = {IP4_HOP_COUNTER_NAMES};

static uint16_t ip4_rewrite_process(struct graph *graph, struct graph_node *node, void **packets,
									uint16_t n)
{
	const struct adjacency *adjacencies = router_of(graph)->adjacencies.adjacencies;
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		const struct adjacency *adjacency = &adjacencies[packet_adjacency(packet)];
		struct ip4_header *ip = (struct ip4_header *)(void *)packet_data(packet);
		if (unlikely(ip->ttl <= 1 || be16toh(ip->total_length) > adjacency->mtu)) {
			next[i] = ip4_hop_error(node, packet, adjacency->mtu) ? EDGE_ICMP_ERROR : EDGE_FRAG;
			continue;
		}
		ip4_decrement_ttl(ip);
		packet_rewrite(packet, adjacency, 0);
		next[i] = EDGE_OUTPUT + adjacency->tx_output;
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static struct graph_registration ip4_rewrite = {
	.name = "ip4-rewrite",
	.process = ip4_rewrite_process,
	.edge_count = 3,
	.edges = edges,
	.counter_count = IP4_HOP_COUNTERS,
	.counters = counters,
};
GRAPH_REGISTER(ip4_rewrite)
