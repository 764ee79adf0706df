/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sflow, <if>-sflow-egress: sample packets that ports receive, and packets that the port sends. All
 * packets pass unchanged.
 *
 * Features of the arcs device-input and interface-output, there after the features that may drop
 * packets. Uses: mbuf->port. Next: ethernet-input, <if>-tx.
 */
#include "router/sflow/sflow.h"

#include "graph/arc.h"

static const struct graph_counter counters[] = {SFLOW_COUNTER_NAMES};

static const char *const edges[] = {"ethernet-input"};

static uint16_t sflow_input_process(struct graph *graph, struct graph_node *node, void **packets,
									uint16_t n)
{
	return sflow_process(graph, node, packets, n, UINT16_MAX);
}

GRAPH_NODE(sflow_input, .name = "sflow", .takes = TAKES_FRAME, GRAPH_EDGES(edges),
		   GRAPH_COUNTERS(counters))

/* Packets of bond members are sampled as packets of the ports. */
GRAPH_FEATURE(sflow_feature, .node = "sflow", .arc = "device-input", .runs_before = {"bond-input"})

static const char *const egress_edges[] = {"%-tx"};

static uint16_t sflow_egress_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	return sflow_process(graph, node, packets, n, node->interface);
}

GRAPH_NODE(sflow_egress, .name = "%-sflow-egress", .takes = TAKES_FRAME, GRAPH_EDGES(egress_edges),
		   GRAPH_COUNTERS(counters))

GRAPH_FEATURE(sflow_egress_feature, .node = "%-sflow-egress", .arc = "interface-output",
			  .runs_before = {"%-impairment"}, .runs_after = {"%-acl-plugin-out"})
