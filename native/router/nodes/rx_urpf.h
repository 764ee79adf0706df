/* SPDX-License-Identifier: Apache-2.0 */
/* What ip4-rx-urpf and ip6-rx-urpf share: whether a source is where its packet came from. */
#ifndef ROUTER_RX_URPF_H
#define ROUTER_RX_URPF_H

#include "router/nodes/forward.h"
#include "router/urpf/urpf.h"

enum urpf_edge { URPF_LOOKUP, URPF_DROP };

enum urpf_counter { URPF_LOOSE, URPF_STRICT, URPF_COUNTERS };

static inline uint8_t urpf_kind(const struct adjacency *adjacency)
{
	return __atomic_load_n(&adjacency->kind, __ATOMIC_ACQUIRE);
}

/* The adjacency at the end of a path, behind labels that it pushes or pops. */
static inline const struct adjacency *urpf_path_end(const struct ws_router *router, uint32_t index)
{
	const struct adjacency *adjacency = &router->adjacencies.adjacencies[index];
	while (urpf_kind(adjacency) >= ADJACENCY_LABELS)
		adjacency = &router->adjacencies.adjacencies[adjacency->next];
	return adjacency;
}

static inline bool urpf_leads_by(const struct ws_router *router, uint32_t index, uint16_t interface)
{
	const struct adjacency *end = urpf_path_end(router, index);
	uint8_t kind = urpf_kind(end);
	return kind >= ADJACENCY_GLEAN && kind <= ADJACENCY_REWRITE && end->tx_interface == interface;
}

static __attribute__((noinline, unused)) bool urpf_any_leads_by(const struct ws_router *router,
																const struct load_balance *balance,
																uint16_t interface)
{
	const struct buckets *buckets = __atomic_load_n(&balance->buckets, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; buckets && i < buckets->count; i++)
		if (urpf_leads_by(router, buckets->adjacencies[i], interface))
			return true;
	return false;
}

/* Whether a packet that came in by the interface passes, by the route `value` of its source. */
static inline bool urpf_passes(const struct ws_router *router, uint8_t mode, uint32_t value,
							   uint16_t interface)
{
	const struct load_balance *balance = &router->load_balances.balances[value];
	uint32_t index = __atomic_load_n(&balance->adjacency, __ATOMIC_ACQUIRE);
	if (mode == WS_URPF_LOOSE)
		return urpf_kind(&router->adjacencies.adjacencies[index]) > ADJACENCY_LOCAL;
	return index == ADJACENCY_LOAD_BALANCE ? urpf_any_leads_by(router, balance, interface)
										   : urpf_leads_by(router, index, interface);
}

/* The load balances of the sources of up to a frame of packets, in a table. */
typedef void urpf_look_up_fn(const struct ws_router *router, uint16_t table, void *const *packets,
							 uint32_t *values, uint16_t n);
/* Whether a source needs no route. */
typedef bool urpf_is_exempt_fn(const struct rte_mbuf *packet);

/* The whole of a node's process; each run of packets with the same table is looked up at once. */
static inline __attribute__((always_inline)) uint16_t
urpf_frame(struct graph *graph, struct graph_node *node, void **packets, uint16_t n, uint8_t family,
		   urpf_look_up_fn *look_up, urpf_is_exempt_fn *is_exempt)
{
	const struct ws_router *router = router_of(graph);
	const uint8_t *modes = router->urpf->modes[family_index(family)];
	uint32_t values[GRAPH_FRAME_SIZE];
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t start = 0, run; start < n; start += run) {
		run = packets_of_a_table(router, family, packets + start, n - start);
		look_up(router, packet_table(router, family, packets[start]), packets + start,
				values + start, run);
	}
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		uint8_t mode = __atomic_load_n(&modes[packet->port], __ATOMIC_RELAXED);
		next[i] = URPF_LOOKUP;
		if (mode == WS_URPF_OFF || likely(urpf_passes(router, mode, values[i], packet->port)) ||
			is_exempt(packet))
			continue;
		graph_count(node, mode == WS_URPF_LOOSE ? URPF_LOOSE : URPF_STRICT, 1);
		next[i] = URPF_DROP;
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

#endif
