/* SPDX-License-Identifier: Apache-2.0 */
/* Replies to the router's own pings: the part that both families share. */
#pragma once

#include "router/module.h"
#include "router/packet/metadata.h"
#include "wirespeed/echo.h"

enum { ECHO_REPLIES = 64 };

/* State of the router's own pings, and unread replies. */
struct echo {
	uint32_t id; /* identifier of the router's own pings */
	uint16_t sequence;
	uint32_t reply_count;
	struct ws_echo_reply replies[ECHO_REPLIES];
};

extern struct router_module echo_module;

static inline struct echo *echo_of(const struct ws_router *router)
{
	return module_state(router, &echo_module);
}

enum echo_edge { ECHO_DROP, ECHO_PUNT };
enum echo_counter { ECHO_RECEIVED, ECHO_UNASKED, ECHO_LOST, ECHO_BAD_CHECKSUM };

#define ECHO_COUNTER_NAMES                                                                         \
	[ECHO_RECEIVED] = {"echo replies received", false},                                            \
	[ECHO_UNASKED] = {"echo reply that nobody asked for", true},                                   \
	[ECHO_LOST] = {"echo reply lost: event ring full", true},                                      \
	[ECHO_BAD_CHECKSUM] = {"bad icmp checksum", true}

static inline bool echo_is_ours(const struct ws_router *router, uint32_t identifier)
{
	return identifier == echo_of(router)->id;
}

/* `event` has all members but the common ones; its echo is identifier and sequence. Returns the
 * edge. */
static inline uint16_t echo_reply(struct graph *graph, struct graph_node *node,
								  const struct rte_mbuf *packet, struct router_event *event)
{
	struct ws_router *router = router_of(graph);
	event->interface = packet->port;
	event->tsc = graph_tsc();
	if (!echo_is_ours(router, event->echo >> 16)) {
		graph_count(node, ECHO_UNASKED, 1);
		return ECHO_DROP;
	}
	bool told = event_ring_put(&router->events, event);
	graph_count(node, told ? ECHO_RECEIVED : ECHO_LOST, 1);
	return told ? ECHO_PUNT : ECHO_DROP;
}
