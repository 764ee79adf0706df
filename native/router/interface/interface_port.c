/* SPDX-License-Identifier: Apache-2.0 */
/* Interfaces of ports, which are added and deleted under traffic. */
#include "dev/error.h"
#include "dev/port.h"
#include "router/interface/interface_make.h"
#include "router/interface/interface_settings.h"
#include "router/interface_kind.h"
#include "wirespeed/ports.h"

#include <errno.h>
#include <string.h>

int router_make_port_interface(struct ws_router *router, uint16_t port)
{
	struct interface interface = {.output = port};
	struct interface_settings settings = {.kind = WS_INTERFACE_PORT, .parent = port};
	struct ws_port_info info;
	int error = ws_port_info(port, &info);
	if (!error)
		error = interface_check_name(router, info.name);
	if (error)
		return error;
	interface.mtu = info.mtu;
	memcpy(interface.mac, info.mac, sizeof(interface.mac));
	memcpy(settings.name, info.name, sizeof(settings.name));
	settings.link_up = info.link_up;
	return interface_make(router, port, &interface, &settings);
}

/* On the worker with the fewest queues. */
static void place_port(struct ws_router *router, uint16_t port)
{
	uint16_t counts[WS_MAX_WORKERS] = {0};
	router->handoffs[port].count = 0; /* may be set from an earlier port with this number */
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

/* Its queues are polled once the graphs can send through it. */
int ws_router_port_add(struct ws_router *router, const struct ws_port_config *config)
{
	int error = interface_check_name(router, config->name);
	if (error)
		return error;
	int port = ws_port_add(config);
	if (port < 0)
		return port;
	uint16_t index = (uint16_t)port;
	if (port_tx_queues(index) < router->worker_count)
		error =
			fail(-EINVAL,
				 "interface %s has %u TX queues for %u workers; give it a queue for each worker",
				 config->name, port_tx_queues(index), router->worker_count);
	if (!error)
		error = router_make_port_interface(router, index);
	if (!error) {
		place_port(router, index);
		error = router_remake_graphs(router);
	}
	if (!error) {
		router_place_queues(router);
		return port;
	}
	interface_free(router, index);
	ws_port_delete(index);
	return error;
}

static const struct interface_kind port_kind = {.kind = WS_INTERFACE_PORT, .takes_subs = true};
INTERFACE_KIND(port_kind)
