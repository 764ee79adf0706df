/* SPDX-License-Identifier: Apache-2.0 */
/*
 * l2-output: passes frames to their tx interface, with its VLAN tags. Tags that the interface pops
 * or pushes on input are pushed or popped here. A frame that is longer than its port carries is
 * dropped: layer 2 has no error messages.
 *
 * Uses: mbuf->port, tx interface. Next: <if>-output, error-drop.
 */
#include "router/l2/l2_path.h"
#include "router/l2/l2_tags.h"
#include "router/packet/eight.h"

enum edge { EDGE_DROP, EDGE_OUTPUT };
static const char *const edges[] = {[EDGE_DROP] = "error-drop", [EDGE_OUTPUT] = "*-output"};

enum counter { SPLIT_HORIZON, TAGS_MISSING, NO_ROOM, TOO_LONG };
static const struct graph_counter counters[] = {
	[SPLIT_HORIZON] = {"L2 split horizon drop", true},
	[TAGS_MISSING] = {"frame has fewer tags than are to be taken off", true},
	[NO_ROOM] = {"no headroom for another tag", true},
	[TOO_LONG] = {"L2 MTU exceeded", true},
};

GRAPH_DROP(EDGE_DROP)

/* Ports carry up to two tags in addition. */
static bool is_too_long(const struct rte_mbuf *packet, uint32_t longest)
{
	const uint8_t *data = packet_data(packet);
	uint32_t tags = 0;
	for (uint32_t at = ETHERNET_TYPE_AT; tags < 2; at += VLAN_TAG_LEN, tags++)
		if (at + sizeof(uint16_t) > packet->data_len || !vlan_is_type(vlan_load16(data + at)))
			break;
	return packet->pkt_len > longest + tags * VLAN_TAG_LEN;
}

static __attribute__((noinline)) uint16_t
prepare(struct graph_node *node, const struct ws_router *router, struct rte_mbuf *packet)
{
	const struct l2_table *l2 = l2_table_of(node);
	uint16_t index = packet_tx_interface(packet);
	const struct l2_interface *tx = &l2->interfaces[index];
	uint8_t shg = l2_shg(tx);
	if (shg && shg == l2_shg(&l2->interfaces[packet->port]))
		return drop(node, SPLIT_HORIZON);
	switch (packet_rewrite_tags(packet, &tx->out)) {
	case TAGS_NOT_THERE:
		return drop(node, TAGS_MISSING);
	case TAGS_NO_ROOM:
		return drop(node, NO_ROOM);
	default:
		if (is_too_long(packet, l2_longest(tx)))
			return drop(node, TOO_LONG);
		return EDGE_OUTPUT + interface_way_out(&router->interfaces[index]);
	}
}

/* Consecutive frames to one interface; `wanted` is the pattern of those that need no further check.
 */
struct run {
	uint16_t interface, edge;
	lanes wanted;
};

static inline struct run run_of(const struct l2_interface *interfaces, uint16_t interface)
{
	const struct l2_interface *tx = &interfaces[interface];
	uint16_t output = l2_plain_output(tx);
	return (struct run){interface, EDGE_OUTPUT + output,
						eight_going_by(interface, output != L2_NOWHERE ? l2_longest(tx) : -1)};
}

static uint16_t l2_output_process(struct graph *graph, struct graph_node *node, void **packets,
								  uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	const struct l2_interface *interfaces = l2_table_of(node)->interfaces;
	uint16_t next[GRAPH_FRAME_SIZE];
	struct run run = {.interface = L2_NOWHERE};
	for (uint16_t i = 0, end; i < n; i = end) {
		uint16_t interface = packet_tx_interface(packets[i]);
		if (unlikely(interface != run.interface))
			run = run_of(interfaces, interface);
		end = eight_end(i, n);
		if (end - i == EIGHT && eight_go_by(packets + i, run.wanted)) {
			eight_fill(next + i, run.edge);
			continue;
		}
		for (uint16_t k = i; k < end; k++) {
			const struct rte_mbuf *packet = packets[k];
			const struct l2_interface *tx = &interfaces[packet_tx_interface(packet)];
			uint16_t output = l2_plain_output(tx);
			bool is_plain = output != L2_NOWHERE && packet->pkt_len <= l2_longest(tx);
			next[k] = likely(is_plain) ? EDGE_OUTPUT + output : prepare(node, router, packets[k]);
		}
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

GRAPH_NODE(l2_output, .name = "l2-output", .init = l2_node_init, .takes = TAKES_FRAME,
		   GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
