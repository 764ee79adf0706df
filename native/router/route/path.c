/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of the user's and Linux's routes: checks, and the lookup of what they name. */
#include "dev/error.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_settings.h"
#include "router/route/route.h"
#include "wire/address.h"
#include "wire/mpls.h"

#include <errno.h>

static int check_labels(const struct ws_path *path, struct path_key *key)
{
	if (path->label_count > WS_MAX_LABELS)
		return fail(-EINVAL, "a path pushes at most %d labels, not %u", WS_MAX_LABELS,
					path->label_count);
	if (path->label_count && path->kind != WS_PATH_NEXT_HOP)
		return fail(-EINVAL, "a path with labels needs a next hop; give its address");
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
	/* A next hop with an interface is checked in the interface's table, not in the route's. */
	const struct fib_table *table =
		path->interface >= 0
			? router_interface_table(router, (uint16_t)path->interface, next_hop->family)
			: router_table(router, next_hop->family, path->table);
	if (!table)
		return -ENOENT;
	if (!address_is_unicast(next_hop) || router_is_local_address(router, table, next_hop))
		return fail(-EINVAL, "next hop %s is not a unicast address; give that of a router",
					ADDRESS_TEXT(next_hop));
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

static int check_path(const struct ws_router *router, const struct ws_path *path, uint16_t payload,
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
		return path->interface >= 0 ? 0
									: fail(-EINVAL, "an attached path needs an interface; name it");
	case WS_PATH_LOOKUP: {
		const struct fib_table *table = router_table(router, is_ip6 ? WS_IP6 : WS_IP4, path->table);
		key->table = table ? table->index : 0;
		return table ? 0 : -ENOENT;
	}
	case WS_PATH_NEXT_HOP:
		if (payload != PAYLOAD_MPLS && !key->label_count &&
			is_ip6 != (path->next_hop.family == WS_IP6))
			return fail(
				-EINVAL,
				"next hop %s is of another address family than the route; give one of the same",
				ADDRESS_TEXT(&path->next_hop));
		return check_next_hop(router, path, key);
	default:
		return fail(-EINVAL, "path type %d does not exist", path->kind);
	}
}

int router_check_paths(const struct ws_router *router, const struct ws_path *paths, uint32_t count,
					   enum ws_route_source source, uint16_t payload,
					   union path_list_buffer *buffer)
{
	struct path_list *list = &buffer->list;
	*list = (struct path_list){.source = (uint16_t)source, .payload = payload, .count = count};
	if (count < 1 || count > WS_MAX_PATHS)
		return fail(-EINVAL, "a route takes 1 to %d paths, not %u", WS_MAX_PATHS, count);
	for (uint32_t i = 0; i < count; i++) {
		int error = check_path(router, &paths[i], payload, &list->paths[i]);
		if (error)
			return error;
		if (paths[i].kind == WS_PATH_LOOKUP && count > 1)
			return fail(
				-EINVAL,
				"a lookup in a table cannot share a route with other paths; leave them out");
	}
	return 0;
}

/* True if a path of a user's or Linux's route names the interface. */
static bool is_used(const struct ws_router *router, uint16_t interface)
{
	const struct load_balance_table *balances = &router->load_balances;
	for (uint32_t i = 0; i < balances->end; i++) {
		const struct path_list *list = balances->uses[i].list;
		bool is_made = list && route_is_from_outside(list->source);
		for (uint32_t p = 0; is_made && p < list->count; p++)
			if (list->paths[p].interface == interface)
				return true;
	}
	return false;
}

static int watch_paths(struct ws_router *router, uint16_t index, enum interface_change change)
{
	return change == INTERFACE_TO_BE_DELETED && is_used(router, index)
			   ? fail(-EEXIST, "routes go by %s; delete these first", interface_name(router, index))
			   : 0;
}
INTERFACE_WATCH(watch_paths)
