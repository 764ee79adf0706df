/* SPDX-License-Identifier: Apache-2.0 */
/* Interfaces: state, addresses and the routes they bring, cross-connects, counters. */
#include "dev/error.h"
#include "dev/port.h"
#include "dev/rcu.h"
#include "router/connected.h"
#include "router/router.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_MTU = 68 }; /* RFC 791 */

int router_check_interface(const struct ws_router *router, uint16_t index)
{
	return index < router->interface_count ? 0
										   : fail(-ENODEV, "there is no interface %u; there are %u",
												  index, router->interface_count);
}

static void publish_mac(struct interface *interface)
{
	bool takes_l3 = interface->admin_up && interface->mode == WS_MODE_L3;
	uint64_t mac = takes_l3 ? ethernet_address_number(interface->mac) : INTERFACE_NO_MAC;
	__atomic_store_n(&interface->l3_mac, mac, __ATOMIC_RELAXED);
}

int ws_router_interface_count(struct ws_router *router)
{
	return router->interface_count;
}

int ws_router_interface(struct ws_router *router, uint16_t index, struct ws_interface *out)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	const struct interface *interface = &router->interfaces[index];
	*out = (struct ws_interface){
		.admin_up = interface->admin_up,
		.mtu = interface->mtu,
		.mode = interface->mode,
		.xconnect_to = interface->xconnect_to,
		.address_count = interface->addresses->count,
	};
	snprintf(out->name, sizeof(out->name), "%s", port_name(index));
	memcpy(out->mac, interface->mac, sizeof(out->mac));
	memcpy(out->addresses, interface->addresses->at, sizeof(out->addresses));
	return 0;
}

int ws_router_interface_counters(struct ws_router *router, uint16_t index,
								 struct ws_interface_counters *out)
{
	struct ws_port_counters port;
	int error = router_check_interface(router, index);
	if (!error)
		error = ws_port_counters(index, &port);
	if (error)
		return error;
	*out = (struct ws_interface_counters){
		.rx_packets = port.rx_packets,
		.rx_bytes = port.rx_bytes,
		.tx_packets = port.tx_packets,
		.tx_bytes = port.tx_bytes,
		.rx_missed = port.rx_missed,
		.rx_errors = port.rx_errors,
		.rx_no_buffer = port.rx_no_buffer,
		.tx_errors = port.tx_errors,
	};
	for (uint16_t i = 0; i < router->worker_count; i++) {
		out->ip4 += router->workers[i]->interfaces[index].ip4;
		out->drops += router->workers[i]->interfaces[index].drops;
		out->punts += router->workers[i]->interfaces[index].punts;
		out->tx_errors += router->workers[i]->interfaces[index].tx_failed;
	}
	return 0;
}

int ws_router_set_state(struct ws_router *router, uint16_t index, bool up)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	router->interfaces[index].admin_up = up;
	publish_mac(&router->interfaces[index]);
	return 0;
}

int ws_router_set_mtu(struct ws_router *router, uint16_t index, uint16_t mtu)
{
	struct ws_port_info info;
	int error = router_check_interface(router, index);
	if (!error)
		error = ws_port_info(index, &info);
	if (error)
		return error;
	uint16_t most = WS_PACKET_LEN - 18;
	if (info.max_mtu && info.max_mtu < most)
		most = info.max_mtu;
	if (mtu < MIN_MTU || mtu > most)
		return fail(-EINVAL, "interface %s takes an MTU of %d to %u, not %u", info.name, MIN_MTU,
					most, mtu);
	/* Drivers without the call take whatever frame fits their buffers. */
	error = ws_port_set_mtu(index, mtu);
	if (error && error != -ENOTSUP && mtu > info.mtu)
		return error;
	router->interfaces[index].mtu = router->mtus[index] = mtu;
	adjacency_set_mtu(&router->adjacencies, index, mtu);
	return 0;
}

int ws_router_set_mac(struct ws_router *router, uint16_t index, const uint8_t *mac)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	if (ethernet_is_group(mac) || ethernet_is_zero(mac))
		return fail(-EINVAL, "interface %s needs the MAC address of one station", port_name(index));
	/* A virtual wire has no address filter to change. */
	int error = ws_port_set_mac(index, mac);
	if (error && error != -ENOTSUP)
		return error;
	struct interface *interface = &router->interfaces[index];
	memcpy(interface->mac, mac, sizeof(interface->mac));
	publish_mac(interface);
	adjacency_set_source(&router->adjacencies, index, mac);
	return 0;
}

