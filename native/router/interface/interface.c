/* SPDX-License-Identifier: Apache-2.0 */
/* Setting the admin state and the MAC address. */
#include "dev/error.h"
#include "dev/port.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_device.h"
#include "router/interface/interface_settings.h"
#include "router/interface/ip6_interface.h"
#include "wire/ethernet.h"
#include "wirespeed/ports.h"

#include <errno.h>
#include <string.h>

int ws_router_set_state(struct ws_router *router, uint16_t index, bool up)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	bool is_port = router->settings[index].kind == WS_INTERFACE_PORT;
	/* The device runs before packets are sent to it, and stops after the last one. */
	int error = is_port && up ? router_run_device(router, index, true) : 0;
	if (error)
		return error;
	if (!up)
		interface_changed(router, index, INTERFACE_GOES_DOWN);
	__atomic_store_n(&router->interfaces[index].admin_up, up, __ATOMIC_RELAXED);
	router_update_usable(router, index);
	router_publish_mac(&router->interfaces[index]);
	if (is_port && up)
		port_is_up(index);
	if (is_port && !up)
		error = router_run_device(router, index, false);
	router_follow_links(router);
	return error;
}

static int change_mac(struct ws_router *router, uint16_t index, const uint8_t *mac)
{
	struct interface *interface = &router->interfaces[index];
	interface_changed(router, index, INTERFACE_MAC_CHANGES);
	/* Changed in a pause, since it is more than a word. */
	router_pause(router);
	memcpy(interface->mac, mac, sizeof(interface->mac));
	router_publish_mac(interface);
	router_update_adjacencies(router, index);
	router_resume(router);
	interface_changed(router, index, INTERFACE_MAC_CHANGED);
	return router_update_ip6(router, index);
}

int ws_router_set_mac(struct ws_router *router, uint16_t index, const uint8_t *mac)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	uint16_t bond = router->settings[index].bond;
	if (bond)
		return fail(-EINVAL, "%s has the MAC address of %s, a member of which it is; set that",
					interface_name(router, index), interface_name(router, bond));
	return interface_set_mac(router, index, mac);
}

int interface_set_mac(struct ws_router *router, uint16_t index, const uint8_t *mac)
{
	if (ethernet_is_group(mac) || ethernet_is_zero(mac))
		return fail(-EINVAL, "the MAC address for %s is multicast or zero; give a unicast one",
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
	for (uint16_t i = router_first_on(router, index); i < router->interface_count && !error; i++)
		if (*interface_name(router, i) && router->settings[i].parent == index)
			error = change_mac(router, i, mac);
	return error;
}
