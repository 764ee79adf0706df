/* SPDX-License-Identifier: Apache-2.0 */
/* Sub-interfaces: they receive the frames of a port with certain VLAN tags. */
#include "dev/error.h"
#include "dev/rcu.h"
#include "router/interface/interface_make.h"
#include "router/interface/interface_settings.h"
#include "router/interface/vlan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VLAN = 4094 };

static int check_subinterface(const struct ws_router *router, uint16_t parent,
							  const struct ws_subinterface *sub)
{
	const char *name = interface_name(router, parent);
	if (!interface_takes_subs(router, parent))
		return fail(-EINVAL, "%s takes no sub-interfaces; ports, bonds and VXLAN tunnels do", name);
	if (interface_check_free(router, parent))
		return -EINVAL;
	if (sub->outer > WS_VLAN_ANY || sub->inner > WS_VLAN_ANY || (!sub->outer && sub->inner))
		return fail(-EINVAL, "a VLAN id is 1 to %d, not %u", MAX_VLAN,
					sub->inner > WS_VLAN_ANY ? sub->inner : sub->outer);
	if (sub->exact && (sub->outer == WS_VLAN_ANY || sub->inner == WS_VLAN_ANY))
		return fail(-EINVAL, "exact-match needs VLAN ids, not any: %s could not tag what it sends",
					name);
	struct vlan_table *table = router->interfaces[parent].vlans;
	const uint16_t *place = table ? vlan_table_place(table, sub, false) : NULL;
	if (place && *place != VLAN_NONE)
		return fail(-EEXIST, "sub-interface %s already takes these VLAN tags; give others",
					interface_name(router, *place));
	return 0;
}

/* The port's table, and the place of `sub` in it. */
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
		return fail(-EINVAL, "the name of %s is too long for sub-interfaces; rename it",
					interface_name(router, parent));
	error = interface_check_name(router, settings.name);
	int index = error ? error : interface_free_index(router);
	if (index < 0)
		return index;
	uint16_t *place = take_place(router, parent, sub);
	if (!place)
		return -ENOMEM;
	error = interface_make(router, (uint16_t)index, &interface, &settings);
	__atomic_store_n(place, error ? VLAN_NONE : (uint16_t)index, __ATOMIC_RELEASE);
	router_publish_mac(&router->interfaces[parent]);
	if (!error)
		return index;
	router->interfaces[parent].vlans->count--;
	return error;
}

/* The last sub-interface frees the table. */
void subinterface_leave(struct ws_router *router, uint16_t index)
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
