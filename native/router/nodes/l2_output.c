/* SPDX-License-Identifier: Apache-2.0 */
/*
 * l2-output: frames to the interface chosen for them, with the tags that they bear there.
 *
 * What an interface takes off or puts on frames that come in is undone on those that go out.
 *
 * Uses: mbuf->port, tx interface. Next: <if>-output, error-drop.
 */
#include "graph/graph.h"
#include "router/l2/l2_path.h"
#include "router/l2/l2_tags.h"
#include "router/packet/eight.h"

enum edge { EDGE_DROP, EDGE_OUTPUT };
static const char *const edges[] = {[EDGE_DROP] = "error-drop", [EDGE_OUTPUT] = "*-output"};

enum counter { SPLIT_HORIZON, TAGS_MISSING, NO_ROOM };
static const struct graph_counter counters[] = {
	[SPLIT_HORIZON] = {"L2 split horizon drop", true},
	[TAGS_MISSING] = {"frame has fewer tags than are to be taken off", true},
	[NO_ROOM] = {"no headroom for another tag", true},
};

static uint16_t drop(struct graph_node *node, enum counter reason)
{
	graph_count(node, reason, 1);
	return EDGE_DROP;
}

static __attribute__((noinline)) uint16_t
prepare(struct graph_node *node, const struct ws_router *router, struct rte_mbuf *packet)
{
	const struct l2_table *l2 = &router->l2;
	uint16_t index = packet_tx_interface(packet);
	const struct l2_interface *tx = &l2->interfaces[index];
	if (tx->shg && tx->shg == l2->interfaces[packet->port].shg)
		return drop(node, SPLIT_HORIZON);
	switch (packet_rewrite_tags(packet, &tx->out)) {
	case TAGS_NOT_THERE:
		return drop(node, TAGS_MISSING);
	case TAGS_NO_ROOM:
		return drop(node, NO_ROOM);
	default:
		return EDGE_OUTPUT + router->interfaces[index].output;
	}
}

static uint16_t l2_output_process(struct graph *graph, struct graph_node *node, void **packets,
								  uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	const struct l2_interface *interfaces = router->l2.interfaces;
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0, end; i < n; i = end) {
		uint16_t tx = packet_tx_interface(packets[i]), output = interfaces[tx].plain_output;
		end = eight_end(i, n);
		if (end - i == EIGHT && output != L2_NOWHERE && eight_go_by(packets + i, tx)) {
			eight_fill(next + i, EDGE_OUTPUT + output);
			continue;
		}
		for (uint16_t k = i; k < end; k++) {
			output = interfaces[packet_tx_interface(packets[k])].plain_output;
			next[k] = likely(output != L2_NOWHERE) ? EDGE_OUTPUT + output
												   : prepare(node, router, packets[k]);
		}
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static struct graph_registration l2_output = {
	.name = "l2-output",
	.process = l2_output_process,
	.edge_count = 2,
	.edges = edges,
	.counter_count = 3,
	.counters = counters,
};
GRAPH_REGISTER(l2_output)
