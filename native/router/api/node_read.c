/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the counters of a worker's nodes, and of the worker. */
#include "dev/error.h"
#include "graph/arc.h"
#include "router/router.h"
#include "router/worker/call.h"
#include "wire/own_count.h"
#include "wirespeed/nodes.h"

#include <errno.h>
#include <stdio.h>

static void clear_maxima(struct ws_router *router, uint16_t worker, void *unused)
{
	(void)unused;
	for (uint16_t n = 0; n < GRAPH_MAX_SLOTS; n++)
		own_count_set(&router->workers[worker]->graph->counts->maxima[n].clocks, 0);
}

/* Runs on the workers, which read these values without atomics. */
void ws_router_clear_maxima(struct ws_router *router)
{
	workers_call(router, clear_maxima, NULL);
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
	bool is_asleep = __atomic_load_n(&router->workers[worker]->rest.is_asleep, __ATOMIC_RELAXED);
	for (uint16_t i = 0; i < graph->node_count && i < max; i++) {
		const struct graph_node *node = graph->nodes[i];
		struct graph_stats stats = graph_stats(graph, node);
		out[i] = (struct ws_node_stats){
			.state = !node->registration->is_source ? WS_NODE_ACTIVE
					 : is_asleep                    ? WS_NODE_INTERRUPT
													: WS_NODE_POLLING,
			.calls = stats.calls,
			.vectors = stats.vectors,
			.suspends = stats.suspends,
			.clocks = stats.clocks,
			.max_clocks = stats.max_clocks,
			.max_clocks_vectors = stats.max_clocks_vectors,
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
			out[n] = (struct ws_node_counter){.is_error = counter->is_error,
											  .count = own_count_read(&node->counters[c])};
			snprintf(out[n].node, sizeof(out[n].node), "%s", node->name);
			snprintf(out[n].reason, sizeof(out[n].reason), "%s", counter->name);
		}
	}
	return (int)n;
}

static bool is_first_to(const struct graph_node *node, uint16_t edge)
{
	for (uint16_t i = 0; i < edge; i++)
		if (node->edges[i] == node->edges[edge])
			return false;
	return true;
}

int ws_router_node_edges(struct ws_router *router, uint16_t worker, struct ws_node_edge *out,
						 uint32_t max)
{
	const struct graph *graph = graph_of(router, worker);
	uint32_t n = 0;
	if (!graph)
		return -ENOENT;
	for (uint16_t i = 0; i < graph->node_count; i++) {
		const struct graph_node *node = graph->nodes[i];
		for (uint16_t e = 0; e < node->edge_count; e++) {
			if (!is_first_to(node, e) || n++ >= max)
				continue;
			struct ws_node_edge *edge = &out[n - 1];
			edge->slot = e;
			snprintf(edge->node, sizeof(edge->node), "%s", node->name);
			snprintf(edge->next, sizeof(edge->next), "%s", node->edges[e]->name);
		}
	}
	return (int)n;
}

int ws_router_features(struct ws_router *router, struct ws_feature *out, uint32_t max)
{
	const struct graph_feature *features[GRAPH_ARC_MAX_FEATURES];
	uint32_t n = 0;
	(void)router;
	for (const struct graph_arc *arc = NULL; (arc = graph_arc_after(arc));) {
		int count = graph_arc_features(arc, features);
		for (int i = 0; i < (count > 0 ? count : 1); i++) {
			if (n++ >= max)
				continue;
			snprintf(out[n - 1].arc, sizeof(out->arc), "%s", arc->name);
			snprintf(out[n - 1].node, sizeof(out->node), "%s", count > 0 ? features[i]->node : "");
		}
	}
	return (int)n;
}

int ws_router_totals(struct ws_router *router, uint16_t worker, struct ws_router_totals *out)
{
	if (!graph_of(router, worker))
		return -ENOENT;
	const struct worker_counts *counts = router->workers[worker]->totals;
	*out = (struct ws_router_totals){
		.rx_packets = own_count_read(&counts->rx_packets),
		.tx_packets = own_count_read(&counts->tx_packets),
		.drops = own_count_read(&counts->drops),
		.punts = own_count_read(&counts->punts),
		.loops = own_count_read(&counts->loops),
		.sleeps = own_count_read(&counts->sleeps),
		.made = own_count_read(&counts->made),
		.held = __atomic_load_n(&router->workers[worker]->hold.count, __ATOMIC_RELAXED),
	};
	return 0;
}
