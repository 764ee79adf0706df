/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loopback-output: output of loopbacks: a BVI's frames go into its bridge domain, others are
 * dropped.
 *
 * Uses: tx interface. Sets: mbuf->port. Next: l2-input, error-drop.
 */
#include "router/packet/metadata.h"
#include "router/path/each_packet.h"
#include "router/router.h"
#include "wire/own_count.h"

enum edge { EDGE_DROP, EDGE_L2_INPUT };
static const char *const edges[] = {[EDGE_DROP] = "error-drop", [EDGE_L2_INPUT] = "?l2-input"};

enum counter { NOBODY, DOWN };
static const struct graph_counter counters[] = {
	[NOBODY] = {"nobody is behind a loopback", true},
	[DOWN] = {"interface is down", true},
};

static uint16_t loopback_output_one(struct graph *graph, struct graph_node *node,
									struct rte_mbuf *packet)
{
	const struct ws_router *router = router_of(graph);
	uint16_t tx = packet_tx_interface(packet);
	struct interface_counts *counts = router_worker_of(graph)->interfaces;
	if (!interface_is_up(&router->interfaces[tx]) || !interface_is_bvi(&router->interfaces[tx])) {
		graph_count(node, interface_is_up(&router->interfaces[tx]) ? NOBODY : DOWN, 1);
		return EDGE_DROP;
	}
	own_pair_add(&counts->tx.at[tx], 1, packet->pkt_len);
	packet->port = tx;
	return EDGE_L2_INPUT;
}

EACH_PACKET_NODE(loopback_output, .name = "loopback-output", .takes = TAKES_FRAME,
				 GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
