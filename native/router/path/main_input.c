/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main-input: brings in packets that the main thread made; on worker 0 only.
 *
 * Uses: the edge that the main thread chose. Next: ip4-lookup, ip6-lookup, <if>-output.
 */
#include "router/worker/main_input.h"

#include "router/packet/metadata.h"
#include "router/router.h"
#include "wire/own_count.h"

#include <rte_ring.h>

static const char *const edges[] = {
	[MAIN_IP4_LOOKUP] = "ip4-lookup",
	[MAIN_IP6_LOOKUP] = "ip6-lookup",
	[MAIN_OUTPUT] = "*-output",
};

static uint16_t main_input_process(struct graph *graph, struct graph_node *node, void **packets,
								   uint16_t n)
{
	uint16_t next[GRAPH_FRAME_SIZE];
	if (graph->worker)
		return 0;
	uint16_t taken =
		(uint16_t)rte_ring_sc_dequeue_burst(router_of(graph)->main_input, packets, n, NULL);
	if (likely(!taken))
		return 0;
	for (uint16_t i = 0; i < taken; i++)
		next[i] = packet_main_edge(packets[i]);
	own_count_add(&router_worker_of(graph)->totals->rx_packets, taken);
	graph_show(graph, node, packets, taken);
	graph_enqueue(graph, node, packets, next, taken);
	return taken;
}

GRAPH_NODE(main_input, .name = "main-input", .takes = TAKES_FRAME | TAKES_PACKET, .is_source = true,
		   GRAPH_EDGES(edges))
