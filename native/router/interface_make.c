/* SPDX-License-Identifier: Apache-2.0 */
/* Making and deleting interfaces: of ports, sub-interfaces of them, loopbacks. */
#include "dev/error.h"
#include "dev/port.h"
#include "dev/rcu.h"
#include "router/ip6_interface.h"
#include "router/router.h"
#include "router/vlan.h"
#include "wire/ethernet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOPBACK_MTU = 9000, MAX_VLAN = 4094 };

/* Of interfaces that do not exist. */
static struct address_list no_addresses;

static int find_by_name(const struct ws_router *router, const char *name)
{
	for (uint16_t i = 0; i < router->interface_count; i++)
		if (!strcmp(interface_name(router, i), name))
			return i;
	return -1;
}

static int check_name(const struct ws_router *router, const char *name)
{
	if (!strcmp(name, "loopback"))
		return fail(-EINVAL, "no interface may be called loopback; nodes are");
	return find_by_name(router, name) < 0
			   ? 0
			   : fail(-EEXIST, "there is an interface %s already; give another name", name);
}

static int free_index(const struct ws_router *router)
{
	for (int i = WS_MAX_PORTS; i < WS_MAX_INTERFACES; i++)
		if (!*interface_name(router, (uint16_t)i))
			return i;
	return fail(-ENOSPC, "there are %d interfaces besides ports, which is the most",
				WS_MAX_INTERFACES - WS_MAX_PORTS);
}

static void make_hole(struct ws_router *router, uint16_t index)
{
	router->interfaces[index] =
		(struct interface){.l3_mac = INTERFACE_NO_MAC, .addresses = &no_addresses, .lcp = LCP_NONE};
	router->settings[index] = (struct interface_settings){
		.addresses = &no_addresses,
		.unnumbered_of = -1,
	};
}

/* Whoever could see it must be done with it. */
static void free_interface(struct ws_router *router, uint16_t index)
{
	struct vlan_table *vlans = router->interfaces[index].vlans;
	struct address_list *addresses = router->settings[index].addresses;
	make_hole(router, index);
	router->stats.is_stale = true;
	while (router->interface_count && !*interface_name(router, router->interface_count - 1))
		router->interface_count--;
	rcu_synchronize();
	if (addresses != &no_addresses)
		free(addresses);
	vlan_table_free(vlans);
}

void router_free_interfaces(struct ws_router *router)
{
	for (uint16_t i = 0; i < router->interface_count; i++) {
		if (router->settings[i].addresses != &no_addresses)
			free(router->settings[i].addresses);
		vlan_table_free(router->interfaces[i].vlans);
	}
}

/* `given` and `settings` hold what differs from kind to kind. Nothing was counted of it yet. */
static int make(struct ws_router *router, uint16_t index, const struct interface *given,
				const struct interface_settings *settings)
{
	struct address_list *addresses = calloc(1, sizeof(*addresses));
	if (!addresses)
		return fail(-ENOMEM, "no memory for interface %s", settings->name);
	for (uint16_t i = 0; router->stats.workers && i < router->worker_count; i++)
		router->stats.workers[i].interfaces[index] = (struct interface_counts){0};
	for (uint16_t i = router->interface_count; i < index; i++)
		make_hole(router, i);
	struct interface *interface = &router->interfaces[index];
	*interface = *given;
	interface->l3_mac = INTERFACE_NO_MAC;
	interface->lcp = LCP_NONE;
	interface->addresses = addresses;
	router->settings[index] = *settings;
	router->settings[index].addresses = addresses;
	router->settings[index].unnumbered_of = -1;
	router->settings[index].mtus[WS_MTU_L2] = router->settings[index].mtus[WS_MTU_L3] =
		interface->mtu;
	router->l2.interfaces[index].plain_output = interface->output;
	router->stats.is_stale = true;
	router_update_adjacencies(router, index);
	if (router->interface_count <= index)
		router->interface_count = index + 1;
	return 0;
}

/* ---- Ports ---- */

int router_make_port_interface(struct ws_router *router, uint16_t port)
{
	struct interface interface = {.output = port};
	struct interface_settings settings = {.kind = WS_INTERFACE_PORT, .parent = port};
	struct ws_port_info info;
	int error = ws_port_info(port, &info);
	if (!error)
		error = check_name(router, info.name);
	if (error)
		return error;
	interface.mtu = info.mtu;
	memcpy(interface.mac, info.mac, sizeof(interface.mac));
	memcpy(settings.name, info.name, sizeof(settings.name));
	settings.link_up = info.link_up;
	return make(router, port, &interface, &settings);
}

