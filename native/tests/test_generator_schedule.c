/* SPDX-License-Identifier: Apache-2.0 */
/* Due times of packets: rates, bursts, chains, changes of a running schedule. A tick is a
 * nanosecond. */
#include "generator/traffic/schedule.h"
#include "tests/cmocka_all.h"
#include "wirespeed/runtime.h"
#include "wirespeed/streams.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double HZ = 1e9, FOREVER = 1e15;

static struct ws_stream continuous(uint32_t id, double rate_pps)
{
	return (struct ws_stream){
		.id = id, .rate_pps = rate_pps, .enabled = true, .self_start = true, .next_id = -1};
}

static struct ws_stream burst(uint32_t id, double rate_pps, uint64_t packets)
{
	struct ws_stream stream = continuous(id, rate_pps);
	stream.mode = WS_SINGLE_BURST;
	stream.packets = packets;
	return stream;
}

static struct schedule *make_at(const struct ws_stream *streams, uint32_t count, double factor,
								double duration_s)
{
	int error;
	struct schedule *schedule =
		schedule_create(streams, NULL, count, HZ, factor, duration_s, &error);
	if (!schedule)
		fail_msg("%s", ws_error());
	return schedule;
}

static struct schedule *make(const struct ws_stream *streams, uint32_t count)
{
	return make_at(streams, count, 1, -1);
}

/* Take all packets due by `now`, at most `max` per run, and count them per stream. */
static uint64_t take(struct schedule *schedule, double now, uint32_t max, uint64_t *per_stream)
{
	struct schedule_run run;
	uint64_t all = 0;
	while (schedule_next(schedule, now, max, &run)) {
		assert_true(run.count >= 1 && run.count <= max);
		assert_true(run.due <= now);
		if (per_stream)
			per_stream[run.stream] += run.count;
		all += run.count;
	}
	return all;
}

/* The due time of the next packet. */
static double next_due(struct schedule *schedule)
{
	struct schedule_run run;
	assert_true(schedule_next(schedule, FOREVER, 1, &run));
	assert_int_equal(run.count, 1);
	return run.due;
}

static void rate_holds_however_it_is_asked(void **state)
{
	(void)state;
	struct ws_stream stream = continuous(1, 3e6);
	struct schedule *schedule = make(&stream, 1);
	uint64_t sent = 0;
	srand(1);
	for (double now = 0; now < 1e9; now += 1 + rand() % 40000)
		sent += take(schedule, now, 64, NULL);
	sent += take(schedule, 1e9 - 1, 64, NULL);
	assert_int_equal(sent, 3000000);
	schedule_free(schedule);
}

/* 333.3… ticks per packet for a day: one wrong bit of the interval would make a difference of
 * thousands. */
static void rate_does_not_drift(void **state)
{
	(void)state;
	struct ws_stream stream = continuous(1, 3e6);
	struct schedule *schedule = make(&stream, 1);
	uint64_t rest;
	schedule_skip(schedule, 86399 * HZ - 1, INFINITY, true, &rest);
	for (int s = 0; s < 2; s++)
		assert_int_equal(take(schedule, (86400.0 + s) * HZ - 1, 64, NULL), 3000000);
	schedule_free(schedule);
}

struct expected {
	double due;
	uint32_t stream;
};

static int by_due(const void *a, const void *b)
{
	double left = ((const struct expected *)a)->due, right = ((const struct expected *)b)->due;
	return (left > right) - (left < right);
}

static void packets_come_in_order_of_their_time(void **state)
{
	(void)state;
	enum { STREAMS = 40, PACKETS = 50 };
	struct ws_stream streams[STREAMS];
	struct expected expected[STREAMS * PACKETS];
	srand(2);
	for (uint32_t i = 0; i < STREAMS; i++) {
		streams[i] = burst(i, 1e3 + rand() % 1000000, PACKETS);
		streams[i].start_delay_us = 1 + rand() % 10000;
		for (uint32_t k = 0; k < PACKETS; k++)
			expected[i * PACKETS + k] = (struct expected){
				streams[i].start_delay_us * 1e3 + k * 1e9 / streams[i].rate_pps, i};
	}
	qsort(expected, STREAMS * PACKETS, sizeof(expected[0]), by_due);
	struct schedule *schedule = make(streams, STREAMS);
	struct schedule_run run;
	uint32_t at = 0;
	while (schedule_next(schedule, FOREVER, 64, &run)) {
		assert_true(fabs(run.due - expected[at].due) < 1e-3);
		for (uint32_t k = 0; k < run.count; k++)
			assert_int_equal(expected[at++].stream, run.stream);
	}
	assert_int_equal(at, STREAMS * PACKETS);
	assert_true(schedule_ended(schedule));
	schedule_free(schedule);
}

