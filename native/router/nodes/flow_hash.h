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

#endif
