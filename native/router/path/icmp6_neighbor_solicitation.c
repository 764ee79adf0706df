/* SPDX-License-Identifier: Apache-2.0 */
/*
 * icmp6-neighbor-solicitation: advertises this interface's addresses in reply to solicitations (RFC
 * 4861 section 7.2) and reports the senders to the main thread.
 *
 * A solicitation of duplicate address detection (RFC 4862) has no source address: the reply goes to
 * all nodes. The reply is written over the solicitation. If such a solicitation is for a tentative
 * address of the router, neither station may use it.
 *
 * Uses: mbuf->port; the received Ethernet header is in front of the data. Next: <if>-output with
 * the reply, error-drop.
 */
#include "router/interface/ip6_interface.h"
#include "router/local/nd.h"
#include "router/packet/output.h"
#include "router/path/each_packet.h"
#include "wire/nd.h"

enum edge { EDGE_DROP, EDGE_OUTPUT };
static const char *const edges[] = {[EDGE_DROP] = "error-drop", [EDGE_OUTPUT] = "*-output"};

/* The first ones in the order of enum nd_fault. */
enum counter {
	ADVERTISED = 0,
	UNKNOWN_TARGET = ND_FAULTS,
	NOT_ON_LINK,
	OWN_SOURCE,
	NO_ROOM,
	LEARN_LOST,
	TENTATIVE,
	TAKEN,
};
static const struct graph_counter counters[] = {
	[ADVERTISED] = {"neighbor advertisements sent", false},
	ND_FAULT_COUNTERS,
	[UNKNOWN_TARGET] = {"neighbor solicitations for unknown targets", true},
	[NOT_ON_LINK] = {"neighbor solicitations from source not on link", true},
	[OWN_SOURCE] = {"neighbor solicitations from our own address", true},
	[NO_ROOM] = {"no headroom for a neighbor advertisement", true},
	[LEARN_LOST] = {"neighbor not learnt: event ring full", true},
	[TENTATIVE] = {"neighbor solicitations for a tentative address", true},
	[TAKEN] = {"tentative address that another station asks for", true},
};

/* The minimum length of the message, and the length of the reply that is written over it. */
enum { LEAST = IP6_LEN + ND_NEIGHBOR_LEN, ANSWER = IP6_LEN + ND_NEIGHBOR_MESSAGE_LEN };

GRAPH_DROP(EDGE_DROP)

static void write_answer(struct rte_mbuf *packet, const struct interface *interface,
						 const struct nd_message *asked, const uint8_t *to)
{
	struct nd_message answer = {
		.type = ICMP6_NEIGHBOR_ADVERTISEMENT,
		.is_router = true,
		.is_solicited = !ip6_is_multicast(to),
		.is_override = true,
		.has_mac = true,
	};
	memcpy(answer.target, asked->target, sizeof(answer.target));
	memcpy(answer.mac, interface->mac, sizeof(answer.mac));
	packet_truncate(packet, LEAST);
	packet_advance(packet, LEAST - ANSWER);
	trace_moved(packet, LEAST - ANSWER);
	nd_write_packet(packet_data(packet), answer.target, to, &answer);
}

static bool learn(struct ws_router *router, const struct rte_mbuf *packet,
				  const struct nd_message *message)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	struct router_event event = {
		.kind = EVENT_NEIGHBOR,
		.flags = NEIGHBOR_MAY_CREATE | NEIGHBOR_HAS_MAC | NEIGHBOR_OVERRIDES,
		.interface = packet->port,
		.address = address_of_ip6(ip->source),
	};
	memcpy(event.mac, message->mac, sizeof(event.mac));
	return event_ring_put(&router->events, &event);
}

static uint16_t icmp6_neighbor_solicitation_one(struct graph *graph, struct graph_node *node,
												struct rte_mbuf *packet)
{
	struct ws_router *router = router_of(graph);
	const struct interface *interface = &router->interfaces[packet->port];
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	struct nd_message message;
	enum nd_fault fault = nd_take(packet, &message);
	if (fault)
		return drop(node, fault);
	uint8_t from[ETHERNET_ADDRESS_LEN], to[IP6_ADDRESS_LEN];
	memcpy(to, ip->source, sizeof(to));
	memcpy(from, packet_data(packet) - ETHERNET_LEN + ETHERNET_ADDRESS_LEN, sizeof(from));
	bool is_probe = ip6_is_unspecified(to);
	if (is_probe) {
		ip6_all_nodes(to);
		ip6_multicast_mac(from, to);
	} else if (!ip6_is_on_link(router, packet->port, to)) {
		return drop(node, NOT_ON_LINK);
	} else if (ip6_is_own(router, packet->port, to)) {
		return drop(node, OWN_SOURCE);
	}
	if (unlikely(ip6_is_tentative(router, packet->port, message.target)))
		return drop(node, is_probe && nd_taken(router, packet, message.target) ? TAKEN : TENTATIVE);
	if (!ip6_is_own(router, packet->port, message.target))
		return drop(node, UNKNOWN_TARGET);
	if (packet->data_off < ANSWER - LEAST + ETHERNET_MAX_LEN)
		return drop(node, NO_ROOM);
	if (message.has_mac && !learn(router, packet, &message))
		graph_count(node, LEARN_LOST, 1);
	if (message.has_mac)
		memcpy(from, message.mac, sizeof(from));
	write_answer(packet, interface, &message, to);
	graph_count(node, ADVERTISED, 1);
	return EDGE_OUTPUT + packet_frame(router, packet, packet->port, from, ETHERNET_IP6);
}

EACH_PACKET_NODE(icmp6_neighbor_solicitation, .name = "icmp6-neighbor-solicitation",
				 .takes = TAKES_PACKET, GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