static void streams_keep_their_own_rates(void **state)
{
	(void)state;
	enum { STREAMS = 10000 };
	static struct ws_stream streams[STREAMS];
	static uint64_t counts[STREAMS];
	for (uint32_t i = 0; i < STREAMS; i++)
		streams[i] = continuous(i, 100 + i % 7);
	struct schedule *schedule = make(streams, STREAMS);
	memset(counts, 0, sizeof(counts));
	for (double now = 0; now <= 1e9; now += 1e6)
		take(schedule, now, 64, counts);
	for (uint32_t i = 0; i < STREAMS; i++)
		assert_in_range(counts[i], 100 + i % 7 - 1, 100 + i % 7 + 1);
	schedule_free(schedule);
}

/* Streams that start together are all due at once, and none loses a packet. */
static void streams_start_when_they_are_told(void **state)
{
	(void)state;
	enum { STREAMS = 50 };
	static struct ws_stream streams[STREAMS];
	uint64_t counts[STREAMS] = {0};
	for (uint32_t i = 0; i < STREAMS; i++)
		streams[i] = continuous(i, 100 + 1000 * i);
	streams[7].start_delay_us = 2000;
	struct schedule *schedule = make(streams, STREAMS);
	take(schedule, 0, 64, counts);
	for (uint32_t i = 0; i < STREAMS; i++)
		assert_int_equal(counts[i], i != 7);
	schedule_free(schedule);

	streams[7].start_delay_us = 0;
	memset(counts, 0, sizeof(counts));
	schedule = make_at(streams, STREAMS, 1, 1);
	take(schedule, 2e9, 64, counts);
	for (uint32_t i = 0; i < STREAMS; i++)
		assert_int_equal(counts[i], 100 + 1000 * i);
	schedule_free(schedule);
}

static void bursts_end(void **state)
{
	(void)state;
	struct ws_stream stream = burst(1, 1e6, 100);
	stream.start_delay_us = 50;
	struct schedule *schedule = make(&stream, 1);
	assert_int_equal(take(schedule, 49999, 64, NULL), 0);
	assert_int_equal(take(schedule, 50000, 64, NULL), 1);
	assert_int_equal(take(schedule, 148999, 64, NULL), 98);
	assert_false(schedule_ended(schedule));
	assert_int_equal(take(schedule, 149000, 64, NULL), 1);
	assert_true(schedule_ended(schedule));
	assert_int_equal(take(schedule, FOREVER, 64, NULL), 0);
	schedule_free(schedule);
}

static void gap_of_a_multi_burst_counts_from_its_last_packet(void **state)
{
	(void)state;
	struct ws_stream stream = burst(1, 1e6, 3);
	stream.mode = WS_MULTI_BURST;
	stream.bursts = 2;
	stream.burst_gap_us = 10;
	struct schedule *schedule = make(&stream, 1);
	const double due[] = {0, 1000, 2000, 12000, 13000, 14000};
	for (int i = 0; i < 6; i++)
		assert_true(fabs(next_due(schedule) - due[i]) < 1e-3);
	assert_true(schedule_ended(schedule));
	schedule_free(schedule);

	stream.burst_gap_us = 0;
	schedule = make(&stream, 1);
	for (int i = 0; i < 6; i++)
		assert_true(fabs(next_due(schedule) - i * 1000) < 1e-3);
	schedule_free(schedule);
}

/* T-Rex: S0 with 100 packets, S1 with 5 bursts of 10, back to S0, three rounds. */
static void chain_of_three_rounds(void **state)
{
	(void)state;
	struct ws_stream streams[] = {burst(10, 1e6, 100), burst(11, 1e5, 10)};
	streams[0].next_id = 11;
	streams[1].mode = WS_MULTI_BURST;
	streams[1].bursts = 5;
	streams[1].burst_gap_us = 100;
	streams[1].self_start = false;
	streams[1].next_id = 10;
	streams[1].loops = 3;
	streams[1].start_delay_us = 20;
	struct schedule *schedule = make(streams, 2);
	uint64_t counts[2] = {0};
	assert_int_equal(take(schedule, 99000, 64, counts), 100);
	assert_int_equal(take(schedule, 118999, 64, counts), 0);
	assert_int_equal(take(schedule, 119000, 64, counts), 1);
	take(schedule, FOREVER, 64, counts);
	assert_int_equal(counts[0], 300);
	assert_int_equal(counts[1], 150);
	assert_true(schedule_ended(schedule));
	schedule_free(schedule);
}

