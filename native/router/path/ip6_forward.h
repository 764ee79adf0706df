/* SPDX-License-Identifier: Apache-2.0 */
/* The IPv6 part of forwarding. */
#pragma once

#include "router/fib/adjacency_nodes.h"
#include "router/fib/fib_lookup_ip6.h"
#include "router/path/forward.h"
#include "wire/icmp6.h"
#include "wire/ip6.h"

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
