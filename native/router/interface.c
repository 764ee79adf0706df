/* SPDX-License-Identifier: Apache-2.0 */
/* Interfaces: state, addresses and the routes they bring, counters. */
#include "dev/error.h"
#include "dev/port.h"
#include "dev/rcu.h"
#include "router/connected.h"
#include "router/ip6_interface.h"
#include "router/router.h"
#include "router/vlan.h"
#include "wire/address.h"
#include "wire/ethernet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int router_check_interface(const struct ws_router *router, uint16_t index)
{
	return index < router->interface_count && *interface_name(router, index)
			   ? 0
			   : fail(-ENODEV, "there is no interface %u", index);
}

void router_publish_mac(struct interface *interface)
{
	bool untagged_are_others = interface->vlans && interface->vlans->untagged != VLAN_NONE;
	bool takes_l3 = interface->admin_up && interface->mode == WS_MODE_L3 &&
					!interface->is_lcp_host && !untagged_are_others;
	uint64_t mac = takes_l3 ? ethernet_address_number(interface->mac) : INTERFACE_NO_MAC;
	__atomic_store_n(&interface->l3_mac, mac, __ATOMIC_RELAXED);
	interface->takes_all = interface->admin_up && interface->mode != WS_MODE_L3 &&
						   !interface->vlans && !interface->is_lcp_host;
}

void router_update_adjacencies(struct ws_router *router, uint16_t index)
{
	const struct interface *interface = &router->interfaces[index];
	struct adjacency_interface config = {
		.mtus[LINK_IP4] = router_mtu(router, index, WS_MTU_IP4),
		.mtus[LINK_IP6] = router_mtu(router, index, WS_MTU_IP6),
		.mtus[LINK_MPLS] = router_mtu(router, index, WS_MTU_MPLS),
		.output = interface->output,
		.tags_len = interface->tag_len,
	};
	memcpy(config.mac, interface->mac, sizeof(config.mac));
	memcpy(config.tags, interface->tags, sizeof(config.tags));
	adjacency_set_interface(&router->adjacencies, index, &config);
}

static uint32_t table_id(const struct ws_router *router, uint16_t index, uint8_t family)
{
	const struct fib_table *table = router_interface_table(router, index, family);
	return table ? table->id : 0;
}

int ws_router_interface(struct ws_router *router, uint16_t index, struct ws_interface *out)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	const struct interface *interface = &router->interfaces[index];
	const struct interface_settings *settings = &router->settings[index];
	const struct l2_interface *l2 = &router->l2.interfaces[index];
	*out = (struct ws_interface){
		.kind = settings->kind,
		.parent = settings->parent,
		.sub = settings->sub,
		.link_up = settings->link_up,
		.admin_up = interface->admin_up,
		.mtu = interface->mtu,
		.mode = interface->mode,
		.xconnect_to = l2->xconnect_to == L2_NOWHERE ? 0 : l2->xconnect_to,
		.bridge_domain = l2->domain ? router->l2.domains[l2->domain].id : 0,
		.split_horizon_group = l2->shg,
		.tag_rewrite = settings->tag_rewrite,
		.unnumbered_of = settings->unnumbered_of,
		.ip4_table = table_id(router, index, WS_IP4),
		.ip6_table = table_id(router, index, WS_IP6),
		.mpls = interface->mpls,
		.address_count = settings->addresses->count,
	};
	snprintf(out->name, sizeof(out->name), "%s", settings->name);
	memcpy(out->mtus, settings->mtus, sizeof(out->mtus));
	memcpy(out->mac, interface->mac, sizeof(out->mac));
	memcpy(out->addresses, settings->addresses->at, sizeof(out->addresses));
	return 0;
}

int ws_router_interface_counters(struct ws_router *router, uint16_t index,
								 struct ws_interface_counters *out)
{
	struct ws_port_counters port = {0};
	int error = router_check_interface(router, index);
	if (!error && index < WS_MAX_PORTS)
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
		const struct interface_counts *counts = &router->workers[i]->interfaces[index];
		out->rx_packets += counts->rx_packets;
		out->rx_bytes += counts->rx_bytes;
		out->tx_packets += counts->tx_packets;
		out->tx_bytes += counts->tx_bytes;
		out->ip4 += counts->ip4;
		out->ip6 += counts->ip6;
		out->mpls += counts->mpls;
		out->drops += counts->drops;
		out->punts += counts->punts;
		out->tx_errors += counts->tx_failed;
	}
	return 0;
}

