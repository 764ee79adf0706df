/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip6-load-balance: one path of several, the same one for all packets of a flow.
 *
 * The flow is addresses, flow label, protocol and, for TCP, UDP and SCTP right behind the IPv6
 * header, ports, unless the table of the packet's interface has chosen other fields. So all
 * fragments of a datagram go by addresses and label.
 *
 * Uses: adjacency as the index of the load balance. Sets: adjacency. Next: by enum adjacency_kind.
 */
#include "router/fib/adjacency_nodes.h"
#include "router/path/flow_fields.h"
#include "router/path/flow_hash.h"
#include "router/path/ip_forward.h"
#include "router/route/route.h"
#include "wire/ip6.h"

/* A path ends in no further load balance. */
static const char *const edges[] = {EDGES_BEHIND_IP6};

static const struct graph_counter counters[] = {FORWARD_PATH_COUNTERS};

/* As they lie in the packet; 0 without. */
static inline uint32_t ports_of(const struct rte_mbuf *packet, const struct ip6_header *ip)
{
	uint32_t ports = 0;
	bool has_ports =
		ip->next_header == IP6_TCP || ip->next_header == IP6_UDP || ip->next_header == IP6_SCTP;
	if (has_ports && packet->data_len >= IP6_LEN + sizeof(ports))
		memcpy(&ports, packet_data(packet) + IP6_LEN, sizeof(ports));
	return ports;
}

static uint64_t flow_hash(const struct ws_router *router, const struct rte_mbuf *packet)
{
	(void)router;
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	uint32_t ports = ports_of(packet, ip), label = ip->version_class_flow & htobe32(0xfffff);
	uint64_t words[4], hash = 0;
	memcpy(words, ip->source, sizeof(words));
	for (int i = 0; i < 4; i++)
		hash = flow_mix(hash, words[i]);
	hash = flow_mix(hash, (uint64_t)label << 32 | ip->next_header);
	return flow_mix(hash, ports);
}

/* ---- By the fields that its table has chosen ---- */

static uint64_t address_word(const uint8_t *address)
{
	uint64_t words[2];
	memcpy(words, address, sizeof(words));
	return flow_mix(flow_mix(0, words[0]), words[1]);
}

static uint64_t chosen_hash(const struct ws_router *router, const struct rte_mbuf *packet)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	uint32_t chosen = packet_flow_fields(router, WS_IP6, packet);
	if (chosen == FLOW_HASH_IP6)
		return flow_hash(router, packet);
	uint32_t ports = be32toh(ports_of(packet, ip));
	const struct flow_fields flow = {
		.source = address_word(ip->source),
		.destination = address_word(ip->destination),
		.source_port = (uint16_t)(ports >> 16),
		.destination_port = (uint16_t)ports,
		.label = be32toh(ip->version_class_flow) & 0xfffff,
		.protocol = ip->next_header,
	};
	return flow_fields_hash(&flow, chosen);
}

static uint16_t ip6_load_balance_process(struct graph *graph, struct graph_node *node,
										 void **packets, uint16_t n)
{
	if (router_has(router_of(graph), EXTRA_FLOW_FIELDS))
		return forward_flows(graph, node, packets, n, chosen_hash, &ip6_refusal);
	return forward_flows(graph, node, packets, n, flow_hash, &ip6_refusal);
}

GRAPH_NODE(ip6_load_balance, .name = "ip6-load-balance", .takes = TAKES_PACKET, GRAPH_EDGES(edges),
		   GRAPH_COUNTERS(counters))
ADJACENCY_NODE(BEHIND_IP6, ADJACENCY_LOAD_BALANCE, "ip6-load-balance")
