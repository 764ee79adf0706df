/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of interfaces, and the routes that belong to them. */
#include "wire/address.h"
#include "dev/error.h"
#include "dev/rcu.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_settings.h"
#include "router/interface/ip6_interface.h"
#include "router/interface/ip6_settings.h"
#include "router/route/connected.h"
#include "router/route/dad.h"
#include "router/route/route.h"
#include "router/route/sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct fib_table *table_of(const struct ws_router *router, uint16_t index,
								  const struct ws_prefix *prefix)
{
	return router_interface_table(router, index, prefix->address.family);
}

/* Remove the first `count` of `routes` that are not in `others`. */
static void remove_missing(struct ws_router *router, uint16_t index,
						   const struct connected_route *routes, uint32_t count,
						   const struct connected_route *others, uint32_t other_count)
{
	for (uint32_t i = 0; i < count; i++)
		if (connected_find(others, other_count, &routes[i].prefix) < 0)
			sources_remove(router, table_of(router, index, &routes[i].prefix), &routes[i].prefix,
						   WS_SOURCE_CONNECTED);
}

static int add_missing(struct ws_router *router, uint16_t index,
					   const struct connected_route *routes, uint32_t count,
					   const struct connected_route *others, uint32_t other_count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct connected_route *route = &routes[i];
		struct ws_path path = {.kind = route->kind, .interface = index};
		int there = connected_find(others, other_count, &route->prefix), error = 0;
		struct fib_table *table = table_of(router, index, &route->prefix);
		if (there >= 0 && others[there].kind == route->kind)
			continue;
		if (sources_standing(router, table, &route->prefix) == WS_SOURCE_STATIC)
			error = fail(-EEXIST, "a static route to %s/%u is in the way; delete it first",
						 ADDRESS_TEXT(&route->prefix.address), route->prefix.length);
		else
			error = router_set_route(router, table, &route->prefix, &path, WS_SOURCE_CONNECTED);
		if (error) {
			remove_missing(router, index, routes, i, others, other_count);
			return error;
		}
	}
	return 0;
}

/* Replace the interface's addresses by `list`, which the router then owns. */
static int change_addresses(struct ws_router *router, uint16_t index, struct address_list *list)
{
	struct connected_route before[CONNECTED_MAX_ROUTES], after[CONNECTED_MAX_ROUTES];
	struct interface_settings *settings = &router->settings[index];
	uint32_t before_count = connected_routes(settings->addresses, before);
	uint32_t after_count = connected_routes(list, after);
	struct address_list *old = settings->addresses;
	int error = address_index_reserve(&router->address_index);
	if (!error)
		error = add_missing(router, index, after, after_count, before, before_count);
	if (error) {
		free(list);
		return error;
	}
	address_index_change(router, index, old, list);
	settings->addresses = list;
	uint16_t end = settings->borrowers ? router->interface_count : index + 1;
	for (uint16_t i = settings->borrowers ? 0 : index; i < end; i++) {
		if (i != index && router->settings[i].unnumbered_of != index)
			continue;
		__atomic_store_n(&router->interfaces[i].addresses, list, __ATOMIC_RELEASE);
		if (!error)
			error = router_change_local(router, i, before, before_count, after, after_count);
	}
	if (!error)
		error = router_update_ip6(router, index);
	remove_missing(router, index, before, before_count, after, after_count);
	interface_changed(router, index, INTERFACE_ADDRESSES_CHANGED);
	rcu_synchronize();
	free(old);
	return error;
}

static int refuse_overlap(const struct ws_router *router, uint16_t index, struct ws_prefix prefix,
						  const struct indexed_address *other)
{
	if (other->interface != index)
		return fail(-EINVAL, "%s/%u overlaps %s/%u of interface %s; remove that, or give another",
					ADDRESS_TEXT(&prefix.address), prefix.length,
					ADDRESS_TEXT(&other->prefix.address), other->prefix.length,
					interface_name(router, other->interface));
	return address_equal(&other->prefix.address, &prefix.address)
			   ? fail(-EEXIST, "interface %s has %s/%u already", interface_name(router, index),
					  ADDRESS_TEXT(&prefix.address), other->prefix.length)
			   : 0;
}

static int check_overlap(const struct ws_router *router, uint16_t index, struct ws_prefix prefix)
{
	uint16_t table = table_of(router, index, &prefix)->index;
	const struct indexed_address *other;
	uint32_t place = 0;
	int error = 0;
	while (!error &&
		   (other = address_index_over(&router->address_index, table, &prefix.address, &place)))
		error = refuse_overlap(router, index, prefix, other);
	place = 0;
	while (!error && (other = address_index_within(&router->address_index, table, prefix, &place)))
		error = refuse_overlap(router, index, prefix, other);
	return error;
}

