/* SPDX-License-Identifier: Apache-2.0 */
/* Field programs: the effect of each instruction on packets, and refused programs. */
#include "generator/program/program.h"
#include "tests/cmocka_all.h"
#include "wirespeed/runtime.h"
#include "wirespeed/streams.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PACKETS = 5000 };

/* The packets of one run, each in a heap block of exact size. */
struct output {
	uint8_t *packets[MAX_PACKETS];
	uint16_t lengths[MAX_PACKETS];
	uint32_t count;
};

static uint8_t blank[1514];
static int march;

static struct ws_stream stream_of(const struct ws_op *ops, uint16_t op_count, const uint8_t *packet,
								  uint16_t packet_len)
{
	return (struct ws_stream){
		.id = 7, .packet = packet, .packet_len = packet_len, .ops = ops, .op_count = op_count};
}

static struct program *compile(const struct ws_stream *stream)
{
	int error;
	struct program *program =
		program_compile(stream, WHOLE_STREAM, stream->packet, stream->packet_len, &error);
	if (!program)
		fail_msg("%s", ws_error());
	return program;
}

/* `batch` packets at a time. */
static struct output *run_batches(const struct ws_stream *stream, uint32_t count, uint16_t batch)
{
	struct program *program = compile(stream);
	struct output *output = calloc(1, sizeof(*output));
	assert_true(count <= MAX_PACKETS);
	output->count = count;
	for (uint32_t i = 0; i < count; i++) {
		output->packets[i] = malloc(stream->packet_len);
		output->lengths[i] = stream->packet_len;
		memcpy(output->packets[i], stream->packet, stream->packet_len);
	}
	for (uint32_t i = 0; i < count; i += batch)
		program_run(program, output->packets + i, output->lengths + i,
					(uint16_t)(count - i < batch ? count - i : batch));
	program_free(program);
	return output;
}

static struct output *run(const struct ws_op *ops, uint16_t op_count, uint32_t count)
{
	struct ws_stream stream = stream_of(ops, op_count, blank, 60);
	return run_batches(&stream, count, PROGRAM_BATCH);
}

static void drop(struct output *output)
{
	for (uint32_t i = 0; i < output->count; i++)
		free(output->packets[i]);
	free(output);
}

static uint64_t read_be(const uint8_t *at, int size)
{
	uint64_t value = 0;
	for (int i = 0; i < size; i++)
		value = value << 8 | at[i];
	return value;
}

static struct ws_op counting(int kind, uint64_t min, uint64_t max, uint64_t init, uint64_t step)
{
	return (struct ws_op){.kind = WS_OP_VAR,
						  .var_kind = kind,
						  .size = 8,
						  .min = min,
						  .max = max,
						  .init = init,
						  .step = step};
}

static struct ws_op writing(uint16_t var, uint16_t offset, uint8_t size)
{
	return (struct ws_op){
		.kind = WS_OP_WRITE, .var = var, .offset = offset, .size = size, .big_endian = true};
}

