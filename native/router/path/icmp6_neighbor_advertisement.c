/* SPDX-License-Identifier: Apache-2.0 */
/*
 * icmp6-neighbor-advertisement: reports a neighbour's advertisement to the main thread (RFC 4861
 * section 7.2.5).
 *
 * A solicited advertisement creates a neighbour; an unsolicited one only changes an existing
 * neighbour. Other stations must not advertise the router's addresses; one that advertises a
 * tentative address of the router has it.
 *
 * Uses: mbuf->port. Next: error-punt (reported), linux-cp-punt on a paired interface, error-drop.
 */
#include "router/interface/ip6_interface.h"
#include "router/local/nd.h"
#include "router/packet/restore_frame.h"
#include "router/path/each_packet.h"
#include "wire/nd.h"

enum edge { EDGE_DROP, EDGE_PUNT, EDGE_LINUX_CP_PUNT };
static const char *const edges[] = {
	[EDGE_DROP] = "error-drop",
	[EDGE_PUNT] = "error-punt",
	[EDGE_LINUX_CP_PUNT] = "?linux-cp-punt",
};

/* The first ones in the order of enum nd_fault. */
enum counter {
	RECEIVED = 0,
	NOT_ON_LINK = ND_FAULTS,
	OWN_TARGET,
	LEARN_LOST,
	TENTATIVE,
	TAKEN,
};
static const struct graph_counter counters[] = {
	[RECEIVED] = {"neighbor advertisements received", false},
	ND_FAULT_COUNTERS,
	[NOT_ON_LINK] = {"neighbor advertisements of target not on link", true},
	[OWN_TARGET] = {"neighbor advertisements of our own address", true},
	[LEARN_LOST] = {"neighbor not learnt: event ring full", true},
	[TENTATIVE] = {"neighbor advertisements of a tentative address by ourselves", true},
	[TAKEN] = {"tentative address that another station has", true},
};

GRAPH_DROP(EDGE_DROP)

static uint16_t icmp6_neighbor_advertisement_one(struct graph *graph, struct graph_node *node,
												 struct rte_mbuf *packet)
{
	struct ws_router *router = router_of(graph);
	const struct interface *interface = &router->interfaces[packet->port];
	struct nd_message message;
	enum nd_fault fault = nd_take(packet, &message);
	if (fault)
		return drop(node, fault);
	if (ip6_is_own(router, packet->port, message.target))
		return drop(node, OWN_TARGET);
	if (unlikely(ip6_is_tentative(router, packet->port, message.target)))
		return drop(node, nd_taken(router, packet, message.target) ? TAKEN : TENTATIVE);
	if (!ip6_is_on_link(router, packet->port, message.target))
		return drop(node, NOT_ON_LINK);
	struct router_event event = {
		.kind = EVENT_NEIGHBOR,
		.interface = packet->port,
		.address = address_of_ip6(message.target),
		.flags = (uint8_t)((message.has_mac ? NEIGHBOR_HAS_MAC : 0) |
						   (message.is_override ? NEIGHBOR_OVERRIDES : 0) |
						   (message.is_solicited ? NEIGHBOR_CONFIRMS | NEIGHBOR_MAY_CREATE : 0)),
	};
	memcpy(event.mac, message.mac, sizeof(event.mac));
	if (!event_ring_put(&router->events, &event))
		return drop(node, LEARN_LOST);
	graph_count(node, RECEIVED, 1);
	if (!interface_is_paired(interface))
		return EDGE_PUNT;
	packet_restore_frame(packet, interface, ETHERNET_IP6);
	return EDGE_LINUX_CP_PUNT;
}

EACH_PACKET_NODE(icmp6_neighbor_advertisement, .name = "icmp6-neighbor-advertisement",
				 .takes = TAKES_PACKET, GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
