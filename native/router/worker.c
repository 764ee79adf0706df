/* SPDX-License-Identifier: Apache-2.0 */
/* Workers: their graphs, their queues, their loop, and reading their statistics. */
#include "dev/worker.h"

#include "dev/error.h"
#include "dev/port.h"
#include "dev/rcu.h"
#include "router/router.h"
#include "router/trace.h"

#include <errno.h>
#include <rte_malloc.h>
#include <stdio.h>
#include <time.h>

enum { ICMP_BURST_MS = 100 };

static struct graph *make_graph(struct ws_router *router, uint16_t worker)
{
	static const char *const all[] = {"handoff-dispatch", "main-input", "recirculate",
									  "dpdk-input"};
	/* The first only where packets are handed off. */
	uint16_t skipped = !router->handoff_rings[0];
	const char *interfaces[OUTPUTS] = {[OUTPUT_LOOPBACK] = "loopback"};
	char why[160];
	for (int port = 0; port < WS_MAX_PORTS; port++)
		if (*interface_name(router, port))
			interfaces[port] = interface_name(router, port);
	struct graph_config config = {
		.sources = all + skipped,
		.source_count = (uint16_t)(RTE_DIM(all) - skipped),
		.interfaces = interfaces,
		.interface_count = OUTPUTS,
		.absent = "error-drop",
		.march = ws_march(),
		.worker = worker,
		.app = router,
	};
	struct graph *graph = graph_create(&config, why, sizeof(why));
	if (!graph)
		fail(-EINVAL, "the router's graph cannot be made: %s", why);
	return graph;
}

static int make_worker(struct ws_router *router, uint16_t index)
{
	struct router_worker *worker = rte_zmalloc("worker", sizeof(*worker), RTE_CACHE_LINE_SIZE);
	if (!worker)
		return fail(-ENOMEM, "no memory for worker %u", index);
	router->workers[index] = worker;
	worker->rest.epoll = -1;
	worker->icmp.ticks_per_token = router->tsc_hz / router->config.icmp_rate_pps;
	worker->icmp.capacity_ticks =
		RTE_MAX(router->tsc_hz / 1000 * ICMP_BURST_MS, worker->icmp.ticks_per_token);
	worker->graph = make_graph(router, index);
	return worker->graph ? stats_block_adopt(router, index) : -EINVAL;
}

int router_make_workers(struct ws_router *router)
{
	int error = 0;
	for (uint16_t i = 0; i < router->worker_count && !error; i++)
		error = make_worker(router, i);
	return error;
}

int router_remake_graphs(struct ws_router *router)
{
	struct graph *graphs[WS_MAX_WORKERS] = {0};
	int error = 0;
	for (uint16_t i = 0; i < router->worker_count && !error; i++) {
		graphs[i] = make_graph(router, i);
		error = graphs[i] ? stats_block_check(graphs[i]) : -EINVAL;
	}
	if (!error) {
		router_pause(router);
		for (uint16_t i = 0; i < router->worker_count; i++) {
			struct graph *old = router->workers[i]->graph;
			graph_carry_over(graphs[i], old);
			trace_carry_over(router->workers[i], graphs[i], old);
			router->workers[i]->graph = graphs[i];
			stats_block_adopt(router, i);
			graphs[i] = old;
		}
		router_resume(router);
		stats_block_update(router);
	}
	for (uint16_t i = 0; i < router->worker_count; i++)
		graph_destroy(graphs[i]);
	return error;
}

static void drop_copies(struct router_worker *worker)
{
	struct recirculate_queue *queue = &worker->recirculate;
	for (; queue->head != queue->tail; queue->head++) {
		rte_pktmbuf_free(queue->slots[queue->head % RECIRCULATE_SLOTS].packet);
		worker->totals->drops++;
	}
}

void router_free_workers(struct ws_router *router)
{
	for (uint16_t i = 0; i < router->worker_count; i++) {
		if (!router->workers[i])
			continue;
		drop_copies(router->workers[i]);
		graph_destroy(router->workers[i]->graph);
		trace_free(router->workers[i]);
		rest_close(router->workers[i]);
		rte_free(router->workers[i]);
	}
}

void router_flush_copies(struct ws_router *router)
{
	router_pause(router);
	for (uint16_t i = 0; i < router->worker_count; i++)
		drop_copies(router->workers[i]);
	router_resume(router);
}

/* ---- Running ---- */

enum { NAP_NS = 20000 };

static void nap(void)
{
	const struct timespec time = {.tv_nsec = NAP_NS};
	nanosleep(&time, NULL);
}

static void park(struct ws_router *router, uint16_t index)
{
	rcu_offline(index);
	__atomic_add_fetch(&router->parked, 1, __ATOMIC_ACQ_REL);
	while (router->paused && !workers_stopping)
		nap();
	__atomic_sub_fetch(&router->parked, 1, __ATOMIC_ACQ_REL);
	rcu_online(index);
}