static uint64_t period_of(const struct ws_op *ops, uint16_t count)
{
	struct ws_stream stream = stream_of(ops, count, blank, 60);
	struct program *program = compile(&stream);
	uint64_t period = program_period(program);
	program_free(program);
	return period;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* `op` produces `expected` in turn, and then starts over. */
static void gives(struct ws_op op, const uint64_t *expected, uint32_t count)
{
	struct ws_op ops[] = {op, writing(0, 20, 8)};
	struct output *output = run(ops, 2, 3 * count);
	for (uint32_t i = 0; i < 3 * count; i++)
		assert_int_equal(read_be(output->packets[i] + 20, 8), expected[i % count]);
	drop(output);
	assert_int_equal(period_of(ops, 2), count);
}

#define GIVES(op, ...)                                                                             \
	do {                                                                                           \
		const uint64_t expected[] = {__VA_ARGS__};                                                 \
		gives(op, expected, COUNT(expected));                                                      \
	} while (0)

static void counters_go_round(void **state)
{
	(void)state;
	GIVES(counting(WS_VAR_INC, 4, 7, 4, 1), 4, 5, 6, 7);
	GIVES(counting(WS_VAR_INC, 4, 7, 6, 1), 6, 7, 4, 5);
	GIVES(counting(WS_VAR_DEC, 4, 7, 7, 1), 7, 6, 5, 4);
	GIVES(counting(WS_VAR_DEC, 4, 7, 5, 1), 5, 4, 7, 6);
	GIVES(counting(WS_VAR_INC, 9, 9, 9, 1), 9);
	GIVES(counting(WS_VAR_INC, 4, 5, 4, 0), 4, 5); /* no step means 1 */
	GIVES(counting(WS_VAR_INC, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX, 1), UINT64_MAX,
		  UINT64_MAX - 1);
}

/* 0 to 9 with step 4 becomes 0 to 11; downwards 10 to 19 becomes 8 to 19. */
static void ranges_are_widened_to_the_step(void **state)
{
	(void)state;
	GIVES(counting(WS_VAR_INC, 0, 9, 0, 4), 0, 4, 8);
	GIVES(counting(WS_VAR_INC, 0, 9, 3, 4), 3, 7, 11);
	GIVES(counting(WS_VAR_DEC, 10, 19, 19, 4), 19, 15, 11);
	GIVES(counting(WS_VAR_DEC, 10, 19, 16, 4), 16, 12, 8);
	GIVES(counting(WS_VAR_INC, 3, 5, 3, 10), 3);
	GIVES(counting(WS_VAR_DEC, 0, 9, 9, 4), 9, 5, 1);
}

static void whole_64_bits_count(void **state)
{
	(void)state;
	struct ws_op ops[] = {counting(WS_VAR_INC, 0, UINT64_MAX, UINT64_MAX, 1), writing(0, 20, 8),
						  counting(WS_VAR_DEC, 0, UINT64_MAX, 1, 2), writing(1, 30, 8)};
	ops[2].var = 1;
	struct output *output = run(ops, 4, 3);
	assert_true(read_be(output->packets[0] + 20, 8) == UINT64_MAX);
	assert_int_equal(read_be(output->packets[1] + 20, 8), 0);
	assert_int_equal(read_be(output->packets[0] + 30, 8), 1);
	assert_true(read_be(output->packets[1] + 30, 8) == UINT64_MAX);
	drop(output);
	assert_true(period_of(ops, 4) == UINT64_MAX);
}

static void lists_go_round(void **state)
{
	(void)state;
	const uint64_t values[] = {7, 1, 1, 200};
	struct ws_op op = {
		.kind = WS_OP_VAR, .var_kind = WS_VAR_LIST, .size = 1, .list = values, .list_count = 4};
	GIVES(op, 7, 1, 1, 200);
	op.step = 3;
	GIVES(op, 7, 200, 1, 1);
	op.step = 2;
	GIVES(op, 7, 1);
}

/* T-Rex's generator, as documented. */
static uint32_t drawn15(uint32_t *state)
{
	*state = 214013 * *state + 2531011;
	return *state >> 16 & 0x7fff;
}

static uint64_t drawn(uint32_t *state, uint8_t size)
{
	uint64_t high;
	switch (size) {
	case 8:
		high = drawn(state, 4);
		return (high << 32) + drawn(state, 4);
	case 4:
		high = drawn15(state);
		return (high << 16) + drawn15(state);
	default:
		return drawn15(state);
	}
}

/* From seed 1; the values are well known, since it is the generator of Microsoft's rand(). */
static void random_values_are_those_of_trex(void **state)
{
	(void)state;
	static const uint64_t known[] = {41, 18467, 6334, 26500, 19169, 15724, 11478, 29358};
	struct ws_op ops[] = {counting(WS_VAR_RANDOM, 0, 65535, 0, 0), writing(0, 20, 2)};
	ops[0].size = 2;
	struct ws_stream stream = stream_of(ops, 2, blank, 60);
	stream.random_seed = 1;
	struct output *output = run_batches(&stream, COUNT(known), 3);
	for (uint32_t i = 0; i < COUNT(known); i++)
		assert_int_equal(read_be(output->packets[i] + 20, 2), known[i]);
	drop(output);
	assert_true(period_of(ops, 2) == UINT64_MAX);
}

/* Ranges of all sizes that draw in turn, with any number of packets per call. */
static void random_variables_of_a_stream_draw_in_turn(void **state)
{
	(void)state;
	static const struct {
		uint8_t size;
		uint64_t min, max;
	} ranges[] = {{1, 0, 255},
				  {1, 7, 7},
				  {2, 1025, 65535},
				  {4, 0, UINT32_MAX},
				  {4, 3, 9},
				  {4, 1, 1u << 31},
				  {4, 0, (1u << 31) + 1},
				  {8, 0, UINT64_MAX},
				  {8, 10, 10000000000000}};
	struct ws_op ops[2 * COUNT(ranges)];
	for (uint16_t i = 0; i < COUNT(ranges); i++) {
		ops[2 * i] = counting(WS_VAR_RANDOM, ranges[i].min, ranges[i].max, 0, 0);
		ops[2 * i].var = i;
		ops[2 * i].size = ranges[i].size;
		ops[2 * i + 1] = writing(i, 14 + 8 * i, 8);
	}
	static uint8_t packet[128];
	struct ws_stream stream = stream_of(ops, COUNT(ops), packet, sizeof(packet));
	stream.random_seed = 4711;
	for (uint16_t batch = 1; batch <= PROGRAM_BATCH; batch += 21) {
		struct output *output = run_batches(&stream, 1000, batch);
		uint32_t seed = 4711;
		for (uint32_t i = 0; i < output->count; i++)
			for (uint16_t j = 0; j < COUNT(ranges); j++) {
				uint64_t range = ranges[j].max - ranges[j].min + 1;
				uint64_t raw = drawn(&seed, ranges[j].size);
				uint64_t value = ranges[j].min + (range ? raw % range : raw);
				assert_true(read_be(output->packets[i] + 14 + 8 * j, 8) == value);
			}
		drop(output);
	}
}

static void streams_have_random_values_of_their_own(void **state)
{
	(void)state;
	struct ws_op ops[] = {counting(WS_VAR_RANDOM, 0, UINT64_MAX, 0, 0), writing(0, 20, 8)};
	struct ws_stream streams[] = {stream_of(ops, 2, blank, 60), stream_of(ops, 2, blank, 60),
								  stream_of(ops, 2, blank, 60)};
	streams[1].id = 8;
	streams[2].random_seed = 5;
	struct output *outputs[3], *again = run_batches(&streams[0], 1, 1);
	for (int i = 0; i < 3; i++)
		outputs[i] = run_batches(&streams[i], 1, 1);
	assert_memory_equal(outputs[0]->packets[0], again->packets[0], 60);
	assert_memory_not_equal(outputs[0]->packets[0], outputs[1]->packets[0], 60);
	assert_memory_not_equal(outputs[0]->packets[0], outputs[2]->packets[0], 60);
	assert_memory_not_equal(outputs[1]->packets[0], outputs[2]->packets[0], 60);
	drop(again);
	for (int i = 0; i < 3; i++)
		drop(outputs[i]);
}

static void limited_random_values_repeat(void **state)
{
	(void)state;
	struct ws_op ops[] = {counting(WS_VAR_RANDOM, 0, 99, 0, 0), writing(0, 20, 8),
						  counting(WS_VAR_RAND_LIMIT, 100, 0xffffffff, 0, 0), writing(1, 30, 8)};
	ops[2].size = 4;
	ops[2].var = 1;
	ops[2].limit = 100;
	ops[2].seed = 1;
	struct output *output = run(ops, 4, 300);
	uint32_t seed = 1;
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(read_be(output->packets[i] + 30, 8), 100 + drawn(&seed, 4) % 0xffffff9c);
	for (uint32_t i = 100; i < 300; i++)
		assert_memory_equal(output->packets[i] + 30, output->packets[i - 100] + 30, 8);
	drop(output);
	ops[3] = writing(1, 30, 8);
	assert_true(period_of(ops, 4) == UINT64_MAX);
	ops[2].var = 0;
	ops[3].var = 0;
	assert_int_equal(period_of(ops + 2, 2), 100);
}

static void random_lists_are_drawn_from(void **state)
{
	(void)state;
	const uint64_t values[] = {7, 1, 200};
	struct ws_op ops[] = {{.kind = WS_OP_VAR,
						   .var_kind = WS_VAR_RANDOM_LIST,
						   .size = 1,
						   .list = values,
						   .list_count = 3},
						  writing(0, 20, 8)};
	struct ws_stream stream = stream_of(ops, 2, blank, 60);
	stream.random_seed = 99;
	struct output *output = run_batches(&stream, 200, 50);
	uint32_t seed = 99;
	for (uint32_t i = 0; i < 200; i++)
		assert_int_equal(read_be(output->packets[i] + 20, 8), values[drawn15(&seed) % 3]);
	drop(output);
}

/* A random variable advances its next one with each packet, a limited one when it starts over; a
 * variable outside of the chain draws in its turn. */
static void random_variables_advance_their_next(void **state)
{
	(void)state;
	struct ws_op ops[] = {counting(WS_VAR_RANDOM, 0, 9, 0, 0),
						  counting(WS_VAR_INC, 5, 7, 5, 1),
						  counting(WS_VAR_RAND_LIMIT, 0, 9, 0, 0),
						  counting(WS_VAR_RANDOM, 10, 40, 0, 0),
						  writing(0, 20, 8),
						  writing(1, 28, 8),
						  counting(WS_VAR_RANDOM, 0, 99, 0, 0),
						  writing(2, 36, 8),
						  writing(3, 44, 8),
						  writing(4, 52, 8)};
	for (uint16_t i = 0; i < 4; i++)
		ops[i].var = i;
	ops[6].var = 4;
	ops[0].has_next = ops[1].has_next = ops[2].has_next = true;
	ops[0].next_var = 1;
	ops[1].next_var = 2;
	ops[2].next_var = 3;
	ops[2].seed = 3;
	ops[2].limit = 2;
	struct ws_stream stream = stream_of(ops, COUNT(ops), blank, 60);
	stream.random_seed = 17;
	struct output *output = run_batches(&stream, 100, 7);
	uint32_t shared = 17, own = 3;
	uint64_t limited = 0, last = 0;
	for (uint32_t i = 0; i < 100; i++) {
		assert_true(read_be(output->packets[i] + 20, 8) == drawn(&shared, 8) % 10);
		assert_int_equal(read_be(output->packets[i] + 28, 8), 5 + i % 3);
		if (i % 3 == 0) { /* the counter wraps, and starts there */
			own = i % 6 ? own : 3;
			limited = drawn(&own, 8) % 10;
			if (i % 6 == 0)
				last = 10 + drawn(&shared, 8) % 31;
		}
		assert_true(read_be(output->packets[i] + 36, 8) == limited);
		assert_true(read_be(output->packets[i] + 44, 8) == last);
		assert_true(read_be(output->packets[i] + 52, 8) == drawn(&shared, 8) % 100);
	}
	drop(output);
}

/* ---- any two variables are independent, for all kinds and all neighbours */

enum { VALUES = 10, DRAWN_PACKETS = 4000, TUPLE = -1 };

static const uint64_t listed[VALUES] = {3, 1, 4, 0, 5, 9, 2, 6, 8, 7};

/* A variable with values below VALUES, and an instruction that writes it as a byte at 20 + its
 * number. */
static uint16_t add_variable(struct ws_op *ops, uint16_t var, int kind)
{
	ops[0] =
		kind == TUPLE
			? (struct ws_op){.kind = WS_OP_TUPLE, .max = VALUES - 1, .min2 = 1025, .max2 = 2000}
			: counting(kind, 0, VALUES - 1, 0, 1);
	ops[0].var = var;
	ops[0].var2 = 10 + var;
	ops[0].size = 2;
	ops[0].list = listed;
	ops[0].list_count = VALUES;
	ops[0].limit = DRAWN_PACKETS;
	ops[0].seed = 4711u * (var + 1);
	ops[0].init = kind == WS_VAR_DEC ? VALUES - 1 : 0;
	ops[1] = writing(var, 20 + var, 1);
	return 2;
}

static bool draws(int kind)
{
	return kind == WS_VAR_RANDOM || kind == WS_VAR_RANDOM_LIST || kind == WS_VAR_RAND_LIMIT;
}

/* Compares packet i * stride[0] of the first variable with packet i * stride[1] of the second:
 * within six standard deviations of chi square with 81 degrees of freedom, and of a correlation of
 * 0. */
static void assert_independent(const struct output *output, const int var[2],
							   const uint32_t stride[2])
{
	double seen[VALUES][VALUES] = {0}, rows[VALUES] = {0}, columns[VALUES] = {0};
	double n = 0, sums[5] = {0}, chi_square = 0;
	for (uint32_t i = 0; i * stride[0] < output->count && i * stride[1] < output->count; i++, n++) {
		int a = output->packets[i * stride[0]][20 + var[0]];
		int b = output->packets[i * stride[1]][20 + var[1]];
		assert_true(a < VALUES && b < VALUES);
		seen[a][b]++, rows[a]++, columns[b]++;
		sums[0] += a, sums[1] += b, sums[2] += a * a, sums[3] += b * b, sums[4] += a * b;
	}
	for (int i = 0; i < VALUES * VALUES; i++) {
		int a = i / VALUES, b = i % VALUES;
		double expected = rows[a] * columns[b] / n;
		if (expected > 0)
			chi_square += (seen[a][b] - expected) * (seen[a][b] - expected) / expected;
	}
	double both = n * sums[4] - sums[0] * sums[1];
	double spread = (n * sums[2] - sums[0] * sums[0]) * (n * sums[3] - sums[1] * sums[1]);
	if (chi_square > 81 + 6 * 12.73 || both * both / spread > 36 / n)
		fail_msg(
			"variables %d and %d at packets %u and %u: chi square %.1f, correlation squared %.4f",
			var[0], var[1], stride[0], stride[1], chi_square, both * both / spread);
}

/* Also if one sequence consists of every second, third or fourth value of the other one. */
static void assert_strangers(const struct output *output, int first, int second)
{
	for (uint32_t stride = 1; stride <= 4; stride++) {
		assert_independent(output, (const int[]){first, second}, (const uint32_t[]){1, stride});
		assert_independent(output, (const int[]){first, second}, (const uint32_t[]){stride, 1});
	}
}

static void variables_tell_nothing_of_each_other(void **state)
{
	(void)state;
	static const int kinds[] = {WS_VAR_INC,         WS_VAR_DEC,        WS_VAR_LIST, WS_VAR_RANDOM,
								WS_VAR_RANDOM_LIST, WS_VAR_RAND_LIMIT, TUPLE};
	enum { ALONE, BESIDE_A_CHAIN, IN_A_CHAIN, SETTINGS };
	for (size_t i = 0; i < COUNT(kinds) * COUNT(kinds) * SETTINGS; i++) {
		int place = i % SETTINGS, of[] = {kinds[i / SETTINGS % COUNT(kinds)],
										  kinds[i / SETTINGS / COUNT(kinds)], WS_VAR_RANDOM};
		if (place == IN_A_CHAIN && of[1] == TUPLE)
			continue;
		struct ws_op ops[8];
		uint16_t count = add_variable(ops, 0, of[0]);
		count += add_variable(ops + count, 2, of[2]);
		count += add_variable(ops + count, 1, of[1]);
		count += add_variable(ops + count, 3, WS_VAR_INC);
		ops[2].has_next = place != ALONE;
		ops[2].next_var = place == IN_A_CHAIN ? 1 : 3;
		struct output *output = run(ops, count, DRAWN_PACKETS);
		for (int first = 0; first < 3; first++)
			for (int second = first + 1; second < 3; second++)
				if (draws(of[first]) || draws(of[second]))
					assert_strangers(output, first, second);
		drop(output);
	}
}

/* As in T-Rex: until the first variable wraps, the chained one is a step before its first value. */
static void chains_begin_before_their_first_value(void **state)
{
	(void)state;
	static const uint64_t expected[][2] = {{2, 8}, {3, 8}, {1, 7}, {2, 7}, {3, 7}, {1, 9}, {2, 9}};
	struct ws_op ops[] = {counting(WS_VAR_INC, 1, 3, 2, 1), counting(WS_VAR_DEC, 7, 9, 7, 1),
						  writing(0, 20, 8), writing(1, 30, 8)};
	ops[1].var = 1;
	ops[0].has_next = true;
	ops[0].next_var = 1;
	struct output *output = run(ops, 4, COUNT(expected));
	for (uint32_t i = 0; i < COUNT(expected); i++) {
		assert_int_equal(read_be(output->packets[i] + 20, 8), expected[i][0]);
		assert_int_equal(read_be(output->packets[i] + 30, 8), expected[i][1]);
	}
	drop(output);
	assert_int_equal(period_of(ops, 4), 9);
}

/* 227 to 255 with step 7 is widened to 261, which exceeds a byte: T-Rex goes on from 5. */
static void steps_overflow_where_a_size_ends(void **state)
{
	(void)state;
	struct ws_op ops[] = {counting(WS_VAR_INC, 227, 255, 227, 7), writing(0, 20, 1)};
	ops[0].size = 1;
	struct output *output = run(ops, 2, 600);
	uint8_t min = 227, max = (uint8_t)261, value = 255; /* of the packet before */
	bool beyond = false;
	for (uint32_t i = 0; i < 600; i++) {
		uint64_t left = (uint64_t)max - value;
		value = (uint8_t)(7 <= left ? value + 7u : min + 7u - left - 1u);
		assert_int_equal(output->packets[i][20], value);
		beyond |= value < min;
	}
	assert_true(beyond);
	drop(output);
	ops[0].max = 254;
	assert_int_equal(period_of(ops, 2), 4);
}

static void tuples_advance_address_first(void **state)
{
	(void)state;
	struct ws_op ops[] = {{.kind = WS_OP_TUPLE,
						   .var = 2,
						   .var2 = 3,
						   .min = 0x10000001,
						   .max = 0x10000003,
						   .min2 = 1025,
						   .max2 = 1026},
						  writing(2, 26, 4),
						  writing(3, 34, 2)};
	const uint64_t all[][2] = {{0x10000001, 1025}, {0x10000002, 1025}, {0x10000003, 1025},
							   {0x10000001, 1026}, {0x10000002, 1026}, {0x10000003, 1026}};
	for (uint32_t flows = 0; flows < 9; flows++) {
		uint32_t period = flows ? flows : 6;
		ops[0].limit = flows;
		struct output *output = run(ops, 3, 20);
		for (uint32_t i = 0; i < 20; i++) {
			assert_int_equal(read_be(output->packets[i] + 26, 4), all[i % period % 6][0]);
			assert_int_equal(read_be(output->packets[i] + 34, 2), all[i % period % 6][1]);
		}
		drop(output);
		assert_int_equal(period_of(ops, 3), period);
	}
}

/* Ports continue beyond the range up to 65535 and then from 1025. */
static void unlimited_tuples_use_all_ports(void **state)
{
	(void)state;
	struct ws_op ops[] = {{.kind = WS_OP_TUPLE,
						   .var2 = 1,
						   .min = 5,
						   .max = 6,
						   .min2 = 2000,
						   .max2 = 65533,
						   .limit = 3,
						   .unlimited = true},
						  writing(0, 26, 4),
						  writing(1, 34, 2)};
	static const uint64_t ports[] = {65534, 65535, 1025, 1026, 1027};
	struct output *output = run(ops, 3, 10);
	for (uint32_t i = 0; i < 10; i++) {
		assert_int_equal(read_be(output->packets[i] + 26, 4), 5 + i % 2);
		assert_int_equal(read_be(output->packets[i] + 34, 2), ports[i / 2]);
	}
	drop(output);
	assert_int_equal(period_of(ops, 3), 2 * (65536 - 1025));
	ops[0].min2 = ops[0].max2 = 10;
	output = run(ops, 3, 3);
	assert_int_equal(read_be(output->packets[0] + 34, 2), 11);
	assert_int_equal(read_be(output->packets[2] + 34, 2), 12);
	drop(output);
	assert_true(period_of(ops, 3) == UINT64_MAX);
}

static void writes_have_size_order_and_addend(void **state)
{
	(void)state;
	struct ws_op ops[] = {
		counting(WS_VAR_INC, 0x0102030405060708, UINT64_MAX, 0x0102030405060708, 1),
		writing(0, 20, 8)};
	for (uint8_t size = 1; size <= 8; size *= 2)
		for (int big = 0; big < 2; big++)
			for (int add = -9; add <= 9; add += 9) {
				ops[1].size = size;
				ops[1].big_endian = big;
				ops[1].add = add;
				struct output *output = run(ops, 2, 1);
				const uint8_t *packet = output->packets[0];
				uint64_t value = 0x0102030405060708 + (uint64_t)(int64_t)add;
				for (int i = 0; i < size; i++)
					assert_int_equal(packet[20 + i],
									 (value >> 8 * (big ? size - 1 - i : i)) & 0xff);
				assert_int_equal(packet[19], 0);
				assert_int_equal(packet[20 + size], 0);
				drop(output);
			}
}

static void masked_writes_keep_other_bits(void **state)
{
	(void)state;
	uint8_t packet[60] = {0};
	struct ws_op ops[] = {counting(WS_VAR_INC, 0x12, 0x12, 0x12, 1),
						  {.kind = WS_OP_WRITE_MASK,
						   .offset = 14,
						   .size = 2,
						   .big_endian = true,
						   .add = 1,
						   .mask = 0x0ff0,
						   .shift = 4}};
	ops[0].size = 2;
	packet[14] = 0xab;
	packet[15] = 0xcd;
	struct ws_stream stream = stream_of(ops, 2, packet, 60);
	struct output *output = run_batches(&stream, 1, 1);
	assert_int_equal(read_be(output->packets[0] + 14, 2), 0xa13d); /* (0x12 + 1) << 4 */
	drop(output);
	ops[1].size = 4;
	ops[1].shift = -1;
	ops[1].big_endian = false;
	ops[1].mask = 0xff;
	ops[1].add = 0x10;
	output = run_batches(&stream, 1, 1);
	assert_int_equal(read_be(output->packets[0] + 14, 2), 0x11cd); /* (0x12 + 0x10) >> 1 */
	drop(output);
}

/* A little-endian write is as wide as the variable; a big-endian one takes the upper half of 8
 * bytes. */
static void masked_writes_have_their_own_width(void **state)
{
	(void)state;
	uint8_t packet[60] = {0};
	memset(packet + 20, 0xee, 8);
	uint64_t value = 0x1122334455667788;
	struct ws_op ops[] = {counting(WS_VAR_INC, value, value, value, 1),
						  {.kind = WS_OP_WRITE_MASK,
						   .offset = 20,
						   .size = 4,
						   .big_endian = true,
						   .mask = 0xffffffff}};
	struct ws_stream stream = stream_of(ops, 2, packet, 60);
	struct output *output = run_batches(&stream, 1, 1);
	assert_true(read_be(output->packets[0] + 20, 8) == 0x11223344eeeeeeee);
	drop(output);
	ops[1].size = 1;
	ops[1].big_endian = false;
	output = run_batches(&stream, 1, 1);
	assert_true(read_be(output->packets[0] + 20, 8) == 0x88776655eeeeeeee);
	drop(output);
	ops[0] = counting(WS_VAR_INC, 0x1234, 0x1234, 0x1234, 1);
	ops[0].size = 2;
	ops[1].size = 4;
	output = run_batches(&stream, 1, 1);
	assert_true(read_be(output->packets[0] + 20, 8) == 0x3412eeeeeeeeeeee);
	drop(output);
}

static void trimming_sets_lengths(void **state)
{
	(void)state;
	struct ws_op ops[] = {counting(WS_VAR_INC, 58, 63, 58, 1), {.kind = WS_OP_TRIM}};
	struct ws_stream stream = stream_of(ops, 2, blank, 63);
	const uint16_t lengths[] = {60, 60, 60, 61, 62, 63, 60};
	struct output *output = run_batches(&stream, 7, 7);
	for (int i = 0; i < 7; i++)
		assert_int_equal(output->lengths[i], lengths[i]);
	drop(output);
	struct program *program = compile(&stream);
	assert_false(program_keeps_length(program));
	program_free(program);
}

/* RFC 1071 by the book, 16 bits at a time. */
static uint32_t sum16(const uint8_t *bytes, size_t length)
{
	uint32_t sum = 0;
	for (size_t i = 0; i + 1 < length; i += 2)
		sum += (uint32_t)(bytes[i] << 8 | bytes[i + 1]);
	if (length % 2)
		sum += (uint32_t)bytes[length - 1] << 8;
	return sum;
}

static uint16_t fold16(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static void put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* An IPv4 or IPv6 frame with `l4_len` bytes of protocol behind the header of `l3_len` bytes. */
static uint16_t make_ip(uint8_t *frame, int version, uint16_t l3_len, uint8_t protocol,
						uint16_t l4_len)
{
	for (uint16_t i = 0; i < 14 + l3_len + l4_len; i++)
		frame[i] = (uint8_t)(i * 37 + 11);
	uint8_t *ip = frame + 14;
	if (version == 4) {
		ip[0] = (uint8_t)(0x40 | l3_len / 4);
		put16(ip + 2, l3_len + l4_len);
		ip[9] = protocol;
	} else {
		ip[0] = 0x60;
		put16(ip + 4, l3_len - 40 + l4_len);
		ip[6] = protocol;
	}
	return 14 + l3_len + l4_len;
}

/* The check of a receiver: all covered bytes, checksums included, sum to ffff. */
static void assert_l4_checksum(const uint8_t *frame, int version, uint16_t l3_len, uint8_t protocol,
							   uint16_t l4_len)
{
	const uint8_t *ip = frame + 14;
	uint32_t sum = version == 4 ? sum16(ip + 12, 8) : sum16(ip + 8, 32);
	assert_int_equal(fold16(sum + protocol + l4_len + sum16(ip + l3_len, l4_len)), 0xffff);
}

static void ip4_headers_sum_up(void **state)
{
	(void)state;
	uint8_t frame[200];
	for (uint16_t header = 20; header <= 60; header += 4) {
		uint16_t length = make_ip(frame, 4, header, 253, 40);
		struct ws_op ops[] = {counting(WS_VAR_RANDOM, 0, 0xffffffff, 0, 1),
							  writing(0, 30, 4),
							  {.kind = WS_OP_FIX_IP4, .offset = 14}};
		struct ws_stream stream = stream_of(ops, 3, frame, length);
		struct output *output = run_batches(&stream, 1000, 64);
		for (uint32_t i = 0; i < 1000; i++)
			assert_int_equal(fold16(sum16(output->packets[i] + 14, header)), 0xffff);
		drop(output);
	}
}

static void l4_checksums_sum_up(void **state)
{
	(void)state;
	const struct {
		int kind, l4, version;
		uint16_t l3_len;
		uint8_t protocol, field;
	} cases[] = {
		{WS_OP_FIX_L4, WS_L4_UDP, 4, 20, 17, 6}, {WS_OP_FIX_L4, WS_L4_UDP, 4, 36, 17, 6},
		{WS_OP_FIX_L4, WS_L4_TCP, 4, 20, 6, 16}, {WS_OP_FIX_L4, WS_L4_UDP, 6, 40, 17, 6},
		{WS_OP_FIX_L4, WS_L4_TCP, 6, 40, 6, 16}, {WS_OP_FIX_ICMP6, 0, 6, 40, 58, 2},
		{WS_OP_FIX_L4, WS_L4_TCP, 6, 56, 6, 16},
	};
	uint8_t frame[1514];
	for (uint32_t c = 0; c < COUNT(cases); c++)
		for (uint16_t l4_len = 20; l4_len < 150; l4_len += 13) {
			uint16_t l3_len = cases[c].l3_len;
			uint16_t length = make_ip(frame, cases[c].version, l3_len, cases[c].protocol, l4_len);
			struct ws_op ops[] = {
				counting(WS_VAR_RANDOM, 0, UINT64_MAX, 0, 1),
				writing(0, (uint16_t)(14 + l3_len + 8), 8),
				{.kind = cases[c].kind, .l4 = cases[c].l4, .l2_len = 14, .l3_len = l3_len}};
			struct ws_stream stream = stream_of(ops, 3, frame, length);
			struct output *output = run_batches(&stream, 200, 64);
			for (uint32_t i = 0; i < 200; i++) {
				const uint8_t *packet = output->packets[i];
				assert_l4_checksum(packet, cases[c].version, l3_len, cases[c].protocol, l4_len);
				if (cases[c].version == 4)
					assert_int_equal(fold16(sum16(packet + 14, l3_len)), 0xffff);
			}
			drop(output);
		}
}

static void ip_alone_leaves_l4(void **state)
{
	(void)state;
	uint8_t frame[200];
	uint16_t length = make_ip(frame, 4, 20, 17, 30);
	struct ws_op op = {.kind = WS_OP_FIX_L4, .l4 = WS_L4_IP, .l2_len = 14, .l3_len = 20};
	struct ws_stream stream = stream_of(&op, 1, frame, length);
	struct output *output = run_batches(&stream, 1, 1);
	assert_int_equal(fold16(sum16(output->packets[0] + 14, 20)), 0xffff);
	assert_memory_equal(output->packets[0] + 34, frame + 34, 30);
	drop(output);
}

/* All 65 536 payload words: for one of them UDP must send ffff. */
static void udp_never_sends_zero(void **state)
{
	(void)state;
	uint8_t frame[62];
	uint16_t length = make_ip(frame, 4, 20, 17, 28);
	struct ws_op ops[] = {counting(WS_VAR_INC, 0, 0xffff, 0, 1),
						  writing(0, 50, 2),
						  {.kind = WS_OP_FIX_L4, .l4 = WS_L4_UDP, .l2_len = 14, .l3_len = 20}};
	struct ws_stream stream = stream_of(ops, 3, frame, length);
	struct program *program = compile(&stream);
	uint32_t ones = 0;
	for (uint32_t i = 0; i < 65536; i++) {
		uint8_t packet[62], *at = packet;
		uint16_t len = length;
		memcpy(packet, frame, length);
		program_run(program, &at, &len, 1);
		assert_int_not_equal(read_be(packet + 40, 2), 0);
		ones += read_be(packet + 40, 2) == 0xffff;
		assert_l4_checksum(packet, 4, 20, 17, 28);
	}
	assert_in_range(ones, 1, 2);
	program_free(program);
}

/* The IP header claims more than the trimmed packet has: only existing bytes are summed. */
static void checksums_end_with_the_packet(void **state)
{
	(void)state;
	uint8_t frame[200];
	uint16_t length = make_ip(frame, 4, 20, 6, 100);
	struct ws_op ops[] = {counting(WS_VAR_INC, 60, 134, 60, 1),
						  {.kind = WS_OP_TRIM},
						  {.kind = WS_OP_FIX_L4, .l4 = WS_L4_TCP, .l2_len = 14, .l3_len = 20}};
	struct ws_stream stream = stream_of(ops, 3, frame, length);
	struct output *output = run_batches(&stream, 75, 64);
	for (uint16_t i = 0; i < 75; i++) {
		assert_int_equal(output->lengths[i], 60 + i);
		assert_l4_checksum(output->packets[i], 4, 20, 6, 26 + i);
	}
	drop(output);
}

/* A program may write anything anywhere; checksums stay within the packet (sanitizers). */
static void nonsense_headers_are_survived(void **state)
{
	(void)state;
	uint8_t frame[200];
	for (int version = 4; version <= 6; version += 2) {
		uint16_t l3_len = version == 4 ? 20 : 40;
		uint16_t length = make_ip(frame, version, l3_len, 17, 8);
		length = length < 60 ? 60 : length;
		struct ws_op ops[] = {
			counting(WS_VAR_INC, 0, 255, 0, 1),
			writing(0, 14, 1),
			counting(WS_VAR_RANDOM, 0, 0xffffffff, 0, 1),
			writing(1, 16, 4),
			{.kind = WS_OP_FIX_IP4, .offset = (uint16_t)(length - 20)},
			{.kind = WS_OP_FIX_IP4, .offset = 14},
			{.kind = WS_OP_FIX_L4, .l4 = WS_L4_UDP, .l2_len = 14, .l3_len = l3_len}};
		ops[2].var = 1;
		struct ws_stream stream = stream_of(ops, 7, frame, length);
		drop(run_batches(&stream, 2560, 64));
	}
}

static uint32_t next_choice(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)*seed * below >> 32);
}

