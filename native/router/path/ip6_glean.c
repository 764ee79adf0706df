/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip6-glean: turns a packet to an unknown host of a connected prefix into the neighbor solicitation
 * for it.
 *
 * As often as the worker's throttle lets the packet's sender ask, so that a scan of the prefix is
 * bounded, holds up nobody else, and fills no table of neighbours. A few packets to each host wait
 * for the answer (hold.h), the others are dropped.
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

static uint16_t ip6_glean_one(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	uint8_t target[IP6_ADDRESS_LEN];
	memcpy(target, ip->destination, sizeof(target));
	const struct glean_throttle *glean = &router_worker_of(graph)->glean;
	uint16_t interface =
		router_of(graph)->adjacencies.adjacencies[packet_adjacency(packet)].tx_interface;
	uint64_t to[2], from;
	memcpy(to, ip->destination, sizeof(to));
	/* Of the sender its network: a host may have as many addresses in that as it likes. */
	memcpy(&from, ip->source, sizeof(from));
	const struct glean_question question = {
		.host = glean_hash(glean, interface, to[0], to[1]),
		.sender = glean_hash(glean, 0, from, 0),
	};
	return solicit(graph, node, packet, interface, target, &question);
}

EACH_UNHELD_NODE(ip6_glean, .name = "ip6-glean", .takes = TAKES_PACKET | TAKES_DECIDED,
				 GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
ADJACENCY_NODE(BEHIND_IP6, ADJACENCY_GLEAN, "ip6-glean")
