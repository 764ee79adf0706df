/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vxlan6-acl-plugin-out: the ACLs of frames that leave by VXLAN tunnels over IPv6, before they get
 * the tunnel's headers.
 *
 * A feature of the arc vxlan6-output. Uses: tx interface. Next: vxlan6-encap, error-drop.
 */
#include "graph/arc.h"
#include "router/acl/acl_output.h"

static const char *const edges[] = {[ACL_PASS] = "vxlan6-encap", [ACL_DROP] = "error-drop"};

static uint16_t vxlan6_acl_plugin_out_process(struct graph *graph, struct graph_node *node,
											  void **packets, uint16_t n)
{
	return acl_output(graph, node, packets, n);
}

static struct graph_registration vxlan6_acl_plugin_out = {
	.name = "vxlan6-acl-plugin-out",
	.process = vxlan6_acl_plugin_out_process,
	.takes = TAKES_FRAME,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(acl_counters),
};
GRAPH_REGISTER(vxlan6_acl_plugin_out)

static struct graph_feature vxlan6_acl_plugin_out_feature = {
	.node = "vxlan6-acl-plugin-out",
	.arc = "vxlan6-output",
};
GRAPH_REGISTER_FEATURE(vxlan6_acl_plugin_out_feature)
