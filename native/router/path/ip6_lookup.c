/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip6-lookup: the longest match of the destination, in the table of the interface that the packet
 * came in by.
 *
 * The route's load balance gives the adjacency, and the adjacency's kind the next node. A packet
 * without a route is answered.
 *
 * Sets: adjacency (index of the load balance on the edge to ip6-load-balance). Next: by
 * enum adjacency_kind.
 */
#include "router/path/ip6_forward.h"

static const char *const edges[] = {EDGES_BEHIND_IP6};
static const struct graph_counter counters[] = {FORWARD_COUNTERS};

static uint16_t ip6_lookup_process(struct graph *graph, struct graph_node *node, void **packets,
								   uint16_t n)
{
	return forward_frame(graph, node, packets, n, WS_IP6, ip6_table_lookup, &ip6_refusal);
}

static struct graph_registration ip6_lookup = {
	.name = "ip6-lookup",
	.process = ip6_lookup_process,
	.takes = TAKES_PACKET,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(counters),
};
GRAPH_REGISTER(ip6_lookup)
