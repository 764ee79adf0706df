/* SPDX-License-Identifier: Apache-2.0 */
/*
 * l2-input-vtr: applies the receiving interface's VLAN tag rewrite.
 *
 * Uses: mbuf->port. Sets: tx interface, or bridge domain. Next: l2-output (cross-connect),
 * l2-learn, l2-fwd, l2-flood, error-drop.
 */
#include "router/l2/l2_path.h"
#include "router/l2/l2_tags.h"
#include "router/path/each_packet.h"

enum counter { TAGS_MISSING, NO_ROOM, NO_WAY };
static const struct graph_counter counters[] = {
	[TAGS_MISSING] = {"frame has fewer tags than are to be taken off", true},
	[NO_ROOM] = {"no headroom for another tag", true},
	[NO_WAY] = {"L2 forwarding of these frames is off", true},
};

static uint16_t l2_input_vtr_one(struct graph *graph, struct graph_node *node,
								 struct rte_mbuf *packet)
{
	(void)graph;
	const struct l2_table *l2 = l2_table_of(node);
	enum tags_result result = packet_rewrite_tags(packet, &l2->interfaces[packet->port].in);
	if (result != TAGS_REWRITTEN) {
		graph_count(node, result == TAGS_NOT_THERE ? TAGS_MISSING : NO_ROOM, 1);
		return L2_DROP;
	}
	uint16_t edge = l2_input_edge(l2, packet);
	graph_count(node, NO_WAY, edge == L2_DROP);
	return edge;
}

EACH_PACKET_NODE(l2_input_vtr, .name = "l2-input-vtr", .init = l2_node_init, .takes = TAKES_FRAME,
				 GRAPH_EDGES(l2_edges), GRAPH_COUNTERS(counters))
