/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpls-label-imposition-uniform: the labels that take the place of the one taken off.
 *
 * They bear its class and its TTL, one less for this hop; the last one ends the stack if it did.
 *
 * Uses: adjacency (ADJACENCY_LABELS), label. Next: <if>-output, as mpls-output would;
 * by the kind of the adjacency behind, which becomes the packet's, when that is no next hop or the
 * packet is too long for it.
 */
#include "graph/graph.h"
#include "router/mpls_forward.h"

enum { EDGE_OUTPUT = ADJACENCY_KINDS };
static const char *const edges[] = {MPLS_NEXT_EDGES, [EDGE_OUTPUT] = "*-output"};

enum counter { NO_ROOM };
static const struct graph_counter counters[] = {[NO_ROOM] = {"no headroom for labels", true}};

static uint16_t mpls_label_imposition_process(struct graph *graph, struct graph_node *node,
											  void **packets, uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	const struct adjacency *adjacencies = router->adjacencies.adjacencies;
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		const struct adjacency *adjacency = &adjacencies[packet_adjacency(packet)];
		uint32_t entry = packet_label(packet);
		if (unlikely(!mpls_has_room(packet, adjacency))) {
			graph_count(node, NO_ROOM, 1);
			next[i] = ADJACENCY_DROP;
			continue;
		}
		next[i] = mpls_impose(router, packet, adjacency, (entry & 0xeff) - 1, entry & MPLS_BOTTOM,
							  EDGE_OUTPUT);
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static struct graph_registration mpls_label_imposition = {
	.name = "mpls-label-imposition-uniform",
	.process = mpls_label_imposition_process,
	.edge_count = EDGE_OUTPUT + 1,
	.edges = edges,
	.counter_count = 1,
	.counters = counters,
};
GRAPH_REGISTER(mpls_label_imposition)