int ws_router_set_state(struct ws_router *router, uint16_t index, bool up)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	router->interfaces[index].admin_up = up;
	router_update_usable(router, index);
	router_publish_mac(&router->interfaces[index]);
	return 0;
}

static int change_mac(struct ws_router *router, uint16_t index, const uint8_t *mac)
{
	struct interface *interface = &router->interfaces[index];
	uint8_t old[ETHERNET_ADDRESS_LEN];
	memcpy(old, interface->mac, sizeof(old));
	memcpy(interface->mac, mac, sizeof(interface->mac));
	router_publish_mac(interface);
	router_update_adjacencies(router, index);
	l2_mac_changed(router, index, old);
	return router_update_ip6(router, index);
}

int ws_router_set_mac(struct ws_router *router, uint16_t index, const uint8_t *mac)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	if (ethernet_is_group(mac) || ethernet_is_zero(mac))
		return fail(-EINVAL, "interface %s needs the MAC address of one station",
					interface_name(router, index));
	if (router->settings[index].kind == WS_INTERFACE_SUB)
		return fail(-EINVAL, "%s has the MAC address of its port; set that of %s",
					interface_name(router, index),
					interface_name(router, router->settings[index].parent));
	/* A virtual wire has no address filter to change. */
	int error = index < WS_MAX_PORTS ? ws_port_set_mac(index, mac) : 0;
	if (error && error != -ENOTSUP)
		return error;
	error = 0;
	for (uint16_t i = index; i < router->interface_count && !error; i++)
		if (*interface_name(router, i) && router->settings[i].parent == index)
			error = change_mac(router, i, mac);
	return error;
}

/* ---- Addresses ---- */

static struct own_addresses *collect_own(const struct ws_router *router, uint16_t index,
										 const struct address_list *changed)
{
	struct own_addresses *own = calloc(1, sizeof(*own));
	for (uint16_t i = 0; own && i < router->interface_count; i++) {
		struct connected_route routes[CONNECTED_MAX_ROUTES];
		uint32_t count =
			connected_routes(i == index ? changed : router->settings[i].addresses, routes);
		for (uint32_t r = 0; r < count; r++) {
			if (routes[r].kind == WS_PATH_ATTACHED || routes[r].prefix.address.family != WS_IP4)
				continue;
			uint32_t address = address_ip4(&routes[r].prefix.address);
			uint32_t bit = own_address_bit(address);
			own->at[own->count].address = address;
			own->at[own->count++].table = router->interfaces[i].table[0];
			own->bits[bit / 64] |= 1ULL << bit % 64;
		}
	}
	return own;
}

static struct fib_table *table_of(const struct ws_router *router, uint16_t index,
								  const struct ws_prefix *prefix)
{
	return router_interface_table(router, index, prefix->address.family);
}

/* Take back the first `count` of `routes` that `others` does not have. */
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

/* Go from the interface's addresses to `list`, which becomes the router's. */
static int change_addresses(struct ws_router *router, uint16_t index, struct address_list *list)
{
	struct connected_route before[CONNECTED_MAX_ROUTES], after[CONNECTED_MAX_ROUTES];
	struct interface_settings *settings = &router->settings[index];
	uint32_t before_count = connected_routes(settings->addresses, before);
	uint32_t after_count = connected_routes(list, after);
	struct own_addresses *own = collect_own(router, index, list), *old_own = router->own;
	struct address_list *old = settings->addresses;
	int error = own ? 0 : fail(-ENOMEM, "no memory for an address");
	if (!error)
		error = add_missing(router, index, after, after_count, before, before_count);
	if (error) {
		free(own);
		free(list);
		return error;
	}
	settings->addresses = list;
	for (uint16_t i = 0; i < router->interface_count; i++)
		if (i == index || router->settings[i].unnumbered_of == index)
			__atomic_store_n(&router->interfaces[i].addresses, list, __ATOMIC_RELEASE);
	__atomic_store_n(&router->own, own, __ATOMIC_RELEASE);
	error = router_update_ip6(router, index);
	remove_missing(router, index, before, before_count, after, after_count);
	router_neighbor_restore_routes(router, index);
	rcu_synchronize();
	free(old);
	free(old_own);
	return error;
}

