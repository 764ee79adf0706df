/* SPDX-License-Identifier: Apache-2.0 */
/* The IPv4 part of forwarding. */
#pragma once

#include "router/fib/adjacency_nodes.h"
#include "router/fib/fib_lookup_ip4.h"
#include "router/path/forward.h"
#include "wire/icmp4.h"
#include "wire/ip4.h"

static const struct forward_refusal ip4_refusal = {
	.type = ICMP4_UNREACHABLE,
	.codes =
		{
			[ADJACENCY_NO_ROUTE] = ICMP4_NET_UNREACHABLE,
			[ADJACENCY_DROP] = ICMP4_NET_UNREACHABLE,
			[ADJACENCY_UNREACHABLE] = ICMP4_HOST_UNREACHABLE,
			[ADJACENCY_PROHIBIT] = ICMP4_PROHIBITED,
		},
};

/* Load balances of up to a frame of packets, in a table; one that is no more has no routes. */
static inline void ip4_table_lookup(const struct ws_router *router, uint16_t table,
									void *const *packets, uint32_t *values, uint16_t n)
{
	const struct fib_table *fib = __atomic_load_n(&router->tables[0][table], __ATOMIC_ACQUIRE);
	uint32_t destinations[FIB_TRIE_MAX_LOOKUP];
	for (uint16_t i = 0; i < n; i++) {
		const struct ip4_header *ip =
			(const struct ip4_header *)(const void *)packet_data(packets[i]);
		destinations[i] = be32toh(ip->destination);
	}
	if (likely(fib && n))
		fib_trie_lookup_bulk_ip4(&fib->trie, destinations, values, n);
	else
		memset(values, 0, n * sizeof(*values));
}
