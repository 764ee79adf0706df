/* SPDX-License-Identifier: Apache-2.0 */
/* Sources of IPv4. */
#ifndef ROUTER_IP4_RX_URPF_H
#define ROUTER_IP4_RX_URPF_H

#include "router/nodes/ip4_forward.h"
#include "router/urpf/rx_urpf.h"

static inline const uint8_t *ip4_urpf_source(const struct rte_mbuf *packet)
{
	return packet_data(packet) + offsetof(struct ip4_header, source);
}

static inline void ip4_urpf_look_up(const struct ws_router *router, uint16_t table,
									void *const *packets, uint32_t *values, uint16_t n)
{
	const struct fib_table *fib = __atomic_load_n(&router->tables[0][table], __ATOMIC_ACQUIRE);
	uint32_t sources[FIB_TRIE_MAX_LOOKUP];
	for (uint16_t i = 0; i < n; i++) {
		memcpy(&sources[i], ip4_urpf_source(packets[i]), sizeof(sources[i]));
		sources[i] = be32toh(sources[i]);
	}
	if (likely(fib && n))
		fib_trie_lookup_bulk_ip4(&fib->trie, sources, values, n);
	else
		memset(values, 0, n * sizeof(*values));
}

/* What has no source that is a host has been dropped by ip4-input. */
static inline bool ip4_urpf_is_exempt(const struct rte_mbuf *packet)
{
	(void)packet;
	return false;
}

static const struct rx_urpf_family ip4_rx_urpf_family = {
	.family = WS_IP4,
	.look_up = ip4_urpf_look_up,
	.source = ip4_urpf_source,
	.is_exempt = ip4_urpf_is_exempt,
};

#endif
