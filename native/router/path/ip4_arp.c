/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-arp: turns a packet whose next hop has no known MAC address into an ARP request for it.
 *
 * At most one request per second: for a next hop of a route by its adjacency; for a destination on
 * a connected subnet by the worker's throttle, which limits the requests that one sender's scan of
 * the subnet causes. A few packets for each next hop are held (hold.h), except for labelled ones;
 * the others are dropped.
 *
 * Uses: adjacency. Sets: the data begins at the Ethernet header. Next: <if>-output, error-drop.
 */
#include "router/fib/adjacency_nodes.h"
#include "router/interface/source_address.h"
#include "router/packet/output.h"
#include "router/path/each_unheld.h"
#include "wire/address.h"
#include "wire/arp.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"

enum edge { EDGE_DROP, EDGE_OUTPUT };
static const char *const edges[] = {[EDGE_DROP] = "error-drop", [EDGE_OUTPUT] = "*-output"};

enum counter { REQUESTS, THROTTLED, NO_ADDRESS, NO_ROOM, HELD };
static const struct graph_counter counters[] = {
	[REQUESTS] = {"ARP requests sent", false},
	[THROTTLED] = {"ARP requests throttled", true},
	[NO_ADDRESS] = {"no source address for ARP request", true},
	[NO_ROOM] = {"no room for an ARP request", true},
	[HELD] = {"packets held for an ARP reply", false},
};

/* The request ends where the IPv4 header ended, which is at least that long; so it begins before
 * it. */
enum { BACK = ARP_LEN - IP4_LEN, HEADROOM = BACK + ETHERNET_MAX_LEN };

GRAPH_DROP(EDGE_DROP)

static struct glean_question question_about(struct graph *graph, const struct rte_mbuf *packet,
											uint32_t *next_hop)
{
	uint32_t index = packet_adjacency(packet);
	const struct adjacency_table *table = &router_of(graph)->adjacencies;
	struct adjacency *adjacency = &table->adjacencies[index];
	if (index >= ADJACENCY_FIRST_NEIGHBOR) {
		*next_hop = address_ip4(&table->neighbors[index].next_hop);
		return (struct glean_question){.asked_tsc = &adjacency->asked_tsc};
	}
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	const struct glean_throttle *glean = &router_worker_of(graph)->glean;
	*next_hop = be32toh(ip->destination);
	return (struct glean_question){
		.host = glean_hash(glean, adjacency->tx_interface, 0, *next_hop),
		.sender = glean_hash(glean, 0, 0, ip->source),
	};
}

static uint16_t ip4_arp_one(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet)
{
	uint16_t index =
		router_of(graph)->adjacencies.adjacencies[packet_adjacency(packet)].tx_interface;
	struct glean_throttle *glean = &router_worker_of(graph)->glean;
	uint32_t target;
	const struct glean_question question = question_about(graph, packet, &target);
	const struct held_for to = hold_for(graph, packet, &question, address_of_ip4(target));
	uint64_t now = graph_tsc();
	if (glean_must_wait(glean, &question, now))
		return hold_instead(graph, node, packet, &to, now, HELD) ? PACKET_IS_HELD
																 : drop(node, THROTTLED);
	uint32_t sender = ip4_source_address(router_of(graph), index, target);
	if (!sender)
		return drop(node, NO_ADDRESS);
	/* The request is written over an IPv4 header; a labelled packet may be shorter. */
	if (packet->data_off < HEADROOM || packet->data_len < IP4_LEN)
		return drop(node, NO_ROOM);
	if (!glean_may_ask(glean, &question, now))
		return drop(node, THROTTLED);
	hold_beside(graph, node, packet, &to, now, HELD);
	packet_advance(packet, -BACK);
	packet_truncate(packet, ARP_LEN);
	trace_moved(packet, -BACK);
	arp_write_request(packet_data(packet), router_of(graph)->interfaces[index].mac, sender, target);
	graph_count(node, REQUESTS, 1);
	return EDGE_OUTPUT + packet_frame(router_of(graph), packet, index, arp_everybody, ETHERNET_ARP);
}

EACH_UNHELD_NODE(ip4_arp, .name = "ip4-arp", .takes = TAKES_PACKET | TAKES_DECIDED,
				 GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
ADJACENCY_NODE(BEHIND_IP4, ADJACENCY_GLEAN, "ip4-arp")
ADJACENCY_NODE(BEHIND_IP4, ADJACENCY_INCOMPLETE, "ip4-arp")
ADJACENCY_NODE(BEHIND_LABELLED, ADJACENCY_INCOMPLETE, "ip4-arp")
