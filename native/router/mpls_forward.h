/* SPDX-License-Identifier: Apache-2.0 */
/* What the nodes for labelled packets share: edges, and the label that mpls-lookup took off. */
#ifndef ROUTER_MPLS_FORWARD_H
#define ROUTER_MPLS_FORWARD_H

#include "graph/graph.h"
#include "router/metadata.h"
#include "router/router.h"
#include "wire/mpls.h"

/* By enum adjacency_kind, from a label; the other kinds stand behind these, or before IP only. */
#define MPLS_EDGES                                                                                 \
	[ADJACENCY_NO_ROUTE] = "error-drop", [ADJACENCY_DROP] = "error-drop",                          \
	[ADJACENCY_UNREACHABLE] = "error-drop", [ADJACENCY_PROHIBIT] = "error-drop",                   \
	[ADJACENCY_LOCAL] = "error-drop", [ADJACENCY_LOAD_BALANCE] = "mpls-load-balance",              \
	[ADJACENCY_GLEAN] = "error-drop", [ADJACENCY_INCOMPLETE] = "error-drop",                       \
	[ADJACENCY_INCOMPLETE6] = "error-drop", [ADJACENCY_REWRITE] = "error-drop",                    \
	[ADJACENCY_TABLE] = "error-drop", [ADJACENCY_LABELS] = "mpls-label-imposition-uniform",        \
	[ADJACENCY_POP_IP4] = "ip4-mpls-label-disposition-uniform",                                    \
	[ADJACENCY_POP_IP6] = "ip6-mpls-label-disposition-uniform",                                    \
	[ADJACENCY_POP_MPLS] = "mpls-label-disposition-uniform"

/* Of what stands behind: labelled packets to a next hop, or to the next label. */
#define MPLS_NEXT_EDGES                                                                            \
	[ADJACENCY_NO_ROUTE] = "error-drop", [ADJACENCY_DROP] = "error-drop",                          \
	[ADJACENCY_UNREACHABLE] = "error-drop", [ADJACENCY_PROHIBIT] = "error-drop",                   \
	[ADJACENCY_LOCAL] = "error-drop", [ADJACENCY_LOAD_BALANCE] = "error-drop",                     \
	[ADJACENCY_GLEAN] = "error-drop", [ADJACENCY_INCOMPLETE] = "ip4-arp",                          \
	[ADJACENCY_INCOMPLETE6] = "ip6-discover-neighbor", [ADJACENCY_REWRITE] = "mpls-output",        \
	[ADJACENCY_TABLE] = "mpls-lookup", [ADJACENCY_LABELS] = "error-drop",                          \
	[ADJACENCY_POP_IP4] = "error-drop", [ADJACENCY_POP_IP6] = "error-drop",                        \
	[ADJACENCY_POP_MPLS] = "error-drop"

/* The adjacency behind the packet's becomes the packet's; returns its kind. */
static inline uint8_t adjacency_follow(const struct ws_router *router, struct rte_mbuf *packet)
{
	const struct adjacency *adjacencies = router->adjacencies.adjacencies;
	uint32_t next = adjacencies[packet_adjacency(packet)].next;
	packet_set_adjacency(packet, next);
	return __atomic_load_n(&adjacencies[next].kind, __ATOMIC_ACQUIRE);
}

/* Write the adjacency's labels at `bytes`, with that class, bottom and TTL. */
static inline void mpls_write_labels(const struct adjacency *adjacency, uint8_t *bytes,
									 uint32_t class_and_ttl, uint32_t bottom)
{
	uint32_t rest = htobe32(class_and_ttl), last = adjacency->label_count - 1u;
	for (uint32_t i = 0; i < last; i++) {
		uint32_t entry = adjacency->labels[i] | rest;
		memcpy(bytes + i * MPLS_LEN, &entry, sizeof(entry));
	}
	uint32_t entry = adjacency->labels[last] | rest | htobe32(bottom);
	memcpy(bytes + last * MPLS_LEN, &entry, sizeof(entry));
}

/* Whether there is room for the adjacency's labels and a link's header before the packet. */
static inline bool mpls_has_room(const struct rte_mbuf *packet, const struct adjacency *adjacency)
{
	return packet->data_off >= adjacency->label_count * MPLS_LEN + REWRITE_SIZE;
}

/* The longest packet that may get the adjacency's labels. */
static inline uint16_t mpls_payload_mtu(const struct ws_router *router,
										const struct adjacency *adjacency)
{
	const struct adjacency *adjacencies = router->adjacencies.adjacencies;
	return (uint16_t)(adjacencies[adjacency->next].mtu - adjacency->label_count * MPLS_LEN);
}

/* Put the adjacency's labels in front of the packet, which is for the one behind; returns the kind
 * of that. */
static inline uint8_t mpls_impose(const struct ws_router *router, struct rte_mbuf *packet,
								  const struct adjacency *adjacency, uint32_t class_and_ttl,
								  uint32_t bottom)
{
	packet_advance(packet, -adjacency->label_count * MPLS_LEN);
	mpls_write_labels(adjacency, packet_data(packet), class_and_ttl, bottom);
	return adjacency_follow(router, packet);
}

#endif
