/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preemptions: intervals in which a worker's loop was interrupted by another thread on its CPU, the
 * hypervisor, the kernel or a signal.
 *
 * One pass of the loop takes microseconds: less than 128 as long as the worker has its CPU, even
 * with two overloaded rings or with eight ports that take all packets. No pass reached
 * PREEMPTION_US, the time in which a ring of 1 024 slots fills at five million packets per second.
 * A sleep that the worker chose, and work on request of the main thread, are not part of a pass. A
 * sleep that lasts much longer than requested counts as a preemption. So does the time without CPU
 * during a request: its answer wakes the main thread, which may take this CPU.
 */
#pragma once

#include "wire/own_count.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum {
	PREEMPTION_US = 200,
	/* The least excess of a sleep over its requested length that counts. Timers of a virtual
	 * machine are late by milliseconds. In 10 ms a ring of 1 024 slots overflows from 100 000
	 * packets per second on. */
	OVERSLEPT_US = 10000,
};

/* Written by the worker only. */
struct preemption {
	uint64_t count, ticks;
	uint64_t longest; /* in ticks */
};

/* State of a worker's detector of preemptions. Times are TSC ticks. */
struct preemption_watch {
	uint64_t least, window;
	double ticks_per_ns;
	bool works_in_kernel; /* a driver of its ports works in the kernel */
	uint64_t looked_at;   /* when its CPU time was last read */
	uint64_t used_ns;
};

static inline struct preemption_watch preemption_watch_make(uint64_t hz)
{
	enum { WINDOW_US = 1000 };
	return (struct preemption_watch){
		.least = hz / 1000000 * PREEMPTION_US,
		.window = hz / 1000000 * WINDOW_US,
		.ticks_per_ns = (double)hz / 1e9,
	};
}

/* CPU time of the calling thread, including its time in the kernel. */
static inline uint64_t preemption_cpu_ns(void)
{
	struct timespec used;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

static inline void preemption_look(struct preemption_watch *watch, uint64_t now)
{
	watch->looked_at = now;
	watch->used_ns = preemption_cpu_ns();
}

/* On the worker: a pass begins at `now`. */
static inline void preemption_begin(struct preemption_watch *watch, uint64_t now)
{
	if (watch->works_in_kernel)
		preemption_look(watch, now);
}

/*
 * The part of the `ticks` until `now` in which the worker had no CPU; a long system call of a
 * driver is work. The CPU time is read once per window and after a long pass. The result is an
 * upper bound: the time since the last reading that was not CPU time.
 */
static inline uint64_t preemption_without_cpu(struct preemption_watch *watch, uint64_t ticks,
											  uint64_t now)
{
	uint64_t passed = now - watch->looked_at, used_ns = watch->used_ns;
	preemption_look(watch, now);
	uint64_t used = (uint64_t)((double)(watch->used_ns - used_ns) * watch->ticks_per_ns);
	uint64_t away = passed > used ? passed - used : 0;
	return away < ticks ? away : ticks;
}

static inline void preemption_count(struct preemption *preemption, uint64_t ticks)
{
	own_count_add(&preemption->count, 1);
	own_count_add(&preemption->ticks, ticks);
	if (ticks > preemption->longest)
		own_count_set(&preemption->longest, ticks);
}

/* On the worker: a pass took `ticks` and ended at `now`. */
static inline void preemption_note(struct preemption *preemption, struct preemption_watch *watch,
								   uint64_t ticks, uint64_t now)
{
	if (__builtin_expect(ticks < watch->least, 1)) {
		if (__builtin_expect(watch->works_in_kernel && now - watch->looked_at > watch->window, 0))
			preemption_look(watch, now);
		return;
	}
	if (watch->works_in_kernel)
		ticks = preemption_without_cpu(watch, ticks, now);
	if (ticks >= watch->least)
		preemption_count(preemption, ticks);
}

/* On the worker: a sleep of at most `asked` ticks took `ticks`. */
static inline void preemption_note_sleep(struct preemption *preemption,
										 const struct preemption_watch *watch, uint64_t ticks,
										 uint64_t asked)
{
	const uint64_t most = watch->least / PREEMPTION_US * OVERSLEPT_US;
	if (ticks > asked && ticks - asked >= most)
		preemption_count(preemption, ticks - asked);
}

/* On the worker: work on request of the main thread ended at `now`. It began when the CPU time was
 * last read; only the time in which it had no CPU counts. */
static inline void preemption_note_request(struct preemption *preemption,
										   struct preemption_watch *watch, uint64_t now)
{
	uint64_t ticks = now - watch->looked_at;
	if (ticks >= watch->least)
		ticks = preemption_without_cpu(watch, ticks, now);
	if (ticks >= watch->least)
		preemption_count(preemption, ticks);
}
