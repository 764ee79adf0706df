/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts that one thread writes and any thread may read. A reader gets a recent value; several
 * counts may be of different times. The cost is that of plain counting, without locks.
 */
#pragma once

#include <stdint.h>

/* Called by the writing thread. */
static inline void own_count_set(uint64_t *count, uint64_t value)
{
	__atomic_store_n(count, value, __ATOMIC_RELAXED);
}

static inline void own_count_add(uint64_t *count, uint64_t n)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
	/* A single instruction; gcc makes three of the atomic load and store. */
	__asm__("addq %1, %0" : "+m"(*count) : "er"(n));
#else
	own_count_set(count, *count + n);
#endif
}

/* Called by any thread. */
static inline uint64_t own_count_read(const uint64_t *count)
{
	return __atomic_load_n(count, __ATOMIC_RELAXED);
}

/* Numbers of packets and of their bytes. */
struct own_pair {
	uint64_t packets, bytes;
};

static inline void own_pair_add(struct own_pair *pair, uint64_t packets, uint64_t bytes)
{
	own_count_add(&pair->packets, packets);
	own_count_add(&pair->bytes, bytes);
}

static inline struct own_pair own_pair_read(const struct own_pair *pair)
{
	return (struct own_pair){own_count_read(&pair->packets), own_count_read(&pair->bytes)};
}
