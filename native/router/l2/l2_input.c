/* SPDX-License-Identifier: Apache-2.0 */
/*
 * l2-input: frames of interfaces that do not route: to the cross-connected interface, or into the
 * bridge domain.
 *
 * Uses: mbuf->port. Sets: tx interface, or bridge domain. Next: l2-output (cross-connect),
 * l2-input-vtr (tags must be rewritten first), l2-learn, l2-fwd, l2-flood, error-drop.
 */
#include "router/l2/l2_path.h"
#include "router/packet/eight.h"

enum { EDGE_VTR = L2_EDGES, EDGES };
static const char *const edges[] = {
	[L2_DROP] = "error-drop",  [L2_FORWARD] = "l2-fwd", [L2_FLOOD] = "l2-flood",
	[L2_OUTPUT] = "l2-output", [L2_LEARN] = "l2-learn", [EDGE_VTR] = "l2-input-vtr",
};

enum counter { NO_WAY };
static const struct graph_counter counters[] = {
	[NO_WAY] = {"L2 forwarding of these frames is off", true},
};

static inline uint16_t l2_input_one(const struct l2_table *l2, struct graph_node *node,
									struct rte_mbuf *packet)
{
	const struct l2_interface *rx = &l2->interfaces[packet->port];
	uint16_t to = l2_plain_to(rx);
	if (likely(to != L2_NOWHERE)) {
		packet_set_tx_interface(packet, to);
		return L2_OUTPUT;
	}
	uint16_t edge = rx->in.pop | rx->in.push ? EDGE_VTR : (uint16_t)l2_input_edge(l2, packet);
	if (unlikely(edge == L2_DROP))
		graph_count(node, NO_WAY, 1);
	return edge;
}

static uint16_t l2_input_process(struct graph *graph, struct graph_node *node, void **packets,
								 uint16_t n)
{
	const struct l2_table *l2 = l2_table_of(node);
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0, end; i < n; i = end) {
		uint16_t port = ((const struct rte_mbuf *)packets[i])->port;
		uint16_t to = l2_plain_to(&l2->interfaces[port]);
		end = eight_end(i, n);
		if (end - i == EIGHT && to != L2_NOWHERE && eight_came_by(packets + i, port)) {
			eight_set_tx_interface(packets + i, to);
			eight_fill(next + i, L2_OUTPUT);
			continue;
		}
		for (uint16_t k = i; k < end; k++)
			next[k] = l2_input_one(l2, node, packets[k]);
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

GRAPH_NODE(l2_input, .name = "l2-input", .init = l2_node_init, .takes = TAKES_FRAME,
		   GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
