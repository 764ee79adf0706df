/* SPDX-License-Identifier: Apache-2.0 */
/* Routes of the user and of Linux: adding and deleting one or many. */
#include "router/route/route.h"
#include "dev/error.h"
#include "router/fib/own_balance.h"
#include "router/route/sources.h"
#include "wire/address.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *source_name(int source)
{
	static const char *const names[] = {
		[WS_SOURCE_STATIC] = "static",
		[WS_SOURCE_LINUX] = "Linux",
		[WS_SOURCE_CONNECTED] = "connected",
		[WS_SOURCE_NEIGHBOR] = "neighbour",
	};
	return names[source];
}

static int check_source(int source)
{
	return route_is_from_outside(source) ? 0
										 : fail(-EINVAL, "route source %d does not exist", source);
}

int router_set_route(struct ws_router *router, struct fib_table *table,
					 const struct ws_prefix *prefix, const struct ws_path *path,
					 enum ws_route_source source)
{
	union path_list_buffer buffer;
	struct path_list *list = &buffer.list;
	*list = (struct path_list){
		.source = (uint16_t)source,
		.payload = table->family == WS_IP4 ? PAYLOAD_IP4 : PAYLOAD_IP6,
		.count = 1,
	};
	bool has_interface = path->kind == WS_PATH_NEXT_HOP || path->kind == WS_PATH_ATTACHED;
	list->paths[0] = (struct path_key){
		.kind = (uint8_t)path->kind,
		.interface = has_interface ? (uint32_t)path->interface : PATH_NO_INTERFACE,
		.weight = 1,
		.next_hop = path->next_hop,
	};
	int64_t load_balance = load_balance_take(&router->load_balances, list);
	if (load_balance < 0)
		return (int)load_balance;
	int error = sources_set(router, table, prefix, (uint32_t)load_balance);
	load_balance_release(&router->load_balances, (uint32_t)load_balance, 1);
	return error;
}

/* Check the range of `count` consecutive prefixes from `first` on; -EINVAL if some do not exist. */
static int check_range(struct ws_prefix *first, uint32_t count)
{
	uint8_t bits = address_bits(first->address.family);
	if (first->length > bits)
		return fail(-EINVAL, "a prefix is at most %u bits long, not %u", bits, first->length);
	*first = prefix_network(*first);
	if (count && !prefix_has_nth(first, count - 1))
		return fail(-EINVAL, "%u prefixes from %s/%u go beyond the last address; give fewer", count,
					ADDRESS_TEXT(&first->address), first->length);
	return 0;
}

/* 0 if the source may have its route there, otherwise an error that names the obstacle. */
static int check_place(const struct ws_router *router, const struct fib_table *table,
					   const struct ws_prefix *prefix, int source, bool replace)
{
	int standing = sources_standing(router, table, prefix);
	if ((standing == source && !replace) ||
		(standing == WS_SOURCE_CONNECTED && source == WS_SOURCE_STATIC))
		return fail(-EEXIST, "a %s route to %s/%u exists already; delete it first",
					source_name(standing), ADDRESS_TEXT(&prefix->address), prefix->length);
	return 0;
}

int64_t route_take_paths(struct ws_router *router, const struct fib_table *table,
						 const struct ws_route *route)
{
	union path_list_buffer buffer;
	int error = check_source(route->source);
	if (!error)
		error = router_check_paths(router, route->paths, route->path_count,
								   (enum ws_route_source)route->source,
								   table->family == WS_IP4 ? PAYLOAD_IP4 : PAYLOAD_IP6, &buffer);
	return error ? error : load_balance_take(&router->load_balances, &buffer.list);
}

static int add_one(struct ws_router *router, struct fib_table *table,
				   const struct ws_prefix *prefix, int source, uint32_t load_balance, bool replace)
{
	int error = check_place(router, table, prefix, source, replace);
	return error ? error : sources_set(router, table, prefix, load_balance);
}

/* Previous values at the prefixes that one call adds, kept to restore them. */
enum { LEFT_ALONE = LOAD_BALANCE_NO_ROUTE, WAS_FREE = INT32_MAX };

