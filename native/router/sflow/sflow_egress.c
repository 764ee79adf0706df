/* SPDX-License-Identifier: Apache-2.0 */
/*
 * <if>-sflow-egress: samples of what the port sends; passes all packets on as they are.
 *
 * A feature of the arc interface-output, behind what may drop packets. Uses: mbuf->port. Next:
 * <if>-tx.
 */
#include "router/sflow/sflow.h"

#include "graph/arc.h"

static const char *const edges[] = {"%-tx"};
static const struct graph_counter counters[] = {SFLOW_COUNTER_NAMES};

static uint16_t sflow_egress_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	return sflow_process(graph, node, packets, n, node->interface);
}

GRAPH_NODE(sflow_egress, .name = "%-sflow-egress", .takes = TAKES_FRAME, GRAPH_EDGES(edges),
		   GRAPH_COUNTERS(counters))

GRAPH_FEATURE(sflow_egress_feature, .node = "%-sflow-egress", .arc = "interface-output",
			  .runs_before = {"%-impairment"}, .runs_after = {"%-acl-plugin-out"})
