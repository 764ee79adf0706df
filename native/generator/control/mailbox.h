/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of the main thread that a worker runs between two bursts. One slot, one caller at a
 * time. The worker's cost is one load per loop, from a line in its cache.
 */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef void mailbox_fn(void *argument);

struct mailbox {
	mailbox_fn *function;
	void *argument;
	uint32_t posted, answered;
} __attribute__((aligned(64)));

static inline void mailbox_post(struct mailbox *box, mailbox_fn *function, void *argument)
{
	box->function = function;
	box->argument = argument;
	__atomic_store_n(&box->posted, box->posted + 1, __ATOMIC_RELEASE);
}

/* Yields to a worker on the caller's own CPU; a worker on another CPU answers in a few
 * microseconds. */
static inline void mailbox_wait(struct mailbox *box)
{
	enum { LOOKS_BEFORE_SLEEP = 100 };
	const struct timespec pause = {.tv_nsec = 5000};
	for (int looks = 0; __atomic_load_n(&box->answered, __ATOMIC_ACQUIRE) != box->posted; looks++)
		if (looks < LOOKS_BEFORE_SLEEP)
			sched_yield();
		else
			nanosleep(&pause, NULL);
}

/* For the worker. */
static inline bool mailbox_has_call(const struct mailbox *box)
{
	return __atomic_load_n(&box->posted, __ATOMIC_ACQUIRE) != box->answered;
}

/* For the worker: serve the call that mailbox_has_call() found. */
static inline void mailbox_serve(struct mailbox *box)
{
	box->function(box->argument);
	__atomic_store_n(&box->answered, box->answered + 1, __ATOMIC_RELEASE);
}
