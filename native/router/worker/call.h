/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that each worker runs itself between two walks while the others go on. */
#pragma once

#include <stdint.h>

struct ws_router;

typedef void worker_call_fn(struct ws_router *router, uint16_t worker, void *argument);

struct worker_call {
	worker_call_fn *function;
	void *argument;
};

/* Main thread: returns once all have done it. Where they do not run it does so for them. */
void workers_call(struct ws_router *router, worker_call_fn *function, void *argument);
/* On a worker that sees a call, between two walks. */
void worker_answer(struct ws_router *router, uint16_t worker);