/* ---- Addresses ---- */

static struct own_addresses *collect_own(const struct ws_router *router, uint16_t index,
										 const struct address_list *changed)
{
	struct own_addresses *own = calloc(1, sizeof(*own));
	for (uint16_t i = 0; own && i < router->interface_count; i++) {
		struct connected_route routes[CONNECTED_MAX_ROUTES];
		uint32_t count =
			connected_routes(i == index ? changed : router->interfaces[i].addresses, routes);
		for (uint32_t r = 0; r < count; r++) {
			uint32_t address = routes[r].prefix.address, bit = own_address_bit(address);
			if (routes[r].kind == WS_PATH_ATTACHED)
				continue;
			own->at[own->count++] = address;
			own->bits[bit / 64] |= 1ULL << bit % 64;
		}
	}
	return own;
}

/* Take back the first `count` of `routes` that `others` does not have. */
static void remove_missing(struct ws_router *router, const struct connected_route *routes,
						   uint32_t count, const struct connected_route *others,
						   uint32_t other_count)
{
	for (uint32_t i = 0; i < count; i++)
		if (connected_find(others, other_count, routes[i].prefix) < 0)
			router_remove_route(router, routes[i].prefix);
}

static int add_missing(struct ws_router *router, uint16_t index,
					   const struct connected_route *routes, uint32_t count,
					   const struct connected_route *others, uint32_t other_count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct connected_route *route = &routes[i];
		struct ws_path path = {.kind = route->kind, .interface = index};
		int there = connected_find(others, other_count, route->prefix), error = 0;
		if (there >= 0 && others[there].kind == route->kind)
			continue;
		if (router_route_owner(router, route->prefix) == ROUTE_STATIC)
			error =
				fail(-EEXIST, "a static route to " IP4_FORMAT "/%u is in the way; delete it first",
					 IP4_ARGS(route->prefix.address), route->prefix.length);
		else
			error = router_set_route(router, route->prefix, &path, false);
		if (error) {
			remove_missing(router, routes, i, others, other_count);
			return error;
		}
	}
	return 0;
}

/* Go from the interface's addresses to `list`, which becomes the router's. */
static int change_addresses(struct ws_router *router, uint16_t index, struct address_list *list)
{
	struct connected_route before[CONNECTED_MAX_ROUTES], after[CONNECTED_MAX_ROUTES];
	struct interface *interface = &router->interfaces[index];
	uint32_t before_count = connected_routes(interface->addresses, before);
	uint32_t after_count = connected_routes(list, after);
	struct own_addresses *own = collect_own(router, index, list), *old_own = router->own;
	struct address_list *old = interface->addresses;
	int error = own ? 0 : fail(-ENOMEM, "no memory for an address");
	if (!error)
		error = add_missing(router, index, after, after_count, before, before_count);
	if (error) {
		free(own);
		free(list);
		return error;
	}
	__atomic_store_n(&interface->addresses, list, __ATOMIC_RELEASE);
	__atomic_store_n(&router->own, own, __ATOMIC_RELEASE);
	remove_missing(router, before, before_count, after, after_count);
	router_neighbor_restore_routes(router, index);
	rcu_synchronize();
	free(old);
	free(old_own);
	return 0;
}

