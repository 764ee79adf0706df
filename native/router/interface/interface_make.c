/* SPDX-License-Identifier: Apache-2.0 */
/* Creation and deletion of interfaces of all kinds. */
#include "router/interface/interface_make.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_names.h"
#include "router/interface/interface_settings.h"
#include "router/interface/vlan.h"
#include "router/interface_kind.h"
#include "router/module.h"
#include "wire/word_copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct address_list no_addresses;

int interface_check_name(const struct ws_router *router, const char *name)
{
	for (uint8_t kind = 0; kind < (uint8_t)INTERFACE_KINDS; kind++)
		if (interface_kind(kind)->output && !strcmp(name, interface_kind(kind)->output))
			return fail(-EINVAL, "%s is the name of a node; give the interface another name", name);
	return interface_find(router, name) < 0
			   ? 0
			   : fail(-EEXIST, "there is an interface %s already; give another name", name);
}

int interface_free_index(struct ws_router *router)
{
	for (int i = RTE_MAX(router->lowest_free, (uint16_t)WS_MAX_PORTS); i < WS_MAX_INTERFACES; i++)
		if (!*interface_name(router, (uint16_t)i)) {
			router->lowest_free = (uint16_t)i;
			return i;
		}
	return fail(-ENOSPC, "%d interfaces other than ports exist, the maximum; delete one first",
				WS_MAX_INTERFACES - WS_MAX_PORTS);
}

/* Workers may be reading the entry. */
static void put(struct ws_router *router, uint16_t index, const struct interface *interface)
{
	word_copy(&router->interfaces[index], interface, sizeof(*interface));
}

static void make_hole(struct ws_router *router, uint16_t index)
{
	const struct interface hole = {
		.l3_mac = INTERFACE_NO_MAC, .addresses = &no_addresses, .lcp = LCP_NONE};
	put(router, index, &hole);
	router->settings[index] = (struct interface_settings){
		.addresses = &no_addresses,
		.unnumbered_of = -1,
	};
}

void interface_free(struct ws_router *router, uint16_t index)
{
	struct vlan_table *vlans = router->interfaces[index].vlans;
	struct address_list *addresses = router->settings[index].addresses;
	interface_names_remove(router, index);
	make_hole(router, index);
	stats_drop_interface(router, index);
	while (router->interface_count && !*interface_name(router, router->interface_count - 1))
		router->interface_count--;
	if (index >= WS_MAX_PORTS)
		router->lowest_free = RTE_MIN(router->lowest_free, index);
	rcu_synchronize();
	if (addresses != &no_addresses)
		free(addresses);
	vlan_table_free(vlans);
}

static void interfaces_free(struct ws_router *router)
{
	interface_names_free(router);
	address_index_free(&router->address_index);
	for (uint16_t i = 0; i < router->interface_count; i++) {
		if (router->settings[i].addresses != &no_addresses)
			free(router->settings[i].addresses);
		vlan_table_free(router->interfaces[i].vlans);
	}
}

int interface_make(struct ws_router *router, uint16_t index, const struct interface *given,
				   const struct interface_settings *settings)
{
	int error = stats_reserve(router, index);
	if (error)
		return error;
	struct address_list *addresses = calloc(1, sizeof(*addresses));
	if (!addresses)
		return fail(-ENOMEM, "no memory for interface %s", settings->name);
	for (uint16_t i = router->interface_count; i < index; i++)
		make_hole(router, i);
	struct interface interface = *given;
	if (interface_kind(settings->kind)->output)
		interface.output = (uint16_t)(WS_MAX_PORTS + settings->kind);
	interface.l3_mac = INTERFACE_NO_MAC;
	interface.lcp = LCP_NONE;
	interface.addresses = addresses;
	put(router, index, &interface);
	router->settings[index] = *settings;
	router->settings[index].addresses = addresses;
	router->settings[index].unnumbered_of = -1;
	error = interface_names_add(router, index);
	if (error) {
		make_hole(router, index);
		free(addresses);
		return error;
	}
	router->settings[index].mtus[WS_MTU_L2] = router->settings[index].mtus[WS_MTU_L3] =
		interface.mtu;
	stats_add_interface(router, index);
	router_update_adjacencies(router, index);
	if (router->interface_count <= index)
		router->interface_count = index + 1;
	return interface_changed(router, index, INTERFACE_MADE);
}

int interface_make_own(struct ws_router *router, const struct interface *given,
					   struct interface_settings *settings)
{
	int error = interface_check_name(router, settings->name),
		index = error ? error : interface_free_index(router);
	if (index < 0)
		return index;
	settings->parent = (uint16_t)index;
	error = interface_make(router, (uint16_t)index, given, settings);
	return error ? error : index;
}

ROUTER_MODULE(interfaces_module, .name = "interfaces", .is_trunk = true, .free = interfaces_free)
