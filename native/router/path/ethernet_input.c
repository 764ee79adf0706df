/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ethernet-input: determines the interface of a frame, by its VLAN tags, and its protocol.
 *
 * An interface in L3 mode accepts IPv4, IPv6 and MPLS to its own address, IPv6 to groups, and ARP
 * to its own address or to all. The tags of a sub-interface are removed, so that the received
 * Ethernet header without them is in front of the data, which begins behind it. An interface in an
 * L2 mode accepts all frames unchanged; a port only those that none of its sub-interfaces accepts.
 * Frames that Linux wrote to the TAP of a pair are sent through the other interface. On that
 * interface, Linux gets frames to all stations or of unknown types, within the limits of its punt
 * policers.
 *
 * Uses: mbuf->port. Sets: mbuf->port for frames of a sub-interface. Next: ip4-input, ip6-input,
 * mpls-input, arp-input, l2-input, linux-cp-punt, linux-cp-xc, error-drop.
 */
#include "graph/arc.h"
#include "router/interface/vlan.h"
#include "router/observe/trace.h"
#include "router/packet/eight.h"
#include "router/packet/metadata.h"
#include "router/packet/upper.h"
#include "router/punt/punt.h"
#include "wire/ethernet.h"
#include "wire/ip6.h"
#include "wire/own_count.h"
#include "wire/vlan.h"
#include "wirespeed/interfaces.h"

enum edge {
	EDGE_IP4_INPUT,
	EDGE_IP6_INPUT,
	EDGE_MPLS_INPUT,
	EDGE_ARP_INPUT,
	EDGE_L2_INPUT,
	EDGE_DROP,
	EDGE_LINUX_CP_PUNT,
	EDGE_LINUX_CP_XC,
	EDGES,
	EDGES_ABOVE = EDGES /* edges to the nodes of other types: upper.h */
};
static const char *const edges[] = {
	[EDGE_IP4_INPUT] = "ip4-input",          [EDGE_IP6_INPUT] = "ip6-input",
	[EDGE_MPLS_INPUT] = "?mpls-input",       [EDGE_ARP_INPUT] = "arp-input",
	[EDGE_L2_INPUT] = "?l2-input",           [EDGE_DROP] = "error-drop",
	[EDGE_LINUX_CP_PUNT] = "?linux-cp-punt", [EDGE_LINUX_CP_XC] = "?linux-cp-xc",
	[EDGES_ABOVE] = EDGES_ABOVE_ETHERNET,
};

enum counter {
	RUNT,
	DOWN,
	MAC_MISMATCH,
	GROUP,
	GROUP6,
	VLAN,
	NOT_EXACT,
	UNKNOWN_TYPE,
	POLICED,
};
static const struct graph_counter counters[] = {
	[RUNT] = {"frame shorter than its header", true},
	[DOWN] = {"interface is down", true},
	[MAC_MISMATCH] = {"l3 mac mismatch", true},
	[GROUP] = {"ip4 in a multicast or broadcast frame", true},
	[GROUP6] = {"ip6 in a frame to a group that is none of ip6's", true},
	[VLAN] = {"unknown vlan", true},
	[NOT_EXACT] = {"sub-interface without exact-match does not route", true},
	[UNKNOWN_TYPE] = {"unknown ethernet type", true},
	[POLICED] = {PUNT_POLICED, true},
};

GRAPH_DROP(EDGE_DROP)

static enum edge for_linux(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet)
{
	bool passes = !punt_is_policed(router_of(graph)) ||
				  punt_passes(graph, packet->port,
							  punt_reason_of_frame(packet_data(packet), packet->data_len));
	return passes ? EDGE_LINUX_CP_PUNT : drop(node, POLICED);
}

/* Look up types that the trunk does not know. */
static uint16_t look_above(struct graph_node *node, struct rte_mbuf *packet, uint16_t type)
{
	uint16_t place = upper_find(ABOVE_ETHERNET, type);
	if (place == UPPER_NONE)
		return drop(node, UNKNOWN_TYPE);
	packet_advance(packet, ETHERNET_LEN);
	return EDGES_ABOVE + place;
}

/* Without the node, labelled packets are of an unknown type. */
static inline bool knows_mpls(const struct graph_node *node)
{
	return node->edges[EDGE_MPLS_INPUT] != node->edges[EDGE_DROP];
}

