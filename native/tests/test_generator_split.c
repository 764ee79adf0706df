/* SPDX-License-Identifier: Apache-2.0 */
/* A profile's streams split over workers: no packet is sent twice or left out, and each is sent
 * when it is due. A tick is a nanosecond. */
#include "generator/program/program_compiler.h"
#include "generator/traffic/schedule_state.h"
#include "generator/traffic/split.h"
#include "tests/cmocka_all.h"
#include "wirespeed/runtime.h"
#include "wirespeed/streams.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 3, FRAME = 64, PACKETS = 1000, LIST = 7 };
static const double HZ = 1e9;
static const uint64_t ALL = (1 << WORKERS) - 1;
static uint8_t frame[FRAME];

static struct ws_stream endless(uint32_t id, double rate)
{
	return (struct ws_stream){.id = id,
							  .packet = frame,
							  .packet_len = FRAME,
							  .enabled = true,
							  .self_start = true,
							  .rate_pps = rate,
							  .next_id = -1};
}

static struct ws_stream burst(uint32_t id, double rate, int64_t next)
{
	struct ws_stream stream = endless(id, rate);
	stream.mode = WS_SINGLE_BURST;
	stream.packets = 10;
	stream.next_id = next;
	return stream;
}

static struct worker_streams out[WORKERS];

static void split(const struct ws_stream *streams, uint32_t count, uint64_t allowed)
{
	if (split_streams(streams, count, WORKERS, allowed, out))
		fail_msg("%s", ws_error());
}

/* The worker that has the whole stream; -1: it is divided. */
static int worker_of(uint32_t id)
{
	int found = -1, count = 0;
	for (int i = 0; i < WORKERS; i++)
		for (uint32_t j = 0; j < out[i].count; j++)
			if (out[i].streams[j].id == id) {
				found = out[i].parts[j].of == 1 ? i : -1;
				count += out[i].parts[j].of == 1 ? WORKERS : 1;
			}
	assert_int_equal(count, WORKERS);
	return found;
}

static void endless_streams_are_spread(void **state)
{
	(void)state;
	struct ws_stream streams[] = {endless(1, 1e6), endless(2, 10)};
	split(streams, 2, ALL);
	for (uint32_t stream = 0; stream < 2; stream++) {
		uint32_t parts = 0;
		for (int i = 0; i < WORKERS; i++) {
			assert_int_equal(out[i].count, 2);
			assert_int_equal(out[i].parts[stream].of, WORKERS);
			parts |= 1u << out[i].parts[stream].number;
		}
		assert_int_equal(parts, ALL);
	}
	split_free(out, WORKERS);
	split(streams, 2, 5); /* not on the second worker */
	assert_int_equal(out[0].count, 2);
	assert_int_equal(out[1].count, 0);
	assert_int_equal(out[2].count, 2);
	assert_int_equal(out[2].parts[0].of, 2);
	split_free(out, WORKERS);
}

static void what_has_an_order_stays_whole(void **state)
{
	(void)state;
	struct ws_op tuple = {.kind = WS_OP_TUPLE, .var2 = 1, .max = 9, .max2 = 9};
	struct ws_stream streams[] = {
		burst(1, 1e6, 2), burst(2, 1e6, 1), burst(3, 5e5, -1), endless(4, 4e5),
		endless(5, 4e5),  endless(6, 1),    endless(7, 1e6),
	};
	streams[1].self_start = false;
	streams[3].flow_kind = WS_FLOW_LATENCY;
	streams[4].ops = &tuple;
	streams[4].op_count = 1;
	streams[5].pinned = 3;
	split(streams, 7, ALL);
	/* The fastest one first, each to the worker with the lowest load. */
	assert_int_equal(worker_of(1), 0);
	assert_int_equal(worker_of(2), 0);
	assert_int_equal(worker_of(3), 1);
	assert_int_equal(worker_of(4), 2);
	assert_int_equal(worker_of(5), 2);
	assert_int_equal(worker_of(6), 2);
	assert_int_equal(worker_of(7), -1);
	split_free(out, WORKERS);
}

