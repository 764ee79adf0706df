/* SPDX-License-Identifier: Apache-2.0 */
/* Asking for a neighbour in place of the packet that needs it: ip6-discover-neighbor, ip6-glean. */
#pragma once

#include "router/interface/ip6_interface.h"
#include "router/interface/source_address.h"
#include "router/packet/output.h"
#include "router/path/each_unheld.h"
#include "wire/nd.h"

enum solicit_edge { SOLICIT_DROP, SOLICIT_OUTPUT };

enum solicit_counter {
	SOLICIT_SENT,
	SOLICIT_THROTTLED,
	SOLICIT_NO_ADDRESS,
	SOLICIT_NO_ROOM,
	SOLICIT_HELD,
	SOLICIT_COUNTERS,
};

#define SOLICIT_COUNTER_NAMES                                                                      \
	[SOLICIT_SENT] = {"neighbor solicitations sent", false},                                       \
	[SOLICIT_THROTTLED] = {"neighbor solicitations throttled", true},                              \
	[SOLICIT_NO_ADDRESS] = {"no source address for neighbor solicitation", true},                  \
	[SOLICIT_NO_ROOM] = {"no headroom for a neighbor solicitation", true},                         \
	[SOLICIT_HELD] = {"packets held for a neighbor advertisement", false}

static inline uint16_t solicit_drop(struct graph_node *node, enum solicit_counter reason)
{
	graph_count(node, reason, 1);
	return SOLICIT_DROP;
}

/* The packet becomes the solicitation for `target` on the interface and waits in a copy; unless it
 * is too soon for the question: then it waits itself. One with labels does not wait. Returns the
 * edge, or PACKET_IS_HELD. */
static inline uint16_t solicit(struct graph *graph, struct graph_node *node,
							   struct rte_mbuf *packet, uint16_t interface, const uint8_t *target,
							   const struct glean_question *question)
{
	/* It ends where an IPv6 header did, which a labelled packet need not have. */
	enum { BACK = ND_NEIGHBOR_MESSAGE_LEN };
	const struct ws_router *router = router_of(graph);
	uint8_t source[IP6_ADDRESS_LEN], group[IP6_ADDRESS_LEN], to[ETHERNET_ADDRESS_LEN];
	struct glean_throttle *glean = &router_worker_of(graph)->glean;
	const struct held_for whom = hold_for(graph, packet, question, address_of_ip6(target));
	uint64_t now = graph_tsc();
	if (glean_must_wait(glean, question, now))
		return hold_instead(graph, node, packet, &whom, now, SOLICIT_HELD)
				   ? PACKET_IS_HELD
				   : solicit_drop(node, SOLICIT_THROTTLED);
	if (!ip6_source_address(router, interface, target, source))
		return solicit_drop(node, SOLICIT_NO_ADDRESS);
	if (packet->data_off < BACK + ETHERNET_MAX_LEN || packet->data_len < IP6_LEN)
		return solicit_drop(node, SOLICIT_NO_ROOM);
	if (!glean_may_ask(glean, question, now))
		return solicit_drop(node, SOLICIT_THROTTLED);
	hold_beside(graph, node, packet, &whom, now, SOLICIT_HELD);
	ip6_solicited_node(group, target);
	ip6_multicast_mac(to, group);
	packet_truncate(packet, IP6_LEN);
	packet_advance(packet, -BACK);
	trace_moved(packet, -BACK);
	nd_write_solicitation(packet_data(packet), source, group, target,
						  router->interfaces[interface].mac);
	graph_count(node, SOLICIT_SENT, 1);
	return SOLICIT_OUTPUT + packet_frame(router, packet, interface, to, ETHERNET_IP6);
}
