/* SPDX-License-Identifier: Apache-2.0 */
/*
 * l2-flood: sends a frame to all members of a bridge domain but the receiving one and those of its
 * split-horizon group. The last member gets the frame itself; the others get copies, which are
 * processed in the next walk.
 *
 * Uses: mbuf->port, bridge domain. Sets: tx interface; mbuf->port of frames for the router, to the
 * domain's BVI. Next: l2-output, ethernet-input (for the router), error-drop.
 */
#include "router/l2/l2_path.h"
#include "router/path/copy_aside.h"
#include "router/path/each_packet.h"
#include "router/worker/recirculate.h"

enum edge { EDGE_DROP, EDGE_OUTPUT, EDGE_BVI };
static const char *const edges[] = {
	[EDGE_DROP] = "error-drop",
	[EDGE_OUTPUT] = "l2-output",
	[EDGE_BVI] = "ethernet-input",
};

enum counter { NOBODY, COPIES, NO_ROOM };
static const struct graph_counter counters[] = {
	[NOBODY] = {"L2 flood finds no other member", true},
	[COPIES] = {"L2 copies flooded", false},
	[NO_ROOM] = {"L2 copy dropped: no room", true},
};

/* Returns the edge to the member. */
static uint16_t address_to(struct graph *graph, struct rte_mbuf *packet, const struct l2_member *to)
{
	if (to->is_bvi) {
		l2_to_bvi(graph, packet, to->interface);
		return EDGE_BVI;
	}
	packet_set_tx_interface(packet, to->interface);
	return EDGE_OUTPUT;
}

static void send_copy(struct graph *graph, struct graph_node *node, const struct rte_mbuf *packet,
					  const struct l2_member *to)
{
	struct rte_mbuf *copy = copy_aside(graph, packet);
	if (unlikely(!copy)) {
		graph_count(node, NO_ROOM, 1);
		return;
	}
	graph_count(node, COPIES, 1);
	uint16_t edge = address_to(graph, copy, to);
	recirculate_put(&router_worker_of(graph)->recirculate, copy,
					edge == EDGE_BVI ? RECIRCULATE_ETHERNET_INPUT : RECIRCULATE_L2_OUTPUT);
}

static uint16_t l2_flood_one(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet)
{
	const struct ws_router *router = router_of(graph);
	const struct l2_table *l2 = l2_table_of(node);
	const struct l2_domain *domain = &l2->domains[packet_domain(packet)];
	const struct l2_members *members = __atomic_load_n(&domain->members, __ATOMIC_ACQUIRE);
	uint8_t shg = l2_shg(&l2->interfaces[packet->port]);
	const struct l2_member *last = NULL;
	for (uint16_t i = 0; members && i < members->count; i++) {
		const struct l2_member *to = &members->at[i];
		if (to->interface == packet->port || (shg && shg == to->shg) ||
			!interface_is_up(&router->interfaces[to->interface]))
			continue;
		if (last)
			send_copy(graph, node, packet, last);
		last = to;
	}
	if (last)
		return address_to(graph, packet, last);
	graph_count(node, NOBODY, 1);
	return EDGE_DROP;
}

EACH_PACKET_NODE(l2_flood, .name = "l2-flood", .init = l2_node_init, .takes = TAKES_FRAME,
				 GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
