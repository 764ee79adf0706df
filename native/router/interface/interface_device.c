/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of ports: stopped while the interface is down and during changes of their MTU, closed
 * when they are removed. */
#include "router/interface/interface_device.h"
#include "wirespeed/ports.h"

#include "dev/error.h"
#include "dev/port.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_settings.h"

#include <errno.h>

/* Hide the port from workers and from what wakes them, or show it again. */
static void shut(struct ws_router *router, uint16_t port, bool on)
{
	router_pause(router);
	if (on)
		port_shut(port);
	else
		port_unshut(port);
	if (router->running)
		router_place_queues(router);
	router_resume(router);
}

int router_run_device(struct ws_router *router, uint16_t port, bool on)
{
	struct ws_port_info info;
	int error = ws_port_info(port, &info);
	if (error)
		return error;
	if (info.removed)
		return on ? fail(-ENODEV, "interface %s: its device was removed", info.name) : 0;
	if (!port_stops(port) || port_is_shut(port) == !on)
		return 0;
	if (!on)
		shut(router, port, true);
	error = port_set_running(port, on);
	if (on && !error)
		shut(router, port, false);
	return error;
}

int router_set_device_mtu(struct ws_router *router, uint16_t port, uint16_t mtu)
{
	bool runs = port_stops(port) && !port_is_shut(port);
	if (runs)
		shut(router, port, true);
	int error = ws_port_set_mtu(port, mtu);
	if (runs)
		shut(router, port, false);
	return error;
}

bool router_reset_device(struct ws_router *router, uint16_t port)
{
	bool was_shut = port_is_shut(port);
	if (!was_shut)
		shut(router, port, true);
	bool mended = !port_reset(port);
	if (!mended)
		port_let_go(port);
	else if (!was_shut)
		shut(router, port, false);
	return mended;
}

void router_let_go_of_device(struct ws_router *router, uint16_t port)
{
	shut(router, port, true);
	port_let_go(port);
}

static int stop_while_down(struct ws_router *router, uint16_t index, enum interface_change change)
{
	if (change != INTERFACE_MADE || router->settings[index].kind != WS_INTERFACE_PORT)
		return 0;
	return router_run_device(router, index, false);
}
INTERFACE_WATCH(stop_while_down)
