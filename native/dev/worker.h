/* SPDX-License-Identifier: Apache-2.0 */
/* Worker threads: one per CPU given at start. Each runs one function until it is stopped. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct bell;
struct ws_runtime_config;

typedef void worker_fn(uint16_t worker, void *argument);

int workers_init(const struct ws_runtime_config *config);
uint16_t workers_count(void);

/* Run `function` on all workers; -EBUSY if they run already. */
int workers_launch(worker_fn *function, void *argument);
/* Restrict the calling thread to CPUs without a worker, if it may use any. */
void workers_avoid(void);
/* Ask all workers to return, and wait until they have. */
void workers_stop(void);

/*
 * Pause between two checks, after `looks` of them, of something that another thread does within
 * microseconds. The first pauses spin. Later ones sleep: the other thread may need this CPU, and
 * spinning until the scheduler preempts would take milliseconds.
 */
void wait_for_thread(uint32_t looks);

/* The bell that wakes a worker which sleeps because it has no work. */
struct bell *worker_bell(uint16_t worker);
void workers_wake(void);
void workers_close(void);

/* Each pass of a worker's loop tests this. */
extern bool workers_must_stop;
static inline bool workers_are_stopping(void)
{
	return __atomic_load_n(&workers_must_stop, __ATOMIC_RELAXED);
}

/* Passes of the worker's loop, for `show threads` and loops/sec: one writer, plain stores. */
void worker_set_loops(uint16_t worker, uint64_t loops);
