/* SPDX-License-Identifier: Apache-2.0 */
#include "router/worker/rest.h"

#include "dev/bell.h"
#include "dev/port.h"
#include "dev/rcu.h"
#include "dev/worker.h"
#include "router/router.h"
#include "wire/own_count.h"

#include <rte_interrupts.h>
#include <rte_ring.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
	PATIENCE_US = 100, /* without packets: before the first nap, after an interrupt */
	SHORTEST_NAP_US = 20,
	LONGEST_NAP_US = 1000,
	/* Limit for a missed interrupt. */
	LONGEST_WAIT_MS = 10,
	HOLDING_WAIT_MS = 1, /* while packets are held, whose next hop may be resolved */
	FOR_EVER = -1,
	MAX_EVENTS = 16,
};

void rest_begin(void)
{
	/* Otherwise naps are 50 microseconds longer than requested. */
	prctl(PR_SET_TIMERSLACK, 1);
}

static struct rte_epoll_event bell_events[WS_MAX_WORKERS];

void rest_close(struct router_worker *worker)
{
	struct rest *rest = &worker->rest;
	for (uint16_t i = 0; i < worker->queue_count && rest->epoll >= 0; i++)
		port_ignore(worker->queues[i].port, worker->queues[i].queue, rest->epoll, 0);
	if (rest->epoll >= 0)
		close(rest->epoll);
	rest->epoll = -1;
}

static int listen_to_queue(struct rest *rest, const struct rx_queue *queue, uint16_t worker)
{
	rest->has_interrupts |= !port_rings_bell(queue->port);
	return port_listen(queue->port, queue->queue, rest->epoll, worker);
}

void rest_prepare(struct ws_router *router, uint16_t index)
{
	struct router_worker *worker = router->workers[index];
	struct rest *rest = &worker->rest;
	rest->idle_since = 0;
	rest->has_interrupts = false;
	__atomic_store_n(&rest->is_asleep, false, __ATOMIC_RELAXED);
	/* There is no interrupt for packets in a ring between workers. */
	if (rest->mode == REST_NEVER || rest->is_handed)
		return;
	rest->epoll = epoll_create1(EPOLL_CLOEXEC);
	bell_events[index] = (struct rte_epoll_event){.epdata.event = EPOLLIN};
	int error = rest->epoll < 0 || rte_epoll_ctl(rest->epoll, EPOLL_CTL_ADD, worker_bell(index)->fd,
												 &bell_events[index]);
	for (uint16_t i = 0; i < worker->queue_count && !error; i++)
		error = listen_to_queue(rest, &worker->queues[i], index);
	if (error)
		rest_close(worker);
}

static void ask_for_interrupts(const struct router_worker *worker, bool on)
{
	for (uint16_t i = 0; i < worker->queue_count && worker->rest.has_interrupts; i++)
		port_arm(worker->queues[i].port, worker->queues[i].queue, on);
}

/* True for work that rings the bell, or that came before the bell was armed. */
static bool has_work(const struct ws_router *router, uint16_t index)
{
	const struct router_worker *worker = router->workers[index];
	if (router_is_paused(router) || workers_are_stopping() ||
		__atomic_load_n(&worker->call, __ATOMIC_RELAXED) ||
		(!index && !rte_ring_empty(router->main_input)))
		return true;
	for (uint16_t i = 0; i < worker->queue_count; i++)
		if (port_has_packets(worker->queues[i].port, worker->queues[i].queue))
			return true;
	return false;
}

static int longest_wait_ms(const struct router_worker *worker)
{
	if (worker->hold.count)
		return HOLDING_WAIT_MS;
	return worker->rest.has_interrupts ? LONGEST_WAIT_MS : FOR_EVER;
}

/* Sleep until a call; true if an event ended the sleep. */
static bool wait_for_call(const struct ws_router *router, uint16_t index, int most_ms)
{
	const struct router_worker *worker = router->workers[index];
	struct rte_epoll_event events[MAX_EVENTS];
	int count = 1;
	bell_listen(worker_bell(index));
	ask_for_interrupts(worker, true);
	if (!has_work(router, index))
		count = rte_epoll_wait(worker->rest.epoll, events, MAX_EVENTS, most_ms);
	ask_for_interrupts(worker, false);
	bell_ignore(worker_bell(index));
	return count > 0;
}

/* Returns the requested time in microseconds. */
static uint32_t nap_longer(struct rest *rest)
{
	const uint32_t asked_us = rest->nap_us;
	const struct timespec time = {.tv_nsec = asked_us * 1000};
	nanosleep(&time, NULL);
	rest->nap_us = RTE_MIN(asked_us * 2, (uint32_t)LONGEST_NAP_US);
	return asked_us;
}

void rest(struct ws_router *router, uint16_t index)
{
	struct router_worker *worker = router->workers[index];
	struct rest *rest = &worker->rest;
	uint64_t now = graph_tsc();
	if (!rest->idle_since) {
		rest->idle_since = now;
		rest->nap_us = SHORTEST_NAP_US;
	}
	uint64_t patience = router->tsc_hz / 1000000 * PATIENCE_US;
	bool is_patient = rest->mode == REST_WHEN_IDLE || rest->is_called;
	if (is_patient && now - rest->idle_since < patience)
		return;
	__atomic_store_n(&rest->is_asleep, true, __ATOMIC_RELAXED);
	rcu_rest(index);
	const uint64_t ticks_per_us = router->tsc_hz / 1000000;
	uint64_t asked;
	if (rest->epoll >= 0) {
		int most_ms = longest_wait_ms(worker);
		rest->is_called = wait_for_call(router, index, most_ms);
		asked = most_ms == FOR_EVER ? UINT64_MAX : ticks_per_us * 1000 * (uint64_t)most_ms;
	} else {
		rest->is_called = false;
		asked = ticks_per_us * nap_longer(rest);
	}
	rcu_wake(index);
	/* A driver may see the packet a little after its descriptor has become readable. */
	if (rest->is_called)
		rest->idle_since = 0;
	own_count_add(&worker->totals->sleeps, 1);
	worker_has_rested(worker, now, asked);
}
