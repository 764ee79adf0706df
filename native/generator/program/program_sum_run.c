/* SPDX-License-Identifier: Apache-2.0 */
/* The usual program for eight packets at once: one or two fields and the IPv4 header's checksum.
 * Compiled for each level of CPU. */
#include "generator/program/program_sum.h"

#include <string.h>
#ifdef __AVX2__
#include <x86intrin.h>
#endif

enum { LANES = 8 };

typedef uint32_t lanes __attribute__((vector_size(LANES * sizeof(uint32_t))));

static inline lanes swap_bytes(lanes value)
{
#ifdef __AVX2__
	const __m256i order = _mm256_broadcastsi128_si256(
		_mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3));
	return (lanes)_mm256_shuffle_epi8((__m256i)value, order);
#else
	return value << 24 | (value & 0xff00) << 8 | (value >> 8 & 0xff00) | value >> 24;
#endif
}

/* The field of eight packets in the order of the wire; one of two bytes is the lower half. */
static inline lanes load_field(const struct term *field, const uint64_t *values, uint8_t size)
{
	lanes low, high;
	memcpy(&low, values, sizeof(low));
	memcpy(&high, values + LANES / 2, sizeof(high));
	lanes value = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
	value += (uint32_t)field->add;
	return swap_bytes(size == 2 ? value << 16 : value);
}

static inline lanes fold_lanes(lanes sum)
{
	return (sum & 0xffff) + (sum >> 16);
}

/* `size` of the second field: 0 without one, 2 for one that is not summed up, or 4. */
static inline __attribute__((always_inline)) void run(const struct sums *sums,
													  const struct program *program,
													  uint8_t *const *packets, uint16_t n,
													  uint8_t size)
{
	const struct term *first = &sums->written[0], *second = &sums->written[1];
	const uint64_t *values = program->values[first->var], *more = program->values[second->var];
	uint16_t at = first->at, at_more = second->at, at_sum = sums->sums[0].field;
	for (uint16_t i = 0; i < n; i += LANES) {
		uint32_t fields[LANES], others[LANES], results[LANES];
		lanes field = load_field(first, values + i, 4);
		lanes other = size ? load_field(second, more + i, size) : (lanes){0};
		lanes sum = fold_lanes(field) + sums->sums[0].base;
		if (size == 4)
			sum += fold_lanes(other);
		lanes result = ~fold_lanes(fold_lanes(sum));
		memcpy(fields, &field, sizeof(fields));
		memcpy(others, &other, sizeof(others));
		memcpy(results, &result, sizeof(results));
		uint16_t left = n - i < LANES ? n - i : LANES;
#pragma GCC unroll 8
		for (uint16_t k = 0; k < LANES && k < left; k++) {
			uint8_t *packet = packets[i + k];
			memcpy(packet + at, &fields[k], 4);
			memcpy(packet + at_more, &others[k], size);
			memcpy(packet + at_sum, &results[k], 2);
		}
	}
}

#define NAME_OF(level) write_and_sum_##level
#define NAME(level) NAME_OF(level)

void NAME(PROGRAM_MARCH)(const struct sums *sums, const struct program *program,
						 uint8_t *const *packets, uint16_t n)
{
	if (sums->written_count == 1)
		run(sums, program, packets, n, 0);
	else if (sums->written[1].size == 2)
		run(sums, program, packets, n, 2);
	else
		run(sums, program, packets, n, 4);
}
