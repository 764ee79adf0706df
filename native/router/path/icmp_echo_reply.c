/* SPDX-License-Identifier: Apache-2.0 */
/*
 * icmp4-echo-reply, icmp6-echo-reply: report replies to the router's own pings to the main thread.
 *
 * Take whole datagrams whose IPv4 and ICMP headers ip4-local has checked, and whole messages that
 * ip6-local has checked. Next: error-punt (reported), error-drop.
 */
#include "router/local/echo.h"
#include "router/packet/metadata.h"
#include "router/packet/packet_checksum.h"
#include "router/path/each_packet.h"
#include "wire/address.h"
#include "wire/icmp4.h"
#include "wire/icmp6.h"
#include "wire/ip4.h"

static const char *const edges[] = {[ECHO_DROP] = "error-drop", [ECHO_PUNT] = "error-punt"};
static const struct graph_counter counters[] = {ECHO_COUNTER_NAMES};

static uint16_t icmp4_echo_reply_one(struct graph *graph, struct graph_node *node,
									 struct rte_mbuf *packet)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	uint16_t header = ip4_header_length(ip), length = be16toh(ip->total_length) - header;
	const struct icmp4_header *icmp =
		(const struct icmp4_header *)(const void *)(packet_data(packet) + header);
	struct router_event event = {
		.kind = EVENT_ECHO_REPLY,
		.address = address_of_ip4(be32toh(ip->source)),
		.ttl = ip->ttl,
		.length = length,
		.echo = (uint32_t)be16toh(icmp->rest[0]) << 16 | be16toh(icmp->rest[1]),
	};
	if (packet_checksum(0, packet, header, length)) {
		graph_count(node, ECHO_BAD_CHECKSUM, 1);
		return ECHO_DROP;
	}
	return echo_reply(graph, node, packet, &event);
}

EACH_PACKET_NODE(icmp4_echo_reply, .name = "icmp4-echo-reply", .takes = TAKES_PACKET,
				 GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))

static uint16_t icmp6_echo_reply_one(struct graph *graph, struct graph_node *node,
									 struct rte_mbuf *packet)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	const struct icmp6_header *icmp = (const struct icmp6_header *)(const void *)(ip + 1);
	struct router_event event = {
		.kind = EVENT_ECHO_REPLY,
		.address = address_of_ip6(ip->source),
		.ttl = ip->hop_limit,
		.length = be16toh(ip->payload_length),
		.echo = be32toh(icmp->rest),
	};
	return echo_reply(graph, node, packet, &event);
}

EACH_PACKET_NODE(icmp6_echo_reply, .name = "icmp6-echo-reply", .takes = TAKES_PACKET,
				 GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
