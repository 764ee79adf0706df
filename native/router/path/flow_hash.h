/* SPDX-License-Identifier: Apache-2.0 */
/* The path selected by the flow hash. */
#pragma once

#include "router/fib/load_balance.h"
#include "wire/flow_mix.h"

#include <stdint.h>

/*
 * Adjacency of a load balance with several; `factor` is the router's. Hashes that fall into one
 * bucket with one factor fall into all buckets with another, so routers in a row with different
 * factors make independent choices. A seed at the start of the hash would not suffice: flows that
 * differ only in a port stay neighbours whatever precedes it.
 */
static inline uint32_t load_balance_choose(const struct load_balance *balance, uint64_t hash,
										   uint64_t factor)
{
	const struct buckets *buckets = __atomic_load_n(&balance->buckets, __ATOMIC_ACQUIRE);
	return buckets->adjacencies[(hash * factor >> 32) * buckets->count >> 32];
}

/* The route through which this path's next hop was resolved, as `via` of struct load_balance. */
static inline uint32_t load_balance_choose_via(const struct load_balance *balance, uint64_t hash,
											   uint64_t factor)
{
	const struct buckets *buckets = __atomic_load_n(&balance->buckets, __ATOMIC_ACQUIRE);
	return buckets->adjacencies[buckets->count + ((hash * factor >> 32) * buckets->count >> 32)];
}
