/* SPDX-License-Identifier: Apache-2.0 */
/* Ports that also receive frames for other stations. */
#include "dev/error.h"
#include "router/interface/interface_settings.h"
#include "wirespeed/ports.h"

#include <errno.h>

/* True for the port or its bond, or a sub-interface of one of them. */
static bool is_on(const struct ws_router *router, uint16_t index, uint16_t port)
{
	uint16_t parent = router->settings[index].parent, bond = router->settings[port].bond;
	return parent == port || (bond && parent == bond);
}

/* Promiscuous if the user wants it, or if layer 2 forwards frames for other stations. */
static int update_port(const struct ws_router *router, uint16_t port)
{
	uint16_t bond = router->settings[port].bond;
	bool on = router->settings[port].promiscuous || router->settings[port].bridging ||
			  (bond && router->settings[bond].bridging);
	return ws_port_set_promiscuous(port, on);
}

/* A driver that does not filter may refuse the request. */
void interface_update_promiscuous(const struct ws_router *router, uint16_t index)
{
	for (uint16_t port = 0; port < (uint16_t)WS_MAX_PORTS; port++)
		if (*interface_name(router, port) && is_on(router, index, port))
			update_port(router, port);
}

int ws_router_set_promiscuous(struct ws_router *router, uint16_t index, bool on)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	if (router->settings[index].kind != WS_INTERFACE_PORT)
		return fail(-EINVAL, "%s filters no frames itself; name a port",
					interface_name(router, index));
	router->settings[index].promiscuous = on;
	return update_port(router, index);
}
