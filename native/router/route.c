/* SPDX-License-Identifier: Apache-2.0 */
/* Routes that the user or Linux makes: their paths checked, added and deleted one by one or many.
 */
#include "router/route.h"
#include "dev/error.h"
#include "wire/address.h"
#include "wire/mpls.h"

#include <errno.h>
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

static bool is_from_outside(int source)
{
	return source == WS_SOURCE_STATIC || source == WS_SOURCE_LINUX;
}

static int check_source(int source)
{
	return is_from_outside(source)
			   ? 0
			   : fail(-EINVAL, "%d is no source of routes from outside", source);
}

/* ---- Paths ---- */

static int check_labels(const struct ws_path *path, struct path_key *key)
{
	if (path->label_count > WS_MAX_LABELS)
		return fail(-EINVAL, "a path pushes at most %d labels, not %u", WS_MAX_LABELS,
					path->label_count);
	if (path->label_count && path->kind != WS_PATH_NEXT_HOP)
		return fail(-EINVAL, "labels need a next hop to be sent to");
	for (uint8_t i = 0; i < path->label_count; i++) {
		uint32_t label = path->labels[i];
		uint8_t ttl = path->label_ttls[i], class = path->label_classes[i];
		if (label > MPLS_MAX_LABEL)
			return fail(-EINVAL, "label %u is not between 0 and %d", label, MPLS_MAX_LABEL);
		if (class > (ttl ? MPLS_MAX_CLASS : 0))
			return fail(-EINVAL, "class %u of label %u is not between 0 and %d, with a TTL", class,
						label, MPLS_MAX_CLASS);
		if (label != MPLS_IMPLICIT_NULL)
			key->labels[key->label_count++] =
				label << MPLS_LABEL_SHIFT | (uint32_t) class << MPLS_CLASS_SHIFT | ttl;
	}
	return 0;
}

static int check_next_hop(const struct ws_router *router, const struct ws_path *path,
						  struct path_key *key)
{
	const struct ws_address *next_hop = &path->next_hop;
	struct ws_prefix prefix;
	uint32_t value;
	const struct fib_table *table = router_table(router, next_hop->family, path->table);
	if (!table)
		return -ENOENT;
	if (!address_is_unicast(next_hop) || router_is_own_address(router, table, next_hop))
		return fail(-EINVAL, "next hop %s is no address of another router", ADDRESS_TEXT(next_hop));
	key->next_hop = *next_hop;
	if (path->interface >= 0)
		return 0;
	int connected = router_connected_interface(router, table, next_hop);
	if (connected >= 0) {
		key->interface = (uint32_t)connected;
		return 0;
	}
	if (address_is_link_local(next_hop))
		return fail(-EINVAL, "next hop %s is on every link; name its interface",
					ADDRESS_TEXT(next_hop));
	if (!fib_trie_match(&table->trie, next_hop, &prefix, &value))
		return fail(-ENETUNREACH,
					"next hop %s is on no connected network and no route leads to it; "
					"name its interface",
					ADDRESS_TEXT(next_hop));
	key->table = table->index;
	return 0;
}

