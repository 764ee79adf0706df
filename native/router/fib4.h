/* SPDX-License-Identifier: Apache-2.0 */
/* How workers look up IPv4 addresses in a table of routes: one access for most of them. */
#ifndef ROUTER_FIB4_H
#define ROUTER_FIB4_H

#include "router/fib6.h"

/* More accesses than this on their way at once only wait for each other (bench-nodes). */
enum { FIB4_AHEAD = 16 };

/*
 * The values of up to FIB6_MAX_LOOKUP addresses. All of the first accesses come before the second
 * ones, which only addresses under a prefix longer than /24 need, so that their misses overlap.
 */
static inline void fib4_lookup_bulk(const struct fib6 *fib, const uint32_t *addresses,
									uint64_t *values, uint16_t n)
{
	uint32_t default_value = __atomic_load_n(&fib->default_value, __ATOMIC_RELAXED);
	uint16_t deeper[FIB6_MAX_LOOKUP], count = 0;
	for (uint16_t i = 0; i < FIB4_AHEAD && i < n; i++)
		__builtin_prefetch(&fib->root[addresses[i] >> 8]);
	for (uint16_t i = 0; i < n; i++) {
		if (i + FIB4_AHEAD < n)
			__builtin_prefetch(&fib->root[addresses[i + FIB4_AHEAD] >> 8]);
		uint32_t entry = fib6_load(&fib->root[addresses[i] >> 8]);
		values[i] = entry ? entry & FIB6_VALUE_MASK : default_value;
		deeper[count] = i;
		if (entry & FIB6_IS_GROUP) {
			values[i] = entry;
			count++;
		}
	}
	for (uint16_t k = 0; k < count; k++) {
		/* deeper[0 … count) is written */
		uint16_t i = deeper[k]; /* NOLINT(clang-analyzer-core.uninitialized.Assign) */
		uint32_t entry =
			fib6_load(fib6_next_entry(fib, (uint32_t)values[i], (uint8_t)addresses[i]));
		values[i] = entry ? entry & FIB6_VALUE_MASK : default_value;
	}
}

#endif
