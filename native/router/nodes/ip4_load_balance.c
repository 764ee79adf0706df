/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-load-balance: one path of several, the same one for all packets of a flow.
 *
 * The flow is addresses, protocol and, for TCP, UDP and SCTP, ports. All fragments of a datagram go
 * by the addresses alone, since only the first one has ports.
 *
 * Uses: adjacency as the index of the load balance. Sets: adjacency. Next: by enum adjacency_kind.
 */
#include "graph/graph.h"
#include "router/metadata.h"
#include "router/router.h"
#include "wire/ip4.h"

/* Paths end in no further load balance, and a path that drops is not answered. */
static const char *const edges[] = {
	[ADJACENCY_NO_ROUTE] = "error-drop", [ADJACENCY_DROP] = "error-drop",
	[ADJACENCY_LOCAL] = "ip4-local",     [ADJACENCY_LOAD_BALANCE] = "error-drop",
	[ADJACENCY_GLEAN] = "ip4-arp",       [ADJACENCY_INCOMPLETE] = "ip4-arp",
	[ADJACENCY_REWRITE] = "ip4-rewrite",
};

enum counter { DROP_PATH };
static const struct graph_counter counters[] = {[DROP_PATH] = {"path says drop", true}};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static uint32_t flow_hash(const struct rte_mbuf *packet)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	uint16_t header = ip4_header_length(ip);
	uint32_t ports = 0;
	bool has_ports = ip->protocol == IP4_TCP || ip->protocol == IP4_UDP || ip->protocol == IP4_SCTP;
	if (has_ports && !ip4_is_fragment(ip) && packet->data_len >= header + sizeof(ports))
		memcpy(&ports, packet_data(packet) + header, sizeof(ports));
	uint64_t hash = mix(0, (uint64_t)ip->source << 32 | ip->destination);
	return (uint32_t)(mix(hash, (uint64_t)ports << 8 | ip->protocol) >> 32);
}

static uint16_t ip4_load_balance_process(struct graph *graph, struct graph_node *node,
										 void **packets, uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++) {
		const struct load_balance *balance =
			&router->load_balances.balances[packet_adjacency(packets[i])];
		uint32_t bucket = (uint32_t)((uint64_t)flow_hash(packets[i]) * balance->bucket_count >> 32);
		uint32_t index = balance->buckets[bucket];
		packet_set_adjacency(packets[i], index);
		next[i] = __atomic_load_n(&router->adjacencies.adjacencies[index].kind, __ATOMIC_ACQUIRE);
		graph_count(node, DROP_PATH, next[i] <= ADJACENCY_DROP);
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static struct graph_registration ip4_load_balance = {
	.name = "ip4-load-balance",
	.process = ip4_load_balance_process,
	.edge_count = ADJACENCY_REWRITE + 1,
	.edges = edges,
	.counter_count = 1,
	.counters = counters,
};
GRAPH_REGISTER(ip4_load_balance)
