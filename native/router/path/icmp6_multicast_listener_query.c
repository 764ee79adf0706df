/* SPDX-License-Identifier: Apache-2.0 */
/*
 * icmp6-multicast-listener-query: reports a listener query (RFC 3810 section 6.2) to the main
 * thread, which replies with all groups of the interface.
 *
 * Uses: mbuf->port. Next: error-punt (reported), error-drop.
 */
#include "router/packet/metadata.h"
#include "router/packet/upper.h"
#include "router/path/each_packet.h"
#include "router/router.h"
#include "wire/mld.h"

enum edge { EDGE_DROP, EDGE_PUNT };
static const char *const edges[] = {[EDGE_DROP] = "error-drop", [EDGE_PUNT] = "error-punt"};

enum counter { RECEIVED, SHORT, HOP_LIMIT, NOT_LINK_LOCAL, LOST };
static const struct graph_counter counters[] = {
	[RECEIVED] = {"multicast listener queries received", false},
	[SHORT] = {"payload length too small for type", true},
	[HOP_LIMIT] = {"hop_limit != 1", true},
	[NOT_LINK_LOCAL] = {"multicast listener query from no link-local address", true},
	[LOST] = {"multicast listener query lost: event ring full", true},
};

GRAPH_DROP(EDGE_DROP)

static uint16_t icmp6_multicast_listener_query_one(struct graph *graph, struct graph_node *node,
												   struct rte_mbuf *packet)
{
	struct ws_router *router = router_of(graph);
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	const struct icmp6_header *icmp = (const struct icmp6_header *)(const void *)(ip + 1);
	if (be16toh(ip->payload_length) < MLD_QUERY_LEN)
		return drop(node, SHORT);
	if (ip->hop_limit != MLD_HOP_LIMIT)
		return drop(node, HOP_LIMIT);
	if (!ip6_is_link_local(ip->source))
		return drop(node, NOT_LINK_LOCAL);
	const struct router_event event = {
		.kind = EVENT_MLD_QUERIED,
		.interface = packet->port,
		.delay_ms = mld_response_ms(icmp),
	};
	if (!event_ring_put(&router->events, &event))
		return drop(node, LOST);
	graph_count(node, RECEIVED, 1);
	return EDGE_PUNT;
}

EACH_PACKET_NODE(icmp6_multicast_listener_query, .name = "icmp6-multicast-listener-query",
				 .takes = TAKES_PACKET, GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))

UPPER_NODE(multicast_listener_query, ABOVE_IP6, UPPER_ICMP6(ICMP6_LISTENER_QUERY),
		   "icmp6-multicast-listener-query")