static void impossible_cores_are_refused(void **state)
{
	(void)state;
	struct ws_stream streams[] = {burst(1, 1, 2), burst(2, 1, -1)};
	streams[0].pinned = WORKERS + 1;
	assert_int_equal(split_streams(streams, 2, WORKERS, ALL, out), -EINVAL);
	assert_non_null(strstr(ws_error(), "core_id 3; the port has cores 0 to 2"));
	streams[0].pinned = 2;
	assert_int_equal(split_streams(streams, 2, WORKERS, 5, out), -EINVAL);
	assert_non_null(strstr(ws_error(), "core_mask leaves out"));
	streams[1].pinned = 1;
	assert_int_equal(split_streams(streams, 2, WORKERS, ALL, out), -EINVAL);
	assert_non_null(strstr(ws_error(), "others of its chain"));
}

/* Due times of all packets, on one worker or on all of them. */
static uint32_t times_of(const struct worker_streams *given, double seconds, double *times)
{
	struct schedule_run run;
	uint32_t count = 0;
	int error;
	struct schedule *schedule =
		schedule_create(given->streams, given->parts, given->count, HZ, 1, seconds, &error);
	assert_non_null(schedule);
	for (double now = 0; now < seconds * HZ; now += 1000) {
		if (now == 3e6)
			schedule_set_factor(schedule, now, 2);
		while (schedule_next(schedule, now, 1, &run))
			times[count++] = run.due;
	}
	schedule_free(schedule);
	return count;
}

