/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-load-balance: one path of several, the same one for all packets of a flow.
 *
 * The flow is addresses, protocol and, for TCP, UDP and SCTP, ports, unless the table of the
 * packet's interface has chosen other fields. All fragments of a datagram go
 * by the addresses alone, since only the first one has ports.
 *
 * Uses: adjacency as the index of the load balance. Sets: adjacency. Next: by enum adjacency_kind.
 */
#include "router/fib/adjacency_nodes.h"
#include "router/path/flow_fields.h"
#include "router/path/flow_hash.h"
#include "router/path/ip_forward.h"
#include "router/route/route.h"
#include "wire/ip4.h"

/* A path ends in no further load balance. */
static const char *const edges[] = {EDGES_BEHIND_IP4};

static const struct graph_counter counters[] = {FORWARD_PATH_COUNTERS};

/* As they lie in the packet; 0 without. */
static inline uint32_t ports_of(const struct rte_mbuf *packet, const struct ip4_header *ip)
{
	uint16_t header = ip4_header_length(ip);
	uint32_t ports = 0;
	bool has_ports = ip->protocol == IP4_TCP || ip->protocol == IP4_UDP || ip->protocol == IP4_SCTP;
	if (has_ports && !ip4_is_fragment(ip) && packet->data_len >= header + sizeof(ports))
		memcpy(&ports, packet_data(packet) + header, sizeof(ports));
	return ports;
}

static uint64_t flow_hash(const struct ws_router *router, const struct rte_mbuf *packet)
{
	(void)router;
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	uint32_t ports = ports_of(packet, ip);
	uint64_t hash = flow_mix(0, (uint64_t)ip->source << 32 | ip->destination);
	return flow_mix(hash, (uint64_t)ports << 8 | ip->protocol);
}

/* ---- By the fields that its table has chosen ---- */

static uint64_t chosen_hash(const struct ws_router *router, const struct rte_mbuf *packet)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	uint32_t chosen = packet_flow_fields(router, WS_IP4, packet);
	if (chosen == FLOW_HASH_IP4)
		return flow_hash(router, packet);
	uint32_t ports = be32toh(ports_of(packet, ip));
	const struct flow_fields flow = {
		.source = be32toh(ip->source),
		.destination = be32toh(ip->destination),
		.source_port = (uint16_t)(ports >> 16),
		.destination_port = (uint16_t)ports,
		.protocol = ip->protocol,
	};
	return flow_fields_hash(&flow, chosen);
}

static uint16_t ip4_load_balance_process(struct graph *graph, struct graph_node *node,
										 void **packets, uint16_t n)
{
	if (router_has(router_of(graph), EXTRA_FLOW_FIELDS))
		return forward_flows(graph, node, packets, n, chosen_hash, &ip4_refusal);
	return forward_flows(graph, node, packets, n, flow_hash, &ip4_refusal);
}

GRAPH_NODE(ip4_load_balance, .name = "ip4-load-balance", .takes = TAKES_PACKET, GRAPH_EDGES(edges),
		   GRAPH_COUNTERS(counters))
ADJACENCY_NODE(BEHIND_IP4, ADJACENCY_LOAD_BALANCE, "ip4-load-balance")
