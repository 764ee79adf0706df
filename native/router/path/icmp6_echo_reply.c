/* SPDX-License-Identifier: Apache-2.0 */
/*
 * icmp6-echo-reply: tells the main thread of the answer to a ping of ours.
 *
 * Takes whole messages that ip6-local has checked. Next: error-punt (taken note of), error-drop.
 */
#include "router/local/echo.h"
#include "router/packet/metadata.h"
#include "router/path/each_packet.h"
#include "wire/address.h"
#include "wire/icmp6.h"

static const char *const edges[] = {[ECHO_DROP] = "error-drop", [ECHO_PUNT] = "error-punt"};
static const struct graph_counter counters[] = {ECHO_COUNTER_NAMES};

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
