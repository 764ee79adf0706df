/* SPDX-License-Identifier: Apache-2.0 */
#include "router/rest.h"

#include "dev/rcu.h"
#include "router/router.h"

#include <rte_ethdev.h>
#include <rte_interrupts.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
	PATIENCE_US = 100, /* without a packet, before the first nap; with none after an interrupt */
	SHORTEST_NAP_US = 20,
	LONGEST_NAP_US = 1000,
	/* How long a worker may overlook that it is asked to pause or stop. */
	LONGEST_WAIT_MS = 10,
	MAX_EVENTS = 16,
};

void rest_begin(void)
{
	/* Else naps are 50 microseconds longer than asked for. */
	prctl(PR_SET_TIMERSLACK, 1);
}

void rest_close(struct router_worker *worker)
{
	struct rest *rest = &worker->rest;
	for (uint16_t i = 0; i < worker->queue_count && rest->epoll >= 0; i++)
		rte_eth_dev_rx_intr_ctl_q(worker->queues[i].port, worker->queues[i].queue, rest->epoll,
								  RTE_INTR_EVENT_DEL, NULL);
	if (rest->epoll >= 0)
		close(rest->epoll);
	rest->epoll = -1;
}

void rest_prepare(struct router_worker *worker)
{
	worker->rest.idle_since = 0;
	/* Nothing tells of a packet in a ring. */
	if (worker->rest.mode == REST_NEVER || !worker->queue_count || worker->rest.is_handed)
		return;
	int epoll = worker->rest.epoll = epoll_create1(EPOLL_CLOEXEC);
	for (uint16_t i = 0; i < worker->queue_count && epoll >= 0; i++) {
		const struct rx_queue *queue = &worker->queues[i];
		if (rte_eth_dev_rx_intr_ctl_q(queue->port, queue->queue, epoll, RTE_INTR_EVENT_ADD, NULL)) {
			rest_close(worker);
			return;
		}
	}
}

/* Drivers whose descriptor stays readable while there are packets need not be told. */
static void ask_for_interrupts(const struct router_worker *worker, bool on)
{
	for (uint16_t i = 0; i < worker->queue_count; i++)
		if (on)
			rte_eth_dev_rx_intr_enable(worker->queues[i].port, worker->queues[i].queue);
		else
			rte_eth_dev_rx_intr_disable(worker->queues[i].port, worker->queues[i].queue);
}

/* Whether there was one. */
static bool wait_for_interrupts(const struct router_worker *worker)
{
	struct rte_epoll_event events[MAX_EVENTS];
	ask_for_interrupts(worker, true);
	int count = rte_epoll_wait(worker->rest.epoll, events, MAX_EVENTS, LONGEST_WAIT_MS);
	ask_for_interrupts(worker, false);
	return count > 0;
}

static void nap(struct rest *rest)
{
	const struct timespec time = {.tv_nsec = rest->nap_us * 1000};
	nanosleep(&time, NULL);
	rest->nap_us = RTE_MIN(rest->nap_us * 2, (uint32_t)LONGEST_NAP_US);
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
	rcu_rest(index);
	rest->is_called = rest->epoll >= 0 && wait_for_interrupts(worker);
	if (rest->epoll < 0)
		nap(rest);
	rcu_wake(index);
	/* A driver may see the packet a little after its descriptor tells of it. */
	if (rest->is_called)
		rest->idle_since = 0;
	worker->totals->sleeps++;
}
