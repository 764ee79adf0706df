/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip6-not-enabled: drops IPv6 packets received by an interface without IPv6.
 *
 * Next: error-drop.
 */
#include "router/router.h"

enum edge { EDGE_DROP };
static const char *const edges[] = {[EDGE_DROP] = "error-drop"};

enum counter { NOT_ENABLED };
static const struct graph_counter counters[] = {
	[NOT_ENABLED] = {"ip6 is not enabled on the interface", true},
};

static uint16_t ip6_not_enabled_process(struct graph *graph, struct graph_node *node,
										void **packets, uint16_t n)
{
	graph_count(node, NOT_ENABLED, n);
	graph_enqueue_all(graph, node, EDGE_DROP, packets, n);
	return n;
}

GRAPH_NODE(ip6_not_enabled, .name = "ip6-not-enabled", .takes = TAKES_PACKET, GRAPH_EDGES(edges),
		   GRAPH_COUNTERS(counters))
