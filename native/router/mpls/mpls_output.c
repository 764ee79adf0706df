/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpls-output: writes the next hop's Ethernet header in front of a labelled packet.
 *
 * Uses: adjacency. Sets: the data begins at the Ethernet header; tx interface. Next: <if>-output,
 * mpls-icmp-error.
 */
#include "router/fib/adjacency_nodes.h"
#include "router/packet/output.h"
#include "router/path/count_forwarding.h"
#include "wire/icmp4.h"

enum edge { EDGE_ICMP_ERROR, EDGE_OUTPUT };
static const char *const edges[] = {
	[EDGE_ICMP_ERROR] = "mpls-icmp-error",
	[EDGE_OUTPUT] = "*-output",
};

enum counter { MTU };
static const struct graph_counter counters[] = {[MTU] = {"mpls MTU exceeded", true}};

static uint16_t mpls_output_process(struct graph *graph, struct graph_node *node, void **packets,
									uint16_t n)
{
	const struct adjacency *adjacencies = router_of(graph)->adjacencies.adjacencies;
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		const struct adjacency *adjacency = &adjacencies[packet_adjacency(packet)];
		if (unlikely(packet->pkt_len > adjacency_mtu(adjacency))) {
			graph_count(node, MTU, 1);
			packet_set_icmp_error(packet, ICMP4_UNREACHABLE, ICMP4_FRAGMENTATION_NEEDED,
								  adjacency_mtu(adjacency));
			next[i] = EDGE_ICMP_ERROR;
			continue;
		}
		packet_rewrite(packet, adjacency, 0);
		next[i] = EDGE_OUTPUT + adjacency_output(adjacency);
	}
	count_adjacencies(graph, packets, next, n, EDGE_OUTPUT);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

GRAPH_NODE(mpls_output, .name = "mpls-output", .takes = TAKES_PACKET | TAKES_DECIDED,
		   GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
ADJACENCY_NODE(BEHIND_LABELLED, ADJACENCY_REWRITE, "mpls-output")
