/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sflow: samples of what ports receive; passes all packets on as they are.
 *
 * A feature of the arc device-input. Uses: mbuf->port. Next: ethernet-input.
 */
#include "router/sflow/sflow.h"

#include "graph/arc.h"

static const char *const edges[] = {"ethernet-input"};
static const struct graph_counter counters[] = {SFLOW_COUNTER_NAMES};

static uint16_t sflow_input_process(struct graph *graph, struct graph_node *node, void **packets,
									uint16_t n)
{
	return sflow_process(graph, node, packets, n, UINT16_MAX);
}

static struct graph_registration sflow = {
	.name = "sflow",
	.process = sflow_input_process,
	.takes = TAKES_FRAME,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(counters),
};
GRAPH_REGISTER(sflow)

/* What members of bonds bring is sampled as the ports'. */
GRAPH_FEATURE(sflow_feature, .node = "sflow", .arc = "device-input", .runs_before = {"bond-input"})
