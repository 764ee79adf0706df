/* SPDX-License-Identifier: Apache-2.0 */
/* A worker's turns: a walk of its graph, or the rest after one. */
#include "router/router.h"
#include "wire/own_count.h"

void worker_end_turn(struct router_worker *worker, uint64_t now, bool idle)
{
	uint64_t ticks = now - worker->turn_began;
	worker->turn_began = now;
	own_count_add(&worker->totals->clocks, ticks);
	own_count_add(&worker->totals->idle_clocks, idle ? ticks : 0);
	preemption_note(&worker->totals->preemption, &worker->watch, ticks, now);
}

void worker_has_rested(struct router_worker *worker, uint64_t since, uint64_t asked)
{
	worker_end_turn(worker, since, true);
	uint64_t now = graph_tsc(), ticks = now - since;
	worker->turn_began = now;
	own_count_add(&worker->totals->clocks, ticks);
	own_count_add(&worker->totals->rest_clocks, ticks);
	preemption_note_sleep(&worker->totals->preemption, &worker->watch, ticks, asked);
	preemption_begin(&worker->watch, now);
}