/* Up to five fields anywhere in the packet, and two checksums. A final write with an empty mask
 * changes nothing, except that checksums are then summed up over each packet: the results are
 * equal. */
static void checksums_are_those_summed_up_over_each_packet(void **state)
{
	(void)state;
	uint32_t seed = 1;
	for (int round = 0; round < 3000; round++) {
		uint8_t frame[200];
		int version = next_choice(&seed, 4) ? 4 : 6;
		uint16_t l3_len = version == 6 ? 40 : 20 + 4 * (uint16_t)next_choice(&seed, 2);
		uint8_t protocol = next_choice(&seed, 2) ? 17 : 6;
		uint16_t length = make_ip(frame, version, l3_len, protocol, 30);
		uint16_t writes = 1 + (uint16_t)next_choice(&seed, 5), count = 0;
		struct ws_op ops[16];
		for (uint16_t i = 0; i < writes; i++) {
			uint8_t size = (uint8_t)(1 << next_choice(&seed, 4));
			/* Mostly at usual offsets: addresses and ports. */
			uint32_t offset = next_choice(&seed, 3) ? 26 + 4 * next_choice(&seed, 3)
													: next_choice(&seed, length - size + 1u);
			ops[count] = counting(WS_VAR_RANDOM, 0, UINT64_MAX, 0, 1);
			ops[count++].var = i;
			ops[count] = writing(i, (uint16_t)offset, size);
			ops[count].add = (int64_t)next_choice(&seed, 1000) - 500;
			ops[count++].big_endian = next_choice(&seed, 4);
		}
		for (int i = 0; i < 2; i++)
			ops[count++] = next_choice(&seed, 2) && version == 4
							   ? (struct ws_op){.kind = WS_OP_FIX_IP4, .offset = 14}
							   : (struct ws_op){.kind = WS_OP_FIX_L4,
												.l4 = protocol == 17 ? WS_L4_UDP : WS_L4_TCP,
												.l2_len = 14,
												.l3_len = l3_len};
		ops[count] = (struct ws_op){.kind = WS_OP_WRITE_MASK,
									.size = 1,
									.big_endian = true,
									.offset = (uint16_t)(length - 1)};
		struct ws_stream stream = stream_of(ops, count, frame, length);
		struct output *once = run_batches(&stream, 20, 7);
		stream.op_count++;
		struct output *each = run_batches(&stream, 20, 7);
		for (uint32_t i = 0; i < 20; i++)
			assert_memory_equal(once->packets[i], each->packets[i], length);
		drop(once);
		drop(each);
	}
}

