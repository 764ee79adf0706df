/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of routes and adjacencies, in the nodes that forward: one test per frame while off. */
#pragma once

#include "router/packet/eight.h"
#include "router/packet/metadata.h"
#include "router/path/flow_hash.h"
#include "router/router.h"
#include "wire/own_count.h"
#include "wirespeed/counters.h"

#include <rte_mbuf.h>

/* Recursion depth up to which routes are counted. */
enum { MAX_VIA = 8 };

/* Count the route `via`, which leads to a packet's next hop, and the routes to that route's next
 * hops. */
static inline void count_via(const struct ws_router *router, const struct router_worker *worker,
							 uint32_t via, uint32_t bytes)
{
	const struct load_balance *balances = router->load_balances.balances;
	for (int i = 0; via && i < MAX_VIA; i++) {
		own_pair_add(&worker->routes_via[via], 1, bytes);
		via = __atomic_load_n(&balances[via].via, __ATOMIC_RELAXED);
	}
}

/* Count a packet with the route `value`. */
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

/* Count packets with the routes `values`. */
static inline void count_routes(const struct graph *graph, void *const *packets,
								const uint32_t *values, uint16_t n)
{
	if (router_has(router_of(graph), WS_COUNT_ROUTES))
		count_each_route(graph, packets, values, n);
}

/* Count a packet whose adjacency is a load balance, by the path of its flow. */
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

static inline void count_adjacency(const struct graph *graph, uint32_t index,
								   const struct own_pair *run)
{
	if (!run->packets)
		return; /* the packet may have no adjacency */
	const struct adjacency *adjacency = &router_of(graph)->adjacencies.adjacencies[index];
	if (adjacency_kind(adjacency) == ADJACENCY_LABELS)
		index = adjacency->next;
	own_pair_add(&router_worker_of(graph)->adjacencies[index], run->packets, run->bytes);
}

/* True if all eight have that adjacency and edges from `output` on. */
LANES_INLINE bool eight_go_to(void *const *packets, uint32_t adjacency, const uint16_t *next,
							  uint16_t output)
{
	eight_part edges = eight_load_part(next, 0), first = (eight_part){0} + output;
	return eight_part_is_zero((eight_part)(edges < first)) &&
		   eight_have_adjacency(packets, adjacency);
}

/* `next` is not const: gcc would warn that its end is not initialized. */
static __attribute__((noinline, unused)) void count_each_adjacency(const struct graph *graph,
																   void *const *packets,
																   uint16_t *next, uint16_t n,
																   uint16_t output)
{
	struct own_pair run = {0}; /* consecutive packets with the adjacency `last` */
	uint32_t last = packet_adjacency(packets[0]);
	for (uint16_t i = 0, end; i < n; i = end) {
		end = eight_end(i, n);
		if (end - i == EIGHT && eight_go_to(packets + i, last, next + i, output)) {
			run.packets += EIGHT;
			run.bytes += eight_bytes(packets + i);
			continue;
		}
		for (uint16_t k = i; k < end; k++) {
			const struct rte_mbuf *packet = packets[k];
			uint32_t index = packet_adjacency(packet);
			if (next[k] < output)
				continue;
			if (index != last) {
				count_adjacency(graph, last, &run);
				run = (struct own_pair){0};
				last = index;
			}
			run.packets++;
			run.bytes += packet->pkt_len;
		}
	}
	count_adjacency(graph, last, &run);
}

/* Count frames whose edges from `output` on lead to interfaces, by their adjacency, or by the one
 * behind the labels. */
static inline void count_adjacencies(const struct graph *graph, void *const *packets,
									 uint16_t *next, uint16_t n, uint16_t output)
{
	if (router_has(router_of(graph), WS_COUNT_ADJACENCIES))
		count_each_adjacency(graph, packets, next, n, output);
}