/* Where its queues do least harm: on the worker that has the fewest. */
static void place_port(struct ws_router *router, uint16_t port)
{
	uint16_t counts[WS_MAX_WORKERS] = {0};
	router->handoffs[port].count = 0; /* of the port that had this number before */
	for (uint16_t other = 0; other < (uint16_t)WS_MAX_PORTS; other++)
		for (uint16_t queue = 0; other != port && queue < port_rx_queues(other); queue++)
			counts[router->placement[other][queue]]++;
	for (uint16_t queue = 0; queue < port_rx_queues(port); queue++) {
		uint16_t least = 0;
		for (uint16_t worker = 1; worker < router->worker_count; worker++)
			if (counts[worker] < counts[least])
				least = worker;
		router->placement[port][queue] = (uint8_t)least;
		router->rx_modes[port][queue] = router_default_rx_mode(port);
		counts[least]++;
	}
}

/* Graphs and queues as the set of ports is now. */
static int follow_ports(struct ws_router *router)
{
	router_pause(router);
	router_place_queues(router);
	int error = router_remake_graphs(router);
	router_resume(router);
	return error;
}

int ws_router_port_add(struct ws_router *router, const struct ws_port_config *config)
{
	int error = check_name(router, config->name);
	if (error)
		return error;
	int port = ws_port_add(config);
	if (port < 0)
		return port;
	uint16_t index = (uint16_t)port;
	if (port_tx_queues(index) < router->worker_count)
		error = fail(-EINVAL, "interface %s has %u TX queues for %u workers", config->name,
					 port_tx_queues(index), router->worker_count);
	if (!error)
		error = router_make_port_interface(router, index);
	if (!error) {
		place_port(router, index);
		error = follow_ports(router);
	}
	if (!error)
		return port;
	free_interface(router, index);
	ws_port_delete(index);
	return error;
}

/* ---- Loopbacks ---- */

int ws_router_loopback_add(struct ws_router *router, uint32_t instance, const uint8_t *mac)
{
	struct interface interface = {.output = OUTPUT_LOOPBACK, .mtu = LOOPBACK_MTU};
	struct interface_settings settings = {
		.kind = WS_INTERFACE_LOOPBACK, .link_up = true, .instance = instance};
	const uint8_t made[6] = {0xde,
							 0xad,
							 (uint8_t)(instance >> 24),
							 (uint8_t)(instance >> 16),
							 (uint8_t)(instance >> 8),
							 (uint8_t)instance};
	if (mac && (ethernet_is_group(mac) || ethernet_is_zero(mac)))
		return fail(-EINVAL, "a loopback needs the MAC address of one station");
	memcpy(interface.mac, mac ? mac : made, sizeof(interface.mac));
	snprintf(settings.name, sizeof(settings.name), "loop%u", instance);
	int error = check_name(router, settings.name), index = error ? error : free_index(router);
	if (index < 0)
		return index;
	settings.parent = (uint16_t)index;
	error = make(router, (uint16_t)index, &interface, &settings);
	return error ? error : index;
}

/* ---- Sub-interfaces ---- */

static int check_subinterface(const struct ws_router *router, uint16_t parent,
							  const struct ws_subinterface *sub)
{
	const char *name = interface_name(router, parent);
	if (router->settings[parent].kind != WS_INTERFACE_PORT)
		return fail(-EINVAL, "%s is no port; only ports have sub-interfaces", name);
	if (sub->outer > WS_VLAN_ANY || sub->inner > WS_VLAN_ANY || (!sub->outer && sub->inner))
		return fail(-EINVAL, "a VLAN id is 1 to %d, not %u", MAX_VLAN,
					sub->inner > WS_VLAN_ANY ? sub->inner : sub->outer);
	if (sub->exact && (sub->outer == WS_VLAN_ANY || sub->inner == WS_VLAN_ANY))
		return fail(-EINVAL, "exact-match needs VLAN ids, not any: %s could not tag what it sends",
					name);
	struct vlan_table *table = router->interfaces[parent].vlans;
	const uint16_t *place = table ? vlan_table_place(table, sub, false) : NULL;
	if (place && *place != VLAN_NONE)
		return fail(-EEXIST, "sub-interface %s takes these VLAN tags already",
					interface_name(router, *place));
	return 0;
}

/* The port's table, with the place of `sub`. */
static uint16_t *take_place(struct ws_router *router, uint16_t parent,
							const struct ws_subinterface *sub)
{
	struct interface *port = &router->interfaces[parent];
	struct vlan_table *table = port->vlans ? port->vlans : calloc(1, sizeof(*table));
	uint16_t *place = table ? vlan_table_place(table, sub, true) : NULL;
	if (!place) {
		if (!port->vlans)
			vlan_table_free(table);
		fail(-ENOMEM, "no memory for a sub-interface of %s", interface_name(router, parent));
		return NULL;
	}
	table->count++;
	__atomic_store_n(&port->vlans, table, __ATOMIC_RELEASE);
	router_publish_mac(port);
	return place;
}

