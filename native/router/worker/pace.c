/* SPDX-License-Identifier: Apache-2.0 */
#include "router/worker/pace.h"

#define MIN(a, b) ((a) < (b) ? (a) : (b))

struct pace pace_make(uint64_t tsc_hz, bool is_eager)
{
	uint64_t ticks = tsc_hz / 1000000 * PACE_WINDOW_US;
	return (struct pace){
		.window_ticks = is_eager ? 0 : (uint32_t)ticks,
		.window_ends = is_eager ? UINT64_MAX : 0,
		.backoff = PACE_FIRST_BACKOFF,
	};
}

static uint64_t longest_wait(const struct pace *pace)
{
	return (uint64_t)pace->window_ticks * PACE_LONGEST_US / PACE_WINDOW_US;
}

/* True if vectors can grow and the worker is near its limit. */
static bool is_worth_a_trial(const struct pace *pace, const struct pace_window *window)
{
	return window->packets < window->walks * PACE_LARGE &&
		   window->idle * 100 <= window->ticks * PACE_IDLE &&
		   window->packets * longest_wait(pace) >= window->ticks * PACE_LEAST;
}

static void begin_trial(struct pace *pace)
{
	pace->is_trying = true;
	pace->is_on = false;
	pace->left = PACE_TRIAL;
	pace->brought[0] = pace->brought[1] = 0;
}

static void end_trial(struct pace *pace)
{
	pace->is_trying = false;
	pace->is_on = pace->brought[1] * 100 >= pace->brought[0] * (100 + PACE_GAIN);
	pace->left = pace->is_on ? PACE_HOLD : pace->backoff;
	pace->backoff =
		pace->is_on ? PACE_FIRST_BACKOFF : MIN(2 * pace->backoff, (uint32_t)PACE_LAST_BACKOFF);
}

/* False for a window in which the worker was preempted or slept, which does not show its load. */
static bool is_whole(const struct pace *pace, const struct pace_window *window)
{
	return window->ticks && window->ticks < 2 * (uint64_t)pace->window_ticks;
}

static void go_on_with_trial(struct pace *pace, const struct pace_window *window)
{
	if (!is_whole(pace, window)) {
		begin_trial(pace);
		return;
	}
	uint32_t done = PACE_TRIAL - pace->left;
	pace->brought[pace->is_on] += done % PACE_TURN >= PACE_TURN / 2 ? window->packets : 0;
	pace->is_on = (done + 1) / PACE_TURN % 2;
	if (!--pace->left)
		end_trial(pace);
}

void pace_decide(struct pace *pace, const struct pace_window *window)
{
	if (pace->is_trying)
		go_on_with_trial(pace, window);
	else if (pace->left)
		pace->left--;
	else if (pace->is_on || is_worth_a_trial(pace, window))
		begin_trial(pace);
}

uint32_t pace_interval(const struct pace *pace, uint64_t packets, uint64_t ticks, uint32_t slots,
					   uint32_t queues)
{
	uint64_t longest = longest_wait(pace);
	if (!packets || ticks / packets * PACE_LEAST / 2 > longest)
		return 0;
	uint64_t wanted = MIN((uint32_t)PACE_PACKETS / queues, slots / 4);
	return (uint32_t)MIN(ticks / packets * wanted, longest);
}
