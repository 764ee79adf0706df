/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arp-input: answers requests for this interface's addresses and tells the main thread what it
 * sees.
 *
 * The sender of a request to us or of a reply to us becomes a neighbour, that of other ARP only if
 * it is one already (RFC 826), and only on a connected subnet. The answer is written over the
 * request.
 *
 * Uses: mbuf->port; the Ethernet header lies in front of the data. Next: <if>-output with the
 * answer, error-punt (taken note of), error-drop.
 */
#include "graph/graph.h"
#include "router/metadata.h"
#include "router/router.h"
#include "wire/arp.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"

enum edge { EDGE_DROP, EDGE_PUNT, EDGE_OUTPUT };
static const char *const edges[] = {
	[EDGE_DROP] = "error-drop",
	[EDGE_PUNT] = "error-punt",
	[EDGE_OUTPUT] = "*-output",
};

/* The first ones in the order of enum arp_check. */
enum counter {
	NOT_LOCAL = ARP_OPERATION + 1,
	OWN_SENDER,
	SENDER_MAC,
	REPLIES_SENT,
	REPLIES_RECEIVED,
	LEARN_LOST
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
};

static uint16_t drop(struct graph_node *node, uint16_t reason)
{
	graph_count(node, reason, 1);
	return EDGE_DROP;
}

struct scope {
	bool is_ours;       /* the target is an address of the interface */
	bool sender_local;  /* the sender is on one of its subnets */
	bool sender_is_own; /* the sender bears an address of the interface */
};

static struct scope scope_of(const struct interface *interface, const struct arp *arp)
{
	const struct address_list *list = __atomic_load_n(&interface->addresses, __ATOMIC_ACQUIRE);
	struct scope scope = {0};
	for (uint16_t i = 0; i < list->count; i++) {
		const struct ws_ip4_prefix *own = &list->at[i];
		uint32_t mask = ip4_mask(own->length), host = arp->sender & ~mask;
		scope.is_ours |= own->address == arp->target;
		scope.sender_is_own |= own->address == arp->sender;
		if (own->length < 32 && (own->address & mask) == (arp->sender & mask))
			scope.sender_local |= own->length == 31 || (host && host != ~mask);
	}
	return scope;
}

static void answer(struct rte_mbuf *packet, const struct interface *interface, struct arp *arp)
{
	uint32_t asked = arp->target;
	arp->operation = ARP_REPLY;
	arp->target = arp->sender;
	memcpy(arp->target_mac, arp->sender_mac, sizeof(arp->target_mac));
	arp->sender = asked;
	memcpy(arp->sender_mac, interface->mac, sizeof(arp->sender_mac));
	arp_write(packet_data(packet), arp);
	packet_advance(packet, -ETHERNET_LEN);
	ethernet_write(packet_data(packet), arp->target_mac, arp->sender_mac, ETHERNET_ARP);
}

static uint16_t handle(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet)
{
	struct ws_router *router = router_of(graph);
	const struct interface *interface = &router->interfaces[packet->port];
	struct arp arp;
	enum arp_check check = arp_parse(packet_data(packet), packet->data_len, &arp);
	if (check != ARP_OK)
		return drop(node, check);
	if (memcmp(arp.sender_mac, packet_data(packet) - 8, sizeof(arp.sender_mac)) ||
		ethernet_is_group(arp.sender_mac))
		return drop(node, SENDER_MAC);
	struct scope scope = scope_of(interface, &arp);
	if (scope.sender_is_own)
		return drop(node, OWN_SENDER);
	/* A sender without an address probes whether ours is taken (RFC 5227): answer, learn nothing.
	 */
	if (!scope.sender_local && arp.sender)
		return drop(node, NOT_LOCAL);
	struct arp_event event = {
		.address = arp.sender, .interface = packet->port, .may_create = scope.is_ours};
	memcpy(event.mac, arp.sender_mac, sizeof(event.mac));
	if (arp.sender && !event_ring_put(&router->events, &event))
		graph_count(node, LEARN_LOST, 1);
	if (arp.operation == ARP_REQUEST && scope.is_ours) {
		answer(packet, interface, &arp);
		graph_count(node, REPLIES_SENT, 1);
		return EDGE_OUTPUT + packet->port;
	}
	graph_count(node, scope.is_ours ? REPLIES_RECEIVED : 0, 1);
	return EDGE_PUNT;
}

static uint16_t arp_input_process(struct graph *graph, struct graph_node *node, void **packets,
								  uint16_t n)
{
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++)
		next[i] = handle(graph, node, packets[i]);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static struct graph_registration arp_input = {
	.name = "arp-input",
	.process = arp_input_process,
	.edge_count = 3,
	.edges = edges,
	.counter_count = LEARN_LOST + 1,
	.counters = counters,
};
GRAPH_REGISTER(arp_input)
