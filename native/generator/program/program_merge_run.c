/* SPDX-License-Identifier: Apache-2.0 */
/* Running what program_merge.c makes; compiled for each level of CPU but the lowest. */
#include "generator/program/program_merge.h"

#include <string.h>
#include <x86intrin.h>

enum { LANES = 8 };

typedef uint32_t lanes __attribute__((vector_size(LANES * sizeof(uint32_t))));

/* Two vectors for packets side by side. */
static inline lanes twice(const uint8_t bytes[MERGE_VECTOR])
{
	lanes both;
	memcpy(&both, bytes, MERGE_VECTOR);
	memcpy((uint8_t *)&both + MERGE_VECTOR, bytes, MERGE_VECTOR);
	return both;
}

/* Bytes of each half of `rows` by the table `control`. */
static inline lanes move_bytes(lanes rows, lanes control)
{
#ifdef __AVX2__
	return (lanes)_mm256_shuffle_epi8((__m256i)rows, (__m256i)control);
#else
	__m128i row[2], table[2];
	memcpy(row, &rows, sizeof(row));
	memcpy(table, &control, sizeof(table));
	row[0] = _mm_shuffle_epi8(row[0], table[0]);
	row[1] = _mm_shuffle_epi8(row[1], table[1]);
	memcpy(&rows, row, sizeof(row));
	return rows;
#endif
}

static inline lanes load_field(const struct merge_field *field, const uint64_t *values)
{
	lanes low, high;
	memcpy(&low, values, sizeof(low));
	memcpy(&high, values + LANES / 2, sizeof(high));
	lanes value = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14) + field->add;
	if (__builtin_expect(field->little_endian, 0)) {
		value = value << 24 | (value & 0xff00) << 8 | (value >> 8 & 0xff00) | value >> 24;
		value >>= 32 - 8 * field->size;
	}
	return value;
}

static inline lanes fold_lanes(lanes sum)
{
	return (sum & 0xffff) + (sum >> 16);
}

/* Sums of three fields of 17 bits, moved by 8 bits, stay within 32. */
static inline lanes sum_fields(const struct merge_sum *sum, const lanes *fields, uint8_t count)
{
	lanes total = (lanes){0} + sum->base;
	for (uint8_t i = 0; i < count; i++)
		total += fold_lanes(fields[i] & sum->terms[i].mask) << sum->terms[i].shift;
	lanes result = ~fold_lanes(fold_lanes(total)) & 0xffff;
	return result | ((lanes)(result == 0) & sum->zero);
}

/* A row for each packet: 0 and 4, 1 and 5, 2 and 6, 3 and 7 side by side. */
static inline void transpose(const lanes columns[4], lanes rows[4])
{
	lanes low = __builtin_shufflevector(columns[0], columns[1], 0, 8, 1, 9, 4, 12, 5, 13);
	lanes high = __builtin_shufflevector(columns[0], columns[1], 2, 10, 3, 11, 6, 14, 7, 15);
	lanes more_low = __builtin_shufflevector(columns[2], columns[3], 0, 8, 1, 9, 4, 12, 5, 13);
	lanes more_high = __builtin_shufflevector(columns[2], columns[3], 2, 10, 3, 11, 6, 14, 7, 15);
	rows[0] = __builtin_shufflevector(low, more_low, 0, 1, 8, 9, 4, 5, 12, 13);
	rows[1] = __builtin_shufflevector(low, more_low, 2, 3, 10, 11, 6, 7, 14, 15);
	rows[2] = __builtin_shufflevector(high, more_high, 0, 1, 8, 9, 4, 5, 12, 13);
	rows[3] = __builtin_shufflevector(high, more_high, 2, 3, 10, 11, 6, 7, 14, 15);
}

static inline void store_rows(const lanes rows[4], uint8_t *const *packets, uint16_t at, uint16_t n)
{
	if (__builtin_expect(n >= LANES, 1)) {
		for (int i = 0; i < 4; i++) {
			memcpy(packets[i] + at, &rows[i], MERGE_VECTOR);
			memcpy(packets[i + 4] + at, (const uint8_t *)&rows[i] + MERGE_VECTOR, MERGE_VECTOR);
		}
		return;
	}
	for (uint16_t i = 0; i < n; i++)
		memcpy(packets[i] + at, (const uint8_t *)&rows[i % 4] + i / 4 * MERGE_VECTOR, MERGE_VECTOR);
}

static inline __attribute__((always_inline)) void
run(const struct merge *merge, const struct program *program, uint8_t *const *packets, uint16_t n,
	uint8_t field_count, uint8_t sum_count, uint8_t vector_count)
{
	lanes control[MERGE_VECTORS], base[MERGE_VECTORS];
	for (uint8_t i = 0; i < vector_count; i++) {
		control[i] = twice(merge->control[i]);
		base[i] = twice(merge->base[i]);
	}
	for (uint16_t first = 0; first < n; first += LANES) {
		lanes columns[4] = {0}, rows[4];
		for (uint8_t i = 0; i < field_count; i++)
			columns[i] =
				load_field(&merge->fields[i], program->values[merge->fields[i].var] + first);
		if (sum_count > 0)
			columns[3] = sum_fields(&merge->sums[0], columns, field_count);
		if (sum_count > 1)
			columns[3] |= sum_fields(&merge->sums[1], columns, field_count) << 16;
		transpose(columns, rows);
		for (uint8_t i = 0; i < vector_count; i++) {
			lanes moved[4];
			for (int j = 0; j < 4; j++)
				moved[j] = move_bytes(rows[j], control[i]) | base[i];
			store_rows(moved, packets + first, merge->at[i], n - first);
		}
	}
}

#define NAME_OF(level) run_merge_##level
#define NAME(level) NAME_OF(level)

/* Those of the usual programs are unrolled. */
void NAME(PROGRAM_MARCH)(struct code *code, struct program *program, uint8_t *const *packets,
						 uint16_t *lengths, uint16_t n)
{
	(void)lengths;
	const struct merge *merge = code->merge;
	uint8_t fields = merge->field_count, sums = merge->sum_count, vectors = merge->vector_count;
	if (vectors == 1 && sums == 1 && fields == 1)
		run(merge, program, packets, n, 1, 1, 1);
	else if (vectors == 1 && sums == 1 && fields == 2)
		run(merge, program, packets, n, 2, 1, 1);
	else if (vectors == 2 && sums == 2 && fields == 1)
		run(merge, program, packets, n, 1, 2, 2);
	else
		run(merge, program, packets, n, fields, sums, vectors);
}
