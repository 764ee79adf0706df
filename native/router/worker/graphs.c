/* SPDX-License-Identifier: Apache-2.0 */
/* The graphs of the workers: made at the start and after changes of ports and features, and freed.
 */
#include "dev/error.h"
#include "dev/numa.h"
#include "graph/arc.h"
#include "router/interface/interface_settings.h"
#include "router/interface_kind.h"
#include "router/observe/trace.h"
#include "router/worker/call.h"
#include "wire/own_count.h"
#include "wirespeed/router.h"
#include "wirespeed/runtime.h"

#include <errno.h>
#include <rte_malloc.h>

enum { ICMP_BURST_MS = 100 };

enum { MAX_SOURCES = 16 };

static bool is_among(const char *const *names, uint16_t count, const char *name)
{
	for (uint16_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* The order matters: "recirculate" must be source 0, which walks alone (run.c); sources that make
 * or hold packets come before reception. */
static uint16_t list_sources(const struct ws_router *router, const char **sources)
{
	uint16_t count = 0;
	sources[count++] = "recirculate";
	if (router->handoff_rings[0])
		sources[count++] = "handoff-dispatch";
	sources[count++] = "main-input";
	for (uint16_t i = 0; i < router->features.count; i++) {
		const struct graph_feature *feature = graph_feature(router->features.on[i].node);
		if (feature && feature->source && count < MAX_SOURCES - 1 &&
			!is_among(sources, count, feature->source))
			sources[count++] = feature->source;
	}
	sources[count++] = "dpdk-input";
	return count;
}

static struct graph *make_graph(struct ws_router *router, uint16_t worker, uint16_t leaving)
{
	const char *sources[MAX_SOURCES];
	const char *interfaces[OUTPUTS] = {NULL};
	char why[160];
	interface_outputs(interfaces);
	for (int port = 0; port < WS_MAX_PORTS; port++)
		if (port != leaving && *interface_name(router, port))
			interfaces[port] = interface_name(router, port);
	struct graph_config config = {
		.sources = sources,
		.source_count = list_sources(router, sources),
		.interfaces = interfaces,
		.interface_count = OUTPUTS,
		.template_count = WS_MAX_PORTS,
		.absent = "error-drop",
		.features = router->features.on,
		.feature_count = router->features.count,
		.march = ws_march(),
		.worker = worker,
		.check = trace_check,
		.app = router,
	};
	numa_for_worker(worker);
	struct graph *graph = graph_create(&config, why, sizeof(why));
	numa_for_all();
	if (!graph)
		fail(-EINVAL, "the router's graph cannot be made: %s", why);
	return graph;
}

static int make_worker(struct ws_router *router, uint16_t index)
{
	numa_for_worker(index);
	struct router_worker *worker =
		rte_zmalloc_socket("worker", sizeof(*worker), RTE_CACHE_LINE_SIZE, numa_node());
	numa_for_all();
	if (!worker)
		return fail(-ENOMEM, "no memory for worker %u", index);
	router->workers[index] = worker;
	worker->rest.epoll = -1;
	worker->watch = preemption_watch_make(router->tsc_hz);
	worker->pace = pace_make(router->tsc_hz, router->config->polls_eagerly);
	worker->icmp.ticks_per_token = router->tsc_hz / router->config->icmp_rate_pps;
	worker->icmp.capacity_ticks =
		RTE_MAX(router->tsc_hz / 1000 * ICMP_BURST_MS, worker->icmp.ticks_per_token);
	/* All workers share the seed, so that the main thread finds a host in any worker's table. */
	glean_throttle_init(&worker->glean, router->glean_seed, router->tsc_hz);
	worker->totals = &router->stats.memory->threads[index + 1].totals;
	worker->interfaces = &router->stats.memory->threads[index + 1].interfaces;
	worker->vector_sizes = &router->stats.memory->threads[index + 1].vector_sizes[0];
	worker->routes_to = stats_forwarding_of(&router->stats, STATS_ROUTE_TO, index + 1);
	worker->routes_via = stats_forwarding_of(&router->stats, STATS_ROUTE_VIA, index + 1);
	worker->adjacencies = stats_forwarding_of(&router->stats, STATS_ADJACENCY, index + 1);
	worker->graph = make_graph(router, index, NO_PORT);
	return worker->graph ? stats_adopt_graph(router, index, worker->graph) : -EINVAL;
}

int router_make_workers(struct ws_router *router)
{
	int error = 0;
	for (uint16_t i = 0; i < router->worker_count && !error; i++)
		error = make_worker(router, i);
	if (!error)
		stats_follow_graphs(router);
	return error;
}

static void free_graphs(struct graph_set *set)
{
	for (uint16_t i = 0; i < (uint16_t)WS_MAX_WORKERS; i++)
		graph_destroy(set->of[i]);
	*set = (struct graph_set){0};
}

int graphs_make(struct ws_router *router, uint16_t leaving, struct graph_set *set)
{
	int error = 0;
	*set = (struct graph_set){0};
	for (uint16_t i = 0; i < router->worker_count && !error; i++) {
		set->of[i] = make_graph(router, i, leaving);
		error = set->of[i] ? stats_adopt_graph(router, i, set->of[i]) : -EINVAL;
	}
	if (error) {
		free_graphs(set);
		stats_forget_graphs(router);
	}
	return error;
}

/* On the worker. The set takes the old graph. */
static void take_graph(struct ws_router *router, uint16_t index, void *argument)
{
	struct graph_set *set = argument;
	struct router_worker *worker = router->workers[index];
	struct graph *old = worker->graph;
	trace_carry_over(worker, set->of[index], old);
	worker->graph = set->of[index];
	set->of[index] = old;
}

void graphs_swap(struct ws_router *router, struct graph_set *set)
{
	workers_call(router, take_graph, set);
	stats_follow_graphs(router);
	free_graphs(set);
}

int router_remake_graphs(struct ws_router *router)
{
	struct graph_set set;
	int error = graphs_make(router, NO_PORT, &set);
	if (!error)
		graphs_swap(router, &set);
	return error;
}

static void drop_copies(struct router_worker *worker)
{
	struct recirculate_queue *queue = &worker->recirculate;
	for (; queue->head != queue->tail; queue->head++) {
		rte_pktmbuf_free(queue->slots[queue->head % RECIRCULATE_SLOTS].packet);
		own_count_add(&worker->totals->drops, 1);
	}
}

void router_free_workers(struct ws_router *router)
{
	for (uint16_t i = 0; i < router->worker_count; i++) {
		if (!router->workers[i])
			continue;
		drop_copies(router->workers[i]);
		hold_close(router->workers[i]);
		graph_destroy(router->workers[i]->graph);
		trace_free(router->workers[i]);
		rest_close(router->workers[i]);
		rte_free(router->workers[i]);
	}
}
