/* SPDX-License-Identifier: Apache-2.0 */
/*
 * acl-plugin-in-l2: the ACLs of the interface that a frame to be bridged or cross-connected came in
 * by. Frames that are not IP pass.
 *
 * A feature of the arc l2-input. Uses: mbuf->port. Next: l2-input, error-drop.
 */
#include "graph/arc.h"
#include "router/acl/acl_frame.h"
#include "router/nodes/frame_ip.h"

static const char *const edges[] = {[ACL_PASS] = "?l2-input", [ACL_DROP] = "error-drop"};

static uint16_t acl_plugin_in_l2_process(struct graph *graph, struct graph_node *node,
										 void **packets, uint16_t n)
{
	struct acl_frame frame;
	if (unlikely(acl_is_traced(graph)) && n > 1)
		return acl_one_by_one(graph, node, packets, n);
	acl_begin(&frame, graph, node, packets, ACL_INPUT);
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		const struct acl_list *list = acl_list_of(&frame, packet->port);
		size_t at;
		int family;
		frame.next[i] = ACL_PASS;
		if (list && frame_find_ip(packet, &at, &family))
			acl_judge(&frame, list, family, packet->port, i, packet_data(packet) + at,
					  packet->data_len - at);
	}
	return acl_end(&frame, graph, n);
}

static struct graph_registration acl_plugin_in_l2 = {
	.name = "acl-plugin-in-l2",
	.process = acl_plugin_in_l2_process,
	.takes = TAKES_FRAME,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(acl_counters),
};
GRAPH_REGISTER(acl_plugin_in_l2)

static struct graph_feature acl_plugin_in_l2_feature = {
	.node = "acl-plugin-in-l2",
	.arc = "l2-input",
};
GRAPH_REGISTER_FEATURE(acl_plugin_in_l2_feature)
