/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bond-acl-plugin-out: the ACLs of frames that leave by a bond or a sub-interface of one, before a
 * member gets them.
 *
 * A feature of the arc bond-output. Uses: tx interface. Next: bond-tx, error-drop.
 */
#include "graph/arc.h"
#include "router/acl/acl_output.h"

static const char *const edges[] = {[ACL_PASS] = "bond-tx", [ACL_DROP] = "error-drop"};

static uint16_t bond_acl_plugin_out_process(struct graph *graph, struct graph_node *node,
											void **packets, uint16_t n)
{
	return acl_output(graph, node, packets, n);
}

static struct graph_registration bond_acl_plugin_out = {
	.name = "bond-acl-plugin-out",
	.process = bond_acl_plugin_out_process,
	.takes = TAKES_FRAME | TAKES_LEAVING,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(acl_counters),
};
GRAPH_REGISTER(bond_acl_plugin_out)

static struct graph_feature bond_acl_plugin_out_feature = {
	.node = "bond-acl-plugin-out",
	.arc = "bond-output",
};
GRAPH_REGISTER_FEATURE(bond_acl_plugin_out_feature)
