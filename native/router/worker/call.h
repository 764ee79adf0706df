/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that each worker executes between two walks while the others go on. */
#pragma once

#include <stdint.h>

struct ws_router;

typedef void worker_call_fn(struct ws_router *router, uint16_t worker, void *argument);

struct worker_call {
	worker_call_fn *function;
	void *argument;
};

/* Main thread: returns once all workers have executed the call. While they are not running, the
 * main thread executes it for them. */
void workers_call(struct ws_router *router, worker_call_fn *function, void *argument);
/* On a worker that sees a call, between two walks. */
void worker_answer(struct ws_router *router, uint16_t worker);
