/* SPDX-License-Identifier: Apache-2.0 */
/* What forwarding has of its own in IPv6. */
#ifndef ROUTER_IP6_FORWARD_H
#define ROUTER_IP6_FORWARD_H

#include "router/forward.h"
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

static const struct forward_refusal ip6_refusal = {
	.type = ICMP6_UNREACHABLE,
	.codes =
		{
			[ADJACENCY_NO_ROUTE] = ICMP6_NO_ROUTE,
			[ADJACENCY_DROP] = ICMP6_NO_ROUTE,
			[ADJACENCY_UNREACHABLE] = ICMP6_ADDRESS_UNREACHABLE,
			[ADJACENCY_PROHIBIT] = ICMP6_PROHIBITED,
		},
};

/* Load balances of up to a frame of packets, in a table; one that is no more has no routes. */
static inline void ip6_table_lookup(const struct ws_router *router, uint16_t table,
									void *const *packets, uint32_t *values, uint16_t n)
{
	const struct fib_table *fib = __atomic_load_n(&router->tables[1][table], __ATOMIC_ACQUIRE);
	const uint8_t *destinations[FIB_TRIE_MAX_LOOKUP];
	for (uint16_t i = 0; i < n; i++)
		destinations[i] = packet_data(packets[i]) + offsetof(struct ip6_header, destination);
	if (likely(fib && n))
		fib_trie_lookup_bulk(&fib->trie, destinations, values, n);
	else
		memset(values, 0, n * sizeof(*values));
}

#endif
