/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lookup of up to a frame of IPv6 addresses in a table, for workers. Most entries of the root lead
 * to a list, or to a group whose entries lead to lists. Eight addresses take these steps together,
 * whichever of them each needs. Addresses that go deeper, and the last ones if they are fewer than
 * eight, are looked up level by level.
 */
#pragma once

#include "graph/lanes.h"
#include "router/fib/fib_trie.h"

/* ---- Level by level ---- */

/* Replace the last entries by their values. */
static inline void fib_trie_finish(const struct fib_trie *fib, uint32_t *values, uint16_t n)
{
	uint32_t default_value = __atomic_load_n(&fib->default_value, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < n; i++)
		values[i] = values[i] ? values[i] & FIB_TRIE_VALUE_MASK : default_value;
}

/*
 * The values of up to FIB_TRIE_MAX_LOOKUP IPv6 addresses, at any depth. All addresses descend
 * together, level by level, so that their cache misses overlap and no branch depends on the depth
 * of one. Lists are searched at the end.
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
			/* The last level has no groups: any byte will do there. */
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
			values[i] = prefix_list_match(fib_trie_node(fib, values[i]), word,
										  level * 8 + PREFIX_LIST_BITS);
		}
	fib_trie_finish(fib, values, n);
}

/* ---- Eight addresses at once ---- */

enum { FIB_LOOKUP_SLOT_BITS = 4 }; /* bits of a byte that select the entry within a cache line */
_Static_assert((sizeof(uint32_t) << FIB_LOOKUP_SLOT_BITS) == (size_t)FIB_TRIE_NODE_UNIT,
			   "a group's entries in a unit of nodes");

/* `a` in lanes where `asked` has all bits set, `b` where it has none. */
LANES_INLINE lanes lanes_choose(lanes asked, lanes a, lanes b)
{
	return (a & asked) | (b & ~asked);
}

LANES_INLINE lanes fib_lookup_are(lanes entries, uint32_t kind)
{
	return (lanes)((entries >> FIB_TRIE_KIND_SHIFT) == kind);
}

/*
 * For eight addresses: the cache line, counted from `nodes`, that continues the lookup behind their
 * entries: a list, or the line of a group that holds the entry for `byte`. The first line, which is
 * readable, for entries that do not lead deeper.
 */
LANES_INLINE lanes fib_lookup_lines(lanes entries, lanes byte)
{
	lanes leads = (lanes)((lanes_signed)entries >> 31);
	lanes in_group = fib_lookup_are(entries, FIB_TRIE_GROUP);
	return (entries & leads & ((1u << FIB_TRIE_KIND_SHIFT) - 1)) +
		   (byte >> FIB_LOOKUP_SLOT_BITS & in_group);
}

LANES_INLINE const void *fib_lookup_line(const struct fib_trie *fib, uint32_t line)
{
	return fib->nodes + (size_t)line * FIB_TRIE_NODE_UNIT;
}

LANES_INLINE void fib_lookup_prefetch_lines(const struct fib_trie *fib, lanes lines)
{
	uint32_t at[LANES];
	lanes_store(at, lines);
	for (int i = 0; i < LANES; i++)
		__builtin_prefetch(fib_lookup_line(fib, at[i]));
}

/* The entries for `byte` in these lines of groups. */
LANES_INLINE lanes fib_lookup_in_groups(const struct fib_trie *fib, lanes lines, lanes byte)
{
	lanes slots = byte & ((1u << FIB_LOOKUP_SLOT_BITS) - 1);
	uint32_t found[LANES];
	for (int i = 0; i < LANES; i++)
		found[i] = fib_trie_load((const uint32_t *)fib_lookup_line(fib, lines[i]) + slots[i]);
	return (lanes){found[0], found[1], found[2], found[3], found[4], found[5], found[6], found[7]};
}

/* Numbers for each of a frame's addresses, by its place in the frame. */
struct fib_lookup {
	uint32_t starts[FIB_TRIE_MAX_LOOKUP], seconds[FIB_TRIE_MAX_LOOKUP]; /* 32 bits each */
	uint32_t words[FIB_TRIE_MAX_LOOKUP],
		ends[FIB_TRIE_MAX_LOOKUP];       /* operands of a list comparison */
	uint32_t found[FIB_TRIE_MAX_LOOKUP]; /* the result */
	uint16_t deep_at[FIB_TRIE_MAX_LOOKUP + 1], deep_count;
};

/* Addresses whose entries lead to yet another group are left to fib_trie_lookup_deep(). */
LANES_INLINE void fib_lookup_note_deep(struct fib_lookup *lookup, uint16_t at, lanes deep)
{
	for (int i = 0; i < LANES; i++) {
		lookup->deep_at[lookup->deep_count] = (uint16_t)(at + i);
		lookup->deep_count += deep[i] & 1;
	}
}

LANES_INLINE void fib_lookup_pass_starts(struct fib_lookup *lookup, const uint8_t *const *addresses,
										 uint16_t i)
{
	lanes words[4];
	lanes_load_four_at((const void *const *)addresses + i, 0, words);
	lanes_store(lookup->starts + i, lanes_swap(words[0]));
	lanes_store(lookup->seconds + i, lanes_swap(words[1]));
}

