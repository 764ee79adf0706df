/* SPDX-License-Identifier: Apache-2.0 */
/* A worker's turns: a walk of its graph, or the sleep after one. */
#include "dev/port.h"
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

/* ---- Windows of the pace */

static void set_intervals(struct router_worker *worker, uint64_t ticks)
{
	for (uint16_t i = 0; i < worker->queue_count; i++) {
		struct rx_queue *queue = &worker->queues[i];
		uint32_t slots = worker->pace.is_on ? port_shared_slots(queue->port, queue->queue) : 0;
		queue->interval =
			slots ? pace_interval(&worker->pace, queue->received, ticks, slots, worker->queue_count)
				  : 0;
	}
}

void pace_end_window(struct router_worker *worker)
{
	struct pace *pace = &worker->pace;
	const struct worker_counts *totals = worker->totals;
	const struct pace_window window = {
		.ticks = totals->clocks - pace->clocks,
		.idle = totals->idle_clocks - pace->idle,
		.packets = totals->rx_packets - pace->packets,
		.walks = pace->walks,
	};
	pace_decide(pace, &window);
	set_intervals(worker, window.ticks);
	for (uint16_t i = 0; i < worker->queue_count; i++)
		worker->queues[i].received = 0;
	pace->window_ends = worker->graph->walk_began + pace->window_ticks;
	pace->walks = 0;
	pace->clocks = totals->clocks;
	pace->idle = totals->idle_clocks;
	pace->packets = totals->rx_packets;
}

uint64_t pace_due(const struct router_worker *worker)
{
	uint64_t due = worker->queue_count ? UINT64_MAX : 0;
	for (uint16_t i = 0; i < worker->queue_count; i++)
		due = RTE_MIN(due, worker->queues[i].next_look);
	return due;
}
