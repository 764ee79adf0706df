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
#include "router/fib/adjacency_nodes.h"
#include "router/nodes/each_packet.h"
#include "router/nodes/flow_hash.h"
#include "router/nodes/ip6_forward.h"
#include "wire/ip6.h"

/* A path ends in no further load balance. */
static const char *const edges[] = {EDGES_BEHIND_IP6};

static const struct graph_counter counters[] = {FORWARD_PATH_COUNTERS};

static uint64_t flow_hash(const struct rte_mbuf *packet)
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
		hash = flow_mix(hash, words[i]);
	hash = flow_mix(hash, (uint64_t)label << 32 | ip->next_header);
	return flow_mix(hash, ports);
}

static uint16_t ip6_load_balance_one(struct graph *graph, struct graph_node *node,
									 struct rte_mbuf *packet)
{
	return forward_by_flow(router_of(graph), node, packet, flow_hash(packet), &ip6_refusal);
}

static uint16_t ip6_load_balance_process(struct graph *graph, struct graph_node *node,
										 void **packets, uint16_t n)
{
	return each_packet(graph, node, packets, n, ip6_load_balance_one);
}

static struct graph_registration ip6_load_balance = {
	.name = "ip6-load-balance",
	.process = ip6_load_balance_process,
	.edge_count = 1,
	.edges = edges,
	.counter_count = FORWARD_REFUSALS,
	.counters = counters,
};
GRAPH_REGISTER(ip6_load_balance)
ADJACENCY_NODE(BEHIND_IP6, ADJACENCY_LOAD_BALANCE, "ip6-load-balance")
