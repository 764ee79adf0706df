/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip6-glean: turns a packet to an unknown host of a connected prefix into the neighbor solicitation
 * for it.
 *
 * At most one a second for each place in a small table of the worker, so that a scan of the prefix
 * sends a few hundred a second at most and fills no table of neighbours. Packets in between are
 * dropped.
 *
 * Uses: adjacency. Sets: the data begins at the Ethernet header. Next: <if>-output, error-drop.
 */
#include "graph/graph.h"
#include "router/each_packet.h"
#include "router/nd_solicit.h"
#include "router/router.h"

static const char *const edges[] = {
	[SOLICIT_DROP] = "error-drop",
	[SOLICIT_OUTPUT] = "*-output",
};
static const struct graph_counter counters[] = {SOLICIT_COUNTER_NAMES};

static uint16_t handle(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	uint8_t target[IP6_ADDRESS_LEN];
	memcpy(target, ip->destination, sizeof(target));
	uint64_t *asked =
		&router_worker_of(graph)->glean_asked_tsc[own_ip6_bit(target) % ARP_THROTTLE_SLOTS];
	uint16_t interface =
		router_of(graph)->adjacencies.adjacencies[packet_adjacency(packet)].tx_interface;
	return solicit(graph, node, packet, interface, target, asked);
}

static uint16_t ip6_glean_process(struct graph *graph, struct graph_node *node, void **packets,
								  uint16_t n)
{
	return each_packet(graph, node, packets, n, handle);
}

static struct graph_registration ip6_glean = {
	.name = "ip6-glean",
	.process = ip6_glean_process,
	.edge_count = 2,
	.edges = edges,
	.counter_count = SOLICIT_COUNTERS,
	.counters = counters,
};
GRAPH_REGISTER(ip6_glean)
