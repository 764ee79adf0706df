/* SPDX-License-Identifier: Apache-2.0 */
/*
 * acl-plugin-in-ip6-fa: the ACLs of the interface that a packet to be routed came in by.
 *
 * A feature of the arc ip6-unicast. Uses: mbuf->port. Next: ip6-lookup, error-drop.
 */
#include "graph/arc.h"
#include "router/acl/acl_frame.h"

static const char *const edges[] = {[ACL_PASS] = "ip6-lookup", [ACL_DROP] = "error-drop"};

static uint16_t acl_plugin_in_ip6_process(struct graph *graph, struct graph_node *node,
										  void **packets, uint16_t n)
{
	return acl_input(graph, node, packets, n, WS_IP6);
}

static struct graph_registration acl_plugin_in_ip6 = {
	.name = "acl-plugin-in-ip6-fa",
	.process = acl_plugin_in_ip6_process,
	.takes = TAKES_PACKET,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(acl_counters),
};
GRAPH_REGISTER(acl_plugin_in_ip6)

static struct graph_feature acl_plugin_in_ip6_feature = {
	.node = "acl-plugin-in-ip6-fa",
	.arc = "ip6-unicast",
};
GRAPH_REGISTER_FEATURE(acl_plugin_in_ip6_feature)
