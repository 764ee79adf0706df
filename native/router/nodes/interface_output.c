/* SPDX-License-Identifier: Apache-2.0 */
/*
 * <if>-output: the way out of one interface, open while it is up.
 *
 * Takes whole frames. Next: <if>-tx, error-drop.
 */
#include "graph/graph.h"
#include "router/router.h"

enum edge { EDGE_TX, EDGE_DROP };
static const char *const edges[] = {[EDGE_TX] = "%-tx", [EDGE_DROP] = "error-drop"};

enum counter { DOWN };
static const struct graph_counter counters[] = {[DOWN] = {"interface is down", true}};

static uint16_t interface_output_process(struct graph *graph, struct graph_node *node,
										 void **packets, uint16_t n)
{
	bool up = router_of(graph)->interfaces[node->interface].admin_up;
	if (unlikely(!up))
		graph_count(node, DOWN, n);
	graph_enqueue_all(graph, node, likely(up) ? EDGE_TX : EDGE_DROP, packets, n);
	return n;
}

static struct graph_registration interface_output = {
	.name = "%-output",
	.process = interface_output_process,
	.edge_count = 2,
	.edges = edges,
	.counter_count = 1,
	.counters = counters,
};
GRAPH_REGISTER(interface_output)