static int check_overlap(const struct ws_router *router, uint16_t index, struct ws_prefix prefix)
{
	const struct fib_table *table = table_of(router, index, &prefix);
	for (uint16_t i = 0; i < router->interface_count; i++) {
		const struct address_list *list = router->settings[i].addresses;
		if (table_of(router, i, &prefix) != table)
			continue;
		for (uint16_t a = 0; a < list->count; a++) {
			const struct ws_prefix *other = &list->at[a];
			bool overlaps =
				prefix_covers(&prefix, &other->address) || prefix_covers(other, &prefix.address);
			if (i == index && address_equal(&other->address, &prefix.address))
				return fail(-EEXIST, "interface %s has %s/%u already", interface_name(router, i),
							ADDRESS_TEXT(&prefix.address), other->length);
			if (i != index && overlaps)
				return fail(-EINVAL, "%s/%u overlaps %s/%u of interface %s",
							ADDRESS_TEXT(&prefix.address), prefix.length,
							ADDRESS_TEXT(&other->address), other->length,
							interface_name(router, i));
		}
	}
	return 0;
}

static int check_address(const struct ws_router *router, uint16_t index, struct ws_prefix prefix)
{
	uint8_t bits = address_bits(prefix.address.family);
	struct ws_prefix first = prefix, last = prefix;
	if (prefix.length < 1 || prefix.length > bits || !address_is_unicast(&prefix.address))
		return fail(-EINVAL, "%s/%u is no address of a host", ADDRESS_TEXT(&prefix.address),
					prefix.length);
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

int ws_router_address_add(struct ws_router *router, uint16_t index, struct ws_prefix prefix)
{
	int error = router_check_interface(router, index);
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
	if (router->settings[index].addresses->count == WS_MAX_ADDRESSES)
		return fail(-ENOSPC, "interface %s has %d addresses, which is the most",
					interface_name(router, index), WS_MAX_ADDRESSES);
	struct address_list *list = copy_addresses(router, index);
	if (!list)
		return -ENOMEM;
	list->at[list->count++] = prefix;
	return change_addresses(router, index, list);
}

int ws_router_address_del(struct ws_router *router, uint16_t index, struct ws_prefix prefix)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	const struct ws_address given = router->ip6_settings[index].link_local;
	if (given.family && address_equal(&prefix.address, &given))
		return ws_router_set_link_local(router, index, (struct ws_address){0});
	struct address_list *list = copy_addresses(router, index);
	if (!list)
		return -ENOMEM;
	for (uint16_t i = 0; i < list->count; i++) {
		if (!prefix_equal(&list->at[i], &prefix))
			continue;
		list->count--;
		memmove(&list->at[i], &list->at[i + 1], (list->count - i) * sizeof(list->at[0]));
		list->at[list->count] = (struct ws_prefix){0};
		return change_addresses(router, index, list);
	}
	free(list);
	return fail(-ENOENT, "interface %s has no address %s/%u", interface_name(router, index),
				ADDRESS_TEXT(&prefix.address), prefix.length);
}

int router_connected_interface(const struct ws_router *router, const struct fib_table *table,
							   const struct ws_address *address)
{
	int best = -1, best_length = 0;
	for (uint16_t i = 0; i < router->interface_count; i++) {
		const struct address_list *list = router->settings[i].addresses;
		if (router_interface_table(router, i, address->family) != table)
			continue;
		for (uint16_t a = 0; a < list->count; a++) {
			uint8_t length = list->at[a].length;
			if (length < address_bits(address->family) && length > best_length &&
				prefix_covers(&list->at[a], address)) {
				best = i;
				best_length = length;
			}
		}
	}
	return best;
}

bool router_is_own_address(const struct ws_router *router, const struct fib_table *table,
						   const struct ws_address *address)
{
	for (uint16_t i = 0; i < router->interface_count; i++) {
		const struct address_list *list = router->settings[i].addresses;
		if (router_interface_table(router, i, address->family) != table)
			continue;
		for (uint16_t a = 0; a < list->count; a++)
			if (address_equal(&list->at[a].address, address))
				return true;
	}
	return false;
}
