/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ACLs of the interface that a frame leaves by, whatever kind it is: a sub-interface has its
 * own. Frames that are not IP pass, and so do the router's own questions and answers of neighbor
 * discovery where it routes: without them nothing else could pass.
 */
#ifndef ROUTER_ACL_OUTPUT_H
#define ROUTER_ACL_OUTPUT_H

#include "router/acl/acl_frame.h"
#include "router/nodes/frame_ip.h"

enum { HOP_LIMIT_AT = 7, OWN_HOP_LIMIT = 255, ND_FIRST = 133, ND_LAST = 137 };

/* Nothing that is routed still has the hop limit of neighbor discovery (RFC 4861 section 3.1). */
static inline bool is_own_discovery(const uint8_t *bytes, size_t length)
{
	return length > IP6_LEN && bytes[HOP_LIMIT_AT] == OWN_HOP_LIMIT &&
		   bytes[IP6_NEXT_AT] == IP6_ICMP && bytes[IP6_LEN] >= ND_FIRST &&
		   bytes[IP6_LEN] <= ND_LAST;
}

/* Nodes of ways out that are no port's are of all interfaces that lead there. What a port sends for
 * a bond or a tunnel has met their ACLs before. */
static inline bool acl_leaves_here(const struct ws_router *router, const struct graph_node *node,
								   uint16_t tx)
{
	return node->interface == NO_PORT ||
		   interface_way_out(&router->interfaces[tx]) == node->interface;
}

/* The whole of a node's process for frames on their way out. */
static inline __attribute__((always_inline)) uint16_t
acl_output(struct graph *graph, struct graph_node *node, void **packets, uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	struct acl_frame frame;
	if (unlikely(acl_is_traced(graph)) && n > 1)
		return acl_one_by_one(graph, node, packets, n);
	acl_begin(&frame, graph, node, packets, ACL_OUTPUT);
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		uint16_t tx = packet_tx_interface(packet);
		const struct acl_list *list = acl_list_of(&frame, tx);
		size_t at;
		int family;
		frame.next[i] = ACL_PASS;
		if (!list || !acl_leaves_here(router, node, tx) || !frame_find_ip(packet, &at, &family))
			continue;
		const uint8_t *ip = packet_data(packet) + at;
		size_t length = packet->data_len - at;
		if (!family || interface_mode(&router->interfaces[tx]) != WS_MODE_L3 ||
			!is_own_discovery(ip, length))
			acl_judge(&frame, list, family, tx, i, ip, length);
	}
	return acl_end(&frame, graph, n);
}

#endif
