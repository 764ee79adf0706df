/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The routes of a table: prefix to a value (a load balance), 0 where nothing matches. For IPv6, and
 * alike for IPv4, whose addresses are the first 32 bits here.
 *
 * The main thread has the prefixes in a tree of their own (prefix_tree.h). Workers look up in a
 * trie (docs/decisions/0006): a table of the first 24 bits, then groups of 256 entries for eight
 * bits each. An entry holds value and length of the longest prefix that covers it, or the number of
 * the group below it. A group stands as long as some prefix ends inside it or deeper; it changes
 * readers' sight in one store, and is not used again before the workers have let go of it.
 */
#ifndef ROUTER_FIB_TRIE_H
#define ROUTER_FIB_TRIE_H

#include "router/prefix_tree.h"
#include "wirespeed.h"

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	FIB_TRIE_ROOT_BITS = 24,
	FIB_TRIE_GROUP_SIZE = 256,
	FIB_TRIE_VALUE_BITS = 23,
	FIB_TRIE_MAX_LOOKUP = 256,
};
#define FIB_TRIE_IS_GROUP 0x80000000u
#define FIB_TRIE_VALUE_MASK ((1u << FIB_TRIE_VALUE_BITS) - 1)

struct fib_trie {
	uint32_t *root, *groups;
	uint32_t default_value; /* of length 0, which is not written into the root's 2^24 entries */
	struct prefix_tree prefixes;
	uint32_t count, max;
	uint64_t generation; /* counts changes, which invalidate cursors */

	/* Groups, by number. */
	uint32_t *links;   /* prefixes that end in or below a used one; the next of an unused one */
	uint32_t capacity; /* of the arrays */
	uint32_t made;     /* those from here on were never used */
	uint32_t used;
	uint32_t first_free, first_retired; /* UINT32_MAX: none; workers may read retired ones */
	uint32_t free_count, retired_count;
};

int fib_trie_init(struct fib_trie *fib, uint8_t family, uint32_t max_routes);
void fib_trie_close(struct fib_trie *fib);

/* Prefixes given have no host bits. */
int fib_trie_set(struct fib_trie *fib, const struct ws_prefix *prefix, uint32_t value);
/* The prefix must be there. */
void fib_trie_remove(struct fib_trie *fib, const struct ws_prefix *prefix);
bool fib_trie_get(const struct fib_trie *fib, const struct ws_prefix *prefix, uint32_t *value);
/* The longest match. */
bool fib_trie_match(const struct fib_trie *fib, const struct ws_address *address,
					struct ws_prefix *prefix, uint32_t *value);
/* Walks the prefixes in order of (address, length); zeroed at the start. */
bool fib_trie_next_prefix(const struct fib_trie *fib, struct prefix_cursor *cursor,
						  struct ws_prefix *prefix, uint32_t *value);

static inline uint32_t fib_trie_root_index(const uint8_t *address)
{
	uint32_t word;
	memcpy(&word, address, sizeof(word));
	return be32toh(word) >> 8;
}

static inline uint32_t fib_trie_load(const uint32_t *entry)
{
	return __atomic_load_n(entry, __ATOMIC_RELAXED);
}

/* Where the byte of an address leads from an entry; anywhere, but readable, when that is no group.
 */
static inline const uint32_t *fib_trie_next_entry(const struct fib_trie *fib, uint32_t entry,
												  uint8_t byte)
{
	uint32_t group = entry & (0 - (entry >> 31)) & ~FIB_TRIE_IS_GROUP;
	return &fib->groups[(size_t)group * FIB_TRIE_GROUP_SIZE + byte];
}

/*
 * The values of up to FIB_TRIE_MAX_LOOKUP addresses, which may be anywhere. All of them go down a
 * level together, so that their cache misses overlap and nothing depends on a guess how deep each
 * goes.
 */
static inline void fib_trie_lookup_bulk(const struct fib_trie *fib, const uint8_t *const *addresses,
										uint32_t *values, uint16_t n)
{
	const uint32_t *entries[FIB_TRIE_MAX_LOOKUP];
	uint16_t deeper[FIB_TRIE_MAX_LOOKUP], count = n;
	uint32_t default_value = __atomic_load_n(&fib->default_value, __ATOMIC_RELAXED);
	for (uint16_t i = 0; i < n; i++) {
		entries[i] = &fib->root[fib_trie_root_index(addresses[i])];
		deeper[i] = i;
		__builtin_prefetch(entries[i]);
	}
	for (int byte = FIB_TRIE_ROOT_BITS / 8; count; byte++) {
		uint16_t still = 0;
		for (uint16_t k = 0; k < count; k++) {
			/* deeper[0 … count) is written */
			uint16_t i = deeper[k]; /* NOLINT(clang-analyzer-core.uninitialized.Assign) */
			uint32_t entry = fib_trie_load(entries[k]);
			values[i] = entry;
			/* The last level has no groups: then whichever byte is there will do. */
			entries[still] = fib_trie_next_entry(fib, entry, addresses[i][byte % 16]);
			deeper[still] = i;
			__builtin_prefetch(entries[still]);
			still += entry >> 31;
		}
		count = still;
	}
	for (uint16_t i = 0; i < n; i++)
		values[i] = values[i] ? values[i] & FIB_TRIE_VALUE_MASK : default_value;
}

/* More accesses than this on their way at once only wait for each other (bench-nodes). */
enum { FIB_TRIE_AHEAD = 16 };

/*
 * As fib_trie_lookup_bulk for IPv4 addresses as numbers. One access suffices for most of them: all
 * of the first accesses come before the second ones, which only addresses under a prefix longer
 * than /24 need, so that their misses overlap.
 */
static inline void fib_trie_lookup_bulk_ip4(const struct fib_trie *fib, const uint32_t *addresses,
											uint32_t *values, uint16_t n)
{
	uint32_t default_value = __atomic_load_n(&fib->default_value, __ATOMIC_RELAXED);
	uint16_t deeper[FIB_TRIE_MAX_LOOKUP], count = 0;
	for (uint16_t i = 0; i < FIB_TRIE_AHEAD && i < n; i++)
		__builtin_prefetch(&fib->root[addresses[i] >> 8]);
	for (uint16_t i = 0; i < n; i++) {
		if (i + FIB_TRIE_AHEAD < n)
			__builtin_prefetch(&fib->root[addresses[i + FIB_TRIE_AHEAD] >> 8]);
		uint32_t entry = fib_trie_load(&fib->root[addresses[i] >> 8]);
		values[i] = entry ? entry & FIB_TRIE_VALUE_MASK : default_value;
		deeper[count] = i;
		if (entry & FIB_TRIE_IS_GROUP) {
			values[i] = entry;
			count++;
		}
	}
	for (uint16_t k = 0; k < count; k++) {
		/* deeper[0 … count) is written */
		uint16_t i = deeper[k]; /* NOLINT(clang-analyzer-core.uninitialized.Assign) */
		uint32_t entry = fib_trie_load(fib_trie_next_entry(fib, values[i], (uint8_t)addresses[i]));
		values[i] = entry ? entry & FIB_TRIE_VALUE_MASK : default_value;
	}
}

#endif
