/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-arp: turns a packet whose next hop has no known MAC address into the ARP request for it.
 *
 * At most one request a second: for a next hop of a route by its adjacency, for a destination on a
 * connected subnet by its place in a small table of the worker, so that a scan of the subnet sends
 * a few hundred a second at most. Packets in between are dropped.
 *
 * Uses: adjacency. Sets: the data begins at the Ethernet header. Next: <if>-output, error-drop.
 */
#include "graph/graph.h"
#include "router/each_packet.h"
#include "router/output.h"
#include "router/router.h"
#include "wire/address.h"
#include "wire/arp.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"

enum edge { EDGE_DROP, EDGE_OUTPUT };
static const char *const edges[] = {[EDGE_DROP] = "error-drop", [EDGE_OUTPUT] = "*-output"};

enum counter { REQUESTS, THROTTLED, NO_ADDRESS, NO_ROOM };
static const struct graph_counter counters[] = {
	[REQUESTS] = {"ARP requests sent", false},
	[THROTTLED] = {"ARP requests throttled", true},
	[NO_ADDRESS] = {"no source address for ARP request", true},
	[NO_ROOM] = {"no room for an ARP request", true},
};

/* The request ends where the IPv4 header did, which is there for sure; so it begins earlier. */
enum { BACK = ARP_LEN - IP4_LEN, HEADROOM = BACK + ETHERNET_MAX_LEN };

static uint16_t drop(struct graph_node *node, enum counter reason)
{
	graph_count(node, reason, 1);
	return EDGE_DROP;
}

/* When the next hop was last asked for. Workers may race for an adjacency's: two ask then. */
static uint64_t *asked_tsc(struct graph *graph, uint32_t index, uint32_t next_hop)
{
	struct adjacency *adjacency = &router_of(graph)->adjacencies.adjacencies[index];
	if (index >= ADJACENCY_FIRST_NEIGHBOR)
		return &adjacency->asked_tsc;
	uint32_t slot = next_hop * 0x9e3779b1u >> 24;
	return &router_worker_of(graph)->glean_asked_tsc[slot % ARP_THROTTLE_SLOTS];
}

/* Our address on the next hop's subnet, else our first one; 0 when there is none. */
static uint32_t source_address(const struct interface *interface, uint32_t next_hop)
{
	const struct address_list *list = __atomic_load_n(&interface->addresses, __ATOMIC_ACQUIRE);
	uint32_t first = 0;
	for (uint16_t i = 0; i < list->count; i++) {
		uint32_t address = address_ip4(&list->at[i].address);
		if (list->at[i].address.family != WS_IP4)
			continue;
		if (!((address ^ next_hop) & ip4_mask(list->at[i].length)))
			return address;
		first = first ? first : address;
	}
	return first;
}

static uint16_t handle(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet)
{
	static const uint8_t all[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	uint32_t index = packet_adjacency(packet);
	const struct adjacency_table *table = &router_of(graph)->adjacencies;
	const struct adjacency *adjacency = &table->adjacencies[index];
	const struct interface *interface = &router_of(graph)->interfaces[adjacency->tx_interface];
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	struct arp arp = {
		.operation = ARP_REQUEST,
		.target = index < ADJACENCY_FIRST_NEIGHBOR ? be32toh(ip->destination)
												   : address_ip4(&table->neighbors[index].next_hop),
	};
	uint64_t *asked = asked_tsc(graph, index, arp.target);
	uint64_t before = __atomic_load_n(asked, __ATOMIC_RELAXED), now = graph_tsc();
	if (before && now - before < router_of(graph)->tsc_hz)
		return drop(node, THROTTLED);
	arp.sender = source_address(interface, arp.target);
	if (!arp.sender)
		return drop(node, NO_ADDRESS);
	/* It is written over an IPv4 header, which a labelled packet need not have. */
	if (packet->data_off < HEADROOM || packet->data_len < IP4_LEN)
		return drop(node, NO_ROOM);
	__atomic_store_n(asked, now, __ATOMIC_RELAXED);
	memcpy(arp.sender_mac, interface->mac, sizeof(arp.sender_mac));
	packet_advance(packet, -BACK);
	packet_truncate(packet, ARP_LEN);
	trace_moved(packet, -BACK);
	arp_write(packet_data(packet), &arp);
	graph_count(node, REQUESTS, 1);
	return EDGE_OUTPUT +
		   packet_frame(router_of(graph), packet, adjacency->tx_interface, all, ETHERNET_ARP);
}

static uint16_t ip4_arp_process(struct graph *graph, struct graph_node *node, void **packets,
								uint16_t n)
{
	return each_packet(graph, node, packets, n, handle);
}

static struct graph_registration ip4_arp = {
	.name = "ip4-arp",
	.process = ip4_arp_process,
	.edge_count = 2,
	.edges = edges,
	.counter_count = NO_ROOM + 1,
	.counters = counters,
};
GRAPH_REGISTER(ip4_arp)
