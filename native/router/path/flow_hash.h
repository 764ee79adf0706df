/* SPDX-License-Identifier: Apache-2.0 */
/* The path that the hash of a flow chooses. */
#pragma once

#include "router/fib/load_balance.h"
#include "wire/flow_mix.h"

#include <stdint.h>

/*
 * The adjacency, of a load balance with several; `factor` is the router's. Multiplied by another
 * one, hashes that fall into one bucket here fall into all of them: routers in a row that have
 * factors of their own do not all choose alike. A seed at the start of the hash would not do, for
 * flows that differ in a port alone stay neighbours whatever came before it.
 */
static inline uint32_t load_balance_choose(const struct load_balance *balance, uint64_t hash,
										   uint64_t factor)
{
	const struct buckets *buckets = __atomic_load_n(&balance->buckets, __ATOMIC_ACQUIRE);
	return buckets->adjacencies[(hash * factor >> 32) * buckets->count >> 32];
}

/* The route that this path's next hop was found by, as `via` of struct load_balance. */
static inline uint32_t load_balance_choose_via(const struct load_balance *balance, uint64_t hash,
											   uint64_t factor)
{
	const struct buckets *buckets = __atomic_load_n(&balance->buckets, __ATOMIC_ACQUIRE);
	return buckets->adjacencies[buckets->count + ((hash * factor >> 32) * buckets->count >> 32)];
}
