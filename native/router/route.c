/* SPDX-License-Identifier: Apache-2.0 */
/* Routes: static ones by the user, the others by addresses and neighbours. */
#include "dev/error.h"
#include "dev/port.h"
#include "router/router.h"
#include "wire/ip4.h"

#include <errno.h>
#include <string.h>

static const struct path_list *paths_of(const struct ws_router *router, uint32_t load_balance)
{
	return &router->load_balances.uses[load_balance].list;
}

static enum route_owner owner_of(const struct ws_router *router, uint32_t load_balance)
{
	const struct path_list *list = paths_of(router, load_balance);
	if (list->is_static)
		return ROUTE_STATIC;
	return list->paths[0].kind == WS_PATH_NEXT_HOP ? ROUTE_NEIGHBOR : ROUTE_CONNECTED;
}

enum route_owner router_route_owner(const struct ws_router *router, struct ws_ip4_prefix prefix)
{
	uint32_t load_balance;
	return fib4_get(&router->fib4, prefix, &load_balance) ? owner_of(router, load_balance)
														  : ROUTE_NONE;
}

/* Point the prefix at the load balance, one route more for it and one less for what was there. */
static int install(struct ws_router *router, struct ws_ip4_prefix prefix, uint32_t load_balance)
{
	uint32_t old;
	bool replaces = fib4_get(&router->fib4, prefix, &old);
	int error = fib4_set(&router->fib4, prefix, load_balance);
	if (error)
		return error;
	router->load_balances.uses[load_balance].routes++;
	if (replaces)
		load_balance_release(&router->load_balances, old, 1);
	return 0;
}

static void add_path(struct path_list *list, const struct ws_path *path)
{
	uint32_t i = list->count++;
	bool has_interface = path->kind == WS_PATH_NEXT_HOP || path->kind == WS_PATH_ATTACHED;
	list->paths[i].kind = (uint32_t)path->kind;
	list->paths[i].next_hop = path->kind == WS_PATH_NEXT_HOP ? path->next_hop : 0;
	list->paths[i].interface = has_interface ? (uint32_t)path->interface : UINT32_MAX;
	list->paths[i].weight = path->weight ? path->weight : 1;
}

int router_set_route(struct ws_router *router, struct ws_ip4_prefix prefix,
					 const struct ws_path *path, bool is_static)
{
	struct path_list list = {.is_static = is_static};
	add_path(&list, path);
	int64_t load_balance = load_balance_take(&router->load_balances, &list, router->mtus);
	if (load_balance < 0)
		return (int)load_balance;
	int error = install(router, prefix, (uint32_t)load_balance);
	load_balance_release(&router->load_balances, (uint32_t)load_balance, 1);
	return error;
}

void router_remove_route(struct ws_router *router, struct ws_ip4_prefix prefix)
{
	uint32_t load_balance;
	if (!fib4_get(&router->fib4, prefix, &load_balance))
		return;
	fib4_remove(&router->fib4, prefix);
	load_balance_release(&router->load_balances, load_balance, 1);
	if (prefix.length == 32)
		router_neighbor_restore_route(router, prefix.address);
}

/* ---- Static routes ---- */

static int check_path(const struct ws_router *router, struct ws_path *path)
{
	if (path->interface >= router->interface_count)
		return router_check_interface(router, (uint16_t)path->interface);
	switch (path->kind) {
	case WS_PATH_LOCAL:
	case WS_PATH_DROP:
		return 0;
	case WS_PATH_ATTACHED:
		return path->interface >= 0 ? 0 : fail(-EINVAL, "an attached path needs an interface");
	case WS_PATH_NEXT_HOP:
		break;
	default:
		return fail(-EINVAL, "%d is no kind of path", path->kind);
	}
	if (!address_is_unicast(path->next_hop) || router_is_own_address(router, path->next_hop))
		return fail(-EINVAL, "next hop " IP4_FORMAT " is no address of another router",
					IP4_ARGS(path->next_hop));
	if (path->interface < 0)
		path->interface = router_connected_interface(router, path->next_hop);
	if (path->interface < 0)
		return fail(-ENETUNREACH,
					"next hop " IP4_FORMAT " is on no connected network; name its interface",
					IP4_ARGS(path->next_hop));
	return 0;
}

static int make_list(const struct ws_router *router, const struct ws_route *route,
					 struct path_list *list)
{
	*list = (struct path_list){.is_static = true};
	if (route->path_count < 1 || route->path_count > WS_MAX_PATHS)
		return fail(-EINVAL, "a route has 1 to %d paths, not %u", WS_MAX_PATHS, route->path_count);
	for (uint16_t i = 0; i < route->path_count; i++) {
		struct ws_path path = route->paths[i];
		int error = check_path(router, &path);
		if (error)
			return error;
		add_path(list, &path);
	}
	return 0;
}

/* `count` prefixes from the first one on, in order; -EINVAL when they do not exist. */
static int check_range(struct ws_ip4_prefix *first, uint32_t count)
{
	if (first->length > 32)
		return fail(-EINVAL, "a prefix is at most 32 bits long, not %u", first->length);
	first->address &= ip4_mask(first->length);
	if (first->address + ((uint64_t)count << (32 - first->length)) > 1ULL << 32)
		return fail(-EINVAL, "%u prefixes from " IP4_FORMAT "/%u on go beyond 255.255.255.255",
					count, IP4_ARGS(first->address), first->length);
	return 0;
}

