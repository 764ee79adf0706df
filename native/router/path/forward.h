/* SPDX-License-Identifier: Apache-2.0 */
/* The target of a packet with a known route, for both families: shared by the lookup nodes. */
#pragma once

#include "router/packet/eight.h"
#include "router/packet/metadata.h"
#include "router/path/count_forwarding.h"
#include "router/path/flow_hash.h"

/* The kinds that do not forward; the first counters of these nodes are for them. */
enum { FORWARD_REFUSALS = ADJACENCY_PROHIBIT + 1 };
#define FORWARD_COUNTERS                                                                           \
	[ADJACENCY_NO_ROUTE] = {"no route", true}, [ADJACENCY_DROP] = {"route says drop", true},       \
	[ADJACENCY_UNREACHABLE] = {"route says unreachable", true},                                    \
	[ADJACENCY_PROHIBIT] = {"route says prohibit", true}

/* Counters of nodes that choose one of several paths. */
#define FORWARD_PATH_COUNTERS                                                                      \
	[ADJACENCY_NO_ROUTE] = {"path is gone", true}, [ADJACENCY_DROP] = {"path says drop", true},    \
	[ADJACENCY_UNREACHABLE] = {"path says unreachable", true},                                     \
	[ADJACENCY_PROHIBIT] = {"path says prohibit", true}

/* The ICMP error to the sender of a refused packet: its type, and its code by kind. */
struct forward_refusal {
	uint8_t type, codes[FORWARD_REFUSALS];
};

static __attribute__((noinline, unused)) void forward_refuse(struct graph_node *node,
															 struct rte_mbuf *packet, uint8_t kind,
															 const struct forward_refusal *refusal)
{
	graph_count(node, kind, 1);
	packet_set_icmp_error(packet, refusal->type, refusal->codes[kind], 0);
}

/* The edge for a packet with the route `value`, a load balance; sets its adjacency. */
static inline uint16_t forward(const struct ws_router *router, struct graph_node *node,
							   struct rte_mbuf *packet, uint32_t value,
							   const struct forward_refusal *refusal)
{
	uint32_t index =
		__atomic_load_n(&router->load_balances.balances[value].adjacency, __ATOMIC_ACQUIRE);
	uint8_t kind = adjacency_kind(&router->adjacencies.adjacencies[index]);
	packet_set_adjacency(packet, kind == ADJACENCY_LOAD_BALANCE ? value : index);
	if (unlikely(kind <= ADJACENCY_PROHIBIT))
		forward_refuse(node, packet, kind, refusal);
	return kind;
}

/* forward() for eight packets with one route, or with one next hop through several routes, that are
 * not refused; false for others. */
static inline bool forward_eight(const struct ws_router *router, void *const *packets,
								 const uint32_t *values, uint16_t *next)
{
	const struct load_balance *balances = router->load_balances.balances;
	bool has_routes = lanes_any(lanes_load(values) ^ values[0]);
	uint32_t index = __atomic_load_n(&balances[values[0]].adjacency, __ATOMIC_ACQUIRE);
	uint8_t kind = adjacency_kind(&router->adjacencies.adjacencies[index]);
	if (unlikely(kind <= ADJACENCY_PROHIBIT || (has_routes && kind == ADJACENCY_LOAD_BALANCE)))
		return false;
	if (has_routes) {
		uint32_t differs = 0;
		for (int i = 1; i < EIGHT; i++)
			differs |= __atomic_load_n(&balances[values[i]].adjacency, __ATOMIC_ACQUIRE) ^ index;
		if (differs)
			return false;
	}
	for (int i = 0; i < EIGHT; i++)
		packet_set_adjacency(packets[i], kind == ADJACENCY_LOAD_BALANCE ? values[0] : index);
	eight_fill(next, kind);
	return true;
}

/* The edge for a packet whose adjacency is a load balance, by its flow; a path is never a load
 * balance. */
static inline uint16_t forward_by_flow(const struct ws_router *router, struct graph_node *node,
									   struct rte_mbuf *packet, uint64_t hash,
									   const struct forward_refusal *refusal)
{
	uint32_t index =
		load_balance_choose(&router->load_balances.balances[packet_adjacency(packet)], hash,
							__atomic_load_n(&router->flow_hash_factor, __ATOMIC_RELAXED));
	uint8_t kind = adjacency_kind(&router->adjacencies.adjacencies[index]);
	packet_set_adjacency(packet, index);
	if (unlikely(kind <= ADJACENCY_PROHIBIT))
		forward_refuse(node, packet, kind, refusal);
	return kind;
}

