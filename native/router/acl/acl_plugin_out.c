/* SPDX-License-Identifier: Apache-2.0 */
/*
 * <if>-acl-plugin-out: the ACLs of frames that leave by the port or one of its sub-interfaces.
 *
 * A feature of the arc interface-output, before <if>-impairment. Uses: tx interface. Next: <if>-tx,
 * error-drop.
 */
#include "graph/arc.h"
#include "router/acl/acl_output.h"

static const char *const edges[] = {[ACL_PASS] = "%-tx", [ACL_DROP] = "error-drop"};

static uint16_t acl_plugin_out_process(struct graph *graph, struct graph_node *node, void **packets,
									   uint16_t n)
{
	return acl_output(graph, node, packets, n);
}

static struct graph_registration acl_plugin_out = {
	.name = "%-acl-plugin-out",
	.process = acl_plugin_out_process,
	.takes = TAKES_FRAME,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(acl_counters),
};
GRAPH_REGISTER(acl_plugin_out)

static struct graph_feature acl_plugin_out_feature = {
	.node = "%-acl-plugin-out",
	.arc = "interface-output",
	.runs_before = {"%-impairment"},
};
GRAPH_REGISTER_FEATURE(acl_plugin_out_feature)
