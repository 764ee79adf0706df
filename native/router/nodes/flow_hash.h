/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of flows, and the path that one chooses. */
#ifndef ROUTER_FLOW_HASH_H
#define ROUTER_FLOW_HASH_H

#include "router/fib/load_balance.h"

#include <stdint.h>

static inline uint64_t flow_hash_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static inline uint32_t flow_hash_fold(uint64_t hash)
{
	return (uint32_t)(hash >> 32);
}

/* The adjacency, of a load balance with several. */
static inline uint32_t load_balance_choose(const struct load_balance *balance, uint32_t hash)
{
	const struct buckets *buckets = __atomic_load_n(&balance->buckets, __ATOMIC_ACQUIRE);
	return buckets->adjacencies[(uint64_t)hash * buckets->count >> 32];
}

#endif