static void chains_end_where_they_must(void **state)
{
	(void)state;
	struct ws_stream streams[] = {burst(1, 1e6, 2), burst(2, 1e6, 3), burst(3, 1e6, 5)};
	streams[0].next_id = 2;
	streams[1].next_id = 3;
	streams[1].self_start = streams[2].self_start = false;
	struct schedule *schedule = make(streams, 3);
	assert_int_equal(take(schedule, FOREVER, 64, NULL), 10);
	schedule_free(schedule);

	streams[2].enabled = false;
	schedule = make(streams, 3);
	assert_int_equal(take(schedule, FOREVER, 64, NULL), 5);
	assert_true(schedule_ended(schedule));
	schedule_free(schedule);

	streams[2].enabled = streams[2].self_start = true; /* runs before the chain reaches it */
	schedule = make(streams, 3);
	assert_int_equal(take(schedule, FOREVER, 64, NULL), 10);
	schedule_free(schedule);
}

/* A burst of one packet that restarts itself without delay; T-Rex would hang. */
static void loop_without_time_keeps_its_rate(void **state)
{
	(void)state;
	struct ws_stream streams[] = {burst(1, 1e6, 1), burst(2, 1e6, 1)};
	streams[0].next_id = 1;
	struct schedule *schedule = make(streams, 1);
	assert_in_range(take(schedule, 1e6 - 1, 64, NULL), 999, 1001);
	schedule_free(schedule);

	streams[0].next_id = 2;
	streams[1].next_id = 1;
	streams[1].self_start = false;
	schedule = make(streams, 2);
	assert_in_range(take(schedule, 1e6 - 1, 64, NULL), 1999, 2001);
	schedule_free(schedule);
}

static void duration_is_exact(void **state)
{
	(void)state;
	const double rates[] = {1, 3, 7, 1e5, 333333, 1e7};
	for (int i = 0; i < 6; i++) {
		struct ws_stream stream = continuous(1, rates[i]);
		struct schedule *schedule = make_at(&stream, 1, 1, 1.0);
		uint64_t sent = 0;
		for (double now = 0; now < 1e9; now += 1e5)
			sent += take(schedule, now, 64, NULL);
		assert_false(schedule_ended(schedule));
		sent += take(schedule, 2e9, 64, NULL);
		assert_int_equal(sent, (uint64_t)rates[i]);
		assert_true(schedule_ended(schedule));
		schedule_free(schedule);
	}
}

static void factor_scales_the_way_to_the_next_packet(void **state)
{
	(void)state;
	struct ws_stream streams[] = {continuous(1, 1e3), continuous(2, 1e3)};
	streams[0].start_delay_us = 100;
	streams[1].fixed_rate = true;
	streams[1].start_delay_us = 200;
	struct schedule *schedule = make(streams, 2);
	assert_int_equal(take(schedule, 600000, 64, NULL), 2);
	schedule_set_factor(schedule, 600000, 4); /* half of the 1 100 000 is left */
	assert_true(fabs(next_due(schedule) - 725000) < 1);
	assert_true(fabs(next_due(schedule) - 975000) < 1);
	assert_true(fabs(next_due(schedule) - 1200000) < 1);
	schedule_free(schedule);
}

static void factor_leaves_gaps_alone(void **state)
{
	(void)state;
	struct ws_stream stream = burst(1, 1e3, 5);
	stream.start_delay_us = 3000;
	struct schedule *schedule = make_at(&stream, 1, 2, -1);
	schedule_set_factor(schedule, 1e6, 10);
	assert_true(fabs(next_due(schedule) - 3e6) < 1);
	assert_true(fabs(next_due(schedule) - 3.1e6) < 1);
	schedule_free(schedule);
}

/* A rate that changes a hundred times: the number of packets is exactly its integral. */
static void factor_ramp_loses_nothing(void **state)
{
	(void)state;
	struct ws_stream stream = continuous(1, 1e5);
	struct schedule *schedule = make(&stream, 1);
	double integral = 0;
	uint64_t sent = 0;
	for (int step = 1; step <= 100; step++) {
		schedule_set_factor(schedule, (step - 1) * 1e7, step);
		for (int i = 1; i <= 100; i++)
			sent += take(schedule, (step - 1) * 1e7 + i * 1e5, 64, NULL);
		integral += 1e5 * step * 0.01;
	}
	assert_true(fabs((double)sent - integral) < 2);
	schedule_free(schedule);
}

