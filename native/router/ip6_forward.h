/* SPDX-License-Identifier: Apache-2.0 */
/* Where an IPv6 packet goes whose adjacency is known: shared by the nodes that find it. */
#ifndef ROUTER_IP6_FORWARD_H
#define ROUTER_IP6_FORWARD_H

#include "graph/graph.h"
#include "router/metadata.h"
#include "router/router.h"
#include "wire/icmp6.h"
#include "wire/ip6.h"

/* By enum adjacency_kind; what has no name there does not stand before IPv6. */
#define IP6_EDGES                                                                                  \
	[ADJACENCY_NO_ROUTE] = "ip6-icmp-error", [ADJACENCY_DROP] = "error-drop",                      \
	[ADJACENCY_UNREACHABLE] = "ip6-icmp-error", [ADJACENCY_PROHIBIT] = "ip6-icmp-error",           \
	[ADJACENCY_LOCAL] = "ip6-local", [ADJACENCY_LOAD_BALANCE] = "ip6-load-balance",                \
	[ADJACENCY_GLEAN] = "ip6-glean", [ADJACENCY_INCOMPLETE] = "error-drop",                        \
	[ADJACENCY_INCOMPLETE6] = "ip6-discover-neighbor", [ADJACENCY_REWRITE] = "ip6-rewrite",        \
	[ADJACENCY_TABLE] = "lookup-ip6-dst",                                                          \
	[ADJACENCY_LABELS] = "ip6-mpls-label-imposition-uniform", [ADJACENCY_POP_IP4] = "error-drop",  \
	[ADJACENCY_POP_IP6] = "error-drop", [ADJACENCY_POP_MPLS] = "error-drop"

/* The first counters of these nodes: those of the kinds that forward nothing. */
#define IP6_FORWARD_COUNTERS                                                                       \
	[ADJACENCY_NO_ROUTE] = {"no route", true}, [ADJACENCY_DROP] = {"route says drop", true},       \
	[ADJACENCY_UNREACHABLE] = {"route says unreachable", true},                                    \
	[ADJACENCY_PROHIBIT] = {"route says prohibit", true}

enum { IP6_FORWARD_COUNTER_COUNT = ADJACENCY_PROHIBIT + 1 };

/* A packet whose adjacency forwards nothing: counted, and told what it will be answered. */
static __attribute__((noinline, unused)) void
ip6_forward_refuse(struct graph_node *node, struct rte_mbuf *packet, uint8_t kind)
{
	static const uint8_t codes[] = {
		[ADJACENCY_NO_ROUTE] = ICMP6_NO_ROUTE,
		[ADJACENCY_DROP] = ICMP6_NO_ROUTE,
		[ADJACENCY_UNREACHABLE] = ICMP6_ADDRESS_UNREACHABLE,
		[ADJACENCY_PROHIBIT] = ICMP6_PROHIBITED,
	};
	graph_count(node, kind, 1);
	packet_set_icmp_error(packet, ICMP6_UNREACHABLE, codes[kind], 0);
}

/* The edge for a packet with the route `value`, a load balance; sets its adjacency. */
static inline uint16_t ip6_forward(const struct ws_router *router, struct graph_node *node,
								   struct rte_mbuf *packet, uint32_t value)
{
	uint32_t index =
		__atomic_load_n(&router->load_balances.balances[value].adjacency, __ATOMIC_ACQUIRE);
	uint8_t kind = __atomic_load_n(&router->adjacencies.adjacencies[index].kind, __ATOMIC_ACQUIRE);
	packet_set_adjacency(packet, kind == ADJACENCY_LOAD_BALANCE ? value : index);
	if (unlikely(kind <= ADJACENCY_PROHIBIT))
		ip6_forward_refuse(node, packet, kind);
	return kind;
}

/* The index of the table that the packet's interface is in. */
static inline uint16_t ip6_table_of(const struct ws_router *router, const struct rte_mbuf *packet)
{
	return __atomic_load_n(&router->interfaces[packet->port].table[1], __ATOMIC_RELAXED);
}

/* Load balances of up to a frame of packets; a table that is no more has no routes. */
static inline void ip6_table_lookup(const struct ws_router *router, uint16_t table,
									void *const *packets, uint32_t *values, uint16_t n)
{
	const struct fib_table *fib = __atomic_load_n(&router->tables[1][table], __ATOMIC_ACQUIRE);
	const uint8_t *destinations[FIB6_MAX_LOOKUP];
	for (uint16_t i = 0; i < n; i++) {
		destinations[i] = packet_data(packets[i]) + offsetof(struct ip6_header, destination);
		values[i] = 0;
	}
	if (fib && n)
		fib6_lookup_bulk(&fib->fib6, destinations, values, n);
}

#endif
