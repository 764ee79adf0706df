/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bond-tx-urpf: unicast RPF of packets that leave by a bond or a sub-interface of one.
 *
 * A feature of the arc bond-output. Uses: tx interface. Next: bond-tx, error-drop.
 */
#include "graph/arc.h"
#include "router/urpf/tx_urpf.h"

static const char *const edges[] = {[URPF_PASS] = "bond-tx", [URPF_DROP] = "error-drop"};

static uint16_t bond_tx_urpf_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	return tx_urpf_frame(graph, node, packets, n);
}

static struct graph_registration bond_tx_urpf = {
	.name = "bond-tx-urpf",
	.process = bond_tx_urpf_process,
	.takes = TAKES_FRAME | TAKES_LEAVING,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(tx_urpf_counters),
};
GRAPH_REGISTER(bond_tx_urpf)

static struct graph_feature bond_tx_urpf_feature = {
	.node = "bond-tx-urpf",
	.arc = "bond-output",
	.runs_before = {"bond-acl-plugin-out"},
};
GRAPH_REGISTER_FEATURE(bond_tx_urpf_feature)
