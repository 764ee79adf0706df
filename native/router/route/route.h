/* SPDX-License-Identifier: Apache-2.0 */
/* Route tables, and sources and paths of routes. */
#pragma once

#include "router/fib/path_list.h"
#include "router/route/connected.h"

/* The table with the user's number `id`; NULL with an error text if there is none. */
struct fib_table *router_table(const struct ws_router *router, uint8_t family, uint32_t id);
int router_make_table(struct ws_router *router, uint8_t family, uint16_t index, uint32_t id,
					  const char *name, uint32_t max_routes);
void router_free_tables(struct ws_router *router);

/* Default fields of a table's flow hash. */
enum {
	FLOW_HASH_IP4 = WS_FLOW_SRC | WS_FLOW_DST | WS_FLOW_SPORT | WS_FLOW_DPORT | WS_FLOW_PROTO,
	FLOW_HASH_IP6 = FLOW_HASH_IP4 | WS_FLOW_LABEL,
};

static inline uint32_t fib_flow_hash(uint8_t family)
{
	return family == WS_IP6 ? FLOW_HASH_IP6 : FLOW_HASH_IP4;
}

/* Rebuild the set of the router's own addresses after a change of addresses or tables. */
int router_update_local(struct ws_router *router);
/* router_update_local for one interface: `before` and `after` are the routes of its addresses. */
int router_change_local(struct ws_router *router, uint16_t index,
						const struct connected_route *before, uint32_t before_count,
						const struct connected_route *after, uint32_t after_count);

static inline bool route_is_from_outside(int source)
{
	return source == WS_SOURCE_STATIC || source == WS_SOURCE_LINUX;
}

/* Check the paths of a route for packets of that kind, and look up what they name. */
int router_check_paths(const struct ws_router *router, const struct ws_path *paths, uint32_t count,
					   enum ws_route_source source, uint16_t payload,
					   union path_list_buffer *buffer);
/* The paths of a load balance; returns their number. */
uint16_t router_describe_paths(const struct ws_router *router, uint32_t load_balance,
							   struct ws_path *out);

/* Set the source's route with this single path, which has an interface. */
int router_set_route(struct ws_router *router, struct fib_table *table,
					 const struct ws_prefix *prefix, const struct ws_path *path,
					 enum ws_route_source source);
/* The load balance over the route's paths, with a reference for the caller. */
int64_t route_take_paths(struct ws_router *router, const struct fib_table *table,
						 const struct ws_route *route);
/* Add `count` prefixes from `first` on, except where another route prevents it; returns the number
 * added, or a negative errno. If there is no room for all, none is added. */
int64_t route_add(struct ws_router *router, struct fib_table *table, struct ws_prefix first,
				  uint32_t count, int source, uint32_t load_balance, bool replace);

/* load_balance_resolve_fn; and the update of everything that resolves through the prefix. */
uint32_t router_resolve(void *router, const struct path_list *list, struct path_key *leaves);
void router_follow(struct ws_router *router, const struct fib_table *table,
				   const struct ws_prefix *prefix);
