/* SPDX-License-Identifier: Apache-2.0 */
/*
 * icmp6-router-advertisement: counts other routers' advertisements, which are for hosts.
 *
 * Next: error-drop.
 */
#include "router/packet/metadata.h"
#include "router/packet/takes.h"
#include "router/packet/upper.h"
#include "router/path/each_packet.h"
#include "wire/nd.h"

enum edge { EDGE_DROP };
static const char *const edges[] = {[EDGE_DROP] = "error-drop"};

enum counter { RECEIVED, HOP_LIMIT, NOT_LINK_LOCAL };
static const struct graph_counter counters[] = {
	[RECEIVED] = {"router advertisements received", false},
	[HOP_LIMIT] = {"hop_limit != 255", true},
	[NOT_LINK_LOCAL] = {"router advertisements from source not link local", true},
};

static uint16_t icmp6_router_advertisement_one(struct graph *graph, struct graph_node *node,
											   struct rte_mbuf *packet)
{
	(void)graph;
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	enum counter reason = ip6_is_link_local(ip->source) ? RECEIVED : NOT_LINK_LOCAL;
	graph_count(node, ip->hop_limit == ND_HOP_LIMIT ? reason : HOP_LIMIT, 1);
	return EDGE_DROP;
}

EACH_PACKET_NODE(icmp6_router_advertisement, .name = "icmp6-router-advertisement",
				 .takes = TAKES_PACKET, GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))

UPPER_NODE(router_advertisement, ABOVE_IP6, UPPER_ICMP6(ICMP6_ROUTER_ADVERTISEMENT),
		   "icmp6-router-advertisement")
