/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of a cross-connect and of a bridge domain. */
#include "bench/bench_setup.h"
#include "bench/node_paths.h"
#include "wire/ethernet.h"
#include "wirespeed/bridges.h"
#include "wirespeed/interfaces.h"

enum { PORT = 2, BRIDGED, DOMAIN = 1, STATIONS = 1024 };

static void connect_port(struct ws_router *router)
{
	bench_expect(ws_router_set_xconnect(router, PORT, 1));
}

static const char *const l2_nodes[] = {"ethernet-input", "l2-input", "l2-output", "e1-output"};

static struct node_path l2xc = {
	.name = "l2xc",
	NODE_PATH_NODES(l2_nodes),
	.interface = PORT,
	.make = make_ip4,
	.set_up = connect_port,
};
NODE_PATH(l2xc)

/* From a thousand stations behind PORT to one behind BRIDGED. */
static void bridge_ports(struct ws_router *router)
{
	struct ws_l2fib_entry station = {
		.domain = DOMAIN, .mac = {2}, .interface = BRIDGED, .is_static = true};
	for (uint16_t port = PORT; port <= (uint16_t)BRIDGED; port++)
		bench_expect(ws_router_set_bridge(router, port, DOMAIN, false, 0));
	bench_expect(ws_router_l2fib_add(router, &station));
}

static void aim_bridge(uint8_t *header, uint32_t route, uint32_t flow)
{
	uint8_t *sender = header + ETHERNET_ADDRESS_LEN;
	(void)route;
	sender[4] = (uint8_t)(flow % STATIONS >> 8);
	sender[5] = (uint8_t)flow;
}

static const char *const bridge_nodes[] = {"ethernet-input", "l2-input",  "l2-learn",
										   "l2-fwd",         "l2-output", "e3-output"};

static struct node_path bridge = {
	.name = "bridge",
	NODE_PATH_NODES(bridge_nodes),
	.interface = PORT,
	.is_alone = true, /* its ports are those of other paths */
	.make = make_ip4,
	.aim = aim_bridge,
	.set_up = bridge_ports,
};
NODE_PATH(bridge)
