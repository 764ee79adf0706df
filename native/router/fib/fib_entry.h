/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of the trie of routes, and their changes by the main thread. */
#pragma once

#include "router/fib/fib_trie.h"
#include "wirespeed/address.h"

static inline uint32_t fib_entry_make(uint8_t length, uint32_t value)
{
	return (uint32_t)length << PREFIX_VALUE_BITS | value;
}

static inline void fib_entry_store(uint32_t *entry, uint32_t value)
{
	__atomic_store_n(entry, value, __ATOMIC_RELEASE);
}

static inline bool fib_entry_is_group(uint32_t entry)
{
	return fib_trie_kind(entry) == FIB_TRIE_GROUP;
}

static inline bool fib_entry_is_list(uint32_t entry)
{
	return fib_trie_kind(entry) == FIB_TRIE_LIST;
}

static inline struct prefix_list *fib_entry_list(const struct fib_trie *fib, uint32_t entry)
{
	return fib_trie_node(fib, entry);
}

static inline uint32_t *fib_entry_group(const struct fib_trie *fib, uint32_t entry)
{
	return fib_trie_node(fib, entry);
}

static inline uint32_t *fib_entry_group_links(const struct fib_trie *fib, uint32_t entry)
{
	return node_pool_link(&fib->groups, fib_entry_group(fib, entry));
}

static inline uint32_t fib_entry_list_count(const struct fib_trie *fib, uint32_t entry)
{
	return fib_entry_is_list(entry) ? *node_pool_link(&fib->lists, fib_entry_list(fib, entry)) : 0;
}

/* In `count` entries and everything below them, overwrite those of prefixes of `shortest` to
 * `longest` bits. */
void fib_entries_overwrite(const struct fib_trie *fib, uint32_t *entries, uint32_t count,
						   uint8_t shortest, uint8_t longest, uint32_t by);

/* The entries of a prefix: a run in the root, or in the last group on its path. */
struct fib_place {
	uint32_t *entries;
	uint32_t count;
};

static inline struct fib_place fib_place_in(uint32_t *table, uint32_t index, uint8_t unused_bits)
{
	return (struct fib_place){&table[index & ~0u << unused_bits], 1u << unused_bits};
}

/* A prefix with its value as an item of a list behind `depth` bits. */
static inline struct prefix_list_item fib_list_item(const struct ws_prefix *prefix, uint8_t depth,
													uint32_t value)
{
	uint32_t word = fib_trie_word(prefix->address.bytes, depth / 8u);
	uint32_t unused = (uint32_t)depth + PREFIX_LIST_BITS - prefix->length;
	return (struct prefix_list_item){word & ~0u << unused, fib_entry_make(prefix->length, value)};
}

static inline bool fib_has_lists(const struct fib_trie *fib)
{
	return fib->prefixes.family == WS_IP6;
}

/* True if a list behind `depth` bits can hold the prefix. */
static inline bool fib_list_reaches(const struct fib_trie *fib, const struct ws_prefix *prefix,
									uint8_t depth)
{
	return fib_has_lists(fib) && prefix->length <= depth + PREFIX_LIST_BITS;
}

/* Add to the list of the entry; there must be room for another list. */
void fib_entry_add(struct fib_trie *fib, uint32_t *entry, struct prefix_list_item item);
/* Remove from the list of the entry, which must contain it. */
void fib_entry_remove(struct fib_trie *fib, uint32_t *entry, struct prefix_list_item item);
/* Let the entry, behind `depth` bits, lead to a group if it does not yet. */
void fib_entry_make_group(struct fib_trie *fib, uint32_t *entry, uint8_t depth);
