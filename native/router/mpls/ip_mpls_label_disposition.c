/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-mpls-label-disposition-uniform, ip6-mpls-label-disposition-uniform: the last label was
 * popped, and an IPv4 or IPv6 packet is left.
 *
 * The header was not checked yet. TTL or hop limit becomes the label's TTL, unless it is lower;
 * this hop is counted at the output.
 *
 * Uses: adjacency (ADJACENCY_POP_IP4 or ADJACENCY_POP_IP6), label. Sets: adjacency, the next one.
 * Next: by its kind.
 */
#include "router/mpls/mpls_forward.h"
#include "router/path/each_packet.h"
#include "router/path/ip_forward.h"

/* ---- IPv4 ---- */

static const char *const ip4_edges[] = {EDGES_BEHIND_IP4};

/* In the order of enum ip4_check. */
static const struct graph_counter ip4_counters[] = {
	[IP4_OK] = {"ip4 packets taken out", false},
	[IP4_SHORT] = {"ip4 length < 20 bytes", true},
	[IP4_VERSION] = {"ip4 version != 4", true},
	[IP4_HEADER_LENGTH] = {"bad ip4 header length", true},
	[IP4_TOTAL_LENGTH] = {"ip4 length > l2 length", true},
	[IP4_CHECKSUM] = {"bad ip4 checksum", true},
};

static uint16_t ip4_mpls_label_disposition_one(struct graph *graph, struct graph_node *node,
											   struct rte_mbuf *packet)
{
	struct ip4_header *ip = (struct ip4_header *)(void *)packet_data(packet);
	uint8_t ttl = mpls_ttl(packet_label(packet));
	enum ip4_check error = ip4_check(packet_data(packet), packet->data_len, packet->pkt_len);
	graph_count(node, (uint16_t)error, 1);
	if (unlikely(error))
		return ADJACENCY_DROP;
	if (ip->ttl > ttl)
		ip4_set_ttl(ip, ttl);
	return adjacency_follow(router_of(graph), packet);
}

EACH_PACKET_NODE(ip4_mpls_label_disposition, .name = "ip4-mpls-label-disposition-uniform",
				 .takes = TAKES_PACKET | TAKES_DECIDED, GRAPH_EDGES(ip4_edges),
				 GRAPH_COUNTERS(ip4_counters))
ADJACENCY_NODE(BEHIND_LABEL, ADJACENCY_POP_IP4, "ip4-mpls-label-disposition-uniform")

/* ---- IPv6 ---- */

static const char *const ip6_edges[] = {EDGES_BEHIND_IP6};

/* In the order of enum ip6_check. */
static const struct graph_counter ip6_counters[] = {
	[IP6_OK] = {"ip6 packets taken out", false},
	[IP6_SHORT] = {"ip6 length < 40 bytes", true},
	[IP6_VERSION] = {"ip6 version != 6", true},
	[IP6_LENGTH] = {"ip6 length > l2 length", true},
};

static uint16_t ip6_mpls_label_disposition_one(struct graph *graph, struct graph_node *node,
											   struct rte_mbuf *packet)
{
	struct ip6_header *ip = (struct ip6_header *)(void *)packet_data(packet);
	uint8_t ttl = mpls_ttl(packet_label(packet));
	enum ip6_check error = ip6_check(packet_data(packet), packet->data_len, packet->pkt_len);
	graph_count(node, (uint16_t)error, 1);
	if (unlikely(error))
		return ADJACENCY_DROP;
	if (ip->hop_limit > ttl)
		ip->hop_limit = ttl;
	return adjacency_follow(router_of(graph), packet);
}

EACH_PACKET_NODE(ip6_mpls_label_disposition, .name = "ip6-mpls-label-disposition-uniform",
				 .takes = TAKES_PACKET | TAKES_DECIDED, GRAPH_EDGES(ip6_edges),
				 GRAPH_COUNTERS(ip6_counters))
ADJACENCY_NODE(BEHIND_LABEL, ADJACENCY_POP_IP6, "ip6-mpls-label-disposition-uniform")
