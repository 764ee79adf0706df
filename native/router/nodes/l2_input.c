/* SPDX-License-Identifier: Apache-2.0 */
/*
 * l2-input: frames of a cross-connected interface go out of the other one as they are.
 *
 * Uses: mbuf->port. Sets: tx interface. Next: l2-output.
 */
#include "graph/graph.h"
#include "router/metadata.h"
#include "router/router.h"

enum edge { EDGE_L2_OUTPUT };
static const char *const edges[] = {[EDGE_L2_OUTPUT] = "l2-output"};

static uint16_t l2_input_process(struct graph *graph, struct graph_node *node, void **packets,
								 uint16_t n)
{
	const struct interface *interfaces = router_of(graph)->interfaces;
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		packet_set_tx_interface(packet, interfaces[packet->port].xconnect_to);
	}
	graph_enqueue_all(graph, node, EDGE_L2_OUTPUT, packets, n);
	return n;
}

static struct graph_registration l2_input = {
	.name = "l2-input",
	.process = l2_input_process,
	.edge_count = 1,
	.edges = edges,
};
GRAPH_REGISTER(l2_input)
