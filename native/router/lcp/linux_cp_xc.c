/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux-cp-xc: sends frames that Linux wrote to the TAP of a pair through the pair's interface,
 * unchanged.
 *
 * Uses: mbuf->port (the TAP). Sets: tx interface. Next: <if>-output, error-drop for a frame of a
 * TAP that has just lost its pair.
 */
#include "router/packet/output.h"
#include "router/path/each_packet.h"

enum edge { EDGE_DROP, EDGE_OUTPUT };
static const char *const edges[] = {[EDGE_DROP] = "error-drop", [EDGE_OUTPUT] = "*-output"};

enum counter { CONNECTED, NO_PAIR };
static const struct graph_counter counters[] = {
	[CONNECTED] = {"packets from Linux", false},
	[NO_PAIR] = {"interface is in no pair", true},
};

static uint16_t linux_cp_xc_one(struct graph *graph, struct graph_node *node,
								struct rte_mbuf *packet)
{
	uint16_t to =
		__atomic_load_n(&router_of(graph)->interfaces[packet->port].lcp, __ATOMIC_RELAXED);
	graph_count(node, to == LCP_NONE ? NO_PAIR : CONNECTED, 1);
	return to == LCP_NONE ? EDGE_DROP : EDGE_OUTPUT + packet_send(router_of(graph), packet, to);
}

EACH_PACKET_NODE(linux_cp_xc, .name = "linux-cp-xc", .takes = TAKES_FRAME, GRAPH_EDGES(edges),
				 GRAPH_COUNTERS(counters))
