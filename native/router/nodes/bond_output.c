/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bond-output: the way out of bonds and their sub-interfaces, open while these are up and a member
 * sends; what they send is counted here.
 *
 * Takes whole frames. Uses: tx interface. Next: bond-tx, error-drop.
 */
#include "graph/arc.h"
#include "graph/graph.h"
#include "router/bond/bond.h"
#include "router/nodes/each_packet.h"
#include "router/packet/metadata.h"

enum edge { EDGE_TX, EDGE_DROP };
static const char *const edges[] = {[EDGE_TX] = "bond-tx", [EDGE_DROP] = "error-drop"};

enum counter { DOWN, NO_MEMBER };
static const struct graph_counter counters[] = {
	[DOWN] = {"interface is down", true},
	[NO_MEMBER] = {"no active member", true},
};

static void count_sent(struct graph *graph, uint16_t tx, uint16_t bond,
					   const struct rte_mbuf *packet)
{
	struct interface_counts *counts = router_worker_of(graph)->interfaces;
	counts->tx.at[bond].packets++;
	counts->tx.at[bond].bytes += packet->pkt_len;
	if (likely(tx == bond))
		return;
	counts->tx.at[tx].packets++;
	counts->tx.at[tx].bytes += packet->pkt_len;
}

static uint16_t bond_output_one(struct graph *graph, struct graph_node *node,
								struct rte_mbuf *packet)
{
	const struct ws_router *router = router_of(graph);
	uint16_t tx = packet_tx_interface(packet);
	const struct bond *bond = bond_of(router, tx);
	if (unlikely(!bond || !router->interfaces[tx].admin_up ||
				 !router->interfaces[bond->interface].admin_up)) {
		graph_count(node, DOWN, 1);
		return EDGE_DROP;
	}
	if (unlikely(!__atomic_load_n(&bond->spread, __ATOMIC_ACQUIRE)->count)) {
		graph_count(node, NO_MEMBER, 1);
		return EDGE_DROP;
	}
	count_sent(graph, tx, bond->interface, packet);
	return EDGE_TX;
}

static uint16_t bond_output_process(struct graph *graph, struct graph_node *node, void **packets,
									uint16_t n)
{
	return each_packet(graph, node, packets, n, bond_output_one);
}

static struct graph_registration bond_output = {
	.name = "bond-output",
	.process = bond_output_process,
	.edge_count = 2,
	.edges = edges,
	.counter_count = 2,
	.counters = counters,
};
GRAPH_REGISTER(bond_output)

/* Frames that leave by a bond, before one of its members gets them. */
static struct graph_arc bond_output_arc = {
	.name = "bond-output",
	.starts = {"bond-output"},
	.end = "bond-tx",
};
GRAPH_REGISTER_ARC(bond_output_arc)