int ws_router_subinterface_add(struct ws_router *router, uint16_t parent,
							   const struct ws_subinterface *sub)
{
	int error = router_check_interface(router, parent);
	if (!error)
		error = check_subinterface(router, parent, sub);
	if (error)
		return error;
	const struct interface *port = &router->interfaces[parent];
	struct interface interface = {
		.output = port->output,
		.mtu = port->mtu,
		.is_exact = sub->exact,
	};
	struct interface_settings settings = {
		.kind = WS_INTERFACE_SUB,
		.parent = parent,
		.sub = *sub,
		.link_up = router->settings[parent].link_up,
	};
	interface.tag_len = vlan_tags_write(sub, interface.tags);
	memcpy(interface.mac, port->mac, sizeof(interface.mac));
	int length = snprintf(settings.name, sizeof(settings.name), "%s.%u",
						  interface_name(router, parent), sub->id);
	if (length >= WS_NAME_LEN)
		return fail(-EINVAL, "the name of %s is too long for sub-interfaces",
					interface_name(router, parent));
	error = check_name(router, settings.name);
	int index = error ? error : free_index(router);
	if (index < 0)
		return index;
	uint16_t *place = take_place(router, parent, sub);
	if (!place)
		return -ENOMEM;
	error = make(router, (uint16_t)index, &interface, &settings);
	__atomic_store_n(place, error ? VLAN_NONE : (uint16_t)index, __ATOMIC_RELEASE);
	router_publish_mac(&router->interfaces[parent]);
	if (!error)
		return index;
	router->interfaces[parent].vlans->count--;
	return error;
}

/* The last one takes the table with it. */
static void leave_place(struct ws_router *router, uint16_t index)
{
	const struct interface_settings *settings = &router->settings[index];
	struct interface *port = &router->interfaces[settings->parent];
	struct vlan_table *table = port->vlans;
	__atomic_store_n(vlan_table_place(table, &settings->sub, false), VLAN_NONE, __ATOMIC_RELEASE);
	router_publish_mac(port);
	if (--table->count)
		return;
	__atomic_store_n(&port->vlans, NULL, __ATOMIC_RELEASE);
	router_publish_mac(port);
	rcu_synchronize();
	vlan_table_free(table);
}

/* ---- Deleting ---- */

static int check_unused(const struct ws_router *router, uint16_t index)
{
	const char *name = interface_name(router, index);
	for (uint16_t i = 0; i < router->interface_count; i++) {
		if (i == index || !*interface_name(router, i))
			continue;
		if (router->settings[i].parent == index)
			return fail(-EEXIST, "%s has sub-interface %s; delete that one first", name,
						interface_name(router, i));
		if (router->settings[i].unnumbered_of == index)
			return fail(-EEXIST, "%s uses the addresses of %s; end that first",
						interface_name(router, i), name);
		if (router->l2.interfaces[i].xconnect_to == index)
			return fail(-EEXIST, "%s is cross-connected to %s; end that first",
						interface_name(router, i), name);
	}
	if (router_paths_use(router, index))
		return fail(-EEXIST, "routes go by %s; delete these first", name);
	return 0;
}

static int drop_addresses(struct ws_router *router, uint16_t index)
{
	const struct interface_settings *settings = &router->settings[index];
	int error = 0;
	while (settings->addresses->count && !error)
		error = ws_router_address_del(router, index, settings->addresses->at[0]);
	return error;
}

int ws_router_interface_delete(struct ws_router *router, uint16_t index)
{
	int error = router_check_interface(router, index);
	if (!error)
		error = check_unused(router, index);
	if (error)
		return error;
	ws_router_set_state(router, index, false);
	l2_leave(router, index);
	ws_router_set_unnumbered(router, index, -1);
	error = drop_addresses(router, index);
	if (error)
		return error;
	router->ip6_settings[index] = (struct ip6_settings){0};
	error = router_update_ip6(router, index);
	if (error)
		return error;
	router_neighbor_forget_all(router, index, 0);
	router_lcp_forget(router, index);
	uint8_t kind = router->settings[index].kind;
	if (kind == WS_INTERFACE_SUB)
		leave_place(router, index);
	router_flush_copies(router);
	free_interface(router, index);
	if (kind != WS_INTERFACE_PORT)
		return 0;
	error = follow_ports(router);
	return error ? error : ws_port_delete(index);
}
