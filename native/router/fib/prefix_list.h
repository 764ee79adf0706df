/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A few prefixes that extend a common one by up to 32 bits, in one cache line, where a trie would
 * take a group of 256 entries for each eight bits. The longest prefixes come first, so that the
 * first match is the longest. The last slot holds the entry for addresses without a match; a
 * shorter list repeats its first prefix in the slots before it. Once workers can see a list, only
 * single entries change.
 */
#pragma once

#include "graph/lanes.h"

#include <stddef.h>
#include <stdint.h>
#ifdef __AVX2__
#include <x86intrin.h>
#endif

enum { PREFIX_LIST_MOST = 7, PREFIX_LIST_SLOTS = 8, PREFIX_LIST_BITS = 32 };
/* An entry has a prefix's length in the bits above its value. */
enum { PREFIX_VALUE_BITS = 23 };

struct prefix_list {
	uint32_t keys[PREFIX_LIST_SLOTS]; /* the bits after the common ones, as a number */
	uint32_t entries[PREFIX_LIST_SLOTS];
} __attribute__((aligned(64)));

struct prefix_list_item {
	uint32_t key, entry;
};

/* Add an item to `count` items, at most PREFIX_LIST_MOST - 1, longest first. It must not be among
 * them. */
void prefix_list_add(struct prefix_list_item *items, uint32_t count, struct prefix_list_item item);
/* Remove the item with this key and the length of this entry, which must be there. */
void prefix_list_remove(struct prefix_list_item *items, uint32_t count,
						struct prefix_list_item item);
/* Write a list of `count` items, at least one; `otherwise` is the entry without a match. */
void prefix_list_write(struct prefix_list *list, const struct prefix_list_item *items,
					   uint32_t count, uint32_t otherwise);
void prefix_list_read(const struct prefix_list *list, struct prefix_list_item *items,
					  uint32_t count);

/* The first of the slots with this key and the length of this entry, and their number; NULL if
 * there are none. */
uint32_t *prefix_list_find(struct prefix_list *list, struct prefix_list_item item, uint32_t *slots);

static inline uint32_t prefix_entry_length(uint32_t entry)
{
	return entry >> PREFIX_VALUE_BITS;
}

/* The entry for an address with the prefix of this list, whose 32 bits up to its bit `end` are
 * `word`. For other lists, and for cache lines that are not lists, the result is one of its slots
 * or 0. */
static inline uint32_t prefix_list_match(const struct prefix_list *list, uint32_t word,
										 uint32_t end)
{
#ifdef __AVX2__
	/* Unused entries have a length of at most the bits before them; a shift by 32 or more gives 0.
	 */
	__m256i entries = _mm256_load_si256((const __m256i *)list->entries);
	__m256i keys = _mm256_load_si256((const __m256i *)list->keys);
	__m256i beyond = _mm256_sub_epi32(_mm256_set1_epi32((int)end),
									  _mm256_srli_epi32(entries, PREFIX_VALUE_BITS));
	__m256i differs =
		_mm256_srlv_epi32(_mm256_xor_si256(keys, _mm256_set1_epi32((int)word)), beyond);
#ifdef __AVX512VL__
	__mmask8 same = _mm256_testn_epi32_mask(differs, differs);
	return (uint32_t)_mm256_cvtsi256_si32(_mm256_maskz_compress_epi32(same, entries));
#else
	__m256i same = _mm256_cmpeq_epi32(differs, _mm256_setzero_si256());
	unsigned slots = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(same));
	size_t slot = (size_t)__builtin_ctz(slots | 1u << PREFIX_LIST_MOST);
	return __atomic_load_n(&list->entries[slot], __ATOMIC_RELAXED);
#endif
#else
	for (uint32_t slot = 0;; slot++) {
		uint32_t entry = __atomic_load_n(&list->entries[slot], ATOMIC_LEADS);
		uint32_t beyond = (end - prefix_entry_length(entry)) & 31;
		if (slot == PREFIX_LIST_MOST || !((list->keys[slot] ^ word) >> beyond))
			return entry;
	}
#endif
}
