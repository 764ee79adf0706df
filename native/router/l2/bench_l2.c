/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of a cross-connect. */
#include "bench/bench_setup.h"
#include "bench/node_paths.h"
#include "wirespeed/interfaces.h"

enum { PORT = 2 };

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
