/* SPDX-License-Identifier: Apache-2.0 */
/* Where an IPv4 packet goes whose adjacency is known: shared by the nodes that find it. */
#ifndef ROUTER_IP4_FORWARD_H
#define ROUTER_IP4_FORWARD_H

#include "graph/graph.h"
#include "router/metadata.h"
#include "router/router.h"
#include "wire/icmp4.h"

/* By enum adjacency_kind; what has no name there does not stand before IPv4. */
#define IP4_EDGES                                                                                  \
	[ADJACENCY_NO_ROUTE] = "ip4-icmp-error", [ADJACENCY_DROP] = "error-drop",                      \
	[ADJACENCY_UNREACHABLE] = "ip4-icmp-error", [ADJACENCY_PROHIBIT] = "ip4-icmp-error",           \
	[ADJACENCY_LOCAL] = "ip4-local", [ADJACENCY_LOAD_BALANCE] = "ip4-load-balance",                \
	[ADJACENCY_GLEAN] = "ip4-arp", [ADJACENCY_INCOMPLETE] = "ip4-arp",                             \
	[ADJACENCY_INCOMPLETE6] = "error-drop", [ADJACENCY_REWRITE] = "ip4-rewrite",                   \
	[ADJACENCY_TABLE] = "lookup-ip4-dst",                                                          \
	[ADJACENCY_LABELS] = "ip4-mpls-label-imposition-uniform", [ADJACENCY_POP_IP4] = "error-drop",  \
	[ADJACENCY_POP_IP6] = "error-drop", [ADJACENCY_POP_MPLS] = "error-drop"

/* The first counters of these nodes: those of the kinds that forward nothing. */
#define IP4_FORWARD_COUNTERS                                                                       \
	[ADJACENCY_NO_ROUTE] = {"no route", true}, [ADJACENCY_DROP] = {"route says drop", true},       \
	[ADJACENCY_UNREACHABLE] = {"route says unreachable", true},                                    \
	[ADJACENCY_PROHIBIT] = {"route says prohibit", true}

enum { IP4_FORWARD_COUNTER_COUNT = ADJACENCY_PROHIBIT + 1 };

/* A packet whose adjacency forwards nothing: counted, and told what it will be answered. */
static __attribute__((noinline, unused)) void
ip4_forward_refuse(struct graph_node *node, struct rte_mbuf *packet, uint8_t kind)
{
	static const uint8_t codes[] = {
		[ADJACENCY_NO_ROUTE] = ICMP4_NET_UNREACHABLE,
		[ADJACENCY_DROP] = ICMP4_NET_UNREACHABLE,
		[ADJACENCY_UNREACHABLE] = ICMP4_HOST_UNREACHABLE,
		[ADJACENCY_PROHIBIT] = ICMP4_PROHIBITED,
	};
	graph_count(node, kind, 1);
	packet_set_icmp_error(packet, ICMP4_UNREACHABLE, codes[kind], 0);
}

/* The edge for a packet with the route `value`, a load balance; sets its adjacency. */
static inline uint16_t ip4_forward(const struct ws_router *router, struct graph_node *node,
								   struct rte_mbuf *packet, uint32_t value)
{
	uint32_t index =
		__atomic_load_n(&router->load_balances.balances[value].adjacency, __ATOMIC_ACQUIRE);
	uint8_t kind = __atomic_load_n(&router->adjacencies.adjacencies[index].kind, __ATOMIC_ACQUIRE);
	packet_set_adjacency(packet, kind == ADJACENCY_LOAD_BALANCE ? value : index);
	if (unlikely(kind <= ADJACENCY_PROHIBIT))
		ip4_forward_refuse(node, packet, kind);
	return kind;
}

#endif
