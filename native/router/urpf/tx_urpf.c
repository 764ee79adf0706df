/* SPDX-License-Identifier: Apache-2.0 */
/*
 * <if>-tx-urpf: unicast RPF of packets that leave by the port or one of its sub-interfaces.
 *
 * A feature of the arc interface-output. Uses: tx interface. Next: <if>-tx, error-drop.
 */
#include "router/urpf/tx_urpf.h"
#include "graph/arc.h"

static const char *const edges[] = {[URPF_PASS] = "%-tx", [URPF_DROP] = "error-drop"};

static uint16_t tx_urpf_process(struct graph *graph, struct graph_node *node, void **packets,
								uint16_t n)
{
	return tx_urpf_frame(graph, node, packets, n);
}

static struct graph_registration tx_urpf = {
	.name = "%-tx-urpf",
	.process = tx_urpf_process,
	.takes = TAKES_FRAME,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(tx_urpf_counters),
};
GRAPH_REGISTER(tx_urpf)

static struct graph_feature tx_urpf_feature = {
	.node = "%-tx-urpf",
	.arc = "interface-output",
	.runs_before = {"%-acl-plugin-out", "%-impairment"},
};
GRAPH_REGISTER_FEATURE(tx_urpf_feature)
