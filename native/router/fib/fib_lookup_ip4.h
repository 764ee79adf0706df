/* SPDX-License-Identifier: Apache-2.0 */
/* Lookup of up to a frame of IPv4 addresses in a table, for workers. */
#pragma once

#include "graph/lanes.h"
#include "router/fib/fib_trie.h"

/* Prefetch distance, in accesses: as many are under way as the CPU supports, whatever their
 * latency. */
enum { FIB_TRIE_AHEAD = 64 };

LANES_INLINE void fib_trie_prefetch_eight(const struct fib_trie *fib, const uint32_t *addresses)
{
	for (int i = 0; i < LANES; i++)
		__builtin_prefetch(&fib->root[addresses[i] >> 8]);
}

/* The value of an address whose first access returned `first`, which requires a second one. */
static inline uint32_t fib_trie_lookup_deeper(const struct fib_trie *fib, uint32_t address,
											  uint32_t first, uint32_t default_value)
{
	const uint32_t *group = fib_trie_node(fib, first);
	uint32_t entry = fib_trie_load(&group[(uint8_t)address]);
	return entry ? entry & FIB_TRIE_VALUE_MASK : default_value;
}

/*
 * The values of up to FIB_TRIE_MAX_LOOKUP IPv4 addresses, given as numbers. Most need one access.
 * All first accesses precede the second ones, which only addresses under a prefix longer than /24
 * need, so that cache misses overlap.
 */
static inline void fib_trie_lookup_bulk_ip4(const struct fib_trie *fib, const uint32_t *addresses,
											uint32_t *values, uint16_t n)
{
	uint32_t default_value = __atomic_load_n(&fib->default_value, __ATOMIC_RELAXED);
	uint16_t deeper[FIB_TRIE_MAX_LOOKUP + 1], count = 0, i = 0;
	for (uint16_t k = 0; k < FIB_TRIE_AHEAD && k + LANES <= n; k += LANES)
		fib_trie_prefetch_eight(fib, addresses + k);
	for (; i + LANES <= n; i += LANES) {
		if (i + FIB_TRIE_AHEAD + LANES <= n)
			fib_trie_prefetch_eight(fib, addresses + i + FIB_TRIE_AHEAD);
		lanes entries = lanes_gather(fib->root, lanes_load(addresses + i) >> 8);
		lanes none = (lanes)(entries == 0), leads = 0 - (entries >> 31);
		lanes_store(values + i, ((entries & (leads | FIB_TRIE_VALUE_MASK)) & ~none) |
									(lanes_all(default_value) & none));
		if (!lanes_any(leads))
			continue;
		/* Eight packets to one address, such as the router's own. */
		if (!lanes_any(lanes_load(addresses + i) ^ addresses[i])) {
			lanes_store(values + i, lanes_all(fib_trie_lookup_deeper(fib, addresses[i], values[i],
																	 default_value)));
			continue;
		}
		for (int k = 0; k < LANES; k++) {
			deeper[count] = (uint16_t)(i + k);
			count += values[i + k] >> 31;
		}
	}
	for (; i < n; i++) {
		uint32_t entry = fib_trie_load(&fib->root[addresses[i] >> 8]);
		values[i] = entry ? entry & FIB_TRIE_VALUE_MASK : default_value;
		deeper[count] = i;
		if (entry >> 31) {
			values[i] = entry;
			count++;
		}
	}
	for (uint16_t k = 0; k < count; k++) {
		/* deeper[0 … count) is written */
		uint16_t i = deeper[k]; /* NOLINT(clang-analyzer-core.uninitialized.Assign) */
		values[i] = fib_trie_lookup_deeper(fib, addresses[i], values[i], default_value);
	}
}
