/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the unicast RPF nodes: the targets of routes to sources. */
#pragma once

#include "graph/arc.h"
#include "router/path/forward.h"
#include "router/urpf/urpf.h"
#include "wire/address.h"

/* The adjacency at the end of a path, behind those that push or pop labels. */
static inline const struct adjacency *urpf_path_end(const struct ws_router *router, uint32_t index)
{
	const struct adjacency *adjacency = &router->adjacencies.adjacencies[index];
	while (adjacency_kind(adjacency) >= ADJACENCY_LABELS)
		adjacency = &router->adjacencies.adjacencies[adjacency->next];
	return adjacency;
}

static inline bool urpf_path_leads_by(const struct ws_router *router, uint32_t index,
									  uint16_t interface)
{
	const struct adjacency *end = urpf_path_end(router, index);
	uint8_t kind = adjacency_kind(end);
	return kind >= ADJACENCY_GLEAN && kind <= ADJACENCY_REWRITE && end->tx_interface == interface;
}

static __attribute__((noinline, unused)) bool urpf_any_leads_by(const struct ws_router *router,
																const struct load_balance *balance,
																uint16_t interface)
{
	const struct buckets *buckets = __atomic_load_n(&balance->buckets, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; buckets && i < buckets->count; i++)
		if (urpf_path_leads_by(router, buckets->adjacencies[i], interface))
			return true;
	return false;
}

/* Adjacency kind of the route `value`. */
static inline uint8_t urpf_kind(const struct ws_router *router, uint32_t value)
{
	uint32_t index =
		__atomic_load_n(&router->load_balances.balances[value].adjacency, __ATOMIC_ACQUIRE);
	return adjacency_kind(&router->adjacencies.adjacencies[index]);
}

/* True if a path of the route `value` leaves through the interface. */
static inline bool urpf_leads_by(const struct ws_router *router, uint32_t value, uint16_t interface)
{
	const struct load_balance *balance = &router->load_balances.balances[value];
	uint32_t index = __atomic_load_n(&balance->adjacency, __ATOMIC_ACQUIRE);
	return index == ADJACENCY_LOAD_BALANCE ? urpf_any_leads_by(router, balance, interface)
										   : urpf_path_leads_by(router, index, interface);
}

/* True if the source is accepted without a route in the table. */
static __attribute__((noinline, unused)) bool urpf_accepts(const struct urpf *urpf, uint16_t table,
														   uint8_t family, const uint8_t *source)
{
	const struct urpf_accepted *list = __atomic_load_n(&urpf->accepted, __ATOMIC_ACQUIRE);
	struct ws_address address = {.family = family};
	if (!list)
		return false;
	memcpy(address.bytes, source, address_bits(family) / 8u);
	for (uint32_t i = 0; i < list->count; i++)
		if (list->at[i].table == table && list->at[i].prefix.address.family == family &&
			prefix_covers(&list->at[i].prefix, &address))
			return true;
	return false;
}