/* Untagged frames for the router, except for IPv4 and IPv6 to the interface's address. */
static enum edge classify_l3(struct graph *graph, struct graph_node *node,
							 const struct interface *interface, struct rte_mbuf *packet)
{
	const struct ethernet_header *header =
		(const struct ethernet_header *)(const void *)packet_data(packet);
	bool is_ours =
		ethernet_load_destination(header->destination) == ethernet_address_number(interface->mac);
	uint16_t type = be16toh(header->type);
	if (!is_ours && !ethernet_is_group(header->destination))
		return drop(node, MAC_MISMATCH);
	if (vlan_is_type(type))
		return drop(node, VLAN);
	if (is_ours && type == ETHERNET_MPLS && knows_mpls(node)) {
		packet_advance(packet, ETHERNET_LEN);
		return EDGE_MPLS_INPUT;
	}
	if ((type == ETHERNET_IP4 || type == ETHERNET_IP6) && is_ours) {
		packet_advance(packet, ETHERNET_LEN);
		return type == ETHERNET_IP4 ? EDGE_IP4_INPUT : EDGE_IP6_INPUT;
	}
	if (type != ETHERNET_ARP && interface_is_paired(interface))
		return for_linux(graph, node, packet);
	if (type != ETHERNET_ARP && type != ETHERNET_IP4 && type != ETHERNET_IP6 &&
		(type != ETHERNET_MPLS || is_ours))
		return look_above(node, packet, type);
	if (type == ETHERNET_IP6 && ip6_is_multicast_mac(header->destination)) {
		packet_advance(packet, ETHERNET_LEN);
		return EDGE_IP6_INPUT;
	}
	if (type == ETHERNET_ARP && (is_ours || ethernet_is_broadcast(header->destination))) {
		packet_advance(packet, ETHERNET_LEN);
		return EDGE_ARP_INPUT;
	}
	if (type == ETHERNET_IP6)
		return drop(node, GROUP6);
	return drop(node, type == ETHERNET_IP4 ? GROUP : MAC_MISMATCH);
}

/* The sub-interface at that place of a table, unless it expects fewer tags than the frame has. */
static uint16_t look(const struct interface *interfaces, const uint16_t *place, uint8_t own_tags,
					 const struct vlan_tags *tags)
{
	uint16_t index = __atomic_load_n(place, __ATOMIC_ACQUIRE);
	return interfaces[index].is_exact && tags->count != own_tags ? VLAN_NONE : index;
}

/* The sub-interface for frames with this outer tag; exact matches come first. */
static uint16_t look_behind(const struct interface *interfaces, const struct vlan_table *table,
							uint16_t outer, const struct vlan_tags *tags)
{
	const uint16_t *inner = __atomic_load_n(&table->inner[tags->dot1ad][outer], __ATOMIC_ACQUIRE);
	uint16_t index = VLAN_NONE;
	if (tags->count > 1 && inner) {
		index = look(interfaces, &inner[tags->ids[1]], 2, tags);
		if (index == VLAN_NONE)
			index = look(interfaces, &inner[WS_VLAN_ANY], 2, tags);
	}
	return index == VLAN_NONE ? look(interfaces, &table->outer[tags->dot1ad][outer], 1, tags)
							  : index;
}

/* The sub-interface for frames with these tags, or VLAN_NONE. */
static uint16_t find_subinterface(const struct interface *interfaces,
								  const struct vlan_table *table, const struct vlan_tags *tags)
{
	if (!tags->count)
		return __atomic_load_n(&table->untagged, __ATOMIC_ACQUIRE);
	uint16_t index = look_behind(interfaces, table, tags->ids[0], tags);
	if (unlikely(index == VLAN_NONE))
		index = look_behind(interfaces, table, WS_VLAN_ANY, tags);
	return index == VLAN_NONE ? __atomic_load_n(&table->unmatched, __ATOMIC_ACQUIRE) : index;
}

static void take_tags_out(struct rte_mbuf *packet, uint8_t length)
{
	const struct vlan_rewrite rewrite = {.pop = length};
	vlan_rewrite_apply(&rewrite, packet_data(packet));
	packet_advance(packet, length);
	trace_moved(packet, length);
}

static enum edge take(struct graph *graph, struct graph_node *node, uint16_t index,
					  struct rte_mbuf *packet)
{
	const struct interface *interface = &router_of(graph)->interfaces[index];
	struct interface_counts *counts = router_worker_of(graph)->interfaces;
	packet->port = index;
	own_pair_add(&counts->rx.at[index], 1, packet->pkt_len);
	if (!interface_is_up(interface))
		return drop(node, DOWN);
	if (interface_mode(interface) != WS_MODE_L3)
		return EDGE_L2_INPUT;
	if (!interface->is_exact)
		return drop(node, NOT_EXACT);
	take_tags_out(packet, interface->tag_len);
	return classify_l3(graph, node, interface, packet);
}

