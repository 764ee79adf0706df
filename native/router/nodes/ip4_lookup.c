/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-lookup: the longest match of the destination.
 *
 * The route's load balance gives the adjacency, and the adjacency's kind the next node. A packet
 * without a route is answered.
 *
 * Sets: adjacency (index of the load balance on the edge to ip4-load-balance). Next: by
 * enum adjacency_kind.
 */
#include "graph/graph.h"
#include "router/metadata.h"
#include "router/router.h"
#include "wire/icmp4.h"
#include "wire/ip4.h"

#include <rte_fib.h>

static const char *const edges[] = {
	[ADJACENCY_NO_ROUTE] = "ip4-icmp-error", [ADJACENCY_DROP] = "error-drop",
	[ADJACENCY_LOCAL] = "ip4-local",         [ADJACENCY_LOAD_BALANCE] = "ip4-load-balance",
	[ADJACENCY_GLEAN] = "ip4-arp",           [ADJACENCY_INCOMPLETE] = "ip4-arp",
	[ADJACENCY_REWRITE] = "ip4-rewrite",
};

enum counter { NO_ROUTE, DROP_ROUTE };
static const struct graph_counter counters[] = {
	[NO_ROUTE] = {"no route", true},
	[DROP_ROUTE] = {"route says drop", true},
};

static uint16_t ip4_lookup_process(struct graph *graph, struct graph_node *node, void **packets,
								   uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	const struct load_balance *balances = router->load_balances.balances;
	const struct adjacency *adjacencies = router->adjacencies.adjacencies;
	uint32_t destinations[GRAPH_FRAME_SIZE];
	uint64_t values[GRAPH_FRAME_SIZE];
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++) {
		const struct ip4_header *ip =
			(const struct ip4_header *)(const void *)packet_data(packets[i]);
		destinations[i] = be32toh(ip->destination);
	}
	rte_fib_lookup_bulk(router->fib4.fib, destinations, values, n);
	for (uint16_t i = 0; i < n; i++) {
		uint32_t index = balances[values[i]].adjacency;
		uint8_t kind = __atomic_load_n(&adjacencies[index].kind, __ATOMIC_ACQUIRE);
		packet_set_adjacency(packets[i],
							 kind == ADJACENCY_LOAD_BALANCE ? (uint32_t)values[i] : index);
		next[i] = kind;
		if (unlikely(kind <= ADJACENCY_DROP)) {
			graph_count(node, kind == ADJACENCY_DROP ? DROP_ROUTE : NO_ROUTE, 1);
			packet_set_icmp_error(packets[i], ICMP4_UNREACHABLE, ICMP4_NET_UNREACHABLE, 0);
		}
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static struct graph_registration ip4_lookup = {
	.name = "ip4-lookup",
	.process = ip4_lookup_process,
	.edge_count = ADJACENCY_REWRITE + 1,
	.edges = edges,
	.counter_count = 2,
	.counters = counters,
};
GRAPH_REGISTER(ip4_lookup)
