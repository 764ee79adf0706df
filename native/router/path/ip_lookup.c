/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-lookup, ip6-lookup: find the longest match of the destination, in the table of the receiving
 * interface.
 *
 * The route's load balance gives the adjacency, and the adjacency's kind the next node. A packet
 * without a route causes an ICMP error.
 *
 * Uses: mbuf->port. Sets: adjacency (index of the load balance on the edge to ip4-load-balance or
 * ip6-load-balance). Next: by enum adjacency_kind.
 */
#include "graph/graph.h"
#include "router/path/ip_forward.h"

static const struct graph_counter counters[] = {FORWARD_COUNTERS};

static const char *const ip4_edges[] = {EDGES_BEHIND_IP4};

static uint16_t ip4_lookup_process(struct graph *graph, struct graph_node *node, void **packets,
								   uint16_t n)
{
	return forward_frame(graph, node, packets, n, WS_IP4, ip4_table_lookup, &ip4_refusal);
}

GRAPH_NODE(ip4_lookup, .name = "ip4-lookup", .takes = TAKES_PACKET, GRAPH_EDGES(ip4_edges),
		   GRAPH_COUNTERS(counters))

static const char *const ip6_edges[] = {EDGES_BEHIND_IP6};

static uint16_t ip6_lookup_process(struct graph *graph, struct graph_node *node, void **packets,
								   uint16_t n)
{
	return forward_frame(graph, node, packets, n, WS_IP6, ip6_table_lookup, &ip6_refusal);
}

GRAPH_NODE(ip6_lookup, .name = "ip6-lookup", .takes = TAKES_PACKET, GRAPH_EDGES(ip6_edges),
		   GRAPH_COUNTERS(counters))