static int check_address(const struct ws_router *router, uint16_t index, struct ws_prefix prefix)
{
	uint8_t bits = address_bits(prefix.address.family);
	struct ws_prefix first = prefix, last = prefix;
	if (prefix.length < 1 || prefix.length > bits || !address_is_unicast(&prefix.address))
		return fail(-EINVAL, "%s/%u cannot be an interface address; give a unicast one",
					ADDRESS_TEXT(&prefix.address), prefix.length);
	prefix_fill(&first, false);
	prefix_fill(&last, true);
	if (bits == 32 && prefix.length < 31 &&
		(prefix_equal(&first, &prefix) || prefix_equal(&last, &prefix)))
		return fail(-EINVAL, "%s/%u is the network's %s address, not a host's",
					ADDRESS_TEXT(&prefix.address), prefix.length,
					prefix_equal(&first, &prefix) ? "own" : "broadcast");
	return check_overlap(router, index, prefix);
}

static struct address_list *copy_addresses(const struct ws_router *router, uint16_t index)
{
	struct address_list *list = malloc(sizeof(*list));
	if (list)
		*list = *router->settings[index].addresses;
	else
		fail(-ENOMEM, "no memory for an address");
	return list;
}

/* Insert after the other used addresses, or at the end. */
static void put_in(struct address_list *list, struct ws_prefix prefix, bool is_used)
{
	uint16_t at = is_used ? list->count : list->given;
	memmove(&list->at[at + 1], &list->at[at], (list->given - at) * sizeof(list->at[0]));
	list->at[at] = prefix;
	list->count += is_used;
	list->given++;
}

static void take_out(struct address_list *list, uint16_t at)
{
	list->count -= at < list->count;
	list->given--;
	memmove(&list->at[at], &list->at[at + 1], (list->given - at) * sizeof(list->at[0]));
	list->at[list->given] = (struct ws_prefix){0};
}

int address_settle(struct ws_router *router, uint16_t index, const struct ws_address *address,
				   bool is_used)
{
	struct address_list *list = copy_addresses(router, index);
	if (!list)
		return -ENOMEM;
	for (uint16_t i = 0; i < list->given; i++) {
		const struct ws_prefix prefix = list->at[i];
		if (!address_equal(&prefix.address, address))
			continue;
		take_out(list, i);
		put_in(list, prefix, is_used);
		return change_addresses(router, index, list);
	}
	free(list);
	return -ENOENT;
}

int ws_router_address_add(struct ws_router *router, uint16_t index, struct ws_prefix prefix)
{
	int error = router_check_interface(router, index);
	if (!error)
		error = interface_check_free(router, index);
	if (!error && address_is_link_local(&prefix.address))
		return ws_router_set_link_local(router, index, prefix.address);
	if (!error)
		error = check_address(router, index, prefix);
	if (!error && router->settings[index].unnumbered_of >= 0)
		error = fail(-EEXIST, "interface %s uses the addresses of %s; end that first",
					 interface_name(router, index),
					 interface_name(router, (uint16_t)router->settings[index].unnumbered_of));
	if (error)
		return error;
	if (router->settings[index].addresses->given == WS_MAX_ADDRESSES)
		return fail(-ENOSPC, "interface %s has %d addresses, the maximum; remove one first",
					interface_name(router, index), WS_MAX_ADDRESSES);
	struct address_list *list = copy_addresses(router, index);
	if (!list)
		return -ENOMEM;
	put_in(list, prefix, prefix.address.family == WS_IP4 || !ip6_wants_dad(router, index));
	return change_addresses(router, index, list);
}

int ws_router_address_del(struct ws_router *router, uint16_t index, struct ws_prefix prefix)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	const struct ws_address given = ip6_settings(router, index)->link_local;
	if (given.family && address_equal(&prefix.address, &given))
		return ws_router_set_link_local(router, index, (struct ws_address){0});
	struct address_list *list = copy_addresses(router, index);
	if (!list)
		return -ENOMEM;
	for (uint16_t i = 0; i < list->given; i++) {
		if (!prefix_equal(&list->at[i], &prefix))
			continue;
		take_out(list, i);
		return change_addresses(router, index, list);
	}
	free(list);
	return fail(-ENOENT, "interface %s has no address %s/%u; show interface address lists them",
				interface_name(router, index), ADDRESS_TEXT(&prefix.address), prefix.length);
}

static int watch_addresses(struct ws_router *router, uint16_t index, enum interface_change change)
{
	const struct interface_settings *settings = &router->settings[index];
	int error = 0;
	while (change == INTERFACE_LEAVES && settings->addresses->given && !error)
		error = ws_router_address_del(router, index, settings->addresses->at[0]);
	return error;
}
INTERFACE_WATCH(watch_addresses)
