/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routes by source. The best one for a prefix is in the table that packets are looked up in. The
 * others wait here; few prefixes have any.
 */
#pragma once

#include "wirespeed/routes.h"

#include <stdbool.h>
#include <stdint.h>

struct fib_table;
struct ws_router;

enum { ROUTE_NONE = -1 };

/* Number of prefixes with routes that wait. */
uint32_t sources_waiting(const struct ws_router *router);

/* The source of the route that stands in the table at the prefix, or ROUTE_NONE. */
int sources_standing(const struct ws_router *router, const struct fib_table *table,
					 const struct ws_prefix *prefix);
/* Give the load balance's source this route, with a reference of its own; in place of what it had
 * there. */
int sources_set(struct ws_router *router, struct fib_table *table, const struct ws_prefix *prefix,
				uint32_t load_balance);
/* Take the route of that source back; -ENOENT when it has none. */
int sources_remove(struct ws_router *router, struct fib_table *table,
				   const struct ws_prefix *prefix, enum ws_route_source source);

/* Watcher of host routes: called when a host has no other route any more. */
struct host_route_watcher {
	void (*gone)(struct ws_router *router, const struct fib_table *table,
				 const struct ws_address *address);
	struct host_route_watcher *next;
};
void sources_watch_hosts(struct host_route_watcher *watcher);
