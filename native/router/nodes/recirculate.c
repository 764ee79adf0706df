/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recirculate: brings in what nodes made beside their packets on the walk before.
 *
 * The first source, which is walked alone as long as something waits: what is made is sent before
 * more is received, and before the worker is quiescent.
 *
 * Next: by enum recirculate_target.
 */
#include "router/worker/recirculate.h"

#include "graph/graph.h"
#include "router/router.h"

static const char *const edges[] = {
	[RECIRCULATE_L2_OUTPUT] = "l2-output",
	[RECIRCULATE_ETHERNET_INPUT] = "ethernet-input",
	[RECIRCULATE_IP4_REWRITE] = "ip4-rewrite",
	[RECIRCULATE_IP4_LABELS] = "ip4-mpls-label-imposition-uniform",
	[RECIRCULATE_OUTPUT] = "*-output",
};

static uint16_t recirculate_process(struct graph *graph, struct graph_node *node, void **packets,
									uint16_t n)
{
	struct recirculate_queue *queue = &router_worker_of(graph)->recirculate;
	uint16_t next[GRAPH_FRAME_SIZE], count = 0;
	for (; count < n && queue->head != queue->tail; count++) {
		uint32_t slot = queue->head++ % RECIRCULATE_SLOTS;
		packets[count] = queue->slots[slot].packet;
		next[count] = (uint16_t)queue->slots[slot].target;
	}
	graph_enqueue(graph, node, packets, next, count);
	return count;
}

static struct graph_registration recirculate = {
	.name = "recirculate",
	.process = recirculate_process,
	.is_source = true,
	.edge_count = RECIRCULATE_TARGETS,
	.edges = edges,
};
GRAPH_REGISTER(recirculate)
