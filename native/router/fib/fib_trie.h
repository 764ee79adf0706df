/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The routes of a table: prefix to a value (a load balance), 0 where nothing matches. For IPv6, and
 * alike for IPv4, whose addresses are the first 32 bits here.
 *
 * The main thread has the prefixes in a tree of their own (prefix_tree.h). Workers look up in a
 * trie (docs/decisions/0006): a table of the first 24 bits, then groups of 256 entries for eight
 * bits each. An entry holds value and length of the longest prefix that covers it, or the number of
 * what is below it: of IPv6's prefixes a list as long as they are few and end within 32 bits
 * (prefix_list.h), and a group otherwise. A group stands as long as some prefix ends inside it or
 * deeper. A change shows itself to readers in one store, and what it took out is not used again
 * before the workers have let go of it.
 */
#ifndef ROUTER_FIB_TRIE_H
#define ROUTER_FIB_TRIE_H

#include "graph/lanes.h"
#include "router/fib/node_pool.h"
#include "router/fib/prefix_list.h"
#include "router/fib/prefix_tree.h"
#include "wirespeed.h"

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	FIB_TRIE_ROOT_BITS = 24,
	FIB_TRIE_GROUP_SIZE = 256,
	FIB_TRIE_MAX_LOOKUP = 256,
};
#define FIB_TRIE_VALUE_MASK ((1u << PREFIX_VALUE_BITS) - 1)
/* In the highest two bits of an entry that leads deeper; a length never has both. */
enum { FIB_TRIE_GROUP = 2, FIB_TRIE_LIST = 3 };
/* The others are the distance from `nodes`, in units of so many bytes. */
enum { FIB_TRIE_KIND_SHIFT = 30, FIB_TRIE_NODE_UNIT = sizeof(struct prefix_list) };

struct fib_trie {
	uint32_t *root;
	uint8_t *nodes;         /* lists, and behind them groups */
	uint32_t default_value; /* of length 0, which is not written into the root's 2^24 entries */

