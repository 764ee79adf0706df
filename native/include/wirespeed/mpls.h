/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wirespeed/routes.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * MPLS. There is one table, which takes 8 MB. A label has one route for packets in which it is the
 * bottom of the stack (`bottom`; `payload` is the protocol behind it), and another for the rest. A
 * path without labels pops the label. Labels below 16 are reserved and have fixed routes.
 */
struct ws_mpls_route {
	uint32_t label;
	bool bottom;
	uint8_t payload; /* WS_IP4 or WS_IP6 at the bottom, else 0 */
	/* enum ws_route_source: Linux or the user; WS_SOURCE_CONNECTED: the router's own. */
	int32_t source;
	uint32_t index; /* as in struct ws_route: the index of its counter */
	uint16_t path_count;
	struct ws_path paths[WS_MAX_PATHS];
};

int ws_router_mpls_table_add(struct ws_router *router);
/* -EBUSY while it has routes or an interface accepts labelled packets. */
int ws_router_mpls_table_del(struct ws_router *router);
int ws_router_has_mpls_table(struct ws_router *router); /* 1 or 0 */
/* Accept labelled packets on the interface, or not. */
int ws_router_set_mpls(struct ws_router *router, uint16_t index, bool on);
int ws_router_mpls_route_set(struct ws_router *router, const struct ws_mpls_route *route);
int ws_router_mpls_route_del(struct ws_router *router, uint32_t label, bool bottom);
/* -ENOENT if there is none. */
int ws_router_mpls_route_get(struct ws_router *router, uint32_t label, bool bottom,
							 struct ws_mpls_route *out);
/* In order of (label, bottom), from `label` on; returns the number written. */
int ws_router_mpls_routes(struct ws_router *router, uint32_t label, struct ws_mpls_route *out,
						  uint32_t max);
