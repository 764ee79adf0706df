/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bond-output: output of bonds and their sub-interfaces, enabled while these are up and a member
 * sends; sent frames are counted here. Takes whole frames. Uses: tx interface. Next: bond-tx,
 * error-drop.
 */
#include "graph/arc.h"
#include "router/bond/bond.h"
#include "router/bond/run_of_output.h"
#include "wire/own_count.h"

enum edge { EDGE_TX, EDGE_DROP };
static const char *const edges[] = {[EDGE_TX] = "bond-tx", [EDGE_DROP] = "error-drop"};

enum counter { DOWN, NO_MEMBER };
static const struct graph_counter counters[] = {
	[DOWN] = {"interface is down", true},
	[NO_MEMBER] = {"no active member", true},
};

static void count_sent(struct graph *graph, uint16_t interface, uint64_t packets, uint64_t bytes)
{
	struct interface_counts *counts = router_worker_of(graph)->interfaces;
	own_pair_add(&counts->tx.at[interface], packets, bytes);
}

/* Packets for one interface. */
static uint16_t bond_output_run(struct graph *graph, struct graph_node *node, void *const *packets,
								uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	uint16_t tx = packet_tx_interface(packets[0]);
	const struct bond *bond = bond_of(router, tx);
	uint64_t bytes = 0;
	if (unlikely(!bond || !interface_is_up(&router->interfaces[tx]) ||
				 !interface_is_up(&router->interfaces[bond->interface]))) {
		graph_count(node, DOWN, n);
		return EDGE_DROP;
	}
	if (unlikely(!__atomic_load_n(&bond->spread, __ATOMIC_ACQUIRE)->count)) {
		graph_count(node, NO_MEMBER, n);
		return EDGE_DROP;
	}
	for (uint16_t i = 0; i < n; i++)
		bytes += ((const struct rte_mbuf *)packets[i])->pkt_len;
	count_sent(graph, bond->interface, n, bytes);
	if (tx != bond->interface)
		count_sent(graph, tx, n, bytes);
	return EDGE_TX;
}

static uint16_t bond_output_process(struct graph *graph, struct graph_node *node, void **packets,
									uint16_t n)
{
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0, end; i < n; i = end) {
		end = run_of_output(packets, i, n);
		uint16_t edge = bond_output_run(graph, node, packets + i, end - i);
		for (uint16_t k = i; k < end; k++)
			next[k] = edge;
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

GRAPH_NODE(bond_output, .name = "bond-output", .takes = TAKES_FRAME | TAKES_LEAVING,
		   GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))

/* Frames that leave through a bond, before the choice of a member. */
GRAPH_ARC(bond_output_arc, .name = "bond-output", .starts = {"bond-output"}, .end = "bond-tx")