int router_check_path(const struct ws_router *router, const struct ws_path *path, uint16_t payload,
					  struct path_key *key)
{
	bool is_ip6 = payload == PAYLOAD_IP6 || payload == PAYLOAD_MPLS_IP6;
	*key = (struct path_key){
		.kind = (uint8_t)path->kind,
		.interface = PATH_NO_INTERFACE,
		.weight = path->weight ? path->weight : 1,
	};
	if (path->interface >= router->interface_count)
		return router_check_interface(router, (uint16_t)path->interface);
	if (path->interface >= 0 && (path->kind == WS_PATH_NEXT_HOP || path->kind == WS_PATH_ATTACHED))
		key->interface = (uint32_t)path->interface;
	int error = check_labels(path, key);
	if (error)
		return error;
	switch (path->kind) {
	case WS_PATH_LOCAL:
	case WS_PATH_DROP:
	case WS_PATH_UNREACHABLE:
	case WS_PATH_PROHIBIT:
		return 0;
	case WS_PATH_ATTACHED:
		return path->interface >= 0 ? 0 : fail(-EINVAL, "an attached path needs an interface");
	case WS_PATH_LOOKUP: {
		const struct fib_table *table = router_table(router, is_ip6 ? WS_IP6 : WS_IP4, path->table);
		key->table = table ? table->index : 0;
		return table ? 0 : -ENOENT;
	}
	case WS_PATH_NEXT_HOP:
		if (payload != PAYLOAD_MPLS && !key->label_count &&
			is_ip6 != (path->next_hop.family == WS_IP6))
			return fail(-EINVAL, "next hop %s is of another family than the packets sent to it",
						ADDRESS_TEXT(&path->next_hop));
		return check_next_hop(router, path, key);
	default:
		return fail(-EINVAL, "%d is no kind of path", path->kind);
	}
}

int router_check_paths(const struct ws_router *router, const struct ws_path *paths, uint32_t count,
					   enum ws_route_source source, uint16_t payload,
					   union path_list_buffer *buffer)
{
	struct path_list *list = &buffer->list;
	*list = (struct path_list){.source = (uint16_t)source, .payload = payload, .count = count};
	if (count < 1 || count > WS_MAX_PATHS)
		return fail(-EINVAL, "a route has 1 to %d paths, not %u", WS_MAX_PATHS, count);
	for (uint32_t i = 0; i < count; i++) {
		int error = router_check_path(router, &paths[i], payload, &list->paths[i]);
		if (error)
			return error;
		if (paths[i].kind == WS_PATH_LOOKUP && count > 1)
			return fail(-EINVAL, "a lookup in a table is a route's only path");
	}
	return 0;
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

bool router_paths_use(const struct ws_router *router, uint16_t interface)
{
	const struct load_balance_table *balances = &router->load_balances;
	for (uint32_t i = 0; i < balances->end; i++) {
		const struct path_list *list = balances->uses[i].list;
		bool is_made = list && is_from_outside(list->source);
		for (uint32_t p = 0; is_made && p < list->count; p++)
			if (list->paths[p].interface == interface)
				return true;
	}
	return false;
}

/* ---- Routes ---- */

/* `count` prefixes from the first one on, in order; -EINVAL when they do not exist. */
static int check_range(struct ws_prefix *first, uint32_t count)
{
	uint8_t bits = address_bits(first->address.family);
	if (first->length > bits)
		return fail(-EINVAL, "a prefix is at most %u bits long, not %u", bits, first->length);
	*first = prefix_network(*first);
	if (count && !prefix_has_nth(first, count - 1))
		return fail(-EINVAL, "%u prefixes from %s/%u on go beyond the last address", count,
					ADDRESS_TEXT(&first->address), first->length);
	return 0;
}

/* Whether the source may have its route there; the user is told what is in the way. */
static int check_place(const struct ws_router *router, const struct fib_table *table,
					   const struct ws_prefix *prefix, int source, bool replace)
{
	int standing = sources_standing(router, table, prefix);
	if ((standing == source && !replace) ||
		(standing == WS_SOURCE_CONNECTED && source == WS_SOURCE_STATIC))
		return fail(-EEXIST, "there is a %s route to %s/%u already", source_name(standing),
					ADDRESS_TEXT(&prefix->address), prefix->length);
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

int64_t route_add(struct ws_router *router, struct fib_table *table, struct ws_prefix first,
				  uint32_t count, int source, uint32_t load_balance, bool replace)
{
	int64_t added = 0;
	int error = check_range(&first, count);
	if (error)
		return error;
	for (uint32_t i = 0; i < count && error != -ENOSPC; i++) {
		struct ws_prefix at = prefix_nth(&first, i);
		error = check_place(router, table, &at, source, replace);
		if (!error)
			error = sources_set(router, table, &at, load_balance);
		added += !error;
	}
	return error == -ENOSPC || (error && !added) ? error : added;
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