static int compare_times(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* 10 ms at 50 kpps, and at twice that from 3 ms on. */
static void parts_are_due_when_the_whole_is(void **state)
{
	(void)state;
	static double whole[2 * PACKETS], parts[2 * PACKETS];
	struct ws_stream streams[] = {endless(1, 50e3)};
	streams[0].start_delay_us = 7;
	struct worker_streams one = {.streams = streams, .count = 1};
	uint32_t expected = times_of(&one, 0.01, whole), count = 0;
	split(streams, 1, ALL);
	for (int i = 0; i < WORKERS; i++)
		count += times_of(&out[i], 0.01, parts + count);
	split_free(out, WORKERS);
	assert_int_equal(expected, 150 + 700);
	assert_int_equal(count, expected);
	qsort(parts, count, sizeof(parts[0]), compare_times);
	for (uint32_t i = 0; i < count; i++)
		assert_true(fabs(parts[i] - whole[i]) < 1);
}

/* The values that a part writes into its fields. */
static void run_part(const struct ws_stream *stream, struct stream_part part, uint32_t count,
					 uint8_t (*packets)[FRAME])
{
	int error;
	struct program *program = program_compile(stream, part, frame, FRAME, &error);
	assert_non_null(program);
	for (uint32_t i = 0; i < count; i += 10) {
		uint8_t *at[10];
		uint16_t lengths[10];
		for (uint32_t j = 0; j < 10; j++) {
			at[j] = packets[i + j];
			lengths[j] = FRAME;
			memcpy(at[j], frame, FRAME);
		}
		program_run(program, at, lengths, 10);
	}
	program_free(program);
}

static void programs_of_parts_make_what_one_makes(void **state)
{
	(void)state;
	static uint8_t whole[PACKETS][FRAME], part[PACKETS][FRAME];
	static const uint64_t list[LIST] = {3, 1, 4, 1, 5, 9, 2};
	const struct ws_op ops[] = {
		{.kind = WS_OP_VAR, .var = 0, .size = 2, .min = 10, .max = 265, .init = 200, .step = 7},
		{.kind = WS_OP_VAR,
		 .var = 1,
		 .var_kind = WS_VAR_DEC,
		 .size = 8,
		 .max = UINT64_MAX,
		 .init = 5,
		 .step = 1},
		{.kind = WS_OP_VAR,
		 .var = 2,
		 .var_kind = WS_VAR_LIST,
		 .size = 1,
		 .list = list,
		 .list_count = LIST,
		 .step = 3},
		{.kind = WS_OP_VAR, .var = 3, .size = 4, .min = 1, .max = 3, .init = 2, .step = 1},
		{.kind = WS_OP_WRITE, .var = 0, .size = 2, .offset = 20},
		{.kind = WS_OP_WRITE, .var = 1, .size = 8, .offset = 24},
		{.kind = WS_OP_WRITE, .var = 2, .size = 1, .offset = 40},
		{.kind = WS_OP_WRITE, .var = 3, .size = 4, .offset = 44},
	};
	struct ws_stream stream = endless(1, 1);
	stream.ops = ops;
	stream.op_count = sizeof(ops) / sizeof(ops[0]);
	assert_true(program_spreads(&stream));
	run_part(&stream, WHOLE_STREAM, PACKETS, whole);
	for (uint16_t of = 2; of <= 5; of++)
		for (uint16_t number = 0; number < of; number++) {
			uint32_t count = PACKETS / of / 10 * 10;
			run_part(&stream, (struct stream_part){number, of}, count, part);
			for (uint32_t i = 0; i < count; i++)
				assert_memory_equal(part[i], whole[number + i * of], FRAME);
		}
}

static void programs_with_memory_are_not_divided(void **state)
{
	(void)state;
	struct ws_op ops[2] = {{.kind = WS_OP_VAR, .size = 1, .max = 9, .step = 1},
						   {.kind = WS_OP_VAR, .var = 1, .size = 1, .max = 9, .step = 1}};
	struct ws_stream stream = endless(1, 1);
	stream.ops = ops;
	stream.op_count = 2;
	assert_true(program_spreads(&stream));
	ops[0].has_next = true;
	ops[0].next_var = 1;
	assert_false(program_spreads(&stream));
	ops[0].has_next = false;
	ops[1].var_kind = WS_VAR_RAND_LIMIT;
	assert_false(program_spreads(&stream));
	ops[1].var_kind = WS_VAR_RANDOM;
	assert_true(program_spreads(&stream));
	ops[0].max = 254; /* widened range exceeds a byte */
	ops[0].step = 200;
	assert_false(program_spreads(&stream));
}

/* Parts of different workers are allocated one after the other. */
static void what_a_part_writes_begins_a_line(void **state)
{
	(void)state;
	enum { LINE = 64 };
	const struct ws_op ops[] = {
		{.kind = WS_OP_VAR, .size = 4, .max = UINT32_MAX, .step = 1},
		{.kind = WS_OP_WRITE, .size = 4, .offset = 20},
	};
	struct ws_stream stream = endless(1, 1e6);
	int error;
	stream.ops = ops;
	stream.op_count = 2;
	split(&stream, 1, ALL);
	for (int i = 0; i < WORKERS; i++) {
		struct schedule *schedule =
			schedule_create(out[i].streams, out[i].parts, out[i].count, HZ, 1, 1, &error);
		struct program *program = program_compile(&stream, out[i].parts[0], frame, FRAME, &error);
		assert_int_equal((uintptr_t)schedule % LINE, 0);
		assert_int_equal((uintptr_t)schedule->heap % LINE, 0);
		assert_int_equal((uintptr_t)schedule->streams % LINE, 0);
		assert_int_equal((uintptr_t)program % LINE, 0);
		assert_int_equal((uintptr_t)program->values % LINE, 0);
		program_free(program);
		schedule_free(schedule);
	}
	split_free(out, WORKERS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(endless_streams_are_spread),
		cmocka_unit_test(what_has_an_order_stays_whole),
		cmocka_unit_test(impossible_cores_are_refused),
		cmocka_unit_test(parts_are_due_when_the_whole_is),
		cmocka_unit_test(programs_of_parts_make_what_one_makes),
		cmocka_unit_test(programs_with_memory_are_not_divided),
		cmocka_unit_test(what_a_part_writes_begins_a_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
