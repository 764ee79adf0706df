/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-load-balance, ip6-load-balance: select one of several paths, the same one for all packets of
 * a flow.
 *
 * The flow of an IPv4 packet is given by addresses, protocol and, for TCP, UDP and SCTP, ports. All
 * fragments of a datagram use the addresses only, since only the first one has ports. The flow of
 * an IPv6 packet is given by addresses, flow label, protocol and, for TCP, UDP and SCTP directly
 * after the IPv6 header, ports; so all fragments of a datagram use addresses and label. The table
 * of the packet's interface may select other fields.
 *
 * Uses: adjacency as the index of the load balance. Sets: adjacency. Next: by enum adjacency_kind.
 */
#include "router/path/flow_fields.h"
#include "router/path/ip_forward.h"
#include "router/route/route.h"

/* A path never leads to another load balance. */
static const struct graph_counter counters[] = {FORWARD_PATH_COUNTERS};

/* The ports in network order, `at` bytes behind the packet's start; 0 if it ends before. */
static inline uint32_t ports_at(const struct rte_mbuf *packet, uint8_t protocol, uint16_t at)
{
	uint32_t ports = 0;
	bool has_ports = protocol == IP4_TCP || protocol == IP4_UDP || protocol == IP4_SCTP;
	if (has_ports && packet->data_len >= at + sizeof(ports))
		memcpy(&ports, packet_data(packet) + at, sizeof(ports));
	return ports;
}

static inline __attribute__((always_inline)) uint16_t
load_balance(struct graph *graph, struct graph_node *node, void **packets, uint16_t n,
			 forward_flow_fn *flow_hash, forward_flow_fn *chosen_hash,
			 const struct forward_refusal *refusal)
{
	if (router_has(router_of(graph), EXTRA_FLOW_FIELDS))
		return forward_flows(graph, node, packets, n, chosen_hash, refusal);
	return forward_flows(graph, node, packets, n, flow_hash, refusal);
}

/* ---- IPv4 ---- */

static const char *const ip4_edges[] = {EDGES_BEHIND_IP4};

static inline uint32_t ip4_ports(const struct rte_mbuf *packet, const struct ip4_header *ip)
{
	return ip4_is_fragment(ip) ? 0 : ports_at(packet, ip->protocol, ip4_header_length(ip));
}

static uint64_t ip4_flow_hash(const struct ws_router *router, const struct rte_mbuf *packet)
{
	(void)router;
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	uint32_t ports = ip4_ports(packet, ip);
	uint64_t hash = flow_mix(0, (uint64_t)ip->source << 32 | ip->destination);
	return flow_mix(hash, (uint64_t)ports << 8 | ip->protocol);
}

/* Hash of the fields that the packet's table selects. */
static uint64_t ip4_chosen_hash(const struct ws_router *router, const struct rte_mbuf *packet)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	uint32_t chosen = packet_flow_fields(router, WS_IP4, packet);
	if (chosen == FLOW_HASH_IP4)
		return ip4_flow_hash(router, packet);
	uint32_t ports = be32toh(ip4_ports(packet, ip));
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
	return load_balance(graph, node, packets, n, ip4_flow_hash, ip4_chosen_hash, &ip4_refusal);
}

GRAPH_NODE(ip4_load_balance, .name = "ip4-load-balance", .takes = TAKES_PACKET,
		   GRAPH_EDGES(ip4_edges), GRAPH_COUNTERS(counters))
ADJACENCY_NODE(BEHIND_IP4, ADJACENCY_LOAD_BALANCE, "ip4-load-balance")

/* ---- IPv6 ---- */

static const char *const ip6_edges[] = {EDGES_BEHIND_IP6};

static uint64_t ip6_flow_hash(const struct ws_router *router, const struct rte_mbuf *packet)
{
	(void)router;
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	uint32_t ports = ports_at(packet, ip->next_header, IP6_LEN);
	uint32_t label = ip->version_class_flow & htobe32(0xfffff);
	uint64_t words[4], hash = 0;
	memcpy(words, ip->source, sizeof(words));
	for (int i = 0; i < 4; i++)
		hash = flow_mix(hash, words[i]);
	hash = flow_mix(hash, (uint64_t)label << 32 | ip->next_header);
	return flow_mix(hash, ports);
}

static uint64_t address_word(const uint8_t *address)
{
	uint64_t words[2];
	memcpy(words, address, sizeof(words));
	return flow_mix(flow_mix(0, words[0]), words[1]);
}

static uint64_t ip6_chosen_hash(const struct ws_router *router, const struct rte_mbuf *packet)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	uint32_t chosen = packet_flow_fields(router, WS_IP6, packet);
	if (chosen == FLOW_HASH_IP6)
		return ip6_flow_hash(router, packet);
	uint32_t ports = be32toh(ports_at(packet, ip->next_header, IP6_LEN));
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
	return load_balance(graph, node, packets, n, ip6_flow_hash, ip6_chosen_hash, &ip6_refusal);
}

GRAPH_NODE(ip6_load_balance, .name = "ip6-load-balance", .takes = TAKES_PACKET,
		   GRAPH_EDGES(ip6_edges), GRAPH_COUNTERS(counters))
ADJACENCY_NODE(BEHIND_IP6, ADJACENCY_LOAD_BALANCE, "ip6-load-balance")
