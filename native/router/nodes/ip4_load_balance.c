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
#include "router/fib/adjacency_nodes.h"
#include "router/nodes/each_packet.h"
#include "router/nodes/flow_hash.h"
#include "router/nodes/ip4_forward.h"
#include "wire/ip4.h"

/* A path ends in no further load balance. */
static const char *const edges[] = {EDGES_BEHIND_IP4};

static const struct graph_counter counters[] = {FORWARD_PATH_COUNTERS};

static uint64_t flow_hash(const struct rte_mbuf *packet)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	uint16_t header = ip4_header_length(ip);
	uint32_t ports = 0;
	bool has_ports = ip->protocol == IP4_TCP || ip->protocol == IP4_UDP || ip->protocol == IP4_SCTP;
	if (has_ports && !ip4_is_fragment(ip) && packet->data_len >= header + sizeof(ports))
		memcpy(&ports, packet_data(packet) + header, sizeof(ports));
	uint64_t hash = flow_mix(0, (uint64_t)ip->source << 32 | ip->destination);
	return flow_mix(hash, (uint64_t)ports << 8 | ip->protocol);
}

static uint16_t ip4_load_balance_one(struct graph *graph, struct graph_node *node,
									 struct rte_mbuf *packet)
{
	return forward_by_flow(router_of(graph), node, packet, flow_hash(packet), &ip4_refusal);
}

static uint16_t ip4_load_balance_process(struct graph *graph, struct graph_node *node,
										 void **packets, uint16_t n)
{
	return each_packet(graph, node, packets, n, ip4_load_balance_one);
}

static struct graph_registration ip4_load_balance = {
	.name = "ip4-load-balance",
	.process = ip4_load_balance_process,
	.edge_count = 1,
	.edges = edges,
	.counter_count = FORWARD_REFUSALS,
	.counters = counters,
};
GRAPH_REGISTER(ip4_load_balance)
ADJACENCY_NODE(BEHIND_IP4, ADJACENCY_LOAD_BALANCE, "ip4-load-balance")
