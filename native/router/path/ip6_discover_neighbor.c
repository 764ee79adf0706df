/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip6-discover-neighbor: turns a packet whose next hop has no known MAC address into the neighbor
 * solicitation for it.
 *
 * At most one a second for each next hop; a few packets without labels wait for the answer
 * (hold.h), the others are dropped.
 *
 * Uses: adjacency. Sets: the data begins at the Ethernet header. Next: <if>-output, error-drop.
 */
#include "router/fib/adjacency_nodes.h"
#include "router/path/nd_solicit.h"

static const char *const edges[] = {
	[SOLICIT_DROP] = "error-drop",
	[SOLICIT_OUTPUT] = "*-output",
};
static const struct graph_counter counters[] = {SOLICIT_COUNTER_NAMES};

static uint16_t ip6_discover_neighbor_one(struct graph *graph, struct graph_node *node,
										  struct rte_mbuf *packet)
{
	uint32_t index = packet_adjacency(packet);
	struct adjacency *adjacency = &router_of(graph)->adjacencies.adjacencies[index];
	const struct ws_address *next_hop = &router_of(graph)->adjacencies.neighbors[index].next_hop;
	const struct glean_question question = {.asked_tsc = &adjacency->asked_tsc};
	return solicit(graph, node, packet, adjacency->tx_interface, next_hop->bytes, &question);
}

EACH_UNHELD_NODE(ip6_discover_neighbor, .name = "ip6-discover-neighbor",
				 .takes = TAKES_PACKET | TAKES_DECIDED, GRAPH_EDGES(edges),
				 GRAPH_COUNTERS(counters))
ADJACENCY_NODE(BEHIND_IP6, ADJACENCY_INCOMPLETE6, "ip6-discover-neighbor")
ADJACENCY_NODE(BEHIND_LABELLED, ADJACENCY_INCOMPLETE6, "ip6-discover-neighbor")
