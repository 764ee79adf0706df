/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip6-discover-neighbor: turns a packet whose next hop has no known MAC address into the neighbor
 * solicitation for it.
 *
 * Sends at most one solicitation per second for each next hop. A few packets without labels wait
 * for the answer (hold.h), the others are dropped.
 *
 * ip6-glean: turns a packet to an unknown host of a connected prefix into the neighbor solicitation
 * for it.
 *
 * The worker's throttle limits the solicitations for each sender of packets, so a scan of the
 * prefix neither delays other senders nor fills the table of neighbours. A few packets to each host
 * wait for the answer (hold.h), the others are dropped.
 *
 * Both: Uses: adjacency. Sets: the data begins at the Ethernet header. Next: <if>-output,
 * error-drop.
 */
#include "router/fib/adjacency_nodes.h"
#include "router/interface/ip6_interface.h"
#include "router/interface/source_address.h"
#include "router/packet/output.h"
#include "router/path/each_unheld.h"
#include "wire/nd.h"

enum edge { EDGE_DROP, EDGE_OUTPUT };
static const char *const edges[] = {[EDGE_DROP] = "error-drop", [EDGE_OUTPUT] = "*-output"};

enum counter { SENT, THROTTLED, NO_ADDRESS, NO_ROOM, HELD };
static const struct graph_counter counters[] = {
	[SENT] = {"neighbor solicitations sent", false},
	[THROTTLED] = {"neighbor solicitations throttled", true},
	[NO_ADDRESS] = {"no source address for neighbor solicitation", true},
	[NO_ROOM] = {"no headroom for a neighbor solicitation", true},
	[HELD] = {"packets held for a neighbor advertisement", false},
};

GRAPH_DROP(EDGE_DROP)

/* Turn the packet into the solicitation for `target` on the interface, and hold a copy of it. If it
 * is too soon for a solicitation, hold the packet itself. Labelled packets are not held. Returns
 * the edge, or PACKET_IS_HELD. */
static uint16_t solicit(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet,
						uint16_t interface, const uint8_t *target,
						const struct glean_question *question)
{
	/* The solicitation ends where an IPv6 header would end; a labelled packet may be shorter. */
	enum { BACK = ND_NEIGHBOR_MESSAGE_LEN };
	const struct ws_router *router = router_of(graph);
	uint8_t source[IP6_ADDRESS_LEN], group[IP6_ADDRESS_LEN], to[ETHERNET_ADDRESS_LEN];
	struct glean_throttle *glean = &router_worker_of(graph)->glean;
	const struct held_for whom = hold_for(graph, packet, question, address_of_ip6(target));
	uint64_t now = graph_tsc();
	if (glean_must_wait(glean, question, now))
		return hold_instead(graph, node, packet, &whom, now, HELD) ? PACKET_IS_HELD
																   : drop(node, THROTTLED);
	if (!ip6_source_address(router, interface, target, source))
		return drop(node, NO_ADDRESS);
	if (packet->data_off < BACK + ETHERNET_MAX_LEN || packet->data_len < IP6_LEN)
		return drop(node, NO_ROOM);
	if (!glean_may_ask(glean, question, now))
		return drop(node, THROTTLED);
	hold_beside(graph, node, packet, &whom, now, HELD);
	ip6_solicited_node(group, target);
	ip6_multicast_mac(to, group);
	packet_truncate(packet, IP6_LEN);
	packet_advance(packet, -BACK);
	trace_moved(packet, -BACK);
	nd_write_solicitation(packet_data(packet), source, group, target,
						  router->interfaces[interface].mac);
	graph_count(node, SENT, 1);
	return EDGE_OUTPUT + packet_frame(router, packet, interface, to, ETHERNET_IP6);
}

static uint16_t ip6_discover_neighbor_one(struct graph *graph, struct graph_node *node,
										  struct rte_mbuf *packet)
{
	uint32_t index = packet_adjacency(packet);
	struct adjacency *adjacency = &router_of(graph)->adjacencies.adjacencies[index];
	const struct ws_address *next_hop = &router_of(graph)->adjacencies.neighbors[index].next_hop;
	const struct glean_question question = {.asked_tsc = &adjacency->asked_tsc};
	return solicit(graph, node, packet, adjacency->tx_interface, next_hop->bytes, &question);
}

EACH_UNHELD_NODE(ip6_discover_neighbor, .name = "ip6-discover-neighbor",
				 .takes = TAKES_PACKET | TAKES_DECIDED, GRAPH_EDGES(edges),
				 GRAPH_COUNTERS(counters))
ADJACENCY_NODE(BEHIND_IP6, ADJACENCY_INCOMPLETE6, "ip6-discover-neighbor")
ADJACENCY_NODE(BEHIND_LABELLED, ADJACENCY_INCOMPLETE6, "ip6-discover-neighbor")

static uint16_t ip6_glean_one(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	uint8_t target[IP6_ADDRESS_LEN];
	memcpy(target, ip->destination, sizeof(target));
	const struct glean_throttle *glean = &router_worker_of(graph)->glean;
	uint16_t interface =
		router_of(graph)->adjacencies.adjacencies[packet_adjacency(packet)].tx_interface;
	uint64_t to[2], from;
	memcpy(to, ip->destination, sizeof(to));
	/* The sender's network, since a host may use any address in it. */
	memcpy(&from, ip->source, sizeof(from));
	const struct glean_question question = {
		.host = glean_hash(glean, interface, to[0], to[1]),
		.sender = glean_hash(glean, 0, from, 0),
	};
	return solicit(graph, node, packet, interface, target, &question);
}

EACH_UNHELD_NODE(ip6_glean, .name = "ip6-glean", .takes = TAKES_PACKET | TAKES_DECIDED,
				 GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
ADJACENCY_NODE(BEHIND_IP6, ADJACENCY_GLEAN, "ip6-glean")
