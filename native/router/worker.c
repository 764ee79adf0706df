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

enum { ICMP_BURST_MS = 100 };

static int make_worker(struct ws_router *router, uint16_t index, const char *const *interfaces)
{
	static const char *const sources[] = {"dpdk-input"};
	char why[160];
	struct router_worker *worker = rte_zmalloc("worker", sizeof(*worker), RTE_CACHE_LINE_SIZE);
	if (!worker)
		return fail(-ENOMEM, "no memory for worker %u", index);
	router->workers[index] = worker;
	worker->icmp.ticks_per_token = router->tsc_hz / router->config.icmp_rate_pps;
	worker->icmp.capacity_ticks =
		RTE_MAX(router->tsc_hz / 1000 * ICMP_BURST_MS, worker->icmp.ticks_per_token);
	struct graph_config config = {
		.sources = sources,
		.source_count = 1,
		.interfaces = interfaces,
		.interface_count = router->interface_count,
		.march = ws_march(),
		.worker = index,
		.app = router,
	};
	worker->graph = graph_create(&config, why, sizeof(why));
	return worker->graph ? 0 : fail(-EINVAL, "the router's graph cannot be made: %s", why);
}

int router_make_workers(struct ws_router *router)
{
	const char *interfaces[WS_MAX_PORTS];
	int error = 0;
	for (uint16_t i = 0; i < router->interface_count; i++)
		interfaces[i] = port_name(i);
	for (uint16_t i = 0; i < router->worker_count && !error; i++)
		error = make_worker(router, i, interfaces);
	return error;
}

void router_free_workers(struct ws_router *router)
{
	for (uint16_t i = 0; i < router->worker_count; i++) {
		if (!router->workers[i])
			continue;
		graph_destroy(router->workers[i]->graph);
		trace_free(router->workers[i]);
		rte_free(router->workers[i]);
	}
}

/* ---- Queues ---- */

static int check_queue(const struct ws_router *router, uint16_t index, uint16_t queue)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	return queue < port_rx_queues(index)
			   ? 0
			   : fail(-ENOENT, "interface %s has no RX queue %u; it has %u", port_name(index),
					  queue, port_rx_queues(index));
}

int ws_router_set_placement(struct ws_router *router, uint16_t index, uint16_t queue,
							uint16_t worker)
{
	if (check_queue(router, index, queue))
		return -ENODEV;
	if (worker >= router->worker_count)
		return fail(-ENOENT, "there is no worker %u; there are %u", worker, router->worker_count);
	if (router->running)
		return fail(-EBUSY, "queues move only while the router is stopped");
	router->placement[index][queue] = (uint8_t)worker;
	return 0;
}

int ws_router_placement(struct ws_router *router, uint16_t index, uint16_t queue)
{
	return check_queue(router, index, queue) ? -ENODEV : router->placement[index][queue];
}

static void place_queues(struct ws_router *router)
{
	for (uint16_t i = 0; i < router->worker_count; i++)
		router->workers[i]->queue_count = 0;
	for (uint16_t port = 0; port < router->interface_count; port++)
		for (uint16_t queue = 0; queue < port_rx_queues(port); queue++) {
			struct router_worker *worker = router->workers[router->placement[port][queue]];
			worker->queues[worker->queue_count++] = (struct rx_queue){port, queue};
		}
}

/* ---- Running ---- */

static void run(uint16_t index, void *argument)
{
	struct ws_router *router = argument;
	struct router_worker *worker = router->workers[index];
	rcu_online(index);
	while (!workers_stopping) {
		graph_walk(worker->graph);
		rcu_quiescent(index);
		worker_set_loops(index, ++worker->loops);
	}
	rcu_offline(index);
}

int ws_router_start(struct ws_router *router)
{
	if (router->running)
		return fail(-EALREADY, "the router runs already");
	for (uint16_t port = 0; port < router->interface_count; port++)
		if (port_tx_queues(port) < router->worker_count)
			return fail(-EINVAL, "interface %s has %u TX queues for %u workers; use fewer workers",
						port_name(port), port_tx_queues(port), router->worker_count);
	place_queues(router);
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
	for (uint16_t i = 0; i < graph->node_count && i < max; i++) {
		const struct graph_node *node = graph->nodes[i];
		out[i] = (struct ws_node_stats){
			.state = node->registration->is_source ? WS_NODE_POLLING : WS_NODE_ACTIVE,
			.calls = node->stats.calls,
			.vectors = node->stats.vectors,
			.suspends = node->stats.suspends,
			.clocks = node->stats.clocks,
			.max_clocks = node->stats.max_clocks,
			.max_clocks_vectors = node->stats.max_clocks_vectors,
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
	const struct router_worker *w = router->workers[worker];
	*out = (struct ws_router_totals){w->rx_packets, w->tx_packets, w->drops, w->punts, w->loops};
	return 0;
}
