/* SPDX-License-Identifier: Apache-2.0 */
/* Routes of the user and of Linux over paths that are a load balance already. */
#ifndef ROUTER_ROUTE_H
#define ROUTER_ROUTE_H

#include "router/router.h"

/* The load balance over the route's paths, with a reference for the caller. */
int64_t route_take_paths(struct ws_router *router, const struct fib_table *table,
						 const struct ws_route *route);
/* `count` prefixes from `first` on; how many were added, or a negative errno. */
int64_t route_add(struct ws_router *router, struct fib_table *table, struct ws_prefix first,
				  uint32_t count, int source, uint32_t load_balance, bool replace);

#endif