static void batches_of_any_size_are_the_same(void **state)
{
	(void)state;
	uint8_t frame[200];
	const uint64_t values[] = {1, 2, 3, 5, 8};
	uint16_t length = make_ip(frame, 4, 20, 17, 80);
	struct ws_op ops[] = {
		counting(WS_VAR_INC, 3, 17, 3, 4),
		writing(0, 20, 4),
		counting(WS_VAR_RAND_LIMIT, 0, 0xffff, 0, 1),
		writing(1, 50, 2),
		{.kind = WS_OP_VAR,
		 .var = 2,
		 .var_kind = WS_VAR_LIST,
		 .size = 1,
		 .list = values,
		 .list_count = 5},
		{.kind = WS_OP_WRITE_MASK, .var = 2, .offset = 60, .size = 4, .mask = 0xf0f, .shift = 2},
		{.kind = WS_OP_TUPLE, .var = 4, .var2 = 5, .min = 1, .max = 7, .min2 = 1, .max2 = 3},
		writing(4, 26, 4),
		writing(5, 34, 2),
		counting(WS_VAR_DEC, 70, 100, 100, 1),
		{.kind = WS_OP_TRIM, .var = 6},
		{.kind = WS_OP_FIX_L4, .l4 = WS_L4_UDP, .l2_len = 14, .l3_len = 20},
	};
	ops[2].var = 1;
	ops[2].limit = 11;
	ops[9].var = 6;
	struct ws_stream stream = stream_of(ops, COUNT(ops), frame, length);
	struct output *one = run_batches(&stream, 1000, 1);
	for (uint16_t batch = 2; batch <= PROGRAM_BATCH; batch += 31) {
		struct output *many = run_batches(&stream, 1000, batch);
		for (uint32_t i = 0; i < 1000; i++) {
			assert_int_equal(many->lengths[i], one->lengths[i]);
			assert_memory_equal(many->packets[i], one->packets[i], length);
		}
		drop(many);
	}
	drop(one);
}

