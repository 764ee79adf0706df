/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing for many packets at once; compiled for each level of CPU. */
#include "generator/program/program_draw.h"

#include <string.h>

typedef uint32_t lanes __attribute__((vector_size(DRAW_LANES * sizeof(uint32_t))));
typedef uint64_t wide __attribute__((vector_size(DRAW_LANES * sizeof(uint64_t))));

static inline lanes draw_lanes(lanes *state)
{
	*state = *state * DRAW_MULTIPLIER + DRAW_INCREMENT;
	return *state >> 16 & 0x7fff;
}

/* draw_raw for one draw or two. */
static inline __attribute__((always_inline)) wide raw_lanes(lanes state, int draws)
{
	lanes raw = draw_lanes(&state);
	if (draws > 1)
		raw = raw << 16 | draw_lanes(&state);
	return __builtin_convertvector(raw, wide);
}

static inline __attribute__((always_inline)) void draw_few(struct draw *draw, uint64_t *values,
														   uint16_t n, int draws, bool reduces)
{
	const struct draw fixed = *draw;
	uint32_t state = draw->state;
	uint16_t i = 0;
	lanes at;
	for (int j = 0; j < DRAW_LANES; j++) {
		at[j] = state;
		state = draw_move(fixed.next, state);
	}
	for (; i + DRAW_LANES <= n; i += DRAW_LANES) {
		wide raw = raw_lanes(at, draws);
		if (reduces)
			raw -= (raw * fixed.reciprocal >> fixed.shift) * fixed.range;
		raw += fixed.min;
		memcpy(values + i, &raw, sizeof(raw));
		at = at * fixed.far.multiplier + fixed.far.increment;
	}
	for (state = at[0]; i < n; i++) {
		uint32_t now = state;
		values[i] = fixed.min + draw_remainder(draw_raw(&now, draws), &fixed, draws);
		state = draw_move(fixed.next, state);
	}
	draw->state = state;
}

static void draw_many(struct draw *draw, uint64_t *values, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		uint32_t now = draw->state;
		values[i] = draw->min + draw_remainder(draw_raw(&now, draw->draws), draw, draw->draws);
		draw->state = draw_move(draw->next, draw->state);
	}
}

#define NAME_OF(level) draw_values_##level
#define NAME(level) NAME_OF(level)

void NAME(PROGRAM_MARCH)(struct draw *draw, uint64_t *values, uint16_t n)
{
	if (draw->draws > 2)
		draw_many(draw, values, n);
	else if (draw->draws == 1)
		draw_few(draw, values, n, 1, true);
	else if (draw->reciprocal)
		draw_few(draw, values, n, 2, true);
	else
		draw_few(draw, values, n, 2, false);
}
