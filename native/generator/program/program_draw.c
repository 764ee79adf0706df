/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random values, the same that T-Rex draws from the same seed.
 *
 * Its generator is state = 214013 * state + 2531011, modulo 2^32, and a draw is 15 bits of that.
 * Two draws make 31 bits of a value of 4 bytes, bit 15 clear, and four make one of 8; the remainder
 * by the range is what a variable gets. The random variables of a stream draw from one state in
 * turn, a limited one from a state of its own.
 *
 * Draws that lie apart by the same number are as easy to go through as those in a row, so each
 * variable goes through its own, many packets at once. Where it depends on a chain who draws, all
 * draw from the one state, packet by packet (struct program, in_order).
 */
#include "generator/program/program_draw.h"
#include "generator/program/program_code.h"
#include "generator/program/program_compiler.h"
#include "wirespeed/streams.h"

enum { RAW_BITS = 31 };

static const struct jump one_draw = {DRAW_MULTIPLIER, DRAW_INCREMENT};

#ifdef HAS_LEVELS
static draw_fn *const draw_fns[] = {draw_values_1, draw_values_2, draw_values_3, draw_values_4};
#else
static draw_fn *const draw_fns[] = {draw_values_1};
#endif
static draw_fn *draw_values = draw_values_1;

void draw_use_march(int level)
{
	draw_values = draw_fns[level - 1];
}

static struct jump jump_of(struct jump each, uint32_t times)
{
	struct jump all = {1, 0};
	for (; times; times--)
		all = (struct jump){all.multiplier * each.multiplier, draw_move(each, all.increment)};
	return all;
}

/* ---- per packet */

/* Drawn numbers of a list become the values at these places. */
static void draw_some(struct draw *draw, uint64_t *values, uint16_t n)
{
	draw_values(draw, values, n);
	for (uint16_t i = 0; draw->values && i < n; i++)
		values[i] = draw->values[values[i]];
}

void run_draw(struct code *code, struct program *program, uint8_t *const *packets,
			  uint16_t *lengths, uint16_t n)
{
	(void)packets, (void)lengths;
	struct draw *draw = &code->draw;
	uint64_t *values = program->values[code->var];
	for (uint16_t done = 0, now; done < n; done += now) {
		uint64_t left = draw->limit ? draw->limit - draw->count : UINT64_MAX;
		now = left < (uint64_t)(n - done) ? (uint16_t)left : n - done;
		draw_some(draw, values + done, now);
		draw->count += now;
		if (draw->count == draw->limit) {
			draw->count = 0;
			draw->state = draw->seed;
		}
	}
}

/* Runs on a single packet. A variable that is not due keeps its value. Variables behind a random
 * one advance with it; those behind a limited one advance when it starts over. */
void run_draw_in_order(struct code *code, struct program *program, uint8_t *const *packets,
					   uint16_t *lengths, uint16_t n)
{
	(void)packets, (void)lengths, (void)n;
	struct draw *draw = &code->draw;
	bool due = code_is_due(code, program, 0);
	program->wraps[code->var] = due && (!draw->limit || !draw->count);
	if (!due)
		return;
	uint32_t *state = draw->limit ? &draw->state : &program->random;
	uint64_t value = draw_raw(state, draw->draws);
	value = draw->min + draw_remainder(value, draw, draw->draws);
	program->values[code->var][0] = draw->values ? draw->values[value] : value;
	if (++draw->count == draw->limit) {
		draw->count = 0;
		draw->state = draw->seed;
	}
}

/* ---- once */

void draw_set_up(struct draw *draw, uint8_t size, uint64_t range)
{
	draw->range = range;
	draw->draws = size <= 2 ? 1 : size / 2;
	draw->state = draw->seed;
	draw->next = jump_of(one_draw, draw->draws);
	draw->far = jump_of(draw->next, DRAW_LANES);
	if (!range || range > 1ULL << RAW_BITS)
		return;
	int bits = range > 1 ? 64 - __builtin_clzll(range - 1) : 0;
	draw->shift = (uint8_t)(RAW_BITS + bits);
	draw->reciprocal = ((1ULL << draw->shift) + range - 1) / range;
}

static bool is_shared(const struct code *code)
{
	return (code->run == run_draw || code->run == run_draw_in_order) && !code->draw.limit;
}

void compile_draws(struct program *program, const struct ws_stream *stream)
{
	uint32_t draws = 0, before = 0;
	program->random = stream->random_seed ? stream->random_seed : (stream->id + 1) * 2654435761u;
	for (uint16_t i = 0; i < program->count; i++)
		draws += is_shared(&program->code[i]) ? program->code[i].draw.draws : 0;
	for (uint16_t i = 0; i < program->count; i++) {
		struct draw *draw = &program->code[i].draw;
		if (!is_shared(&program->code[i]))
			continue;
		if (program->in_order)
			program->code[i].run = run_draw_in_order;
		draw->state = draw_move(jump_of(one_draw, before), program->random);
		draw->next = jump_of(one_draw, draws);
		draw->far = jump_of(draw->next, DRAW_LANES);
		before += draw->draws;
	}
}
