/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup-ip6-dst: the longest match of the destination in the table that the route before named.
 *
 * A table may name another one in turn; packets that go on for long like that are dropped. Packets
 * may come from under a label without having passed ip6-input, so what may not be routed stops
 * here.
 *
 * Uses: adjacency (ADJACENCY_TABLE). Sets: adjacency. Next: by enum adjacency_kind.
 */
#include "graph/graph.h"
#include "router/ip6_forward.h"
#include "wire/ip6.h"

enum { MAX_TABLES_A_PACKET = 4 };

static const char *const edges[] = {IP6_EDGES};

enum counter { TOO_MANY = IP6_FORWARD_COUNTER_COUNT, MARTIAN, COUNTERS };
static const struct graph_counter counters[] = {
	IP6_FORWARD_COUNTERS,
	[TOO_MANY] = {"too many tables", true},
	[MARTIAN] = {"ip6 destination may not be routed", true},
};

static uint32_t look_up(const struct ws_router *router, uint16_t table, struct rte_mbuf *packet)
{
	void *packets[] = {packet};
	uint32_t value;
	if (table == ADJACENCY_RX_TABLE)
		table = ip6_table_of(router, packet);
	ip6_table_lookup(router, table, packets, &value, 1);
	return value;
}

static uint16_t handle(const struct ws_router *router, struct graph_node *node,
					   struct rte_mbuf *packet)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	bool is_link_local = ip->destination[0] == 0xfe && (ip->destination[1] & 0xc0) == 0x80;
	uint16_t next = ADJACENCY_TABLE;
	if (ip->destination[0] == 0 || ip->destination[0] == 0xff || is_link_local) {
		graph_count(node, MARTIAN, 1);
		return ADJACENCY_DROP;
	}
	for (int i = 0; i < MAX_TABLES_A_PACKET && next == ADJACENCY_TABLE; i++) {
		uint16_t table = router->adjacencies.adjacencies[packet_adjacency(packet)].table;
		next = ip6_forward(router, node, packet, look_up(router, table, packet));
	}
	if (next != ADJACENCY_TABLE)
		return next;
	graph_count(node, TOO_MANY, 1);
	return ADJACENCY_DROP;
}

static uint16_t lookup_ip6_dst_process(struct graph *graph, struct graph_node *node, void **packets,
									   uint16_t n)
{
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++)
		next[i] = handle(router_of(graph), node, packets[i]);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static struct graph_registration lookup_ip6_dst = {
	.name = "lookup-ip6-dst",
	.process = lookup_ip6_dst_process,
	.edge_count = ADJACENCY_KINDS,
	.edges = edges,
	.counter_count = COUNTERS,
	.counters = counters,
};
GRAPH_REGISTER(lookup_ip6_dst)
