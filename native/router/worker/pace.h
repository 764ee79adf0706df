/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paced polling: a worker does not poll a ring again until more packets have come.
 *
 * A call for few packets costs nearly as much as one for many, at both ends of a ring that another
 * CPU fills. So the peer sends more if the ring is polled less often: once in the time in which
 * PACE_PACKETS arrive. This time is at most PACE_LONGEST_US, and so short that at most a quarter of
 * the ring fills. Below the worker's limit pacing gains nothing and costs latency. So the worker
 * measures the gain in trials, which alternate between eager and paced polling. The turns are long,
 * since it takes milliseconds until the caches of both CPUs show the difference. Polling stays
 * paced only if that brought PACE_GAIN percent more packets, and only until the next trial. After a
 * trial without gain the next one comes later. There is no trial while the worker is idle most of
 * the time or finds large vectors.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct router_worker;

enum {
	PACE_WINDOW_US = 200,
	PACE_LONGEST_US = 30,
	PACE_PACKETS = 400, /* two frames: their size does not look like that of a saturated worker */
	PACE_LEAST = 256,   /* per PACE_LONGEST_US; fewer packets are not worth the wait */
	PACE_LARGE = 192,   /* vector size beyond which larger ones bring nothing */
	PACE_IDLE = 60,     /* percent; there is no trial while the worker is idle for longer */
	PACE_GAIN = 5,      /* percent */
	/* Numbers of windows: of one turn in a trial, whose first half is not counted; of a trial; of
	 * paced polling after it; and from a trial without gain to the next one. */
	PACE_TURN = 64,
	PACE_TRIAL = 4 * PACE_TURN,
	PACE_HOLD = 10000,
	PACE_FIRST_BACKOFF = 5000,
	PACE_LAST_BACKOFF = 80000,
};

struct pace {
	bool is_on;
	bool is_trying;
	uint32_t window_ticks; /* 0: polling is always eager */
	uint32_t left;         /* windows to the end of the trial, or to the next trial */
	uint32_t backoff;      /* windows to the trial after the next one, if that brings no gain */
	uint64_t brought[2];   /* packets in a trial: eager, paced */
	uint64_t window_ends;  /* TSC */
	uint64_t walks;        /* walks with packets since the window began */
	uint64_t clocks, idle, packets; /* the worker's counters at the start of the window */
};

/* A window of a worker. */
struct pace_window {
	uint64_t ticks, idle;    /* total, and idle */
	uint64_t packets, walks; /* packets received, and walks with packets */
};

struct pace pace_make(uint64_t tsc_hz, bool is_eager);
/* Decide whether polling is paced in the next window. */
void pace_decide(struct pace *pace, const struct pace_window *window);
/* Ticks until the next poll of a ring of `slots` that brought `packets` in the last `ticks`; 0: at
 * once. `queues`: number of its worker's queues. */
uint32_t pace_interval(const struct pace *pace, uint64_t packets, uint64_t ticks, uint32_t slots,
					   uint32_t queues);
/* End the worker's window. */
void pace_end_window(struct router_worker *worker);
/* TSC of the next poll of any of the worker's queues; 0: it has none. */
uint64_t pace_due(const struct router_worker *worker);
