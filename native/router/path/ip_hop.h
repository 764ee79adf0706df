/* SPDX-License-Identifier: Apache-2.0 */
/* Errors for packets that end at this hop: TTL or hop limit exceeded, or longer than the link's
 * MTU. */
#pragma once

#include "graph/graph.h"
#include "router/packet/metadata.h"
#include "wire/icmp4.h"
#include "wire/icmp6.h"
#include "wire/ip4.h"
#include "wire/ip6.h"

/* The first counters of a node that calls ip4_hop_error or ip6_hop_error. */
enum { IP4_HOP_TTL, IP4_HOP_MTU_DF, IP4_HOP_COUNTERS };
#define IP4_HOP_COUNTER_NAMES                                                                      \
	[IP4_HOP_TTL] = {"ip4 ttl <= 1", true}, [IP4_HOP_MTU_DF] = {"ip4 MTU exceeded and DF set", true}
enum { IP6_HOP_LIMIT, IP6_HOP_MTU, IP6_HOP_COUNTERS };
#define IP6_HOP_COUNTER_NAMES                                                                      \
	[IP6_HOP_LIMIT] = {"ip6 hop limit <= 1", true}, [IP6_HOP_MTU] = {"ip6 MTU exceeded", true}

/*
 * True if the packet goes to ip4-icmp-error: no hop is left, or it is longer than `mtu` with DF
 * set. Counts it and sets its error.
 */
static __attribute__((noinline)) bool ip4_hop_error(struct graph_node *node,
													struct rte_mbuf *packet, uint16_t mtu)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	if (ip->ttl <= 1) {
		graph_count(node, IP4_HOP_TTL, 1);
		packet_set_icmp_error(packet, ICMP4_TIME_EXCEEDED, 0, 0);
		return true;
	}
	if (be16toh(ip->total_length) > mtu && ip->fragment & htobe16(IP4_DONT_FRAGMENT)) {
		graph_count(node, IP4_HOP_MTU_DF, 1);
		packet_set_icmp_error(packet, ICMP4_UNREACHABLE, ICMP4_FRAGMENTATION_NEEDED, mtu);
		return true;
	}
	return false;
}

/*
 * True if the packet goes to ip6-icmp-error: no hop is left, or it is longer than `mtu`. Counts it
 * and sets its error.
 */
static __attribute__((noinline)) bool ip6_hop_error(struct graph_node *node,
													struct rte_mbuf *packet, uint16_t mtu)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	if (ip->hop_limit <= 1) {
		graph_count(node, IP6_HOP_LIMIT, 1);
		packet_set_icmp_error(packet, ICMP6_TIME_EXCEEDED, 0, 0);
		return true;
	}
	if (ip6_packet_length(ip) > mtu) {
		graph_count(node, IP6_HOP_MTU, 1);
		packet_set_icmp_error(packet, ICMP6_TOO_BIG, 0, mtu);
		return true;
	}
	return false;
}
