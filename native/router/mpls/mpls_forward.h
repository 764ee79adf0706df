/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the nodes for labelled packets: edges, and the label that mpls-lookup popped. */
#pragma once

#include "router/fib/adjacency_nodes.h"
#include "router/packet/output.h"
#include "wire/icmp4.h"
#include "wire/mpls.h"

/* The next adjacency becomes the packet's; returns its kind. */
static inline uint8_t adjacency_follow(const struct ws_router *router, struct rte_mbuf *packet)
{
	const struct adjacency *adjacencies = router->adjacencies.adjacencies;
	uint32_t next = adjacencies[packet_adjacency(packet)].next;
	packet_set_adjacency(packet, next);
	return adjacency_kind(&adjacencies[next]);
}

/* Restore the popped label, for the ICMP error about its expired TTL. */
static inline void mpls_set_expired(struct rte_mbuf *packet)
{
	packet_prepend(packet, MPLS_LEN);
	packet_set_icmp_error(packet, ICMP4_TIME_EXCEEDED, 0, 0);
}

/* A label of an adjacency, with the packet's class and TTL unless it has its own. */
static inline uint32_t mpls_entry(const struct adjacency *adjacency, uint32_t i,
								  uint32_t class_and_ttl)
{
	uint32_t label = adjacency->labels[i];
	bool own = unlikely(adjacency->has_own_ttl) && label & htobe32(MPLS_TTL_MASK);
	return own ? label : label | class_and_ttl;
}

/* Write the adjacency's labels at `bytes`; the last one gets `bottom`. */
static inline void mpls_write_labels(const struct adjacency *adjacency, uint8_t *bytes,
									 uint32_t class_and_ttl, uint32_t bottom)
{
	uint32_t rest = htobe32(class_and_ttl), last = adjacency->label_count - 1u;
	uint32_t entry = mpls_entry(adjacency, last, rest) | htobe32(bottom);
	memcpy(bytes + last * MPLS_LEN, &entry, sizeof(entry));
	/* Usually there is none, so a loop unrolled for each count is not worth its code. */
#pragma GCC unroll 1
	for (uint32_t i = 0; i < last; i++) {
		entry = mpls_entry(adjacency, i, rest);
		memcpy(bytes + i * MPLS_LEN, &entry, sizeof(entry));
	}
}

/* True if the headroom suffices for the adjacency's labels and an Ethernet header. */
static inline bool mpls_has_headroom(const struct rte_mbuf *packet,
									 const struct adjacency *adjacency)
{
	return packet->data_off >= adjacency->label_count * MPLS_LEN + REWRITE_SIZE;
}

/*
 * Push the adjacency's labels, and if the next adjacency is a next hop, its Ethernet header too, as
 * mpls-output would. Returns the edge: `output` plus the place in "*-output", or the kind of the
 * next adjacency, which then becomes the packet's.
 */
static inline uint16_t mpls_impose(const struct ws_router *router, struct rte_mbuf *packet,
								   const struct adjacency *adjacency, uint32_t class_and_ttl,
								   uint32_t bottom, uint16_t output)
{
	const struct adjacency *next = &router->adjacencies.adjacencies[adjacency->next];
	uint8_t kind = adjacency_kind(next);
	uint16_t pushed = (uint16_t)(adjacency->label_count * MPLS_LEN);
	mpls_write_labels(adjacency, packet_data(packet) - pushed, class_and_ttl, bottom);
	if (likely(kind == ADJACENCY_REWRITE && packet->pkt_len + pushed <= adjacency_mtu(next))) {
		packet_rewrite(packet, next, pushed);
		return output + adjacency_output(next);
	}
	packet_prepend(packet, pushed);
	packet_set_adjacency(packet, adjacency->next);
	return kind;
}