	/* The main thread's, which each change of a route writes: not in the lines above. */
	struct node_pool groups __attribute__((aligned(64))); /* links: prefixes that end in or below */
	struct node_pool lists; /* links: prefixes in it; there are none for IPv4 */
	size_t node_bytes;
	struct prefix_tree prefixes;
	uint32_t count, max;
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
/* Walks the prefixes in order of (address, length), as prefix_tree.h says. */
void fib_trie_seek(const struct fib_trie *fib, struct prefix_cursor *cursor,
				   const struct ws_prefix *after);
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

static inline uint32_t fib_trie_kind(uint32_t entry)
{
	return entry >> FIB_TRIE_KIND_SHIFT;
}

/* The group or list that an entry leads to; the first list, which may be read as well, when the
 * entry does not lead deeper. */
static inline void *fib_trie_node(const struct fib_trie *fib, uint32_t entry)
{
	uint32_t leads = 0 - (entry >> 31), mask = (1u << FIB_TRIE_KIND_SHIFT) - 1;
	return fib->nodes + (size_t)(entry & leads & mask) * FIB_TRIE_NODE_UNIT;
}

/* The 32 bits of an address from this byte on, zeros behind its end. */
static inline uint32_t fib_trie_word(const uint8_t *address, uint32_t byte)
{
	enum { LAST = 16 - sizeof(uint32_t) };
	uint32_t word, at = byte < LAST ? byte : LAST;
	memcpy(&word, address + at, sizeof(word));
	return be32toh(word) << 8 * (byte - at);
}

/* Values in place of the entries found last. */
static inline void fib_trie_finish(const struct fib_trie *fib, uint32_t *values, uint16_t n)
{
	uint32_t default_value = __atomic_load_n(&fib->default_value, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < n; i++)
		values[i] = values[i] ? values[i] & FIB_TRIE_VALUE_MASK : default_value;
}

/*
 * The values of up to FIB_TRIE_MAX_LOOKUP addresses of IPv6, however deep they go. All of them go
 * down a level together, so that their cache misses overlap and nothing depends on a guess how deep
 * each goes; those that come to a list look into it in the end.
 */
static __attribute__((noinline, unused)) void fib_trie_lookup_deep(const struct fib_trie *fib,
																   const uint8_t *const *addresses,
																   uint32_t *values, uint16_t n)
{
	enum { ROOT_BYTES = FIB_TRIE_ROOT_BITS / 8, ADDRESS_BYTES = 16 };
	const uint32_t *entries[FIB_TRIE_MAX_LOOKUP + 1];
	uint16_t deeper[FIB_TRIE_MAX_LOOKUP + 1], listed[FIB_TRIE_MAX_LOOKUP + 1];
	uint32_t lists_before[ADDRESS_BYTES + 2], lists = 0, count = n, byte = ROOT_BYTES;
	for (uint32_t i = 0; i < n; i++) {
		entries[i] = &fib->root[fib_trie_root_index(addresses[i])];
		deeper[i] = (uint16_t)i;
		__builtin_prefetch(entries[i]);
	}
	for (; count; byte++) {
		uint32_t still = 0;
		lists_before[byte] = lists;
		for (uint32_t k = 0; k < count; k++) {
			/* deeper[0 … count) is written */
			uint16_t i = deeper[k]; /* NOLINT(clang-analyzer-core.uninitialized.Assign) */
			uint32_t entry = fib_trie_load(entries[k]), kind = fib_trie_kind(entry);
			uint32_t to_group = kind == FIB_TRIE_GROUP;
			/* The last level has no groups: then whichever byte is there will do. */
			uint32_t index = addresses[i][byte % ADDRESS_BYTES] & (0 - to_group);
			values[i] = entry;
			entries[still] = (const uint32_t *)fib_trie_node(fib, entry) + index;
			__builtin_prefetch(entries[still]);
			deeper[still] = listed[lists] = i;
			still += to_group;
			lists += kind == FIB_TRIE_LIST;
		}
		count = still;
	}
	lists_before[byte] = lists;
	for (uint32_t level = ROOT_BYTES; level < byte; level++)
		for (uint32_t k = lists_before[level]; k < lists_before[level + 1]; k++) {
			uint16_t i = listed[k]; /* NOLINT(clang-analyzer-core.uninitialized.Assign) */
			uint32_t word = fib_trie_word(addresses[i], level);
			values[i] = prefix_list_match(fib_trie_node(fib, values[i]), word, level * 8);
		}
	fib_trie_finish(fib, values, n);
}

/* fib_trie_node() of an entry that does lead deeper. */
static inline const void *fib_trie_below(const struct fib_trie *fib, uint32_t entry)
{
	uint32_t mask = (1u << FIB_TRIE_KIND_SHIFT) - 1;
	return fib->nodes + (size_t)(entry & mask) * FIB_TRIE_NODE_UNIT;
}

/* Where an entry of the root that leads to a group goes on, by the first eight octets. */
static inline const uint32_t *fib_trie_in_group(const struct fib_trie *fib, uint32_t entry,
												uint64_t start)
{
	const uint32_t *group = fib_trie_below(fib, entry);
	return group + (uint8_t)(start >> (64 - FIB_TRIE_ROOT_BITS - 8));
}

/*
 * The values of up to FIB_TRIE_MAX_LOOKUP addresses of IPv6. Most entries of the root lead to a
 * list, or to a group and that to lists, and nothing here depends on a guess which; the few that go
 * deeper are looked up together.
 */
static inline void fib_trie_lookup_bulk(const struct fib_trie *fib, const uint8_t *const *addresses,
										uint32_t *values, uint16_t n)
{
	enum { GROUP_BITS = 8, GROUP_DEPTH = FIB_TRIE_ROOT_BITS + GROUP_BITS };
	uint64_t starts[FIB_TRIE_MAX_LOOKUP];
	uint32_t deep_values[FIB_TRIE_MAX_LOOKUP];
	const uint8_t *deep[FIB_TRIE_MAX_LOOKUP];
	uint16_t deep_at[FIB_TRIE_MAX_LOOKUP + 1], listed[FIB_TRIE_MAX_LOOKUP + 1];
	uint8_t missing[FIB_TRIE_MAX_LOOKUP]; /* of GROUP_DEPTH, where a list begins */
	uint16_t deep_count = 0, listed_count = 0;
	for (uint16_t i = 0; i < n; i++) {
		memcpy(&starts[i], addresses[i], sizeof(starts[i]));
		starts[i] = be64toh(starts[i]);
		__builtin_prefetch(&fib->root[starts[i] >> (64 - FIB_TRIE_ROOT_BITS)]);
	}
	for (uint16_t i = 0; i < n; i++) {
		values[i] = fib_trie_load(&fib->root[starts[i] >> (64 - FIB_TRIE_ROOT_BITS)]);
		/* A place in a group; where there is none, any address is as good. */
		__builtin_prefetch(fib_trie_in_group(fib, values[i], starts[i]));
	}
	for (uint16_t i = 0; i < n; i++) {
		uint32_t entry = values[i];
		bool in_group = fib_trie_kind(entry) == FIB_TRIE_GROUP;
		const uint32_t *at = in_group ? fib_trie_in_group(fib, entry, starts[i]) : &values[i];
		entry = fib_trie_load(at);
		__builtin_prefetch(fib_trie_below(fib, entry));
		values[i] = entry;
		missing[i] = in_group ? 0 : GROUP_BITS;
		listed[listed_count] = deep_at[deep_count] = i;
		listed_count += fib_trie_kind(entry) == FIB_TRIE_LIST;
		deep_count += fib_trie_kind(entry) == FIB_TRIE_GROUP;
	}
	for (uint16_t k = 0; k < listed_count; k++) {
		uint16_t i = listed[k];
		uint32_t word = (uint32_t)(starts[i] >> missing[i]), depth = GROUP_DEPTH - missing[i];
		values[i] = prefix_list_match(fib_trie_below(fib, values[i]), word, depth);
	}
	fib_trie_finish(fib, values, n);
	for (uint16_t k = 0; k < deep_count; k++)
		deep[k] = addresses[deep_at[k]];
	if (deep_count)
		fib_trie_lookup_deep(fib, deep, deep_values, deep_count);
	for (uint16_t k = 0; k < deep_count; k++)
		values[deep_at[k]] = deep_values[k];
}

/* More accesses than this on their way at once only wait for each other (bench-nodes). */
enum { FIB_TRIE_AHEAD = 16 };

LANES_INLINE void fib_trie_prefetch_eight(const struct fib_trie *fib, const uint32_t *addresses)
{
	for (int i = 0; i < LANES; i++)
		__builtin_prefetch(&fib->root[addresses[i] >> 8]);
}

/*
 * As fib_trie_lookup_bulk for IPv4 addresses as numbers. One access suffices for most of them: all
 * of the first accesses come before the second ones, which only addresses under a prefix longer
 * than /24 need, so that their misses overlap.
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
		const uint32_t *group = fib_trie_node(fib, values[i]);
		uint32_t entry = fib_trie_load(&group[(uint8_t)addresses[i]]);
		values[i] = entry ? entry & FIB_TRIE_VALUE_MASK : default_value;
	}
}

#endif
