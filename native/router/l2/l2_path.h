/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the layer 2 nodes: the next target of a frame, and frames for the router. */
#pragma once

#include "router/l2/l2.h"
#include "router/packet/metadata.h"
#include "wire/ethernet.h"
#include "wire/own_count.h"

/* The first edges of l2-input, l2-input-vtr and l2-learn are in this order. */
enum l2_edge { L2_DROP, L2_FORWARD, L2_FLOOD, L2_OUTPUT, L2_LEARN, L2_EDGES };
static const char *const l2_edges[] = {
	[L2_DROP] = "error-drop",  [L2_FORWARD] = "l2-fwd", [L2_FLOOD] = "l2-flood",
	[L2_OUTPUT] = "l2-output", [L2_LEARN] = "l2-learn",
};

/* `init` of the nodes: the table lives as long as the router, so each node stores its address. */
static inline int l2_node_init(struct graph *graph, struct graph_node *node)
{
	struct l2_table *table = l2_table(router_of(graph));
	memcpy(node->context, &table, sizeof(table));
	return 0;
}

static inline struct l2_table *l2_table_of(const struct graph_node *node)
{
	struct l2_table *table;
	memcpy(&table, node->context, sizeof(table));
	return table;
}

/* Edge for a frame of the domain whose sender is known, or need not be learnt. */
static inline enum l2_edge l2_forward_edge(const struct l2_domain *domain,
										   const struct rte_mbuf *packet)
{
	if (ethernet_is_group(packet_data(packet)))
		return __atomic_load_n(&domain->flood, __ATOMIC_RELAXED) ? L2_FLOOD : L2_DROP;
	return __atomic_load_n(&domain->forward, __ATOMIC_RELAXED) ? L2_FORWARD : L2_DROP;
}

/* Edge for a frame received by an interface in an L2 mode, after its tags were rewritten. */
static inline enum l2_edge l2_input_edge(const struct l2_table *l2, struct rte_mbuf *packet)
{
	const struct l2_interface *rx = &l2->interfaces[packet->port];
	uint16_t index = l2_domain_of(rx);
	if (!index) {
		uint16_t to = l2_xconnect_to(rx);
		packet_set_tx_interface(packet, to);
		return to == L2_NOWHERE ? L2_DROP : L2_OUTPUT;
	}
	const struct l2_domain *domain = &l2->domains[index];
	packet_set_domain(packet, index);
	return __atomic_load_n(&domain->learn, __ATOMIC_RELAXED) && !l2_is_bvi(rx)
			   ? L2_LEARN
			   : l2_forward_edge(domain, packet);
}

/* The frame becomes one that the router receives through the bridge domain's BVI. */
static inline void l2_to_bvi(struct graph *graph, struct rte_mbuf *packet, uint16_t bvi)
{
	struct interface_counts *counts = router_worker_of(graph)->interfaces;
	own_pair_add(&counts->rx.at[bvi], 1, packet->pkt_len);
	packet->port = bvi;
}
