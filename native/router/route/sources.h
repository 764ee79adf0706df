/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routes by source. The best one for a prefix is active: it is in the table used for lookups. The
 * others wait here; few prefixes have any.
 */
#pragma once

#include "wirespeed/routes.h"

#include <stdbool.h>
#include <stdint.h>

struct fib_table;
struct ws_router;

enum { ROUTE_NONE = -1 };

/* Number of prefixes with waiting routes. */
uint32_t sources_waiting(const struct ws_router *router);

/* The source of the active route for the prefix, or ROUTE_NONE. */
int sources_standing(const struct ws_router *router, const struct fib_table *table,
					 const struct ws_prefix *prefix);
/* Set the route of the load balance's source, with a reference of its own; replaces its previous
 * one. */
int sources_set(struct ws_router *router, struct fib_table *table, const struct ws_prefix *prefix,
				uint32_t load_balance);
/* Remove the route of that source; -ENOENT if it has none. */
int sources_remove(struct ws_router *router, struct fib_table *table,
				   const struct ws_prefix *prefix, enum ws_route_source source);

/* Called when a host has no other route left. */
struct host_route_watcher {
	void (*gone)(struct ws_router *router, const struct fib_table *table,
				 const struct ws_address *address);
	struct host_route_watcher *next;
};
void sources_watch_hosts(struct host_route_watcher *watcher);
