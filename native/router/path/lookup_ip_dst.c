/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup-ip4-dst, lookup-ip6-dst: find the longest match of the destination in the table that the
 * previous route names.
 *
 * That table may name another one; if the chain is too long, the packet is dropped. Packets behind
 * a label have not passed ip4-input or ip6-input, so packets that must not be routed are dropped
 * here.
 *
 * Uses: adjacency (ADJACENCY_TABLE). Sets: adjacency. Next: by enum adjacency_kind.
 */
#include "graph/graph.h"
#include "router/fib/adjacency_nodes.h"
#include "router/path/each_packet.h"
#include "router/path/ip_forward.h"

enum counter { TOO_MANY = FORWARD_REFUSALS, MARTIAN };

GRAPH_DROP(ADJACENCY_DROP)

/* ---- IPv4 ---- */

static const char *const ip4_edges[] = {EDGES_BEHIND_IP4};
static const struct graph_counter ip4_counters[] = {
	FORWARD_COUNTERS,
	[TOO_MANY] = {"too many tables", true},
	[MARTIAN] = {"ip4 destination may not be routed", true},
};

static uint16_t lookup_ip4_dst_one(struct graph *graph, struct graph_node *node,
								   struct rte_mbuf *packet)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	if (!ip4_is_host(be32toh(ip->destination)))
		return drop(node, MARTIAN);
	uint16_t next = forward_by_tables(graph, node, packet, WS_IP4, ip4_table_lookup, &ip4_refusal);
	return next == ADJACENCY_TABLE ? drop(node, TOO_MANY) : next;
}

EACH_PACKET_NODE(lookup_ip4_dst, .name = "lookup-ip4-dst", .takes = TAKES_PACKET | TAKES_DECIDED,
				 GRAPH_EDGES(ip4_edges), GRAPH_COUNTERS(ip4_counters))
ADJACENCY_NODE(BEHIND_IP4, ADJACENCY_TABLE, "lookup-ip4-dst")

/* ---- IPv6 ---- */

static const char *const ip6_edges[] = {EDGES_BEHIND_IP6};
static const struct graph_counter ip6_counters[] = {
	FORWARD_COUNTERS,
	[TOO_MANY] = {"too many tables", true},
	[MARTIAN] = {"ip6 destination may not be routed", true},
};

static uint16_t lookup_ip6_dst_one(struct graph *graph, struct graph_node *node,
								   struct rte_mbuf *packet)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	if (ip->destination[0] == 0 || ip6_is_multicast(ip->destination) ||
		ip6_is_link_local(ip->destination))
		return drop(node, MARTIAN);
	uint16_t next = forward_by_tables(graph, node, packet, WS_IP6, ip6_table_lookup, &ip6_refusal);
	return next == ADJACENCY_TABLE ? drop(node, TOO_MANY) : next;
}

EACH_PACKET_NODE(lookup_ip6_dst, .name = "lookup-ip6-dst", .takes = TAKES_PACKET | TAKES_DECIDED,
				 GRAPH_EDGES(ip6_edges), GRAPH_COUNTERS(ip6_counters))
ADJACENCY_NODE(BEHIND_IP6, ADJACENCY_TABLE, "lookup-ip6-dst")