static void periods_combine(void **state)
{
	(void)state;
	struct ws_op ops[] = {counting(WS_VAR_INC, 0, 3, 0, 1), counting(WS_VAR_DEC, 0, 5, 5, 1),
						  counting(WS_VAR_RAND_LIMIT, 0, 9, 0, 1), writing(0, 20, 1)};
	ops[1].var = 1;
	ops[2].var = 2;
	ops[2].limit = 10;
	assert_int_equal(period_of(ops, 2), 12);
	assert_int_equal(period_of(ops, 4), 60);
	ops[2] = counting(WS_VAR_INC, 0, 0xffffffffffff, 0, 1);
	ops[2].var = 2;
	assert_true(period_of(ops, 3) == 3ULL << 48);
	struct ws_op constant = {.kind = WS_OP_FIX_IP4, .offset = 14};
	assert_int_equal(period_of(&constant, 1), 1);
}

static void refuses(const struct ws_op *ops, uint16_t count, const uint8_t *packet,
					const char *words)
{
	int error;
	struct ws_stream stream = stream_of(ops, count, packet, 60);
	assert_null(program_compile(&stream, WHOLE_STREAM, stream.packet, 60, &error));
	assert_int_equal(error, -EINVAL);
	if (!strstr(ws_error(), words))
		fail_msg("'%s' lacks '%s'", ws_error(), words);
}