void router_pause(struct ws_router *router)
{
	if (router->pause_depth++ || !router->running)
		return;
	router->paused = true;
	workers_wake();
	while (__atomic_load_n(&router->parked, __ATOMIC_ACQUIRE) < router->worker_count)
		nap();
}

/* All are out of their waiting before this returns, so that the next pause counts afresh. */
void router_resume(struct ws_router *router)
{
	if (--router->pause_depth)
		return;
	router->paused = false;
	while (__atomic_load_n(&router->parked, __ATOMIC_ACQUIRE))
		nap();
}

static void run(uint16_t index, void *argument)
{
	struct ws_router *router = argument;
	struct router_worker *worker = router->workers[index];
	rcu_online(index);
	rest_begin();
	while (!workers_stopping) {
		if (unlikely(router->paused))
			park(router, index);
		uint32_t received = graph_walk(worker->graph);
		rcu_quiescent(index);
		worker_set_loops(index, ++worker->totals->loops);
		if (received) {
			worker->rest.idle_since = 0;
			worker->rest.is_asleep = false;
		} else if (worker->rest.mode != REST_NEVER) {
			rest(router, index);
		}
	}
	rcu_offline(index);
}

int ws_router_start(struct ws_router *router)
{
	if (router->running)
		return fail(-EALREADY, "the router runs already");
	router_place_queues(router);
	int error = workers_launch(run, router);
	router->running = !error;
	return error;
}

void ws_router_stop(struct ws_router *router)
{
	if (router->running)
		workers_stop();
	router->running = false;
}

/* ---- Statistics ---- */

/* A worker that sees an old maximum at this moment writes one of about now. */
void ws_router_clear_maxima(struct ws_router *router)
{
	for (uint16_t i = 0; i < router->worker_count; i++)
		for (uint16_t n = 0; n < router->workers[i]->graph->node_count; n++)
			router->workers[i]->graph->nodes[n]->stats->max_clocks = 0;
}

static struct graph *graph_of(struct ws_router *router, uint16_t worker)
{
	if (worker < router->worker_count)
		return router->workers[worker]->graph;
	fail(-ENOENT, "there is no worker %u; there are %u", worker, router->worker_count);
	return NULL;
}

int ws_router_node_stats(struct ws_router *router, uint16_t worker, struct ws_node_stats *out,
						 uint32_t max)
{
	const struct graph *graph = graph_of(router, worker);
	if (!graph)
		return -ENOENT;
	bool is_asleep = router->workers[worker]->rest.is_asleep;
	for (uint16_t i = 0; i < graph->node_count && i < max; i++) {
		const struct graph_node *node = graph->nodes[i];
		out[i] = (struct ws_node_stats){
			.state = !node->registration->is_source ? WS_NODE_ACTIVE
					 : is_asleep                    ? WS_NODE_INTERRUPT
													: WS_NODE_POLLING,
			.calls = node->stats->calls,
			.vectors = node->stats->vectors,
			.suspends = node->stats->suspends,
			.clocks = node->stats->clocks,
			.max_clocks = node->stats->max_clocks,
			.max_clocks_vectors = node->stats->max_clocks_vectors,
		};
		snprintf(out[i].name, sizeof(out[i].name), "%s", node->name);
	}
	return graph->node_count;
}

int ws_router_node_counters(struct ws_router *router, uint16_t worker, struct ws_node_counter *out,
							uint32_t max)
{
	const struct graph *graph = graph_of(router, worker);
	uint32_t n = 0;
	if (!graph)
		return -ENOENT;
	for (uint16_t i = 0; i < graph->node_count; i++) {
		const struct graph_node *node = graph->nodes[i];
		for (uint16_t c = 0; c < node->registration->counter_count; c++, n++) {
			const struct graph_counter *counter = &node->registration->counters[c];
			if (n >= max)
				continue;
			out[n] =
				(struct ws_node_counter){.is_error = counter->is_error, .count = node->counters[c]};
			snprintf(out[n].node, sizeof(out[n].node), "%s", node->name);
			snprintf(out[n].reason, sizeof(out[n].reason), "%s", counter->name);
		}
	}
	return (int)n;
}

int ws_router_totals(struct ws_router *router, uint16_t worker, struct ws_router_totals *out)
{
	if (!graph_of(router, worker))
		return -ENOENT;
	const struct worker_counts *counts = router->workers[worker]->totals;
	*out = (struct ws_router_totals){counts->rx_packets, counts->tx_packets, counts->drops,
									 counts->punts,      counts->loops,      counts->sleeps,
									 counts->made};
	return 0;
}
