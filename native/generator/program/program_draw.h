/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing of one value; see program_draw.c. */
#pragma once

#include "generator/program/program_code.h"

enum { DRAW_LANES = 8, DRAW_MULTIPLIER = 214013, DRAW_INCREMENT = 2531011 };

/* The next `n` values; compiled for each level of CPU. */
typedef void draw_fn(struct draw *draw, uint64_t *values, uint16_t n);
draw_fn draw_values_1, draw_values_2, draw_values_3, draw_values_4;

static inline uint32_t draw_move(struct jump jump, uint32_t state)
{
	return state * jump.multiplier + jump.increment;
}

static inline uint32_t draw_bits(uint32_t *state)
{
	*state = *state * DRAW_MULTIPLIER + DRAW_INCREMENT;
	return *state >> 16 & 0x7fff;
}

static inline uint64_t draw_raw(uint32_t *state, int draws)
{
	uint64_t raw = draw_bits(state);
	if (draws > 1)
		raw = raw << 16 | draw_bits(state);
	if (draws > 2) {
		raw = raw << 16 | draw_bits(state);
		raw = raw << 16 | draw_bits(state);
	}
	return raw;
}

/*
 * For up to 31 bits: exact by multiplication (Granlund and Montgomery 1994), which unlike a
 * division works on several packets at once.
 */
static inline uint64_t draw_remainder(uint64_t raw, const struct draw *draw, int draws)
{
	if (draws <= 2)
		return raw - (raw * draw->reciprocal >> draw->shift) * draw->range;
	return draw->range ? raw % draw->range : raw;
}