static void wrong_variables_are_refused(void **state)
{
	(void)state;
	struct ws_op good = counting(WS_VAR_INC, 1, 9, 1, 1), bad[2] = {good, good};
	refuses(bad, 2, blank, "stream 7, instruction 1: variable 0 is advanced by an earlier");
	bad[0].var = 64;
	refuses(bad, 1, blank, "stream 7, instruction 0: there is no variable 64");
	bad[0] = counting(WS_VAR_INC, 9, 1, 5, 1);
	refuses(bad, 1, blank, "values from 9 to 1");
	bad[0] = counting(WS_VAR_INC, 1, 9, 10, 1);
	refuses(bad, 1, blank, "a first value of 10; 1 to 9");
	bad[0] = counting(WS_VAR_DEC, 1, 9, 0, 1);
	refuses(bad, 1, blank, "a first value of 0; 1 to 9");
	bad[0] = counting(WS_VAR_INC, 1, UINT64_MAX, 5, 1000);
	refuses(bad, 1, blank, "steps of 1000 leave the range");
	bad[0] = counting(WS_VAR_DEC, 0, 9, 6, 4); /* 6, 2, -2 */
	refuses(bad, 1, blank, "steps of 4 leave the range 0 to 9");
	bad[0] = good;
	bad[0].size = 3;
	refuses(bad, 1, blank, "a size of 3 bytes; 1, 2, 4 and 8");
	bad[0] = counting(WS_VAR_INC, 0, 256, 0, 1);
	bad[0].size = 1;
	refuses(bad, 1, blank, "values up to 256; 1 bytes hold at most 255");
	bad[0] = good;
	bad[0].var_kind = 6;
	refuses(bad, 1, blank, "no kind 6 of variable");
	bad[0] = counting(WS_VAR_RAND_LIMIT, 0, 9, 0, 1);
	refuses(bad, 1, blank, "1 or more are possible");
	const uint64_t values[] = {1, 256};
	bad[0] = (struct ws_op){.kind = WS_OP_VAR, .var_kind = WS_VAR_LIST, .size = 1};
	refuses(bad, 1, blank, "an empty list");
	bad[0].list = values;
	bad[0].list_count = 2;
	refuses(bad, 1, blank, "values up to 256");
	bad[0] = (struct ws_op){.kind = WS_OP_TUPLE, .var2 = 1, .min = 5, .max = 4, .max2 = 9};
	refuses(bad, 1, blank, "addresses from 5 to 4");
	bad[0].max = 1ULL << 32;
	refuses(bad, 1, blank, "4 bytes hold at most 4294967295");
	bad[0].max = 5;
	bad[0].max2 = 65536;
	refuses(bad, 1, blank, "ports up to 65536");
	bad[0].max2 = 9;
	bad[0].var2 = 0;
	refuses(bad, 1, blank, "variable 0 is advanced");
}