/* Read the entries of the root and prefetch what they lead to. The accesses to the root overlap as
 * far as the CPU looks ahead; prefetching them costs more (bench_nodes). */
LANES_INLINE void fib_lookup_pass_root(const struct fib_trie *fib, const struct fib_lookup *lookup,
									   uint32_t *values, uint16_t i)
{
	lanes starts = lanes_load(lookup->starts + i);
	lanes entries = lanes_gather(fib->root, starts >> (32 - FIB_TRIE_ROOT_BITS));
	lanes_store(values + i, entries);
	fib_lookup_prefetch_lines(fib, fib_lookup_lines(entries, starts & 0xff));
}

/* Continue from the entries of the root through groups, for those that lead to one. */
LANES_INLINE void fib_lookup_pass_groups(const struct fib_trie *fib, struct fib_lookup *lookup,
										 uint32_t *values, uint16_t i)
{
	enum { GROUP_BITS = 8 };
	lanes starts = lanes_load(lookup->starts + i), seconds = lanes_load(lookup->seconds + i);
	lanes entries = lanes_load(values + i), byte = starts & 0xff;
	lanes in_group = fib_lookup_are(entries, FIB_TRIE_GROUP);
	if (lanes_any(in_group)) {
		lanes lines = fib_lookup_lines(entries, byte);
		entries = lanes_choose(in_group, fib_lookup_in_groups(fib, lines, byte), entries);
		fib_lookup_prefetch_lines(fib, fib_lookup_lines(entries, lanes_all(0)));
		lanes_store(values + i, entries);
		lanes deep = fib_lookup_are(entries, FIB_TRIE_GROUP);
		if (lanes_any(deep))
			fib_lookup_note_deep(lookup, i, deep);
	}
	lanes word = byte << (32 - GROUP_BITS) | seconds >> GROUP_BITS;
	lanes_store(lookup->words + i, lanes_choose(in_group, seconds, word));
	lanes_store(lookup->ends + i,
				(in_group & GROUP_BITS) + (FIB_TRIE_ROOT_BITS + PREFIX_LIST_BITS));
}

/* Search the lists of entries that lead to one; other lanes read any list. */
LANES_INLINE void fib_lookup_pass_lists(const struct fib_trie *fib, struct fib_lookup *lookup,
										const uint32_t *values, uint16_t i)
{
	lanes entries = lanes_load(values + i);
	lanes lines = fib_lookup_lines(entries, lanes_all(0));
	if (!lanes_any(fib_lookup_are(entries, FIB_TRIE_LIST)))
		return;
	for (int k = 0; k < LANES; k++)
		lookup->found[i + k] = prefix_list_match(fib_lookup_line(fib, lines[k]),
												 lookup->words[i + k], lookup->ends[i + k]);
}

/* Replace entries by values. */
LANES_INLINE void fib_lookup_finish(const struct fib_trie *fib, const struct fib_lookup *lookup,
									uint32_t *values, uint16_t i)
{
	lanes entries = lanes_load(values + i);
	lanes in_list = fib_lookup_are(entries, FIB_TRIE_LIST);
	entries = lanes_choose(in_list, lanes_load(lookup->found + i), entries);
	uint32_t default_value = __atomic_load_n(&fib->default_value, __ATOMIC_RELAXED);
	lanes none = (lanes)(entries == 0);
	lanes_store(values + i, (entries & FIB_TRIE_VALUE_MASK) | (none & default_value));
}

static inline void fib_trie_lookup_bulk(const struct fib_trie *fib, const uint8_t *const *addresses,
										uint32_t *values, uint16_t n)
{
	struct fib_lookup lookup;
	uint32_t deep_values[FIB_TRIE_MAX_LOOKUP];
	const uint8_t *deep[FIB_TRIE_MAX_LOOKUP];
	uint16_t eights = n / LANES * LANES;
	lookup.deep_count = 0;
	for (uint16_t i = 0; i < eights; i += LANES)
		fib_lookup_pass_starts(&lookup, addresses, i);
	for (uint16_t i = 0; i < eights; i += LANES)
		fib_lookup_pass_root(fib, &lookup, values, i);
	for (uint16_t i = 0; i < eights; i += LANES)
		fib_lookup_pass_groups(fib, &lookup, values, i);
	for (uint16_t i = 0; i < eights; i += LANES)
		fib_lookup_pass_lists(fib, &lookup, values, i);
	for (uint16_t i = 0; i < eights; i += LANES)
		fib_lookup_finish(fib, &lookup, values, i);
	for (uint16_t i = eights; i < n; i++)
		lookup.deep_at[lookup.deep_count++] = i;
	if (!lookup.deep_count)
		return;
	for (uint16_t k = 0; k < lookup.deep_count; k++)
		deep[k] = addresses[lookup.deep_at[k]];
	fib_trie_lookup_deep(fib, deep, deep_values, lookup.deep_count);
	for (uint16_t k = 0; k < lookup.deep_count; k++)
		values[lookup.deep_at[k]] = deep_values[k];
}
