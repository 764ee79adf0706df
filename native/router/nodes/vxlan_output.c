/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vxlan-output: the way out of VXLAN tunnels, by the family of their ends.
 *
 * Uses: tx interface. Next: vxlan4-encap, vxlan6-encap, error-drop.
 */
#include "graph/graph.h"
#include "router/nodes/each_packet.h"
#include "router/packet/metadata.h"
#include "router/vxlan/vxlan.h"

enum edge { EDGE_DROP, EDGE_IP4, EDGE_IP6 };
static const char *const edges[] = {
	[EDGE_DROP] = "error-drop",
	[EDGE_IP4] = "vxlan4-encap",
	[EDGE_IP6] = "vxlan6-encap",
};

enum counter { DOWN };
static const struct graph_counter counters[] = {[DOWN] = {"interface is down", true}};

static uint16_t vxlan_output_one(struct graph *graph, struct graph_node *node,
								 struct rte_mbuf *packet)
{
	const struct ws_router *router = router_of(graph);
	uint16_t tx = packet_tx_interface(packet);
	const struct vxlan_tunnel *tunnel = vxlan_tunnel(router, tx);
	if (unlikely(!router->interfaces[tx].admin_up || !tunnel)) {
		graph_count(node, DOWN, 1);
		return EDGE_DROP;
	}
	struct interface_counts *counts = router_worker_of(graph)->interfaces;
	counts->tx.at[tx].packets++;
	counts->tx.at[tx].bytes += packet->pkt_len;
	return tunnel->key.family == WS_IP4 ? EDGE_IP4 : EDGE_IP6;
}

static uint16_t vxlan_output_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	return each_packet(graph, node, packets, n, vxlan_output_one);
}

static struct graph_registration vxlan_output = {
	.name = "vxlan-output",
	.process = vxlan_output_process,
	.edge_count = 3,
	.edges = edges,
	.counter_count = 1,
	.counters = counters,
};
GRAPH_REGISTER(vxlan_output)