static void wrong_writes_are_refused(void **state)
{
	(void)state;
	struct ws_op ops[2] = {counting(WS_VAR_INC, 1, 99, 1, 1), writing(1, 20, 4)};
	refuses(ops, 2, blank, "stream 7, instruction 1: variable 1 has no value yet");
	refuses(ops + 1, 1, blank, "variable 1 has no value yet");
	ops[1] = writing(200, 20, 4);
	refuses(ops, 2, blank, "variable 200 has no value");
	ops[1] = writing(0, 57, 4);
	refuses(ops, 2, blank, "a field of 4 bytes at offset 57 ends beyond the packet of 60 bytes");
	ops[1] = writing(0, 65535, 8);
	refuses(ops, 2, blank, "ends beyond");
	ops[1] = writing(0, 20, 5);
	refuses(ops, 2, blank, "a size of 5");
	ops[1] = writing(0, 20, 4);
	ops[1].kind = WS_OP_WRITE_MASK;
	ops[1].shift = 64;
	refuses(ops, 2, blank, "a shift by 64 bits");
	ops[1].shift = 0;
	ops[1].size = 8;
	refuses(ops, 2, blank, "a masked field of 8 bytes; up to 4");
	ops[1] = (struct ws_op){.kind = WS_OP_TRIM};
	refuses(ops, 2, blank, "variable 0 goes up to 99, beyond the packet of 60 bytes");
	ops[1].var = 3;
	refuses(ops, 2, blank, "variable 3 has no value");
	ops[0].kind = 8;
	refuses(ops, 1, blank, "no instruction 8");
}

