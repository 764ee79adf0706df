/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of a worker. */
#include "dev/error.h"
#include "dev/rcu.h"
#include "dev/worker.h"
#include "router/router.h"
#include "router/worker/call.h"
#include "wire/own_count.h"
#include "wirespeed/router.h"

#include <errno.h>
#include <rte_pause.h>
#include <rte_ring.h>

/* By powers of two, as readers expect: each bin counts vectors of at most its size. */
static void count_vector(struct router_worker *worker, uint32_t received)
{
	own_count_add(&worker->vector_sizes[31 - __builtin_clz(2 * received - 1)], 1);
}

/*
 * Walk the packets that nodes made in the last walk before anything else. They refer to objects
 * that the main thread may free once this worker is quiescent, asleep, paused or stopped. The loop
 * ends, since hops are limited and no packet makes others forever.
 */
static __attribute__((noinline)) void walk_what_was_made(struct router_worker *worker)
{
	enum { RECIRCULATE_ALONE = 1 }; /* the first source */
	while (!recirculate_is_empty(&worker->recirculate)) {
		graph_walk_from(worker->graph, RECIRCULATE_ALONE);
		worker_end_turn(worker, worker->graph->walk_began, false);
	}
}

static inline void send_what_waits(struct ws_router *router, struct router_worker *worker)
{
	if (unlikely(worker->hold.count))
		hold_look(router, worker, graph_tsc());
	if (unlikely(!recirculate_is_empty(&worker->recirculate)))
		walk_what_was_made(worker);
}

/* True if the worker has no work until a queue is due or the main thread calls. */
static bool may_wait(const struct ws_router *router, uint16_t index)
{
	const struct router_worker *worker = router->workers[index];
	return !worker->is_holding && !worker->hold.count && !worker->rest.is_handed &&
		   !__atomic_load_n(&worker->call, __ATOMIC_RELAXED) && !router_is_paused(router) &&
		   !workers_are_stopping() && (index || rte_ring_empty(router->main_input));
}

/* Paced: wait until a queue is due. This time is a turn of its own, in which the worker was idle;
 * true if it waited. */
static __attribute__((noinline)) bool wait_for_more(const struct ws_router *router, uint16_t index,
													bool was_idle)
{
	struct router_worker *worker = router->workers[index];
	uint64_t due = pace_due(worker), now = graph_tsc();
	if (now >= due || !may_wait(router, index))
		return false;
	worker_end_turn(worker, now, was_idle);
	do
		rte_pause();
	while (graph_tsc() < due && may_wait(router, index));
	return true;
}

static void walk_as_worker(uint16_t index, void *argument)
{
	struct ws_router *router = argument;
	struct router_worker *worker = router->workers[index];
	rcu_online(index);
	rest_begin();
	worker->turn_began = graph_tsc();
	preemption_begin(&worker->watch, worker->turn_began);
	bool idle = true;
	while (!workers_are_stopping()) {
		if (unlikely(router_is_paused(router))) {
			router_park(router, index);
			send_what_waits(router, worker);
		}
		if (unlikely(__atomic_load_n(&worker->call, __ATOMIC_RELAXED) != NULL))
			worker_answer(router, index);
		if (unlikely(worker->pace.is_on))
			idle |= wait_for_more(router, index, idle);
		uint32_t received = graph_walk(worker->graph);
		worker_end_turn(worker, worker->graph->walk_began, idle);
		idle = !received;
		send_what_waits(router, worker);
		if (unlikely(worker->graph->walk_began >= worker->pace.window_ends))
			pace_end_window(worker);
		rcu_quiescent(index);
		own_count_add(&worker->totals->loops, 1);
		worker_set_loops(index, worker->totals->loops);
		if (received) {
			count_vector(worker, received);
			worker->pace.walks++;
			worker->rest.idle_since = 0;
			__atomic_store_n(&worker->rest.is_asleep, false, __ATOMIC_RELAXED);
		} else if (worker->rest.mode != REST_NEVER && !worker->is_holding) {
			rest(router, index);
		}
	}
	rcu_offline(index);
}

int ws_router_start(struct ws_router *router)
{
	if (router->running)
		return fail(-EALREADY, "the router already runs");
	router_place_queues(router);
	int error = workers_launch(walk_as_worker, router);
	router->running = !error;
	return error;
}

void ws_router_stop(struct ws_router *router)
{
	if (router->running)
		workers_stop();
	router->running = false;
}
