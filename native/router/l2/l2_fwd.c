/* SPDX-License-Identifier: Apache-2.0 */
/*
 * l2-fwd: sends unicast frames of a bridge domain to the member behind which the destination is; if
 * that is unknown, to all.
 *
 * Uses: mbuf->port, bridge domain. Sets: tx interface; mbuf->port of frames for the router, to the
 * domain's BVI. Next: l2-output, l2-flood, ethernet-input (for the router), error-drop.
 */
#include "router/l2/l2_path.h"
#include "router/path/each_packet.h"

enum edge { EDGE_DROP, EDGE_OUTPUT, EDGE_FLOOD, EDGE_BVI };
static const char *const edges[] = {
	[EDGE_DROP] = "error-drop",
	[EDGE_OUTPUT] = "l2-output",
	[EDGE_FLOOD] = "l2-flood",
	[EDGE_BVI] = "ethernet-input",
};

enum counter { REFLECTION, FILTERED, UNKNOWN };
static const struct graph_counter counters[] = {
	[REFLECTION] = {"L2 station is where the frame came from", true},
	[FILTERED] = {"L2 frames to this station are filtered", true},
	[UNKNOWN] = {"L2 station is unknown and flooding is off", true},
};

GRAPH_DROP(EDGE_DROP)

static uint16_t l2_fwd_one(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet)
{
	struct l2_table *l2 = l2_table_of(node);
	const struct l2_domain *domain = &l2->domains[packet_domain(packet)];
	uint64_t station = ethernet_load_destination(packet_data(packet));
	uint64_t found = l2fib_find(l2->fib, l2fib_key(station, packet_domain(packet)));
	if (!found)
		return __atomic_load_n(&domain->uu_flood, __ATOMIC_RELAXED) ? EDGE_FLOOD
																	: drop(node, UNKNOWN);
	uint16_t interface = l2fib_interface(found);
	if (unlikely(l2fib_flags(found) & L2FIB_FILTER))
		return drop(node, FILTERED);
	if (unlikely(interface == packet->port))
		return drop(node, REFLECTION);
	if (l2_is_bvi(&l2->interfaces[interface])) {
		l2_to_bvi(graph, packet, interface);
		return EDGE_BVI;
	}
	packet_set_tx_interface(packet, interface);
	return EDGE_OUTPUT;
}

EACH_PACKET_NODE(l2_fwd, .name = "l2-fwd", .init = l2_node_init, .takes = TAKES_FRAME,
				 GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
