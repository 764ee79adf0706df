/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handoff-dispatch: receives packets that other workers have handed to this one.
 *
 * A source before dpdk-input. It takes half of the frame if this worker has queues to poll as well,
 * so that neither starves the other. It exists while any interface hands off.
 *
 * Next: ethernet-input.
 */
#include "router/router.h"

#include <rte_ring.h>

enum edge { EDGE_ETHERNET_INPUT };
static const char *const edges[] = {[EDGE_ETHERNET_INPUT] = "ethernet-input"};

static uint16_t handoff_dispatch_process(struct graph *graph, struct graph_node *node,
										 void **packets, uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	uint16_t most = router_worker_of(graph)->queue_count ? RTE_MIN(n, GRAPH_FRAME_SIZE / 2) : n;
	uint16_t taken = (uint16_t)rte_ring_sc_dequeue_burst(router->handoff_rings[graph->worker],
														 packets, most, NULL);
	if (!taken)
		return 0;
	graph_show(graph, node, packets, taken);
	graph_enqueue_all(graph, node, EDGE_ETHERNET_INPUT, packets, taken);
	return taken;
}

GRAPH_NODE(handoff_dispatch, .name = "handoff-dispatch", .takes = TAKES_FRAME, .is_source = true,
		   GRAPH_EDGES(edges))
