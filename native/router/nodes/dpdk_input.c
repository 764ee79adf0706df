/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dpdk-input: receives from the RX queues placed on this worker.
 *
 * Polls them in turn, up to a frame's worth of packets a walk in all. Each walk begins one queue
 * further on, so that a full queue cannot starve the others.
 *
 * Sets: mbuf->port (the driver does). Next: ethernet-input.
 */
#include "dev/port.h"
#include "graph/graph.h"
#include "router/metadata.h"
#include "router/router.h"

enum edge { EDGE_ETHERNET_INPUT };
static const char *const edges[] = {[EDGE_ETHERNET_INPUT] = "ethernet-input"};

struct context {
	uint16_t start; /* the queue to poll first */
};

static uint16_t dpdk_input_process(struct graph *graph, struct graph_node *node, void **packets,
								   uint16_t n)
{
	struct router_worker *worker = router_worker_of(graph);
	struct context *context = (struct context *)node->context;
	uint16_t received = 0, at = context->start;
	for (uint16_t i = 0; i < worker->queue_count && received < n; i++) {
		if (at >= worker->queue_count)
			at = 0;
		const struct rx_queue *queue = &worker->queues[at++];
		struct rte_mbuf **room = (struct rte_mbuf **)packets + received;
		received += port_receive(queue->port, queue->queue, room, n - received);
	}
	context->start++;
	if (context->start >= worker->queue_count)
		context->start = 0;
	if (!received)
		return 0;
	worker->rx_packets += received;
	if (unlikely(graph->trace != NULL))
		graph->trace(graph, node, packets, received);
	graph_enqueue_all(graph, node, EDGE_ETHERNET_INPUT, packets, received);
	return received;
}

static struct graph_registration dpdk_input = {
	.name = "dpdk-input",
	.process = dpdk_input_process,
	.is_source = true,
	.edge_count = 1,
	.edges = edges,
};
GRAPH_REGISTER(dpdk_input)
