/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Index of an array by hash: open addressing, at most half full. The caller owns the array and
 * compares.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct place {
	uint32_t hash, at; /* at: index plus 1; 0: free */
};

/* All zeroes: empty. */
struct places {
	struct place *slots;
	uint32_t size, used; /* size is a power of two, or 0 */
	uint64_t looks;      /* number of slots inspected, for tests */
};

#define PLACE_NONE UINT32_MAX

/* FNV-1a. */
static inline uint32_t place_hash(const void *bytes, size_t length)
{
	uint32_t hash = 2166136261u;
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ ((const uint8_t *)bytes)[i]) * 16777619u;
	return hash ^ hash >> 15;
}

/* True if the array's element `at` has the key. */
typedef bool place_is_fn(const void *array, uint32_t at, const void *key);

/* PLACE_NONE if it is not in the index. */
uint32_t places_find(struct places *places, uint32_t hash, place_is_fn *is, const void *array,
					 const void *key);
/* Add the element at `at`; false if memory is short. */
bool places_add(struct places *places, uint32_t hash, uint32_t at);
/* The element must be in the index. */
void places_move(struct places *places, uint32_t hash, uint32_t from, uint32_t to);
void places_remove(struct places *places, uint32_t hash, uint32_t at);
void places_close(struct places *places);
