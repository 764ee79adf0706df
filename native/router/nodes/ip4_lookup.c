/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-lookup: the longest match of the destination, in the table of the interface that the packet
 * came in by.
 *
 * The route's load balance gives the adjacency, and the adjacency's kind the next node. A packet
 * without a route is answered.
 *
 * Uses: mbuf->port. Sets: adjacency (index of the load balance on the edge to ip4-load-balance).
 * Next: by enum adjacency_kind.
 */
#include "graph/graph.h"
#include "router/ip4_forward.h"
#include "wire/ip4.h"

static const char *const edges[] = {IP4_EDGES};
static const struct graph_counter counters[] = {FORWARD_COUNTERS};

/* Each run of packets with the same table at once. */
static __attribute__((noinline)) void look_up_in_tables(const struct ws_router *router,
														void *const *packets, uint32_t *values,
														uint16_t n)
{
	for (uint16_t start = 0, run; start < n; start += run) {
		uint16_t table = packet_table(router, WS_IP4, packets[start]);
		run = packets_of_a_table(router, WS_IP4, packets + start, n - start);
		ip4_table_lookup(router, table, packets + start, values + start, run);
	}
}

static uint16_t ip4_lookup_process(struct graph *graph, struct graph_node *node, void **packets,
								   uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	uint32_t values[GRAPH_FRAME_SIZE];
	uint16_t next[GRAPH_FRAME_SIZE];
	if (likely(!router->many_tables[0]))
		ip4_table_lookup(router, 0, packets, values, n);
	else
		look_up_in_tables(router, packets, values, n);
	for (uint16_t i = 0; i < n; i++)
		next[i] = forward(router, node, packets[i], values[i], &ip4_refusal);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static struct graph_registration ip4_lookup = {
	.name = "ip4-lookup",
	.process = ip4_lookup_process,
	.edge_count = ADJACENCY_KINDS,
	.edges = edges,
	.counter_count = FORWARD_REFUSALS,
	.counters = counters,
};
GRAPH_REGISTER(ip4_lookup)
