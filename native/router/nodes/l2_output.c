/* SPDX-License-Identifier: Apache-2.0 */
/*
 * l2-output: frames to the interface chosen for them.
 *
 * Uses: tx interface. Next: <if>-output.
 */
#include "graph/graph.h"
#include "router/metadata.h"
#include "router/router.h"

enum edge { EDGE_OUTPUT };
static const char *const edges[] = {[EDGE_OUTPUT] = "*-output"};

static uint16_t l2_output_process(struct graph *graph, struct graph_node *node, void **packets,
								  uint16_t n)
{
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++)
		next[i] = EDGE_OUTPUT + packet_tx_interface(packets[i]);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static struct graph_registration l2_output = {
	.name = "l2-output",
	.process = l2_output_process,
	.edge_count = 1,
	.edges = edges,
};
GRAPH_REGISTER(l2_output)
