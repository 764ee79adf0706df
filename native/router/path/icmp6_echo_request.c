/* SPDX-License-Identifier: Apache-2.0 */
/*
 * icmp6-echo-request: turns an echo request into the reply (RFC 4443 section 4.2).
 *
 * Takes whole messages that ip6-local has checked. The reply is routed like any packet, except to a
 * link-local address: that goes back to the sending station. The reply to a request for a group has
 * an address of the interface as its source.
 *
 * Uses: mbuf->port; the received Ethernet header is in front of the data. Next: ip6-lookup,
 * <if>-output, error-drop.
 */
#include "router/interface/ip6_interface.h"
#include "router/interface/source_address.h"
#include "router/local/local.h"
#include "router/packet/output.h"
#include "router/path/each_packet.h"
#include "wire/ethernet.h"
#include "wire/icmp6.h"

enum edge { EDGE_LOOKUP, EDGE_DROP, EDGE_OUTPUT };
static const char *const edges[] = {
	[EDGE_LOOKUP] = "ip6-lookup",
	[EDGE_DROP] = "error-drop",
	[EDGE_OUTPUT] = "*-output",
};

enum counter { REPLIES, NO_SOURCE, NO_ADDRESS };
static const struct graph_counter counters[] = {
	[REPLIES] = {"echo replies sent", false},
	[NO_SOURCE] = {"echo request from nobody", true},
	[NO_ADDRESS] = {"no address to answer from", true},
};

GRAPH_DROP(EDGE_DROP)

static void update(struct icmp6_header *icmp, const uint8_t *before, const uint8_t *after)
{
	for (int i = 0; i < IP6_ADDRESS_LEN; i += 2) {
		uint16_t old, new;
		memcpy(&old, before + i, sizeof(old));
		memcpy(&new, after + i, sizeof(new));
		icmp->checksum = checksum_update(icmp->checksum, old, new);
	}
}

static uint16_t icmp6_echo_request_one(struct graph *graph, struct graph_node *node,
									   struct rte_mbuf *packet)
{
	struct ip6_header *ip = (struct ip6_header *)(void *)packet_data(packet);
	struct icmp6_header *icmp = (struct icmp6_header *)(void *)(ip + 1);
	uint8_t source[IP6_ADDRESS_LEN], to[ETHERNET_ADDRESS_LEN];
	uint16_t before, after;
	if (ip6_is_unspecified(ip->source))
		return drop(node, NO_SOURCE);
	memcpy(source, ip->destination, sizeof(source));
	if (ip6_is_multicast(source)) {
		if (!ip6_source_address(router_of(graph), packet->port, ip->source, source))
			return drop(node, NO_ADDRESS);
		update(icmp, ip->destination, source);
	}
	memcpy(&before, icmp, sizeof(before));
	icmp->type = ICMP6_ECHO_REPLY;
	memcpy(&after, icmp, sizeof(after));
	icmp->checksum = checksum_update(icmp->checksum, before, after);
	memcpy(ip->destination, ip->source, sizeof(source));
	memcpy(ip->source, source, sizeof(source));
	ip->hop_limit = LOCAL_TTL;
	graph_count(node, REPLIES, 1);
	if (!ip6_is_link_local(ip->destination))
		return EDGE_LOOKUP;
	ip->hop_limit--;
	memcpy(to, packet_data(packet) - ETHERNET_LEN + ETHERNET_ADDRESS_LEN, sizeof(to));
	return EDGE_OUTPUT + packet_frame(router_of(graph), packet, packet->port, to, ETHERNET_IP6);
}

EACH_PACKET_NODE(icmp6_echo_request, .name = "icmp6-echo-request", .takes = TAKES_PACKET,
				 GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