static void wrong_checksums_are_refused(void **state)
{
	(void)state;
	uint8_t ip4[60], ip6[62];
	make_ip(ip4, 4, 20, 17, 26);
	make_ip(ip6, 6, 40, 17, 8);
	struct ws_op op = {.kind = WS_OP_FIX_IP4, .offset = 41};
	refuses(&op, 1, ip4, "an IPv4 header of 20 bytes at offset 41 ends beyond");
	op = (struct ws_op){.kind = WS_OP_FIX_L4, .l4 = 12, .l2_len = 14, .l3_len = 20};
	refuses(&op, 1, ip4, "no L4 type 12; 11 is UDP, 13 TCP, 17 IP alone");
	op.l4 = WS_L4_UDP;
	refuses(&op, 1, blank, "no IP header at offset 14");
	op.l2_len = 2000;
	refuses(&op, 1, ip4, "no IP header at offset 2000");
	op.l2_len = 14;
	op.l3_len = 19;
	refuses(&op, 1, ip4, "an IPv4 header of 19 bytes; it has 20 or more");
	op.l3_len = 39;
	refuses(&op, 1, ip6, "an IPv6 header of 39 bytes; it has 40 or more");
	op.l3_len = 47;
	refuses(&op, 1, ip4, "an IP header of 47 bytes at offset 14 ends beyond");
	op.l3_len = 39;
	refuses(&op, 1, ip4, "an L4 header of 8 bytes at offset 53 ends beyond");
	op.kind = WS_OP_FIX_ICMP6;
	op.l3_len = 44;
	refuses(&op, 1, ip6, "an L4 header of 4 bytes at offset 58 ends beyond");
}

static void no_instructions_are_no_program(void **state)
{
	(void)state;
	int error = -1;
	struct ws_stream stream = stream_of(NULL, 0, blank, 60);
	assert_null(program_compile(&stream, WHOLE_STREAM, stream.packet, 60, &error));
	assert_int_equal(error, 0);
}

static uint32_t draw(uint32_t below)
{
	static uint64_t state = 1;
	state = state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(state >> 33) % below;
}

/* Up to three fields anywhere in the first 60 bytes behind the Ethernet addresses, each over some
 * variable, then checksums. Returns the number of instructions. */
static uint16_t draw_program(struct ws_op *ops)
{
	static const uint8_t sizes[] = {1, 2, 4, 4};
	uint16_t count = 0, fields = (uint16_t)(1 + draw(3)), from = (uint16_t)(12 + draw(20));
	for (uint16_t i = 0; i < fields; i++) {
		uint8_t size = sizes[draw(4)];
		uint64_t max = UINT64_MAX >> (64 - 8 * size);
		ops[count] = counting(draw(2) ? WS_VAR_RANDOM : WS_VAR_INC, 0, max, 0, 1 + draw(5));
		ops[count].size = size;
		ops[count++].var = i;
		ops[count] = writing(i, (uint16_t)(from + draw(20)), size);
		ops[count].add = draw(2) ? draw(1000) : 0;
		ops[count++].big_endian = draw(4);
	}
	if (draw(4))
		ops[count++] = (struct ws_op){.kind = WS_OP_FIX_IP4, .offset = 14};
	if (draw(2))
		ops[count++] = (struct ws_op){.kind = WS_OP_FIX_L4,
									  .l2_len = 14,
									  .l3_len = 20,
									  .l4 = draw(2) ? WS_L4_UDP : WS_L4_TCP};
	return count;
}

static void levels_of_the_cpu_make_the_same_packets(void **state)
{
	(void)state;
	uint8_t frame[100];
	for (int round = 0; round < 3000; round++) {
		struct ws_op ops[8];
		uint16_t length = make_ip(frame, 4, 20, 17, (uint16_t)(26 + draw(40)));
		struct ws_stream stream = stream_of(ops, draw_program(ops), frame, length);
		uint16_t batch = (uint16_t)(1 + draw(PROGRAM_BATCH));
		program_use_march(1);
		struct output *lowest = run_batches(&stream, 80, batch);
		program_use_march(march);
		struct output *output = run_batches(&stream, 80, batch);
		for (uint32_t i = 0; i < 80; i++)
			assert_memory_equal(output->packets[i], lowest->packets[i], length);
		drop(lowest);
		drop(output);
	}
}

/* The march level in MARCH; 0: the CPU does not support it. */
static int choose_march(void)
{
	const char *name = getenv("MARCH");
	int level = name ? atoi(name) : 1;
#ifdef __x86_64__
	bool has = level < 2 || (level == 2   ? __builtin_cpu_supports("sse4.2")
							 : level == 3 ? __builtin_cpu_supports("avx2")
										  : __builtin_cpu_supports("avx512bw"));
	return has ? level : 0;
#else
	return level;
#endif
}

int main(void)
{
	enum { SKIP = 77 };
	march = choose_march();
	if (!march) {
		fprintf(stderr, "this CPU has no x86-64-v%s\n", getenv("MARCH"));
		return SKIP;
	}
	program_use_march(march);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_go_round),
		cmocka_unit_test(ranges_are_widened_to_the_step),
		cmocka_unit_test(whole_64_bits_count),
		cmocka_unit_test(lists_go_round),
		cmocka_unit_test(random_values_are_those_of_trex),
		cmocka_unit_test(random_variables_of_a_stream_draw_in_turn),
		cmocka_unit_test(streams_have_random_values_of_their_own),
		cmocka_unit_test(limited_random_values_repeat),
		cmocka_unit_test(random_lists_are_drawn_from),
		cmocka_unit_test(random_variables_advance_their_next),
		cmocka_unit_test(variables_tell_nothing_of_each_other),
		cmocka_unit_test(chains_begin_before_their_first_value),
		cmocka_unit_test(steps_overflow_where_a_size_ends),
		cmocka_unit_test(unlimited_tuples_use_all_ports),
		cmocka_unit_test(tuples_advance_address_first),
		cmocka_unit_test(writes_have_size_order_and_addend),
		cmocka_unit_test(masked_writes_keep_other_bits),
		cmocka_unit_test(masked_writes_have_their_own_width),
		cmocka_unit_test(trimming_sets_lengths),
		cmocka_unit_test(ip4_headers_sum_up),
		cmocka_unit_test(l4_checksums_sum_up),
		cmocka_unit_test(ip_alone_leaves_l4),
		cmocka_unit_test(udp_never_sends_zero),
		cmocka_unit_test(checksums_end_with_the_packet),
		cmocka_unit_test(nonsense_headers_are_survived),
		cmocka_unit_test(checksums_are_those_summed_up_over_each_packet),
		cmocka_unit_test(batches_of_any_size_are_the_same),
		cmocka_unit_test(levels_of_the_cpu_make_the_same_packets),
		cmocka_unit_test(periods_combine),
		cmocka_unit_test(wrong_variables_are_refused),
		cmocka_unit_test(wrong_writes_are_refused),
		cmocka_unit_test(wrong_checksums_are_refused),
		cmocka_unit_test(no_instructions_are_no_program),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
