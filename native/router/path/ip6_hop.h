/* SPDX-License-Identifier: Apache-2.0 */
/* The errors of IPv6 packets that a hop ends: their hop limit, and a link too short for them. */
#pragma once

#include "graph/graph.h"
#include "router/packet/metadata.h"
#include "wire/icmp6.h"
#include "wire/ip6.h"

/* The first counters of a node that calls ip6_hop_error. */
enum { IP6_HOP_LIMIT, IP6_HOP_MTU, IP6_HOP_COUNTERS };
#define IP6_HOP_COUNTER_NAMES                                                                      \
	[IP6_HOP_LIMIT] = {"ip6 hop limit <= 1", true}, [IP6_HOP_MTU] = {"ip6 MTU exceeded", true}

/*
 * Whether the packet is for ip6-icmp-error, then counted and its error set: this was its last hop,
 * or it is longer than `mtu`.
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
