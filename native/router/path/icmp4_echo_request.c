/* SPDX-License-Identifier: Apache-2.0 */
/*
 * icmp4-echo-request: turns an echo request into the reply (RFC 792), which is routed like any
 * packet.
 *
 * Takes whole datagrams whose IPv4 and ICMP headers ip4-local has checked. IP options are returned
 * unchanged (RFC 1122 section 3.2.2.6).
 *
 * Next: ip4-lookup, error-drop.
 */
#include "router/local/local.h"
#include "router/packet/metadata.h"
#include "router/packet/packet_checksum.h"
#include "router/path/each_packet.h"
#include "router/router.h"
#include "wire/icmp4.h"
#include "wire/ip4.h"

enum edge { EDGE_LOOKUP, EDGE_DROP };
static const char *const edges[] = {[EDGE_LOOKUP] = "ip4-lookup", [EDGE_DROP] = "error-drop"};

enum counter { REPLIES, BAD_CHECKSUM };
static const struct graph_counter counters[] = {
	[REPLIES] = {"echo replies sent", false},
	[BAD_CHECKSUM] = {"bad icmp4 checksum", true},
};

static uint16_t icmp4_echo_request_one(struct graph *graph, struct graph_node *node,
									   struct rte_mbuf *packet)
{
	(void)graph;
	struct ip4_header *ip = (struct ip4_header *)(void *)packet_data(packet);
	uint16_t header = ip4_header_length(ip);
	struct icmp4_header *icmp = (struct icmp4_header *)(void *)(packet_data(packet) + header);
	if (packet_checksum(0, packet, header, be16toh(ip->total_length) - header)) {
		graph_count(node, BAD_CHECKSUM, 1);
		return EDGE_DROP;
	}
	uint16_t before, after;
	memcpy(&before, icmp, sizeof(before));
	icmp->type = ICMP4_ECHO_REPLY;
	memcpy(&after, icmp, sizeof(after));
	icmp->checksum = checksum_update(icmp->checksum, before, after);
	uint32_t source = ip->source;
	ip->source = ip->destination;
	ip->destination = source;
	ip->ttl = LOCAL_TTL;
	ip4_set_checksum(ip);
	graph_count(node, REPLIES, 1);
	return EDGE_LOOKUP;
}

EACH_PACKET_NODE(icmp4_echo_request, .name = "icmp4-echo-request", .takes = TAKES_PACKET,
				 GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
