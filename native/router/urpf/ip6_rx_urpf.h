/* SPDX-License-Identifier: Apache-2.0 */
/* Sources of IPv6. */
#ifndef ROUTER_IP6_RX_URPF_H
#define ROUTER_IP6_RX_URPF_H

#include "router/nodes/ip6_forward.h"
#include "router/urpf/rx_urpf.h"

static inline const uint8_t *ip6_urpf_source(const struct rte_mbuf *packet)
{
	return packet_data(packet) + offsetof(struct ip6_header, source);
}

static inline void ip6_urpf_look_up(const struct ws_router *router, uint16_t table,
									void *const *packets, uint32_t *values, uint16_t n)
{
	const struct fib_table *fib = __atomic_load_n(&router->tables[1][table], __ATOMIC_ACQUIRE);
	const uint8_t *sources[FIB_TRIE_MAX_LOOKUP];
	for (uint16_t i = 0; i < n; i++)
		sources[i] = ip6_urpf_source(packets[i]);
	if (likely(fib && n))
		fib_trie_lookup_bulk(&fib->trie, sources, values, n);
	else
		memset(values, 0, n * sizeof(*values));
}

/* Neighbour discovery comes from link-local addresses and from none. */
static inline bool ip6_urpf_is_exempt(const struct rte_mbuf *packet)
{
	const uint8_t *source = ip6_urpf_source(packet);
	return ip6_is_link_local(source) || ip6_is_unspecified(source);
}

static const struct rx_urpf_family ip6_rx_urpf_family = {
	.family = WS_IP6,
	.look_up = ip6_urpf_look_up,
	.source = ip6_urpf_source,
	.is_exempt = ip6_urpf_is_exempt,
};

#endif
