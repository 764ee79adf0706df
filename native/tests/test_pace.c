/* SPDX-License-Identifier: Apache-2.0 */
/* Paced polling: trials, and intervals between polls. */
#include "router/worker/pace.h"
#include "tests/cmocka_all.h"

/* 13 Mpps. */
enum { HZ_MHZ = 2500, SLOTS = 2048, EAGER = 2600 };
static const uint64_t hz = HZ_MHZ * 1000000ull, window = HZ_MHZ * (uint64_t)PACE_WINDOW_US;

/* A window with that many packets, in that many walks. */
static struct pace_window load(uint64_t packets, uint64_t walks)
{
	return (struct pace_window){.ticks = window, .packets = packets, .walks = walks};
}

static bool decide(struct pace *pace, struct pace_window seen)
{
	pace_decide(pace, &seen);
	return pace->is_on;
}

/* A trial whose paced windows bring `paced` packets, and whose eager ones bring EAGER. */
static void try(struct pace *pace, uint64_t paced)
{
	while (!pace->is_trying)
		decide(pace, load(EAGER, 40));
	while (pace->is_trying)
		decide(pace, load(pace->is_on ? paced : EAGER, 40));
}

static void tries_where_larger_vectors_come_soon(void **state)
{
	(void)state;
	const struct {
		struct pace_window seen;
		bool is_trying;
	} cases[] = {
		{load(EAGER, 40), true},  /* vectors of 65 */
		{load(EAGER, 12), false}, /* large vectors already */
		{load(1706, 40), false},  /* 256 packets need more than the longest wait */
		{load(1707, 40), true},
		{load(0, 0), false},
		{{.ticks = window, .idle = window * PACE_IDLE / 100, .packets = EAGER, .walks = 40}, true},
		{{.ticks = window,
		  .idle = window * PACE_IDLE / 100 + window / 100,
		  .packets = EAGER,
		  .walks = 40},
		 false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pace pace = pace_make(hz, false);
		assert_false(decide(&pace, cases[i].seen));
		assert_int_equal(pace.is_trying, cases[i].is_trying);
	}
}

static void goes_on_if_it_gains(void **state)
{
	(void)state;
	struct pace pace = pace_make(hz, false);
	try(&pace, EAGER * (100 + PACE_GAIN) / 100);
	assert_true(pace.is_on);
	for (int i = 0; i <= PACE_HOLD; i++)
		assert_true(pace.is_on && !pace.is_trying &&
					(decide(&pace, load(EAGER, 14)) || i == PACE_HOLD));
	assert_true(pace.is_trying);
	try(&pace, EAGER * (100 + PACE_GAIN) / 100 - 1);
	assert_false(pace.is_on);
}

/* Caches and the ring are still in the state of the other turn. */
static void does_not_count_the_first_half_of_a_turn(void **state)
{
	(void)state;
	struct pace pace = pace_make(hz, false);
	decide(&pace, load(EAGER, 40));
	for (int i = 0; pace.is_trying; i++)
		decide(&pace, load(i % PACE_TURN >= PACE_TURN / 2 ? EAGER : pace.is_on ? 100000 : 0, 40));
	assert_false(pace.is_on);
	assert_int_equal(pace.brought[0], PACE_TRIAL / 4 * EAGER);
	assert_int_equal(pace.brought[1], pace.brought[0]);
}

static void tries_less_often_in_vain(void **state)
{
	(void)state;
	struct pace pace = pace_make(hz, false);
	for (uint32_t backoff = PACE_FIRST_BACKOFF; backoff < PACE_LAST_BACKOFF; backoff *= 2) {
		try(&pace, EAGER);
		assert_int_equal(pace.left, backoff);
	}
	try(&pace, EAGER);
	try(&pace, EAGER);
	assert_int_equal(pace.left, PACE_LAST_BACKOFF);
	try(&pace, 2 * EAGER);
	try(&pace, EAGER);
	assert_int_equal(pace.left, PACE_FIRST_BACKOFF);
}

static void begins_a_disturbed_trial_anew(void **state)
{
	(void)state;
	struct pace pace = pace_make(hz, false);
	decide(&pace, load(EAGER, 40));
	for (int i = 0; i < PACE_TRIAL - 1; i++)
		decide(&pace, load(EAGER, 40));
	assert_false(decide(&pace, (struct pace_window){.ticks = 2 * window, .packets = 9999}));
	assert_true(pace.is_trying);
	assert_int_equal(pace.left, PACE_TRIAL);
	assert_int_equal(pace.brought[0], 0);
}

static void waits_for_a_part_of_a_vector(void **state)
{
	(void)state;
	struct pace pace = pace_make(hz, false);
	pace.is_on = true;
	const uint32_t longest = HZ_MHZ * PACE_LONGEST_US;
	/* 16 Mpps: 400 packets in 25 microseconds; with two queues half of them for each. */
	assert_in_range(pace_interval(&pace, 3200, window, SLOTS, 1), HZ_MHZ * 25 - 400, HZ_MHZ * 25);
	assert_in_range(pace_interval(&pace, 1600, window, SLOTS, 2), HZ_MHZ * 25 - 400, HZ_MHZ * 25);
	assert_int_equal(pace_interval(&pace, 1600, window, SLOTS, 1), longest);
	/* A quarter of a small ring. */
	assert_in_range(pace_interval(&pace, 3200, window, 256, 1), HZ_MHZ * 4 - 100, HZ_MHZ * 4);
	/* A ring with too little load, and one without packets. */
	assert_int_equal(pace_interval(&pace, 852, window, SLOTS, 1), 0);
	assert_int_equal(pace_interval(&pace, 0, window, SLOTS, 1), 0);
}

static void eager_polling_has_no_windows(void **state)
{
	(void)state;
	struct pace pace = pace_make(hz, true);
	assert_true(pace.window_ends == UINT64_MAX && !pace.is_on);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tries_where_larger_vectors_come_soon),
		cmocka_unit_test(goes_on_if_it_gains),
		cmocka_unit_test(does_not_count_the_first_half_of_a_turn),
		cmocka_unit_test(tries_less_often_in_vain),
		cmocka_unit_test(begins_a_disturbed_trial_anew),
		cmocka_unit_test(waits_for_a_part_of_a_vector),
		cmocka_unit_test(eager_polling_has_no_windows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
