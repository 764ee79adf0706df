/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of routes and adjacencies, in the nodes that forward: one test per frame while off. */
#pragma once

#include "router/packet/metadata.h"
#include "router/path/flow_hash.h"
#include "router/router.h"
#include "wire/own_count.h"
#include "wirespeed/counters.h"

#include <rte_mbuf.h>

/* Depth to which recursive routes are counted. */
enum { MAX_VIA = 8 };

/* The route `via` leads to a packet's next hop, and other ones to that route's. */
static inline void count_via(const struct ws_router *router, const struct router_worker *worker,
							 uint32_t via, uint32_t bytes)
{
	const struct load_balance *balances = router->load_balances.balances;
	for (int i = 0; via && i < MAX_VIA; i++) {
		own_pair_add(&worker->routes_via[via], 1, bytes);
		via = __atomic_load_n(&balances[via].via, __ATOMIC_RELAXED);
	}
}

/* A packet that has the route `value`. */
static inline void count_route(const struct ws_router *router, const struct router_worker *worker,
							   uint32_t value, uint32_t bytes)
{
	const struct load_balance *balance = &router->load_balances.balances[value];
	uint32_t via = __atomic_load_n(&balance->via, __ATOMIC_RELAXED);
	own_pair_add(&worker->routes_to[value], 1, bytes);
	if (unlikely(via))
		count_via(router, worker, via, bytes);
}

static __attribute__((noinline, unused)) void count_each_route(const struct graph *graph,
															   void *const *packets,
															   const uint32_t *values, uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	const struct router_worker *worker = router_worker_of(graph);
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		count_route(router, worker, values[i], packet->pkt_len);
	}
}

/* Packets that have the routes `values`. */
static inline void count_routes(const struct graph *graph, void *const *packets,
								const uint32_t *values, uint16_t n)
{
	if (router_has(router_of(graph), WS_COUNT_ROUTES))
		count_each_route(graph, packets, values, n);
}

/* A packet whose adjacency is a load balance, by the path that its flow takes. */
static inline void count_path(const struct graph *graph, const struct rte_mbuf *packet,
							  uint64_t hash)
{
	const struct ws_router *router = router_of(graph);
	if (!router_has(router, WS_COUNT_ROUTES))
		return;
	uint64_t factor = __atomic_load_n(&router->flow_hash_factor, __ATOMIC_RELAXED);
	const struct load_balance *balance = &router->load_balances.balances[packet_adjacency(packet)];
	count_via(router, router_worker_of(graph), load_balance_choose_via(balance, hash, factor),
			  packet->pkt_len);
}

static __attribute__((noinline, unused)) void count_each_adjacency(const struct graph *graph,
																   void *const *packets,
																   const uint16_t *next, uint16_t n,
																   uint16_t output)
{
	const struct adjacency *adjacencies = router_of(graph)->adjacencies.adjacencies;
	struct own_pair *counts = router_worker_of(graph)->adjacencies;
	struct own_pair run = {0}; /* packets in a row with the adjacency `last` */
	uint32_t last = 0;
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		uint32_t index = packet_adjacency(packet);
		if (next[i] < output)
			continue;
		if (adjacency_kind(&adjacencies[index]) == ADJACENCY_LABELS)
			index = adjacencies[index].next;
		if (index != last) {
			if (run.packets)
				own_pair_add(&counts[last], run.packets, run.bytes);
			run = (struct own_pair){0};
			last = index;
		}
		run.packets++;
		run.bytes += packet->pkt_len;
	}
	own_pair_add(&counts[last], run.packets, run.bytes);
}

/* Frames whose edges from `output` on lead to interfaces: by the adjacency of each, that below the
 * labels if it has some. */
static inline void count_adjacencies(const struct graph *graph, void *const *packets,
									 const uint16_t *next, uint16_t n, uint16_t output)
{
	if (router_has(router_of(graph), WS_COUNT_ADJACENCIES))
		count_each_adjacency(graph, packets, next, n, output);
}