static void one_stream_changes_alone(void **state)
{
	(void)state;
	struct ws_stream streams[] = {continuous(5, 1e6), continuous(3, 1e6)};
	struct schedule *schedule = make(streams, 2);
	uint64_t counts[2] = {0};
	assert_int_equal(schedule_find(schedule, 5), 0);
	assert_int_equal(schedule_find(schedule, 3), 1);
	assert_int_equal(schedule_find(schedule, 4), -1);
	schedule_set_stream_factor(schedule, 0, 1, 3);
	take(schedule, 1e8, 64, counts);
	assert_in_range(counts[0], 99998, 100002);
	assert_in_range(counts[1], 299998, 300002);
	schedule_set_factor(schedule, 1e8, 2);
	memset(counts, 0, sizeof(counts));
	take(schedule, 2e8, 64, counts);
	assert_in_range(counts[0], 199998, 200002);
	assert_in_range(counts[1], 599998, 600002);
	schedule_free(schedule);
}

static void paused_stream_waits(void **state)
{
	(void)state;
	struct ws_stream streams[] = {continuous(1, 1e3), burst(2, 1e3, 3)};
	streams[1].start_paused = true;
	streams[0].start_delay_us = 1;
	struct schedule *schedule = make_at(streams, 2, 1, 1);
	uint64_t counts[2] = {0};
	take(schedule, 10300000, 64, counts);
	assert_int_equal(counts[0], 11);
	assert_int_equal(counts[1], 0);
	schedule_pause_stream(schedule, 10300000, 0, true);
	assert_int_equal(take(schedule, 20000000, 64, NULL), 0);
	assert_false(schedule_ended(schedule));
	schedule_pause_stream(schedule, 20000000, 0, false);
	assert_true(fabs(next_due(schedule) - (20000000 + 701000)) < 1);
	schedule_pause_stream(schedule, 21000000, 1, false);
	assert_true(fabs(next_due(schedule) - 21000000) < 1);
	schedule_pause_stream(schedule, 21000000, 0, true);
	assert_int_equal(take(schedule, 0.9e9, 64, NULL), 2);
	assert_false(schedule_ended(schedule));
	assert_int_equal(take(schedule, 1e9, 64, NULL), 0); /* the duration is over */
	assert_true(schedule_ended(schedule));
	schedule_free(schedule);
}

static void behind_is_a_millisecond_or_a_burst(void **state)
{
	(void)state;
	struct ws_stream stream = continuous(1, 1e7);
	struct schedule *schedule = make(&stream, 1);
	assert_false(schedule_is_behind(schedule, 0.99e6));
	assert_true(schedule_is_behind(schedule, 1.01e6));
	schedule_set_factor(schedule, 0, 1e-3); /* 10 000 pps: 1 025 packets are 102.5 ms */
	assert_false(schedule_is_behind(schedule, 102e6));
	assert_true(schedule_is_behind(schedule, 103e6));
	schedule_free(schedule);
}

/* Few or many at a time: skipped packets are neither lost nor counted twice. */
static void skipping_counts_everything(void **state)
{
	(void)state;
	enum { STREAMS = 500 };
	static struct ws_stream streams[STREAMS + 2];
	uint64_t finite = 0;
	for (uint32_t i = 0; i < STREAMS; i++) {
		streams[i] = burst(i, 1e5 + i * 17, 40 + i);
		streams[i].start_delay_us = i;
		finite += 40 + i;
	}
	streams[STREAMS] = burst(STREAMS, 1e6, 10);
	streams[STREAMS].next_id = STREAMS + 1;
	streams[STREAMS + 1] = burst(STREAMS + 1, 1e6, 5);
	streams[STREAMS + 1].self_start = false;
	streams[STREAMS + 1].next_id = STREAMS;
	streams[STREAMS + 1].loops = 20;
	finite += 20 * 15;
	for (double step = 1e3; step < 1e8; step *= 7) {
		struct schedule *schedule = make(streams, STREAMS + 2);
		uint64_t all = 0, rest;
		for (double now = 0; !schedule_ended(schedule); now += step) {
			all += schedule_skip(schedule, now, now - step / 2, true, &rest);
			all += rest;
			assert_false(schedule_next(schedule, now, 64, &(struct schedule_run){0}));
		}
		assert_int_equal(all, finite);
		schedule_free(schedule);
	}
}

static void skipping_tells_old_from_new(void **state)
{
	(void)state;
	struct ws_stream stream = continuous(1, 1e6);
	struct schedule *schedule = make(&stream, 1);
	uint64_t rest, old = schedule_skip(schedule, 999999, 299999, true, &rest);
	assert_int_equal(old, 300);
	assert_int_equal(rest, 700);
	schedule_free(schedule);
}