static uint32_t hold_standing(struct ws_router *router, const struct fib_table *table,
							  const struct ws_prefix *prefix, int source)
{
	uint32_t load_balance;
	if (!fib_trie_get(&table->trie, prefix, &load_balance) ||
		sources_standing(router, table, prefix) != source)
		return WAS_FREE;
	load_balance = load_balance_base(&router->load_balances, load_balance);
	router->load_balances.uses[load_balance].routes++;
	return load_balance;
}

static void let_go(struct ws_router *router, uint32_t held)
{
	if (held != LEFT_ALONE && held != WAS_FREE)
		load_balance_release(&router->load_balances, held, 1);
}

static void put_back(struct ws_router *router, struct fib_table *table,
					 const struct ws_prefix *first, uint32_t count, int source,
					 const uint32_t *before)
{
	for (uint32_t i = 0; i < count; i++) {
		struct ws_prefix at = prefix_nth(first, i);
		if (before[i] == WAS_FREE)
			sources_remove(router, table, &at, (enum ws_route_source)source);
		else if (before[i] != LEFT_ALONE)
			sources_set(router, table, &at,
						before[i]); /* replacing an existing entry cannot fail */
		let_go(router, before[i]);
	}
}

/* Add at all prefixes that allow it, or, if memory is short, at none. */
static int64_t add_many(struct ws_router *router, struct fib_table *table,
						const struct ws_prefix *first, uint32_t count, int source,
						uint32_t load_balance, bool replace)
{
	uint32_t *before = calloc(count, sizeof(*before)), i = 0;
	int64_t added = 0;
	int error = before ? 0 : fail(-ENOMEM, "no memory to add %u routes", count);
	for (; i < count && error != -ENOSPC && before; i++) {
		struct ws_prefix at = prefix_nth(first, i);
		uint32_t held = hold_standing(router, table, &at, source);
		error = add_one(router, table, &at, source, load_balance, replace);
		if (error)
			let_go(router, held);
		else
			before[i] = held;
		added += !error;
	}
	if (error == -ENOSPC) {
		const struct error_line why = error_line();
		put_back(router, table, first, i, source, before);
		fail(error, "%s; none of the %u routes was added", why.text, count);
	} else {
		for (uint32_t k = 0; k < i; k++)
			let_go(router, before[k]);
	}
	free(before);
	return error == -ENOSPC || (error && !added) ? error : added;
}

int64_t route_add(struct ws_router *router, struct fib_table *table, struct ws_prefix first,
				  uint32_t count, int source, uint32_t load_balance, bool replace)
{
	int error = check_range(&first, count);
	if (error)
		return error;
	if (count > 1)
		return add_many(router, table, &first, count, source, load_balance, replace);
	if (count)
		error = add_one(router, table, &first, source, load_balance, replace);
	return error ? error : (int64_t)count;
}

int64_t ws_router_route_add_many(struct ws_router *router, const struct ws_route *first,
								 uint32_t count, bool replace)
{
	struct fib_table *table = router_table(router, first->prefix.address.family, first->table);
	if (!table)
		return -ENOENT;
	struct ws_prefix prefix = first->prefix;
	int64_t load_balance = check_range(&prefix, count);
	if (!load_balance)
		load_balance = route_take_paths(router, table, first);
	if (load_balance < 0)
		return load_balance;
	int64_t added =
		route_add(router, table, prefix, count, first->source, (uint32_t)load_balance, replace);
	load_balance_release(&router->load_balances, (uint32_t)load_balance, 1);
	return added;
}

int ws_router_route_add(struct ws_router *router, const struct ws_route *route, bool replace)
{
	int64_t added = ws_router_route_add_many(router, route, 1, replace);
	return added < 0 ? (int)added : 0;
}

int64_t ws_router_route_del_many(struct ws_router *router, uint32_t table_id,
								 struct ws_prefix first, int32_t source, uint32_t count)
{
	struct fib_table *table = router_table(router, first.address.family, table_id);
	int64_t deleted = 0;
	int error = table ? check_range(&first, count) : -ENOENT;
	if (!error)
		error = check_source(source);
	if (error)
		return error;
	for (uint32_t i = 0; i < count; i++) {
		struct ws_prefix prefix = prefix_nth(&first, i);
		deleted += !sources_remove(router, table, &prefix, (enum ws_route_source)source);
	}
	return deleted ? deleted
				   : fail(-ENOENT, "there is no %s route to %s/%u", source_name(source),
						  ADDRESS_TEXT(&first.address), first.length);
}