/* All frames except for untagged IPv4 to the interface. */
static __attribute__((noinline)) enum edge classify(struct graph *graph, struct graph_node *node,
													struct rte_mbuf *packet)
{
	const struct interface *interfaces = router_of(graph)->interfaces;
	const struct interface *interface = &interfaces[packet->port];
	const struct vlan_table *table = __atomic_load_n(&interface->vlans, __ATOMIC_ACQUIRE);
	struct vlan_tags tags;
	if (!ethernet_parse(packet_data(packet), packet->data_len))
		return drop(node, RUNT);
	if (!interface_is_up(interface))
		return drop(node, DOWN);
	if (interface->is_lcp_host)
		return EDGE_LINUX_CP_XC;
	if (!table && interface_mode(interface) != WS_MODE_L3)
		return EDGE_L2_INPUT;
	if (!vlan_parse(packet_data(packet), packet->data_len, &tags))
		return drop(node, RUNT);
	if (table) {
		uint16_t index = find_subinterface(interfaces, table, &tags);
		if (index != VLAN_NONE)
			return take(graph, node, index, packet);
	}
	if (interface_mode(interface) != WS_MODE_L3)
		return EDGE_L2_INPUT;
	/* A tag of VLAN 0 has only a priority. */
	if (tags.count == 1 && !tags.dot1ad && !tags.ids[0])
		take_tags_out(packet, VLAN_TAG_LEN);
	return classify_l3(graph, node, interface, packet);
}

/* Edge of a frame to the interface's address, by its type in network order; EDGES for other types.
 */
static inline enum edge l3_edge(uint16_t type, bool has_mpls)
{
	if (likely(type == htobe16(ETHERNET_IP4)))
		return EDGE_IP4_INPUT;
	if (type == htobe16(ETHERNET_IP6))
		return EDGE_IP6_INPUT;
	return has_mpls && type == htobe16(ETHERNET_MPLS) ? EDGE_MPLS_INPUT : EDGES;
}

/* True if all eight frames were received by one port and need no further check. */
static inline bool are_taken(const struct interface *interfaces, void *const *packets)
{
	uint16_t port = ((const struct rte_mbuf *)packets[0])->port;
	return interface_takes_all(&interfaces[port]) && eight_came_by(packets, port) &&
		   eight_have_bytes(packets, ETHERNET_LEN);
}

static inline enum edge ethernet_input_one(struct graph *graph, struct graph_node *node,
										   const struct interface *interfaces,
										   struct rte_mbuf *packet, bool has_mpls)
{
	const struct interface *interface = &interfaces[packet->port];
	const struct ethernet_header *header = ethernet_parse(packet_data(packet), packet->data_len);
	bool is_ours =
		header && ethernet_load_destination(header->destination) == interface_l3_mac(interface);
	enum edge edge = likely(is_ours)                            ? l3_edge(header->type, has_mpls)
					 : header && interface_takes_all(interface) ? EDGE_L2_INPUT
																: EDGES;
	if (likely(edge <= EDGE_MPLS_INPUT))
		packet_advance(packet, ETHERNET_LEN);
	else if (unlikely(edge == EDGES))
		edge = classify(graph, node, packet);
	return edge;
}

static __attribute__((always_inline)) inline uint16_t ethernet_input_all(struct graph *graph,
																		 struct graph_node *node,
																		 void **packets, uint16_t n,
																		 bool has_mpls)
{
	const struct interface *interfaces = router_of(graph)->interfaces;
	uint16_t next[GRAPH_FRAME_SIZE], i = 0;
	for (; i + EIGHT <= n && are_taken(interfaces, packets + i); i += EIGHT)
		eight_fill(next + i, EDGE_L2_INPUT);
	for (; i < n; i++)
		next[i] = ethernet_input_one(graph, node, interfaces, packets[i], has_mpls);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static uint16_t ethernet_input_process(struct graph *graph, struct graph_node *node, void **packets,
									   uint16_t n)
{
	return ethernet_input_all(graph, node, packets, n, true);
}

static uint16_t ethernet_input_without_mpls(struct graph *graph, struct graph_node *node,
											void **packets, uint16_t n)
{
	return ethernet_input_all(graph, node, packets, n, false);
}

static int ethernet_input_init(struct graph *graph, struct graph_node *node)
{
	(void)graph;
	if (!knows_mpls(node))
		node->process = ethernet_input_without_mpls;
	return 0;
}

GRAPH_NODE(ethernet_input, .name = "ethernet-input", .init = ethernet_input_init,
		   .takes = TAKES_FRAME, GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))

/* Frames that are not routed, before they are bridged or cross-connected. The arc begins at all
 * nodes that lead there. */
GRAPH_ARC(l2_input_arc, .name = "l2-input", .end = "l2-input")
