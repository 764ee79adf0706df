/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arp-input: answers requests for this interface's addresses and reports senders to the main
 * thread.
 *
 * The sender of a request to this router, or of a reply to it, becomes a neighbour; the sender of
 * other ARP only refreshes an existing neighbour (RFC 826). Both apply only on a connected subnet.
 * The reply is written over the request. On a paired interface Linux gets all well-formed packets
 * and replies to them; this node only learns.
 *
 * Uses: mbuf->port; the Ethernet header is in front of the data. Next: <if>-output with the reply,
 * error-punt (reported), linux-cp-punt, error-drop. Packets beyond the punt policers of ARP are
 * dropped unread.
 */
#include "router/packet/output.h"
#include "router/path/each_packet.h"
#include "router/punt/punt.h"
#include "wire/address.h"
#include "wire/arp.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"

enum edge { EDGE_DROP, EDGE_PUNT, EDGE_LINUX_CP_PUNT, EDGE_OUTPUT };
static const char *const edges[] = {
	[EDGE_DROP] = "error-drop",
	[EDGE_PUNT] = "error-punt",
	[EDGE_LINUX_CP_PUNT] = "?linux-cp-punt",
	[EDGE_OUTPUT] = "*-output",
};

/* The first ones in the order of enum arp_check. */
enum counter {
	NOT_LOCAL = ARP_OPERATION + 1,
	OWN_SENDER,
	SENDER_MAC,
	REPLIES_SENT,
	REPLIES_RECEIVED,
	LEARN_LOST,
	POLICED,
};
static const struct graph_counter counters[] = {
	[0] = {"ARP for another host taken note of", false},
	[ARP_SHORT] = {"ARP shorter than its header", true},
	[ARP_NOT_ETHERNET] = {"ARP hw type not ethernet", true},
	[ARP_NOT_IP4] = {"ARP protocol type not IP4", true},
	[ARP_OPERATION] = {"ARP opcode neither request nor reply", true},
	[NOT_LOCAL] = {"IP4 source address not local to subnet", true},
	[OWN_SENDER] = {"IP4 source address matches local interface", true},
	[SENDER_MAC] = {"ARP hw addr does not match L2 frame src addr", true},
	[REPLIES_SENT] = {"ARP replies sent", false},
	[REPLIES_RECEIVED] = {"ARP replies received", false},
	[LEARN_LOST] = {"ARP not learnt: event ring full", true},
	[POLICED] = {PUNT_POLICED, true},
};

GRAPH_DROP(EDGE_DROP)

struct scope {
	bool is_ours;       /* the target is an address of the interface */
	bool sender_local;  /* the sender is on one of its subnets */
	bool sender_is_own; /* the sender has an address of the interface */
};

static struct scope scope_of(const struct interface *interface, const struct arp *arp)
{
	const struct address_list *list = __atomic_load_n(&interface->addresses, __ATOMIC_ACQUIRE);
	/* With borrowed addresses, any sender may be behind the interface. */
	struct scope scope = {
		.sender_local = __atomic_load_n(&interface->is_unnumbered, __ATOMIC_RELAXED),
	};
	for (uint16_t i = 0; i < list->count; i++) {
		const struct ws_prefix *own = &list->at[i];
		if (own->address.family != WS_IP4)
			continue;
		uint32_t address = address_ip4(&own->address), mask = ip4_mask(own->length);
		uint32_t host = arp->sender & ~mask;
		scope.is_ours |= address == arp->target;
		scope.sender_is_own |= address == arp->sender;
		if (own->length < 32 && (address & mask) == (arp->sender & mask))
			scope.sender_local |= own->length == 31 || (host && host != ~mask);
	}
	return scope;
}

/* Returns the place of the reply's output. */
static uint16_t answer(const struct ws_router *router, struct rte_mbuf *packet, struct arp *arp)
{
	const struct interface *interface = &router->interfaces[packet->port];
	uint32_t asked = arp->target;
	arp->operation = ARP_REPLY;
	arp->target = arp->sender;
	memcpy(arp->target_mac, arp->sender_mac, sizeof(arp->target_mac));
	arp->sender = asked;
	memcpy(arp->sender_mac, interface->mac, sizeof(arp->sender_mac));
	arp_write(packet_data(packet), arp);
	return packet_frame(router, packet, packet->port, arp->target_mac, ETHERNET_ARP);
}

static void learn(struct ws_router *router, struct graph_node *node, uint16_t interface,
				  const struct arp *arp, bool is_ours)
{
	struct router_event event = {
		.kind = EVENT_NEIGHBOR,
		.address = address_of_ip4(arp->sender),
		.interface = interface,
		.flags = NEIGHBOR_HAS_MAC | NEIGHBOR_OVERRIDES,
	};
	if (is_ours)
		event.flags |= NEIGHBOR_MAY_CREATE;
	if (is_ours && arp->operation == ARP_REPLY)
		event.flags |= NEIGHBOR_CONFIRMS;
	memcpy(event.mac, arp->sender_mac, sizeof(event.mac));
	if (arp->sender && !event_ring_put(&router->events, &event))
		graph_count(node, LEARN_LOST, 1);
}

static uint16_t arp_input_one(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet)
{
	struct ws_router *router = router_of(graph);
	const struct interface *interface = &router->interfaces[packet->port];
	struct arp arp;
	if (!punt_passes(graph, packet->port, WS_PUNT_ARP))
		return drop(node, POLICED);
	enum arp_check check = arp_parse(packet_data(packet), packet->data_len, &arp);
	if (check != ARP_OK)
		return drop(node, check);
	if (memcmp(arp.sender_mac, packet_data(packet) - 8, sizeof(arp.sender_mac)) ||
		ethernet_is_group(arp.sender_mac))
		return drop(node, SENDER_MAC);
	struct scope scope = scope_of(interface, &arp);
	bool is_credible = !scope.sender_is_own && scope.sender_local;
	if (is_credible)
		learn(router, node, packet->port, &arp, scope.is_ours);
	if (interface_is_paired(interface)) {
		packet_advance(packet, -ETHERNET_LEN);
		return EDGE_LINUX_CP_PUNT;
	}
	/* A sender without an address probes whether the router's address is taken (RFC 5227): reply,
	 * learn nothing. */
	if (!is_credible && arp.sender)
		return drop(node, scope.sender_is_own ? OWN_SENDER : NOT_LOCAL);
	if (arp.operation == ARP_REQUEST && scope.is_ours) {
		graph_count(node, REPLIES_SENT, 1);
		return EDGE_OUTPUT + answer(router, packet, &arp);
	}
	graph_count(node, scope.is_ours ? REPLIES_RECEIVED : 0, 1);
	return EDGE_PUNT;
}

EACH_PACKET_NODE(arp_input, .name = "arp-input", .takes = TAKES_PACKET, GRAPH_EDGES(edges),
				 GRAPH_COUNTERS(counters))
