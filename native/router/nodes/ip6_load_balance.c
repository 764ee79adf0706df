/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip6-load-balance: one path of several, the same one for all packets of a flow.
 *
 * The flow is addresses, flow label, protocol and, for TCP, UDP and SCTP right behind the IPv6
 * header, ports. So all fragments of a datagram go by addresses and label.
 *
 * Uses: adjacency as the index of the load balance. Sets: adjacency. Next: by enum adjacency_kind.
 */
#include "graph/graph.h"
#include "router/flow_hash.h"
#include "router/ip6_forward.h"
#include "wire/ip6.h"

/* A path ends in no further load balance. */
static const char *const edges[] = {IP6_EDGES};

static const struct graph_counter counters[] = {
	[ADJACENCY_NO_ROUTE] = {"path is gone", true},
	[ADJACENCY_DROP] = {"path says drop", true},
	[ADJACENCY_UNREACHABLE] = {"path says unreachable", true},
	[ADJACENCY_PROHIBIT] = {"path says prohibit", true},
};

static uint32_t flow_hash(const struct rte_mbuf *packet)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	uint32_t ports = 0, label = ip->version_class_flow & htobe32(0xfffff);
	uint64_t words[4], hash = 0;
	bool has_ports =
		ip->next_header == IP6_TCP || ip->next_header == IP6_UDP || ip->next_header == IP6_SCTP;
	if (has_ports && packet->data_len >= IP6_LEN + sizeof(ports))
		memcpy(&ports, packet_data(packet) + IP6_LEN, sizeof(ports));
	memcpy(words, ip->source, sizeof(words));
	for (int i = 0; i < 4; i++)
		hash = flow_hash_mix(hash, words[i]);
	hash = flow_hash_mix(hash, (uint64_t)label << 32 | ip->next_header);
	return flow_hash_fold(flow_hash_mix(hash, ports));
}

static uint16_t ip6_load_balance_process(struct graph *graph, struct graph_node *node,
										 void **packets, uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++) {
		const struct load_balance *balance =
			&router->load_balances.balances[packet_adjacency(packets[i])];
		uint32_t index = load_balance_choose(balance, flow_hash(packets[i]));
		uint8_t kind =
			__atomic_load_n(&router->adjacencies.adjacencies[index].kind, __ATOMIC_ACQUIRE);
		packet_set_adjacency(packets[i], index);
		if (unlikely(kind <= ADJACENCY_PROHIBIT))
			ip6_forward_refuse(node, packets[i], kind);
		next[i] = kind;
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static struct graph_registration ip6_load_balance = {
	.name = "ip6-load-balance",
	.process = ip6_load_balance_process,
	.edge_count = ADJACENCY_KINDS,
	.edges = edges,
	.counter_count = IP6_FORWARD_COUNTER_COUNT,
	.counters = counters,
};
GRAPH_REGISTER(ip6_load_balance)
