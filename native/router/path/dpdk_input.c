/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dpdk-input: receives from the RX queues placed on this worker.
 *
 * Polls them in turn, up to a frame of packets per walk in total. Each walk begins one queue
 * further on, so that a full queue cannot starve the others. Under load, a queue is not polled for
 * a while after a poll that did not fill the frame (worker/pace.h).
 *
 * Sets: mbuf->port (by the driver). Next: ethernet-input; worker-handoff for queues of interfaces
 * that hand off.
 */
#include "dev/port.h"
#include "graph/arc.h"
#include "router/packet/metadata.h"
#include "router/router.h"
#include "wire/own_count.h"

enum edge { EDGE_ETHERNET_INPUT, EDGE_HANDOFF };
static const char *const edges[] = {
	[EDGE_ETHERNET_INPUT] = "ethernet-input",
	[EDGE_HANDOFF] = "worker-handoff",
};

struct context {
	uint16_t start; /* the queue to poll first */
};

static void see(struct graph *graph, struct graph_node *node, void **packets, uint16_t n)
{
	own_count_add(&router_worker_of(graph)->totals->rx_packets, n);
	graph_show(graph, node, packets, n);
}

static uint16_t dpdk_input_process(struct graph *graph, struct graph_node *node, void **packets,
								   uint16_t n)
{
	struct router_worker *worker = router_worker_of(graph);
	struct context *context = (struct context *)node->context;
	uint16_t received = 0, handed_off = 0, at = context->start;
	for (uint16_t i = 0; i < worker->queue_count && received + handed_off < n; i++) {
		if (at >= worker->queue_count)
			at = 0;
		struct rx_queue *queue = &worker->queues[at++];
		if (unlikely(graph->walk_began < queue->next_look))
			continue;
		struct rte_mbuf **room = (struct rte_mbuf **)packets + received;
		uint16_t count = port_receive(queue->port, queue->queue, room, n - received - handed_off);
		queue->received += count;
		if (count && count < n - received - handed_off)
			queue->next_look = graph->walk_began + queue->interval;
		if (unlikely(queue->hands_off && count)) {
			see(graph, node, (void **)room, count);
			graph_enqueue_all(graph, node, EDGE_HANDOFF, (void **)room, count);
			handed_off += count;
		} else {
			received += count;
		}
	}
	context->start++;
	if (context->start >= worker->queue_count)
		context->start = 0;
	if (received) {
		see(graph, node, packets, received);
		graph_enqueue_all(graph, node, EDGE_ETHERNET_INPUT, packets, received);
	}
	return received + handed_off;
}

GRAPH_NODE(dpdk_input, .name = "dpdk-input", .takes = TAKES_FRAME | TAKES_RECEIVED,
		   .is_source = true, GRAPH_EDGES(edges))

/* Received frames, on the worker that processes them. */
GRAPH_ARC(device_input, .name = "device-input",
		  .starts = {"dpdk-input", "handoff-dispatch", "worker-handoff"}, .end = "ethernet-input")
