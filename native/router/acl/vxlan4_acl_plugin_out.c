/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vxlan4-acl-plugin-out: the ACLs of frames that leave by VXLAN tunnels over IPv4, before they get
 * the tunnel's headers.
 *
 * A feature of the arc vxlan4-output. Uses: tx interface. Next: vxlan4-encap, error-drop.
 */
#include "graph/arc.h"
#include "router/acl/acl_output.h"

static const char *const edges[] = {[ACL_PASS] = "vxlan4-encap", [ACL_DROP] = "error-drop"};

static uint16_t vxlan4_acl_plugin_out_process(struct graph *graph, struct graph_node *node,
											  void **packets, uint16_t n)
{
	return acl_output(graph, node, packets, n);
}

static struct graph_registration vxlan4_acl_plugin_out = {
	.name = "vxlan4-acl-plugin-out",
	.process = vxlan4_acl_plugin_out_process,
	.takes = TAKES_FRAME,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(acl_counters),
};
GRAPH_REGISTER(vxlan4_acl_plugin_out)

static struct graph_feature vxlan4_acl_plugin_out_feature = {
	.node = "vxlan4-acl-plugin-out",
	.arc = "vxlan4-output",
};
GRAPH_REGISTER_FEATURE(vxlan4_acl_plugin_out_feature)