/* Late by three quarters of a burst: it is sent whole, with that delay, and so are the following
 * ones. */
static void bursts_are_put_off(void **state)
{
	(void)state;
	struct ws_stream streams[] = {burst(1, 1e6, 1000), continuous(2, 1e6), burst(3, 1e6, 10)};
	uint64_t *none = NULL;
	streams[0].next_id = 3;
	streams[2].self_start = false;
	streams[2].start_delay_us = 100;
	struct schedule *schedule = make(streams, 3);
	assert_int_equal(take(schedule, 249999, 64, none), 500);
	uint64_t rest, old = schedule_skip(schedule, 999999, INFINITY, false, &rest);
	assert_int_equal(old, 750);
	assert_int_equal(rest, 0);
	assert_int_equal(take(schedule, 999999, 64, none), 0);
	assert_int_equal(take(schedule, 1000000 + 749500, 64, none), 750 + 750);
	assert_int_equal(take(schedule, 1000000 + 749000 + 109500, 64, none), 109 + 10);
	assert_int_equal(take(schedule, 3e6, 64, none), 3001 - 250 - 750 - 750 - 109);
	assert_false(schedule_is_over(schedule, 3e6));
	schedule_free(schedule);
}

static void refuses(const struct ws_stream *streams, uint32_t count, const char *words)
{
	int error;
	assert_null(schedule_create(streams, NULL, count, HZ, 1, -1, &error));
	assert_int_equal(error, -EINVAL);
	if (!strstr(ws_error(), words))
		fail_msg("'%s' lacks '%s'", ws_error(), words);
}

static void wrong_streams_are_refused(void **state)
{
	(void)state;
	struct ws_stream good = burst(1, 1e6, 5), bad[2] = {good, good};
	refuses(bad, 2, "two streams have the id 1");
	refuses(bad, 0, "none of 0 streams");
	bad[0].self_start = false;
	refuses(bad, 1, "none of 1 streams");
	const double no_rates[] = {0, -1, NAN, INFINITY, 2e9};
	for (int i = 0; i < 5; i++) {
		bad[0] = good;
		bad[0].rate_pps = no_rates[i];
		refuses(bad, 1, "stream 1: a rate of");
	}
	bad[0] = good;
	bad[0].start_delay_us = -1;
	refuses(bad, 1, "start delay");
	bad[0].start_delay_us = NAN;
	refuses(bad, 1, "start delay");
	bad[0] = good;
	bad[0].burst_gap_us = -1;
	refuses(bad, 1, "burst gap");
	bad[0] = good;
	bad[0].packets = 0;
	refuses(bad, 1, "burst of no packets");
	bad[0] = good;
	bad[0].mode = 3;
	refuses(bad, 1, "mode 3 does not exist");
	bad[0].mode = WS_MULTI_BURST;
	refuses(bad, 1, "no bursts");
	bad[0] = good;
	bad[0].next_id = 9;
	refuses(bad, 1, "next stream 9 is not on this port");
	bad[0].next_id = 1LL << 32 | 1;
	refuses(bad, 1, "is not on this port");
	bad[0] = continuous(1, 1);
	bad[0].next_id = 1;
	refuses(bad, 1, "continuous and never ends");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rate_holds_however_it_is_asked),
		cmocka_unit_test(rate_does_not_drift),
		cmocka_unit_test(packets_come_in_order_of_their_time),
		cmocka_unit_test(streams_keep_their_own_rates),
		cmocka_unit_test(streams_start_when_they_are_told),
		cmocka_unit_test(bursts_end),
		cmocka_unit_test(gap_of_a_multi_burst_counts_from_its_last_packet),
		cmocka_unit_test(chain_of_three_rounds),
		cmocka_unit_test(chains_end_where_they_must),
		cmocka_unit_test(loop_without_time_keeps_its_rate),
		cmocka_unit_test(duration_is_exact),
		cmocka_unit_test(factor_scales_the_way_to_the_next_packet),
		cmocka_unit_test(factor_leaves_gaps_alone),
		cmocka_unit_test(factor_ramp_loses_nothing),
		cmocka_unit_test(one_stream_changes_alone),
		cmocka_unit_test(paused_stream_waits),
		cmocka_unit_test(behind_is_a_millisecond_or_a_burst),
		cmocka_unit_test(skipping_counts_everything),
		cmocka_unit_test(skipping_tells_old_from_new),
		cmocka_unit_test(bursts_are_put_off),
		cmocka_unit_test(wrong_streams_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
