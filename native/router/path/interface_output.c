/* SPDX-License-Identifier: Apache-2.0 */
/*
 * <if>-output: output of one port, enabled while it is up and has a link, and of its
 * sub-interfaces, each enabled while it is up.
 *
 * Takes whole frames. Uses: tx interface, if the port has sub-interfaces. Next: <if>-tx,
 * error-drop.
 */
#include "graph/arc.h"
#include "router/packet/metadata.h"
#include "router/router.h"
#include "wire/own_count.h"

enum edge { EDGE_TX, EDGE_DROP };
static const char *const edges[] = {[EDGE_TX] = "%-tx", [EDGE_DROP] = "error-drop"};

enum counter { DOWN, NO_LINK };
static const struct graph_counter counters[] = {
	[DOWN] = {"interface is down", true},
	/* Some drivers accept frames that they cannot send and count them as sent. */
	[NO_LINK] = {"interface has no link", true},
};

/* Counts for sub-interfaces only; the driver counts for the port. */
static uint16_t interface_output_one(struct graph *graph, struct graph_node *node,
									 const struct rte_mbuf *packet)
{
	uint16_t tx = packet_tx_interface(packet);
	if (tx == node->interface)
		return EDGE_TX;
	if (!interface_is_up(&router_of(graph)->interfaces[tx])) {
		graph_count(node, DOWN, 1);
		return EDGE_DROP;
	}
	struct interface_counts *counts = router_worker_of(graph)->interfaces;
	own_pair_add(&counts->tx.at[tx], 1, packet->pkt_len);
	return EDGE_TX;
}

static __attribute__((noinline)) uint16_t output_each(struct graph *graph, struct graph_node *node,
													  void **packets, uint16_t n)
{
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++)
		next[i] = interface_output_one(graph, node, packets[i]);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static uint16_t interface_output_process(struct graph *graph, struct graph_node *node,
										 void **packets, uint16_t n)
{
	const struct interface *port = &router_of(graph)->interfaces[node->interface];
	bool up = interface_is_usable(port);
	if (likely(!__atomic_load_n(&port->vlans, __ATOMIC_RELAXED) || !up)) {
		if (unlikely(!up))
			graph_count(node, interface_is_up(port) ? NO_LINK : DOWN, n);
		graph_enqueue_all(graph, node, likely(up) ? EDGE_TX : EDGE_DROP, packets, n);
		return n;
	}
	return output_each(graph, node, packets, n);
}

GRAPH_NODE(interface_output, .name = "%-output", .takes = TAKES_FRAME, GRAPH_EDGES(edges),
		   GRAPH_COUNTERS(counters))

/* Frames that leave through the port or its sub-interfaces, before the driver gets them. */
GRAPH_ARC(interface_output_arc, .name = "interface-output", .starts = {"%-output"}, .end = "%-tx")
