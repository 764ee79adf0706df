/* SPDX-License-Identifier: Apache-2.0 */
/* Link states of ports as their drivers report them, and the interfaces that are usable. */
#include "dev/link.h"
#include "dev/port.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_device.h"
#include "router/interface/interface_settings.h"
#include "router/interface_kind.h"
#include "router/module.h"
#include "wirespeed/router.h"

bool interface_takes_subs(const struct ws_router *router, uint16_t index)
{
	return interface_kind_of(router, index)->takes_subs;
}

/* An interface on a port has a higher number; one on another interface may have any number. */
uint16_t router_first_on(const struct ws_router *router, uint16_t index)
{
	return interface_takes_subs(router, index) ? RTE_MIN(index, (uint16_t)WS_MAX_PORTS) : index;
}

void router_update_usable(struct ws_router *router, uint16_t index)
{
	uint16_t end = interface_takes_subs(router, index) ? router->interface_count : index + 1;
	bool changed = false;
	for (uint16_t i = router_first_on(router, index); i < end; i++) {
		uint16_t parent = router->settings[i].parent;
		struct interface *interface = &router->interfaces[i];
		if ((i != index && parent != index) || !*interface_name(router, i))
			continue;
		router->settings[i].link_up = router->settings[parent].link_up;
		bool usable = interface->admin_up && router->settings[i].link_up &&
					  router->interfaces[parent].admin_up;
		if (usable == interface->usable)
			continue;
		changed = true;
		__atomic_store_n(&interface->usable, usable, __ATOMIC_RELAXED);
		load_balance_refresh_interface(&router->load_balances, i);
		interface_changed(router, i, INTERFACE_USABLE_CHANGED);
	}
	if (changed)
		load_balance_refresh(&router->load_balances);
}

void router_follow_links(struct ws_router *router)
{
	for (uint16_t port = 0; port < (uint16_t)WS_MAX_PORTS; port++) {
		bool up = *interface_name(router, port) && port_link_is_up(port);
		if (up == router->settings[port].link_up)
			continue;
		router->settings[port].link_up = up;
		router_update_usable(router, port);
	}
}

int ws_router_follow_links(struct ws_router *router, uint16_t *gone)
{
	int count = 0;
	links_read();
	for (uint16_t port = 0; port < (uint16_t)WS_MAX_PORTS; port++)
		if (!*interface_name(router, port)) {
			continue;
		} else if (port_is_leaving(port)) {
			router_let_go_of_device(router, port);
			gone[count++] = port;
		} else if (port_wants_reset(port) && !router_reset_device(router, port)) {
			gone[count++] = port;
		}
	router_follow_links(router);
	return count;
}

ROUTER_MODULE(links_module, .name = "links", .is_trunk = true, .poll = router_follow_links)
