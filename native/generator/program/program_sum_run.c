/* SPDX-License-Identifier: Apache-2.0 */
/* The most common programs for eight packets at once: one or two fields, the IPv4 header's
 * checksum, perhaps that of L4. Compiled for each march level. */
#include "generator/program/program_sum.h"

#include "wire/checksum_lanes.h"

#include <string.h>
#ifdef __AVX2__
#include <x86intrin.h>
#endif

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

/* The field of eight packets in wire order; a field of two bytes is in the lower half. */
static inline lanes load_field(const struct term *field, const uint64_t *values, uint8_t size)
{
	lanes low, high;
	memcpy(&low, values, sizeof(low));
	memcpy(&high, values + LANES / 2, sizeof(high));
	lanes value = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
	value += (uint32_t)field->add;
	return swap_bytes(size == 2 ? value << 16 : value);
}

/* Offsets in a packet. */
struct places {
	uint16_t field, other, sum, more_sum;
};

/* Values for these offsets. */
struct rows {
	uint32_t fields[LANES], others[LANES], sums[LANES], more_sums[LANES];
};

static inline __attribute__((always_inline)) void store(uint8_t *packet, struct places at,
														const struct rows *rows, int row,
														uint8_t size, bool has_more)
{
	memcpy(packet + at.field, &rows->fields[row], 4);
	memcpy(packet + at.other, &rows->others[row], size);
	memcpy(packet + at.sum, &rows->sums[row], 2);
	memcpy(packet + at.more_sum, &rows->more_sums[row], has_more ? 2 : 0);
}

/* `size` of the second field: 0: there is none; 2: it is not in the IP header; or 4. */
static inline __attribute__((always_inline)) void run(const struct sums *sums,
													  const struct program *program,
													  uint8_t *const *packets, uint16_t n,
													  uint8_t size, bool has_more)
{
	const struct term *first = &sums->written[0], *second = &sums->written[1];
	const uint64_t *values = program->values[first->var], *more = program->values[second->var];
	struct places at = {first->at, second->at, sums->sums[0].field, sums->sums[1].field};
	uint32_t base = sums->sums[0].base, more_base = sums->sums[1].base;
	uint32_t udp = sums->sums[0].is_udp, more_udp = sums->sums[1].is_udp;
	uint32_t masks[2] = {sums->masks[0], sums->masks[1]};
	for (uint16_t i = 0; i < n; i += LANES) {
		lanes field = load_field(first, values + i, 4);
		lanes other = size ? load_field(second, more + i, size) : (lanes){0};
		lanes folded = fold_lanes(field), other_folded = fold_lanes(other);
		lanes sum = finish_lanes(folded + (size == 4 ? other_folded : (lanes){0}) + base, udp);
		lanes more_sum =
			finish_lanes((folded & masks[0]) + (other_folded & masks[1]) + more_base, more_udp);
		struct rows rows;
		memcpy(rows.fields, &field, sizeof(field));
		memcpy(rows.others, &other, sizeof(other));
		memcpy(rows.sums, &sum, sizeof(sum));
		memcpy(rows.more_sums, &more_sum, sizeof(more_sum));
		if (__builtin_expect(n - i >= LANES, 1))
			for (int k = 0; k < LANES; k++)
				store(packets[i + k], at, &rows, k, size, has_more);
		else
			for (int k = 0; k < n - i; k++)
				store(packets[i + k], at, &rows, k, size, has_more);
	}
}

#define NAME_OF(level) write_and_sum_##level
#define NAME(level) NAME_OF(level)

void NAME(PROGRAM_MARCH)(const struct sums *sums, const struct program *program,
						 uint8_t *const *packets, uint16_t n)
{
	uint8_t size = sums->written_count == 2 ? sums->written[1].size : 0;
	bool has_more = sums->along == 2;
	if (!size && has_more)
		run(sums, program, packets, n, 0, true);
	else if (!size)
		run(sums, program, packets, n, 0, false);
	else if (size == 2 && has_more)
		run(sums, program, packets, n, 2, true);
	else if (size == 2)
		run(sums, program, packets, n, 2, false);
	else if (has_more)
		run(sums, program, packets, n, 4, true);
	else
		run(sums, program, packets, n, 4, false);
}
