/* SPDX-License-Identifier: Apache-2.0 */
/*
 * icmp6-router-solicitation: reports a host's solicitation (RFC 4861 section 6.2.6) to the main
 * thread, which sends an advertisement if the interface is to.
 *
 * Uses: mbuf->port. Next: error-punt (reported), error-drop.
 */
#include "router/interface/ip6_interface.h"
#include "router/local/nd.h"
#include "router/packet/upper.h"
#include "router/path/each_packet.h"
#include "wire/nd.h"

enum edge { EDGE_DROP, EDGE_PUNT };
static const char *const edges[] = {[EDGE_DROP] = "error-drop", [EDGE_PUNT] = "error-punt"};

/* The first ones in the order of enum nd_fault. */
enum counter { RECEIVED = 0, NOT_ON_LINK = ND_FAULTS, LOST };
static const struct graph_counter counters[] = {
	[RECEIVED] = {"router solicitations received", false},
	ND_FAULT_COUNTERS,
	[NOT_ON_LINK] = {"router solicitations from source not on link", true},
	[LOST] = {"router solicitation lost: event ring full", true},
};

GRAPH_DROP(EDGE_DROP)

static uint16_t icmp6_router_solicitation_one(struct graph *graph, struct graph_node *node,
											  struct rte_mbuf *packet)
{
	struct ws_router *router = router_of(graph);
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	struct nd_message message;
	enum nd_fault fault = nd_take(packet, &message);
	if (fault)
		return drop(node, fault);
	if (!ip6_is_unspecified(ip->source) && !ip6_is_on_link(router, packet->port, ip->source))
		return drop(node, NOT_ON_LINK);
	struct router_event event = {
		.kind = EVENT_ROUTER_SOLICITED,
		.interface = packet->port,
		.address = address_of_ip6(ip->source),
		.flags = message.has_mac ? NEIGHBOR_HAS_MAC : 0,
	};
	memcpy(event.mac, message.mac, sizeof(event.mac));
	if (!event_ring_put(&router->events, &event))
		return drop(node, LOST);
	graph_count(node, RECEIVED, 1);
	return EDGE_PUNT;
}

EACH_PACKET_NODE(icmp6_router_solicitation, .name = "icmp6-router-solicitation",
				 .takes = TAKES_PACKET, GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))

UPPER_NODE(router_solicitation, ABOVE_IP6, UPPER_ICMP6(ICMP6_ROUTER_SOLICITATION),
		   "icmp6-router-solicitation")
