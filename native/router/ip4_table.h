/* SPDX-License-Identifier: Apache-2.0 */
/* IPv4 tables besides the default one. */
#ifndef ROUTER_IP4_TABLE_H
#define ROUTER_IP4_TABLE_H

#include "router/metadata.h"
#include "router/router.h"
#include "wire/ip4.h"

/* The index of the table that the packet's interface is in. */
static inline uint16_t ip4_table_of(const struct ws_router *router, const struct rte_mbuf *packet)
{
	return __atomic_load_n(&router->interfaces[packet->port].table[0], __ATOMIC_RELAXED);
}

/* Load balances of up to a frame of packets; a table that is no more has no routes. */
static inline void ip4_table_lookup(const struct ws_router *router, uint16_t table,
									void *const *packets, uint64_t *values, uint16_t n)
{
	const struct fib_table *fib = __atomic_load_n(&router->tables[0][table], __ATOMIC_ACQUIRE);
	const uint8_t *destinations[FIB6_MAX_LOOKUP];
	uint32_t found[FIB6_MAX_LOOKUP] = {0};
	for (uint16_t i = 0; i < n; i++) {
		const struct ip4_header *ip =
			(const struct ip4_header *)(const void *)packet_data(packets[i]);
		destinations[i] = (const uint8_t *)&ip->destination;
	}
	if (fib)
		fib6_lookup_bulk(&fib->fib6, destinations, found, n);
	for (uint16_t i = 0; i < n; i++)
		values[i] = found[i];
}

#endif
