/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paced polling: a worker leaves a ring alone until more packets have come.
 *
 * A call for few packets costs nearly as much as one for many, on both sides of a ring that another
 * CPU fills. So the peer sends more if the ring is polled less often: once in the time in which
 * PACE_PACKETS arrive. That is at most PACE_LONGEST_US, and at most a quarter of the ring fills in
 * it.
 *
 * Below the limit that gains nothing and costs latency. So the worker measures it: in a trial it
 * polls eagerly and paced in turns. Its turns are long, since it takes milliseconds until both
 * CPUs' caches show the difference. Polling stays paced only if that brought PACE_GAIN percent more
 * packets, and only until the next trial. After a trial in vain the next one comes later. There is
 * none while the worker is idle for most of the time or finds large vectors.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct router_worker;

enum {
	PACE_WINDOW_US = 200,
	PACE_LONGEST_US = 30,
	PACE_PACKETS = 400, /* two calls, whose vectors do not look like those of a saturated worker */
	PACE_LEAST = 256,   /* in PACE_LONGEST_US; fewer packets are not worth the wait */
	PACE_LARGE = 192,   /* a vector of which larger ones would bring nothing */
	PACE_IDLE = 60,     /* percent; a worker that is idle longer has no trial */
	PACE_GAIN = 5,      /* percent */
	/* Windows: of one turn of a trial, whose first half is not counted; of a trial; of paced
	 * polling after one; and from a trial in vain to the next. */
	PACE_TURN = 64,
	PACE_TRIAL = 4 * PACE_TURN,
	PACE_HOLD = 10000,
	PACE_FIRST_BACKOFF = 5000,
	PACE_LAST_BACKOFF = 80000,
};

struct pace {
	bool is_on;
	bool is_trying;
	uint32_t window_ticks;          /* 0: it always polls eagerly */
	uint32_t left;                  /* windows to the end of the trial, or to the next one */
	uint32_t backoff;               /* windows to the next trial, if the next one is in vain */
	uint64_t brought[2];            /* packets of a trial, eager and paced */
	uint64_t window_ends;           /* TSC */
	uint64_t walks;                 /* since the window began, those that brought packets in */
	uint64_t clocks, idle, packets; /* the worker's counters as the window began */
};

/* A window of a worker. */
struct pace_window {
	uint64_t ticks, idle;    /* all, and those in which the worker was idle */
	uint64_t packets, walks; /* that came in, and walks that brought them */
};

struct pace pace_make(uint64_t tsc_hz, bool is_eager);
/* Decides whether polling is paced in the next window. */
void pace_decide(struct pace *pace, const struct pace_window *window);
/* Ticks until a ring of `slots` is looked at again that brought `packets` in the last `ticks`; 0:
 * at once. Its worker has so many queues. */
uint32_t pace_interval(const struct pace *pace, uint64_t packets, uint64_t ticks, uint32_t slots,
					   uint32_t queues);
/* The worker's window has ended. */
void pace_end_window(struct router_worker *worker);
/* TSC at which one of the worker's queues is to be looked at; 0: it has none. */
uint64_t pace_due(const struct router_worker *worker);
