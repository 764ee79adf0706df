/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lacp-input: passes LACPDUs of members of bonds to the main thread, and replies to markers.
 * Packets beyond the punt policers of LACP are dropped unread.
 *
 * Uses: mbuf->port. Sets: tx interface of a reply. Next: error-punt, <if>-output, error-drop.
 */
#include "router/bond/bond.h"
#include "router/packet/output.h"
#include "router/path/each_packet.h"
#include "router/punt/punt.h"
#include "wire/lacp.h"

enum edge { EDGE_DROP, EDGE_PUNT, EDGE_OUTPUT };
static const char *const edges[] = {
	[EDGE_DROP] = "error-drop",
	[EDGE_PUNT] = "error-punt",
	[EDGE_OUTPUT] = "*-output",
};

enum counter { HEARD, ANSWERED, ANSWERS, BAD, NO_ROOM, POLICED };
static const struct graph_counter counters[] = {
	[HEARD] = {"LACP packets", false},
	[ANSWERED] = {"marker packets answered", false},
	[ANSWERS] = {"answers to our markers", false},
	[BAD] = {"bad or unknown slow protocol packet", true},
	[NO_ROOM] = {"too many LACP packets", true},
	[POLICED] = {PUNT_POLICED, true},
};

static uint16_t lacp_input_one(struct graph *graph, struct graph_node *node,
							   struct rte_mbuf *packet)
{
	const struct ws_router *router = router_of(graph);
	uint8_t *bytes = packet_data(packet) + ETHERNET_LEN;
	size_t length = packet->data_len - ETHERNET_LEN;
	struct bond_heard heard = {.port = packet->port};
	if (!punt_passes(graph, packet->port, WS_PUNT_LACP)) {
		graph_count(node, POLICED, 1);
		return EDGE_DROP;
	}
	if (lacp_parse(bytes, length, &heard.pdu)) {
		bool is_taken = bond_hear(router, &heard);
		graph_count(node, is_taken ? HEARD : NO_ROOM, 1);
		if (is_taken)
			event_ring_wake(&router_of(graph)->events);
		return is_taken ? EDGE_PUNT : EDGE_DROP;
	}
	if (marker_is(bytes, length, MARKER_ANSWER)) {
		bond_is_answered(router, marker_number(bytes));
		graph_count(node, ANSWERS, 1);
		return EDGE_PUNT;
	}
	if (!marker_is(bytes, length, MARKER_QUESTION)) {
		graph_count(node, BAD, 1);
		return EDGE_DROP;
	}
	graph_count(node, ANSWERED, 1);
	bytes[MARKER_KIND_AT] = MARKER_ANSWER;
	interface_write_header(&router->interfaces[packet->port], packet_data(packet),
						   slow_protocols_mac, ETHERNET_SLOW);
	return EDGE_OUTPUT + packet_send(router, packet, packet->port);
}

EACH_PACKET_NODE(lacp_input, .name = "lacp-input", .takes = TAKES_FRAME, GRAPH_EDGES(edges),
				 GRAPH_COUNTERS(counters))
