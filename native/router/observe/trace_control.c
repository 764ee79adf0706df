/* SPDX-License-Identifier: Apache-2.0 */
/* Starting, reading and clearing of traces by the main thread. */
#include "dev/error.h"
#include "router/observe/observe.h"
#include "router/observe/trace.h"
#include "router/observe/trace_state.h"
#include "wirespeed/trace.h"

#include <errno.h>
#include <rte_malloc.h>
#include <stdlib.h>
#include <string.h>

static int create_trace(struct router_worker *worker)
{
	worker->trace = rte_zmalloc("trace", sizeof(*worker->trace), RTE_CACHE_LINE_SIZE);
	return worker->trace ? 0 : fail(-ENOMEM, "no memory for a trace of %d steps", TRACE_STEPS);
}

void trace_free(struct router_worker *worker)
{
	rte_free(worker->trace);
	worker->trace = NULL;
}

void trace_carry_over(struct router_worker *worker, struct graph *graph, struct graph *old)
{
	uint32_t remaining[GRAPH_MAX_NODES] = {0};
	for (uint16_t i = 0; worker->trace && i < graph->node_count; i++) {
		const struct graph_node *before = graph_node(old, graph->nodes[i]->name);
		remaining[i] = before ? worker->trace->remaining[before->index] : 0;
	}
	if (worker->trace)
		memcpy(worker->trace->remaining, remaining, sizeof(remaining));
	graph_set_trace(graph, old->trace);
}

int ws_router_trace_add(struct ws_router *router, const char *node, uint32_t count)
{
	int error = 0;
	if (!graph_node(router->workers[0]->graph, node))
		return fail(-ENOENT, "there is no node %s; show runtime lists them", node);
	observe_pause(router);
	for (uint16_t i = 0; i < router->worker_count && !error; i++) {
		struct router_worker *worker = router->workers[i];
		if (!worker->trace)
			error = create_trace(worker);
		if (!error)
			worker->trace->remaining[graph_node(worker->graph, node)->index] += count;
	}
	observe_resume(router);
	return error;
}

int ws_router_trace(struct ws_router *router, uint16_t worker, uint64_t start,
					struct ws_trace_step *out, uint32_t max)
{
	if (worker >= router->worker_count)
		return fail(-ENOENT, "there is no worker %u; there are %u", worker, router->worker_count);
	const struct trace *trace = router->workers[worker]->trace;
	uint64_t count = trace ? __atomic_load_n(&trace->count, __ATOMIC_ACQUIRE) : 0;
	if (start >= count)
		return 0;
	uint32_t n = (uint32_t)RTE_MIN(count - start, (uint64_t)max);
	memcpy(out, &trace->steps[start], n * sizeof(*out));
	return (int)n;
}

void ws_router_trace_clear(struct ws_router *router)
{
	observe_pause(router);
	for (uint16_t i = 0; i < router->worker_count; i++)
		trace_free(router->workers[i]);
	observe_resume(router);
}

int ws_router_trace_filter(struct ws_router *router, const struct ws_prefix *prefix)
{
	struct trace_filter *filter = prefix ? malloc(sizeof(*filter)) : NULL;
	if (prefix && !filter)
		return fail(-ENOMEM, "no memory for a filter");
	if (filter)
		filter->prefix = *prefix;
	observe_pause(router);
	free(trace_filter_of(router));
	module_set_state(router, &trace_module, filter);
	observe_resume(router);
	return 0;
}
