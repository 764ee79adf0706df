/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ethernet-input: which protocol takes the frame, if any of this router's does.
 *
 * An interface in L3 mode takes IPv4 sent to its own address, and ARP sent to it or to all; the
 * Ethernet header is taken off, and the data then begins behind it. A cross-connected interface
 * takes everything as it is.
 *
 * Uses: mbuf->port. Next: ip4-input, arp-input, l2-input, error-drop.
 */
#include "graph/graph.h"
#include "router/metadata.h"
#include "router/router.h"
#include "wire/ethernet.h"

enum edge { EDGE_IP4_INPUT, EDGE_ARP_INPUT, EDGE_L2_INPUT, EDGE_DROP };
static const char *const edges[] = {
	[EDGE_IP4_INPUT] = "ip4-input",
	[EDGE_ARP_INPUT] = "arp-input",
	[EDGE_L2_INPUT] = "l2-input",
	[EDGE_DROP] = "error-drop",
};

enum counter { RUNT, DOWN, MAC_MISMATCH, GROUP, VLAN, UNKNOWN_TYPE };
static const struct graph_counter counters[] = {
	[RUNT] = {"frame shorter than its header", true},
	[DOWN] = {"interface is down", true},
	[MAC_MISMATCH] = {"l3 mac mismatch", true},
	[GROUP] = {"ip4 in a multicast or broadcast frame", true},
	[VLAN] = {"unknown vlan", true},
	[UNKNOWN_TYPE] = {"unknown ethernet type", true},
};

static enum edge drop(struct graph_node *node, enum counter reason)
{
	graph_count(node, reason, 1);
	return EDGE_DROP;
}

/* Everything but IPv4 for us. */
static __attribute__((noinline)) enum edge
classify(struct graph_node *node, const struct interface *interface, struct rte_mbuf *packet)
{
	const struct ethernet_header *header = ethernet_parse(packet_data(packet), packet->data_len);
	if (!header)
		return drop(node, RUNT);
	if (!interface->admin_up)
		return drop(node, DOWN);
	if (interface->mode == WS_MODE_XCONNECT)
		return EDGE_L2_INPUT;
	bool is_ours =
		ethernet_load_destination(header->destination) == ethernet_address_number(interface->mac);
	uint16_t type = be16toh(header->type);
	if (!is_ours && !ethernet_is_group(header->destination))
		return drop(node, MAC_MISMATCH);
	if (type == ETHERNET_VLAN || type == ETHERNET_QINQ)
		return drop(node, VLAN);
	if (type != ETHERNET_ARP && type != ETHERNET_IP4)
		return drop(node, UNKNOWN_TYPE);
	if (type == ETHERNET_ARP && (is_ours || ethernet_is_broadcast(header->destination))) {
		packet_advance(packet, ETHERNET_LEN);
		return EDGE_ARP_INPUT;
	}
	return drop(node, type == ETHERNET_IP4 ? GROUP : MAC_MISMATCH);
}

static uint16_t ethernet_input_process(struct graph *graph, struct graph_node *node, void **packets,
									   uint16_t n)
{
	const struct interface *interfaces = router_of(graph)->interfaces;
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		const struct interface *interface = &interfaces[packet->port];
		const struct ethernet_header *header =
			ethernet_parse(packet_data(packet), packet->data_len);
		if (likely(header && header->type == htobe16(ETHERNET_IP4) &&
				   ethernet_load_destination(header->destination) == interface->l3_mac)) {
			packet_advance(packet, ETHERNET_LEN);
			next[i] = EDGE_IP4_INPUT;
		} else {
			next[i] = classify(node, interface, packet);
		}
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static struct graph_registration ethernet_input = {
	.name = "ethernet-input",
	.process = ethernet_input_process,
	.edge_count = 4,
	.edges = edges,
	.counter_count = 6,
	.counters = counters,
};
GRAPH_REGISTER(ethernet_input)
