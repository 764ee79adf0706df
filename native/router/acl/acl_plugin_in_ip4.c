/* SPDX-License-Identifier: Apache-2.0 */
/*
 * acl-plugin-in-ip4-fa: the ACLs of the interface that a packet to be routed came in by.
 *
 * A feature of the arc ip4-unicast. Uses: mbuf->port. Next: ip4-lookup, error-drop.
 */
#include "graph/arc.h"
#include "router/acl/acl_frame.h"

static const char *const edges[] = {[ACL_PASS] = "ip4-lookup", [ACL_DROP] = "error-drop"};

static uint16_t acl_plugin_in_ip4_process(struct graph *graph, struct graph_node *node,
										  void **packets, uint16_t n)
{
	return acl_input(graph, node, packets, n, WS_IP4);
}

static struct graph_registration acl_plugin_in_ip4 = {
	.name = "acl-plugin-in-ip4-fa",
	.process = acl_plugin_in_ip4_process,
	.takes = TAKES_PACKET,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(acl_counters),
};
GRAPH_REGISTER(acl_plugin_in_ip4)

static struct graph_feature acl_plugin_in_ip4_feature = {
	.node = "acl-plugin-in-ip4-fa",
	.arc = "ip4-unicast",
};
GRAPH_REGISTER_FEATURE(acl_plugin_in_ip4_feature)
