/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup-ip4-dst: the longest match of the destination in the table that the route before named.
 *
 * A table may name another one in turn; packets that go on for long like that are dropped. Packets
 * may come from under a label without having passed ip4-input, so what may not be routed stops
 * here.
 *
 * Uses: adjacency (ADJACENCY_TABLE). Sets: adjacency. Next: by enum adjacency_kind.
 */
#include "graph/graph.h"
#include "router/ip4_forward.h"
#include "router/ip4_table.h"
#include "wire/ip4.h"

#include <rte_fib.h>

enum { MAX_TABLES_A_PACKET = 4 };

static const char *const edges[] = {IP4_EDGES};

enum counter { TOO_MANY = IP4_FORWARD_COUNTER_COUNT, MARTIAN, COUNTERS };
static const struct graph_counter counters[] = {
	IP4_FORWARD_COUNTERS,
	[TOO_MANY] = {"too many tables", true},
	[MARTIAN] = {"ip4 destination may not be routed", true},
};

static uint64_t look_up(const struct ws_router *router, uint16_t table, struct rte_mbuf *packet)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	uint32_t destination = be32toh(ip->destination);
	void *packets[] = {packet};
	uint64_t value;
	if (table == ADJACENCY_RX_TABLE)
		table = ip4_table_of(router, packet);
	if (table)
		ip4_table_lookup(router, table, packets, &value, 1);
	else
		rte_fib_lookup_bulk(router->tables[0][0]->fib4.fib, &destination, &value, 1);
	return value;
}

static uint16_t handle(const struct ws_router *router, struct graph_node *node,
					   struct rte_mbuf *packet)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	uint32_t octet = be32toh(ip->destination) >> 24;
	uint16_t next = ADJACENCY_TABLE;
	if (octet == 0 || octet == 127 || octet >= 224) {
		graph_count(node, MARTIAN, 1);
		return ADJACENCY_DROP;
	}
	for (int i = 0; i < MAX_TABLES_A_PACKET && next == ADJACENCY_TABLE; i++) {
		uint16_t table = router->adjacencies.adjacencies[packet_adjacency(packet)].table;
		next = ip4_forward(router, node, packet, (uint32_t)look_up(router, table, packet));
	}
	if (next != ADJACENCY_TABLE)
		return next;
	graph_count(node, TOO_MANY, 1);
	return ADJACENCY_DROP;
}

static uint16_t lookup_ip4_dst_process(struct graph *graph, struct graph_node *node, void **packets,
									   uint16_t n)
{
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++)
		next[i] = handle(router_of(graph), node, packets[i]);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static struct graph_registration lookup_ip4_dst = {
	.name = "lookup-ip4-dst",
	.process = lookup_ip4_dst_process,
	.edge_count = ADJACENCY_KINDS,
	.edges = edges,
	.counter_count = COUNTERS,
	.counters = counters,
};
GRAPH_REGISTER(lookup_ip4_dst)
