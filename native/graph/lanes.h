/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eight 32-bit numbers side by side, one for each of eight packets. They are vector types of the
 * compiler, which uses what the march level has: AVX2, SSE or NEON. Nothing in this folder needs
 * DPDK.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __AVX2__
#include <x86intrin.h>
#endif

enum { LANES = 8 };

typedef uint32_t lanes __attribute__((vector_size(32)));
typedef int32_t lanes_signed __attribute__((vector_size(32)));
typedef uint8_t lanes_bytes __attribute__((vector_size(32)));
typedef uint32_t lanes_half __attribute__((vector_size(16)));
typedef uint16_t lanes_edges __attribute__((vector_size(16)));
#define LANES_INLINE static inline __attribute__((always_inline, unused))

LANES_INLINE lanes lanes_all(uint32_t value)
{
	return (lanes){0} + value;
}

LANES_INLINE lanes lanes_load(const uint32_t *words)
{
	lanes loaded;
	memcpy(&loaded, words, sizeof(loaded));
	return loaded;
}

LANES_INLINE void lanes_store(uint32_t *words, lanes stored)
{
	memcpy(words, &stored, sizeof(stored));
}

/* The words at `offset` behind each of eight places. */
LANES_INLINE lanes lanes_load_at(const void *const *places, size_t offset)
{
	uint32_t w[LANES];
	for (int i = 0; i < LANES; i++)
		memcpy(&w[i], (const uint8_t *)places[i] + offset, sizeof(w[i]));
	return (lanes){w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]};
}

/* The opposite of lanes_load_at. */
LANES_INLINE void lanes_store_at(void *const *places, size_t offset, lanes stored)
{
	for (int i = 0; i < LANES; i++) {
		uint32_t word = stored[i];
		memcpy((uint8_t *)places[i] + offset, &word, sizeof(word));
	}
}

/* Four consecutive words at `offset` behind each of eight places: words[w] has the w-th word of
 * all. */
LANES_INLINE void lanes_load_four_at(const void *const *places, size_t offset, lanes *words)
{
	lanes rows[4];
	for (int i = 0; i < 4; i++) {
		lanes_half low, high;
		memcpy(&low, (const uint8_t *)places[i] + offset, sizeof(low));
		memcpy(&high, (const uint8_t *)places[i + 4] + offset, sizeof(high));
		rows[i] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
	}
	lanes a = __builtin_shufflevector(rows[0], rows[1], 0, 8, 1, 9, 4, 12, 5, 13);
	lanes b = __builtin_shufflevector(rows[2], rows[3], 0, 8, 1, 9, 4, 12, 5, 13);
	lanes c = __builtin_shufflevector(rows[0], rows[1], 2, 10, 3, 11, 6, 14, 7, 15);
	lanes d = __builtin_shufflevector(rows[2], rows[3], 2, 10, 3, 11, 6, 14, 7, 15);
	words[0] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
	words[1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
	words[2] = __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13);
	words[3] = __builtin_shufflevector(c, d, 2, 3, 10, 11, 6, 7, 14, 15);
}

/*
 * Order of a load of an address or index before the loads that depend on it: CPUs keep it without a
 * barrier. Only the thread sanitizer needs to see it.
 */
#ifdef __SANITIZE_THREAD__
#define ATOMIC_LEADS __ATOMIC_ACQUIRE
#else
#define ATOMIC_LEADS __ATOMIC_RELAXED
#endif

/* table[index] for each lane; an index is below 2^31. */
LANES_INLINE lanes lanes_gather(const uint32_t *table, lanes index)
{
#ifdef __AVX2__
	return (lanes)_mm256_i32gather_epi32((const int *)(const void *)table, (__m256i)index, 4);
#else
	lanes gathered;
	for (int i = 0; i < LANES; i++)
		gathered[i] = __atomic_load_n(&table[index[i]], ATOMIC_LEADS);
	return gathered;
#endif
}

/* True if any lane is not zero. */
LANES_INLINE bool lanes_any(lanes asked)
{
#ifdef __AVX2__
	return !_mm256_testz_si256((__m256i)asked, (__m256i)asked);
#else
	uint64_t quads[4];
	memcpy(quads, &asked, sizeof(quads));
	return (quads[0] | quads[1] | quads[2] | quads[3]) != 0;
#endif
}

/* All bits of a lane are set where a is less than b, both below 2^31; otherwise none. */
LANES_INLINE lanes lanes_less(lanes a, lanes b)
{
	return (lanes)((lanes_signed)a < (lanes_signed)b);
}

LANES_INLINE uint32_t lanes_sum(lanes added)
{
	lanes_half sums = __builtin_shufflevector(added, added, 0, 1, 2, 3) +
					  __builtin_shufflevector(added, added, 4, 5, 6, 7);
	return sums[0] + sums[1] + sums[2] + sums[3];
}

/* Convert from the byte order of the wire, or to it. */
LANES_INLINE lanes lanes_swap(lanes words)
{
	lanes_bytes b = (lanes_bytes)words;
	return (lanes)__builtin_shufflevector(b, b, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13,
										  12, 19, 18, 17, 16, 23, 22, 21, 20, 27, 26, 25, 24, 31,
										  30, 29, 28);
}
