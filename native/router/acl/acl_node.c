/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nodes of ACLs, each a feature of an arc. They judge packets by the ACLs of an interface: the
 * one that a packet came in by, or the one that a frame leaves by. Next: the end of the arc,
 * error-drop.
 *
 * acl-plugin-in-ip4-fa, acl-plugin-in-ip6-fa: packets to be routed. Uses: mbuf->port.
 * acl-plugin-in-l2: frames to be bridged or cross-connected; frames that are not IP pass. Uses:
 *     mbuf->port.
 * <if>-acl-plugin-out: frames that leave by the port or one of its sub-interfaces. Uses: tx
 *     interface.
 * bond-acl-plugin-out: frames that leave by a bond or a sub-interface of one, before a member gets
 *     them. Uses: tx interface.
 * vxlan4-acl-plugin-out, vxlan6-acl-plugin-out: frames that leave by a VXLAN tunnel, before they
 *     get the tunnel's headers. Uses: tx interface.
 *
 * On the way out frames that are not IP pass, and so do the router's own questions and answers of
 * neighbor discovery where it routes: without them nothing else could pass.
 */
#include "router/acl/acl_frame.h"
#include "router/path/frame_ip.h"
#include "wirespeed/interfaces.h"

enum { HOP_LIMIT_AT = 7, OWN_HOP_LIMIT = 255, ND_FIRST = 133, ND_LAST = 137 };

/* ---- In ---- */

static inline __attribute__((always_inline)) uint16_t
acl_input(struct graph *graph, struct graph_node *node, void **packets, uint16_t n, uint8_t family)
{
	struct acl_frame frame;
	if (unlikely(acl_is_traced(graph)) && n > 1)
		return acl_one_by_one(graph, node, packets, n);
	acl_begin(&frame, graph, node, packets, ACL_INPUT);
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		const struct acl_list *list = acl_list_of(&frame, packet->port);
		frame.next[i] = FILTER_PASS;
		if (list)
			acl_judge(&frame, list, family_index(family), packet->port, i, packet_data(packet),
					  packet->data_len);
	}
	return acl_end(&frame, graph, n);
}

static uint16_t acl_plugin_in_ip4_process(struct graph *graph, struct graph_node *node,
										  void **packets, uint16_t n)
{
	return acl_input(graph, node, packets, n, WS_IP4);
}

static uint16_t acl_plugin_in_ip6_process(struct graph *graph, struct graph_node *node,
										  void **packets, uint16_t n)
{
	return acl_input(graph, node, packets, n, WS_IP6);
}

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
		frame.next[i] = FILTER_PASS;
		if (list && packet_find_ip(packet, &at, &family))
			acl_judge(&frame, list, family, packet->port, i, packet_data(packet) + at,
					  packet->data_len - at);
	}
	return acl_end(&frame, graph, n);
}

/* ---- Out ---- */

/* A routed packet no longer has the hop limit of neighbor discovery (RFC 4861 section 3.1). */
static inline bool is_own_discovery(const uint8_t *bytes, size_t length)
{
	return length > IP6_LEN && bytes[HOP_LIMIT_AT] == OWN_HOP_LIMIT &&
		   bytes[IP6_NEXT_AT] == IP6_ICMP && bytes[IP6_LEN] >= ND_FIRST &&
		   bytes[IP6_LEN] <= ND_LAST;
}

/* True if the frame leaves through this node's interfaces. Output nodes of bonds and tunnels serve
 * all interfaces of their kind. Frames that a port sends for a bond or a tunnel have already passed
 * through that node. */
static inline bool acl_leaves_here(const struct ws_router *router, const struct graph_node *node,
								   uint16_t tx)
{
	return node->interface == NO_PORT ||
		   interface_way_out(&router->interfaces[tx]) == node->interface;
}

static uint16_t acl_plugin_out_process(struct graph *graph, struct graph_node *node, void **packets,
									   uint16_t n)
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
		frame.next[i] = FILTER_PASS;
		if (!list || !acl_leaves_here(router, node, tx) || !packet_find_ip(packet, &at, &family))
			continue;
		const uint8_t *ip = packet_data(packet) + at;
		size_t length = packet->data_len - at;
		if (!family || interface_mode(&router->interfaces[tx]) != WS_MODE_L3 ||
			!is_own_discovery(ip, length))
			acl_judge(&frame, list, family, tx, i, ip, length);
	}
	return acl_end(&frame, graph, n);
}

/* ---- Registration ---- */

GRAPH_FILTER(in_ip4, acl_plugin_in_ip4_process, TAKES_PACKET, acl_counters, "acl-plugin-in-ip4-fa",
			 "ip4-lookup", .arc = "ip4-unicast")
GRAPH_FILTER(in_ip6, acl_plugin_in_ip6_process, TAKES_PACKET, acl_counters, "acl-plugin-in-ip6-fa",
			 "ip6-lookup", .arc = "ip6-unicast")
GRAPH_FILTER(in_l2, acl_plugin_in_l2_process, TAKES_FRAME, acl_counters, "acl-plugin-in-l2",
			 "?l2-input", .arc = "l2-input")
GRAPH_FILTER(out, acl_plugin_out_process, TAKES_FRAME, acl_counters, "%-acl-plugin-out", "%-tx",
			 .arc = "interface-output", .runs_before = {"%-impairment"})
GRAPH_FILTER(bond_out, acl_plugin_out_process, TAKES_FRAME | TAKES_LEAVING, acl_counters,
			 "bond-acl-plugin-out", "bond-tx", .arc = "bond-output")
GRAPH_FILTER(vxlan4_out, acl_plugin_out_process, TAKES_FRAME, acl_counters, "vxlan4-acl-plugin-out",
			 "vxlan4-encap", .arc = "vxlan4-output")
GRAPH_FILTER(vxlan6_out, acl_plugin_out_process, TAKES_FRAME, acl_counters, "vxlan6-acl-plugin-out",
			 "vxlan6-encap", .arc = "vxlan6-output")
