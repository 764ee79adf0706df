/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of forwarding that differ between IPv4 and IPv6. */
#pragma once

#include "router/fib/adjacency_nodes.h"
#include "router/fib/fib_lookup_ip4.h"
#include "router/fib/fib_lookup_ip6.h"
#include "router/path/forward.h"
#include "wire/icmp4.h"
#include "wire/icmp6.h"
#include "wire/ip4.h"
#include "wire/ip6.h"

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

/* Looks up the load balances of up to a frame of packets in a table, by the addresses `at` bytes
 * behind their starts. A deleted table has no routes. */
typedef void ip_table_look_up_fn(const struct ws_router *router, uint16_t table,
								 void *const *packets, uint32_t *values, uint16_t n, size_t at);

static inline __attribute__((always_inline)) void
ip4_table_lookup_at(const struct ws_router *router, uint16_t table, void *const *packets,
					uint32_t *values, uint16_t n, size_t at)
{
	const struct fib_table *fib = __atomic_load_n(&router->tables[0][table], __ATOMIC_ACQUIRE);
	uint32_t addresses[FIB_TRIE_MAX_LOOKUP];
	for (uint16_t i = 0; i < n; i++) {
		memcpy(&addresses[i], packet_data(packets[i]) + at, sizeof(addresses[i]));
		addresses[i] = be32toh(addresses[i]);
	}
	if (likely(fib && n))
		fib_trie_lookup_bulk_ip4(&fib->trie, addresses, values, n);
	else
		memset(values, 0, n * sizeof(*values));
}

static inline __attribute__((always_inline)) void
ip6_table_lookup_at(const struct ws_router *router, uint16_t table, void *const *packets,
					uint32_t *values, uint16_t n, size_t at)
{
	const struct fib_table *fib = __atomic_load_n(&router->tables[1][table], __ATOMIC_ACQUIRE);
	const uint8_t *addresses[FIB_TRIE_MAX_LOOKUP];
	for (uint16_t i = 0; i < n; i++)
		addresses[i] = packet_data(packets[i]) + at;
	if (likely(fib && n))
		fib_trie_lookup_bulk(&fib->trie, addresses, values, n);
	else
		memset(values, 0, n * sizeof(*values));
}

/* Both look up the destination. */
static inline void ip4_table_lookup(const struct ws_router *router, uint16_t table,
									void *const *packets, uint32_t *values, uint16_t n)
{
	ip4_table_lookup_at(router, table, packets, values, n,
						offsetof(struct ip4_header, destination));
}

static inline void ip6_table_lookup(const struct ws_router *router, uint16_t table,
									void *const *packets, uint32_t *values, uint16_t n)
{
	ip6_table_lookup_at(router, table, packets, values, n,
						offsetof(struct ip6_header, destination));
}