static int check_address(const struct ws_router *router, uint16_t index,
						 struct ws_ip4_prefix prefix)
{
	if (prefix.length < 1 || prefix.length > 32 || !address_is_unicast(prefix.address))
		return fail(-EINVAL, IP4_FORMAT "/%u is no address of a host", IP4_ARGS(prefix.address),
					prefix.length);
	uint32_t mask = ip4_mask(prefix.length), host = prefix.address & ~mask;
	if (prefix.length < 31 && (!host || host == ~mask))
		return fail(-EINVAL, IP4_FORMAT "/%u is the network's %s address, not a host's",
					IP4_ARGS(prefix.address), prefix.length, host ? "broadcast" : "own");
	for (uint16_t i = 0; i < router->interface_count; i++) {
		const struct address_list *list = router->interfaces[i].addresses;
		for (uint16_t a = 0; a < list->count; a++) {
			uint32_t shared = mask & ip4_mask(list->at[a].length);
			if (i == index && list->at[a].address == prefix.address)
				return fail(-EEXIST, "interface %s has " IP4_FORMAT "/%u already", port_name(i),
							IP4_ARGS(prefix.address), list->at[a].length);
			if (i != index && (list->at[a].address & shared) == (prefix.address & shared))
				return fail(-EINVAL, IP4_FORMAT "/%u overlaps " IP4_FORMAT "/%u of interface %s",
							IP4_ARGS(prefix.address), prefix.length, IP4_ARGS(list->at[a].address),
							list->at[a].length, port_name(i));
		}
	}
	return 0;
}

static struct address_list *copy_addresses(const struct ws_router *router, uint16_t index)
{
	struct address_list *list = malloc(sizeof(*list));
	if (list)
		*list = *router->interfaces[index].addresses;
	else
		fail(-ENOMEM, "no memory for an address");
	return list;
}

int ws_router_address_add(struct ws_router *router, uint16_t index, struct ws_ip4_prefix prefix)
{
	int error = router_check_interface(router, index);
	if (!error)
		error = check_address(router, index, prefix);
	if (error)
		return error;
	if (router->interfaces[index].addresses->count == WS_MAX_ADDRESSES)
		return fail(-ENOSPC, "interface %s has %d addresses, which is the most", port_name(index),
					WS_MAX_ADDRESSES);
	struct address_list *list = copy_addresses(router, index);
	if (!list)
		return -ENOMEM;
	list->at[list->count++] = prefix;
	return change_addresses(router, index, list);
}

int ws_router_address_del(struct ws_router *router, uint16_t index, struct ws_ip4_prefix prefix)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	struct address_list *list = copy_addresses(router, index);
	if (!list)
		return -ENOMEM;
	for (uint16_t i = 0; i < list->count; i++) {
		if (list->at[i].address != prefix.address || list->at[i].length != prefix.length)
			continue;
		list->count--;
		memmove(&list->at[i], &list->at[i + 1], (list->count - i) * sizeof(list->at[0]));
		list->at[list->count] = (struct ws_ip4_prefix){0};
		return change_addresses(router, index, list);
	}
	free(list);
	return fail(-ENOENT, "interface %s has no address " IP4_FORMAT "/%u", port_name(index),
				IP4_ARGS(prefix.address), prefix.length);
}

int router_connected_interface(const struct ws_router *router, uint32_t address)
{
	int best = -1, best_length = 0;
	for (uint16_t i = 0; i < router->interface_count; i++) {
		const struct address_list *list = router->interfaces[i].addresses;
		for (uint16_t a = 0; a < list->count; a++) {
			uint8_t length = list->at[a].length;
			if (length < 32 && length > best_length &&
				!((list->at[a].address ^ address) & ip4_mask(length))) {
				best = i;
				best_length = length;
			}
		}
	}
	return best;
}

bool router_is_own_address(const struct ws_router *router, uint32_t address)
{
	for (uint16_t i = 0; i < router->interface_count; i++) {
		const struct address_list *list = router->interfaces[i].addresses;
		for (uint16_t a = 0; a < list->count; a++)
			if (list->at[a].address == address)
				return true;
	}
	return false;
}

/* ---- Mode ---- */

int ws_router_set_xconnect(struct ws_router *router, uint16_t index, uint16_t to)
{
	if (router_check_interface(router, index) || router_check_interface(router, to))
		return -ENODEV;
	if (index == to)
		return fail(-EINVAL, "interface %s cannot be connected to itself", port_name(index));
	router->interfaces[index].xconnect_to = to;
	__atomic_store_n(&router->interfaces[index].mode, WS_MODE_XCONNECT, __ATOMIC_RELEASE);
	publish_mac(&router->interfaces[index]);
	/* Frames for other stations pass as well, if the driver filters at all. */
	ws_port_set_promiscuous(index, true);
	return 0;
}

int ws_router_set_l3(struct ws_router *router, uint16_t index)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	router->interfaces[index].mode = WS_MODE_L3;
	publish_mac(&router->interfaces[index]);
	return 0;
}
