/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many changes of routes in one call. Successive routes of one source usually have the same paths,
 * which are then checked once.
 */
#include "router/route/route.h"
#include "wirespeed/routes.h"

#include <errno.h>
#include <string.h>

/* The paths checked last, with a reference while they are stored. */
struct last_paths {
	const struct ws_route *route; /* NULL: none */
	uint32_t load_balance;
};

static void forget_paths(struct ws_router *router, struct last_paths *last)
{
	if (last->route)
		load_balance_release(&router->load_balances, last->load_balance, 1);
	last->route = NULL;
}

/* False if another route may change the resolution of a path without an interface. */
static bool may_be_kept(const struct ws_route *route)
{
	for (uint16_t i = 0; i < route->path_count; i++)
		if (route->paths[i].kind == WS_PATH_NEXT_HOP && route->paths[i].interface < 0)
			return false;
	return true;
}

static bool same_paths(const struct ws_route *one, const struct ws_route *other)
{
	return one->source == other->source && one->path_count == other->path_count &&
		   one->prefix.address.family == other->prefix.address.family &&
		   !memcmp(one->paths, other->paths, one->path_count * sizeof(one->paths[0]));
}

static int64_t add_changed(struct ws_router *router, struct last_paths *last,
						   const struct ws_route *route)
{
	struct fib_table *table = router_table(router, route->prefix.address.family, route->table);
	if (!table)
		return -ENOENT;
	if (!last->route || !same_paths(last->route, route)) {
		int64_t load_balance = route_take_paths(router, table, route);
		if (load_balance < 0)
			return load_balance;
		forget_paths(router, last);
		*last = (struct last_paths){route, (uint32_t)load_balance};
	}
	int64_t added =
		route_add(router, table, route->prefix, 1, route->source, last->load_balance, true);
	if (!may_be_kept(route))
		forget_paths(router, last);
	return added;
}

int ws_router_routes_change(struct ws_router *router, const struct ws_route_change *changes,
							uint32_t count, int32_t *results)
{
	struct last_paths last = {0};
	int failed = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct ws_route *route = &changes[i].route;
		int64_t done =
			changes[i].is_removal
				? ws_router_route_del_many(router, route->table, route->prefix, route->source, 1)
				: add_changed(router, &last, route);
		results[i] = done < 0 ? (int32_t)done : 0;
		failed += done < 0;
	}
	forget_paths(router, &last);
	return failed;
}
