/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux-cp-punt: sends frames for Linux to the TAP that is paired with their interface.
 *
 * Takes whole frames without the VLAN tags of a sub-interface, and restores these, since Linux has
 * the VLAN on its side too.
 *
 * Uses: mbuf->port. Sets: tx interface (the TAP). Next: <tap>-output, error-drop for a frame whose
 * interface has just lost its pair.
 */
#include "router/packet/output.h"
#include "router/path/each_packet.h"
#include "wire/own_count.h"

enum edge { EDGE_DROP, EDGE_OUTPUT };
static const char *const edges[] = {[EDGE_DROP] = "error-drop", [EDGE_OUTPUT] = "*-output"};

enum counter { PUNTED, NO_PAIR, NO_ROOM };
static const struct graph_counter counters[] = {
	[PUNTED] = {"packets to Linux", false},
	[NO_PAIR] = {"interface is in no pair", true},
	[NO_ROOM] = {"no headroom for VLAN tags", true},
};

static bool put_tags_back(struct rte_mbuf *packet, const struct interface *interface)
{
	if (rte_pktmbuf_headroom(packet) < interface->tag_len)
		return false;
	uint8_t *addresses = packet_data(packet);
	packet_advance(packet, -interface->tag_len);
	memmove(packet_data(packet), addresses, ETHERNET_LEN - 2);
	memcpy(packet_data(packet) + ETHERNET_LEN - 2, interface->tags, interface->tag_len);
	trace_moved(packet, -interface->tag_len);
	return true;
}

static uint16_t linux_cp_punt_one(struct graph *graph, struct graph_node *node,
								  struct rte_mbuf *packet)
{
	const struct interface *interface = &router_of(graph)->interfaces[packet->port];
	uint16_t tap = __atomic_load_n(&interface->lcp, __ATOMIC_RELAXED);
	enum counter result = tap == LCP_NONE                                           ? NO_PAIR
						  : interface->tag_len && !put_tags_back(packet, interface) ? NO_ROOM
																					: PUNTED;
	graph_count(node, result, 1);
	if (result != PUNTED)
		return EDGE_DROP;
	own_count_add(&router_worker_of(graph)->interfaces->punts.at[packet->port], 1);
	return EDGE_OUTPUT + packet_send(router_of(graph), packet, tap);
}

EACH_PACKET_NODE(linux_cp_punt, .name = "linux-cp-punt", .takes = TAKES_FRAME, GRAPH_EDGES(edges),
				 GRAPH_COUNTERS(counters))