static struct ws_ip4_prefix nth_prefix(struct ws_ip4_prefix first, uint32_t n)
{
	first.address += (uint32_t)((uint64_t)n << (32 - first.length));
	return first;
}

int64_t ws_router_route_add_many(struct ws_router *router, const struct ws_route *first,
								 uint32_t count, bool replace)
{
	struct ws_ip4_prefix prefix = first->prefix;
	struct path_list list;
	int64_t added = 0;
	int error = check_range(&prefix, count);
	if (!error)
		error = make_list(router, first, &list);
	if (error)
		return error;
	int64_t load_balance = load_balance_take(&router->load_balances, &list, router->mtus);
	if (load_balance < 0)
		return load_balance;
	for (uint32_t i = 0; i < count && error != -ENOSPC; i++) {
		struct ws_ip4_prefix at = nth_prefix(prefix, i);
		enum route_owner owner = router_route_owner(router, at);
		if (owner == ROUTE_CONNECTED || (owner == ROUTE_STATIC && !replace))
			error = fail(-EEXIST, "there is a %s route to " IP4_FORMAT "/%u already",
						 owner == ROUTE_STATIC ? "static" : "connected", IP4_ARGS(at.address),
						 at.length);
		else if (!(error = install(router, at, (uint32_t)load_balance)))
			added++;
	}
	load_balance_release(&router->load_balances, (uint32_t)load_balance, 1);
	return error == -ENOSPC || (error && !added) ? error : added;
}

int ws_router_route_add(struct ws_router *router, const struct ws_route *route, bool replace)
{
	int64_t added = ws_router_route_add_many(router, route, 1, replace);
	return added < 0 ? (int)added : 0;
}

int64_t ws_router_route_del_many(struct ws_router *router, struct ws_ip4_prefix first,
								 uint32_t count)
{
	int64_t deleted = 0;
	uint64_t run = 0; /* routes deleted whose load balance is still to be told */
	uint32_t run_of = LOAD_BALANCE_NO_ROUTE, load_balance;
	int error = check_range(&first, count);
	if (error)
		return error;
	for (uint32_t i = 0; i < count; i++) {
		struct ws_ip4_prefix prefix = nth_prefix(first, i);
		if (!fib4_get(&router->fib4, prefix, &load_balance) ||
			owner_of(router, load_balance) != ROUTE_STATIC)
			continue;
		fib4_remove(&router->fib4, prefix);
		if (load_balance != run_of) {
			if (run)
				load_balance_release(&router->load_balances, run_of, run);
			run_of = load_balance;
			run = 0;
		}
		run++;
		deleted++;
		if (prefix.length == 32)
			router_neighbor_restore_route(router, prefix.address);
	}
	if (run)
		load_balance_release(&router->load_balances, run_of, run);
	return deleted ? deleted
				   : fail(-ENOENT, "there is no static route to " IP4_FORMAT "/%u",
						  IP4_ARGS(first.address), first.length);
}

int64_t ws_router_route_count(struct ws_router *router)
{
	return router->fib4.count;
}

static void describe(const struct ws_router *router, struct ws_ip4_prefix prefix,
					 uint32_t load_balance, struct ws_route *out)
{
	const struct path_list *list = paths_of(router, load_balance);
	*out = (struct ws_route){
		.prefix = prefix,
		.path_count = (uint16_t)list->count,
		.is_static = list->is_static,
	};
	for (uint32_t i = 0; i < list->count; i++)
		out->paths[i] = (struct ws_path){
			.kind = (int32_t)list->paths[i].kind,
			.next_hop = list->paths[i].next_hop,
			.interface = (int32_t)list->paths[i].interface,
			.weight = (uint16_t)list->paths[i].weight,
		};
}

int ws_router_routes(struct ws_router *router, uint64_t start, struct ws_route *out, uint32_t max)
{
	struct ws_ip4_prefix prefix;
	uint32_t load_balance, n = 0;
	/* The next page goes on where the last one ended, if nothing changed in between. */
	if (start != router->cursor_position || router->cursor_generation != router->fib4.generation) {
		router->cursor = (struct fib4_cursor){0};
		router->cursor_generation = router->fib4.generation;
		for (router->cursor_position = 0; router->cursor_position < start;
			 router->cursor_position++)
			if (!fib4_next(&router->fib4, &router->cursor, &prefix, &load_balance))
				return 0;
	}
	while (n < max && fib4_next(&router->fib4, &router->cursor, &prefix, &load_balance))
		describe(router, prefix, load_balance, &out[n++]);
	router->cursor_position += n;
	return (int)n;
}

int ws_router_route_get(struct ws_router *router, struct ws_ip4_prefix prefix, struct ws_route *out)
{
	uint32_t load_balance;
	int error = check_range(&prefix, 1);
	if (error)
		return error;
	if (!fib4_get(&router->fib4, prefix, &load_balance))
		return fail(-ENOENT, "there is no route " IP4_FORMAT "/%u", IP4_ARGS(prefix.address),
					prefix.length);
	describe(router, prefix, load_balance, out);
	return 0;
}

int ws_router_route_lookup(struct ws_router *router, uint32_t address, struct ws_route *out)
{
	struct ws_ip4_prefix prefix;
	uint32_t load_balance;
	if (!fib4_match(&router->fib4, address, &prefix, &load_balance))
		return fail(-ENOENT, "no route covers " IP4_FORMAT, IP4_ARGS(address));
	describe(router, prefix, load_balance, out);
	return 0;
}