/* The hash of a packet's flow. */
typedef uint64_t forward_flow_fn(const struct ws_router *router, const struct rte_mbuf *packet);

/* The process function of a node that selects one of several paths for each flow. */
static inline __attribute__((always_inline)) uint16_t
forward_flows(struct graph *graph, struct graph_node *node, void **packets, uint16_t n,
			  forward_flow_fn *flow, const struct forward_refusal *refusal)
{
	const struct ws_router *router = router_of(graph);
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++) {
		uint64_t hash = flow(router, packets[i]);
		count_path(graph, packets[i], hash);
		next[i] = forward_by_flow(router, node, packets[i], hash, refusal);
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

/* The index of the table of the packet's interface. */
static inline uint16_t packet_table(const struct ws_router *router, uint8_t family,
									const struct rte_mbuf *packet)
{
	return interface_table(&router->interfaces[packet->port], family_index(family));
}

/* Number of packets, from the first of `n` on, with the same table. */
static inline uint16_t packets_of_a_table(const struct ws_router *router, uint8_t family,
										  void *const *packets, uint16_t n)
{
	uint16_t table = packet_table(router, family, packets[0]), count = 1;
	while (count < n && packet_table(router, family, packets[count]) == table)
		count++;
	return count;
}

/* Looks up the load balances of up to a frame of packets in one table. */
typedef void forward_look_up_fn(const struct ws_router *router, uint16_t table,
								void *const *packets, uint32_t *values, uint16_t n);

/* Each run of packets with one table is looked up at once. */
static __attribute__((noinline, unused)) void
look_up_with_extras(const struct graph *graph, void *const *packets, uint32_t *values, uint16_t n,
					uint8_t family, forward_look_up_fn *look_up)
{
	const struct ws_router *router = router_of(graph);
	bool many_tables = router_has(router, extra_tables(family));
	for (uint16_t start = 0, run = n, table = 0; start < n; start += run) {
		if (many_tables) {
			table = packet_table(router, family, packets[start]);
			run = packets_of_a_table(router, family, packets + start, n - start);
		}
		look_up(router, table, packets + start, values + start, run);
	}
	count_routes(graph, packets, values, n);
}

/* The process function of a lookup node: forward() for each packet by the table of its interface.
 */
static inline __attribute__((always_inline)) uint16_t
forward_frame(struct graph *graph, struct graph_node *node, void **packets, uint16_t n,
			  uint8_t family, forward_look_up_fn *look_up, const struct forward_refusal *refusal)
{
	const struct ws_router *router = router_of(graph);
	uint32_t values[GRAPH_FRAME_SIZE];
	uint16_t next[GRAPH_FRAME_SIZE];
	if (router_has(router, extra_tables(family) | WS_COUNT_ROUTES))
		look_up_with_extras(graph, packets, values, n, family, look_up);
	else
		look_up(router, 0, packets, values, n);
	for (uint16_t i = 0, end; i < n; i = end) {
		end = eight_end(i, n);
		if (end - i == EIGHT && forward_eight(router, packets + i, values + i, next + i))
			continue;
		for (uint16_t k = i; k < end; k++)
			next[k] = forward(router, node, packets[k], values[k], refusal);
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

/*
 * The edge of a packet whose adjacency names another table to look up, which may again name a
 * table. ADJACENCY_TABLE if the chain is too long.
 */
static inline __attribute__((always_inline)) uint16_t
forward_by_tables(const struct graph *graph, struct graph_node *node, struct rte_mbuf *packet,
				  uint8_t family, forward_look_up_fn *look_up,
				  const struct forward_refusal *refusal)
{
	const struct ws_router *router = router_of(graph);
	enum { MAX_TABLES_A_PACKET = 4 };
	void *packets[] = {packet};
	uint16_t next = ADJACENCY_TABLE;
	for (int i = 0; i < MAX_TABLES_A_PACKET && next == ADJACENCY_TABLE; i++) {
		uint16_t table = router->adjacencies.adjacencies[packet_adjacency(packet)].table;
		uint32_t value;
		if (table == ADJACENCY_RX_TABLE)
			table = packet_table(router, family, packet);
		look_up(router, table, packets, &value, 1);
		count_routes(graph, packets, &value, 1);
		next = forward(router, node, packet, value, refusal);
	}
	return next;
}
