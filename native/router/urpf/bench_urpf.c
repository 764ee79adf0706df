/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of strict unicast RPF. */
#include "bench/bench_setup.h"
#include "bench/node_paths.h"
#include "wire/address.h"
#include "wirespeed/routes.h"
#include "wirespeed/urpf.h"

/* The sources of the packets are behind e0. */
static void make_urpf(struct ws_router *router)
{
	const struct ws_route back = {
		.prefix = {address_of_ip4(10u << 24 | 2u << 16), 16},
		.path_count = 1,
		.paths = {{.next_hop = address_of_ip4(10u << 24 | 2), .interface = -1}},
	};
	bench_expect(ws_router_route_add(router, &back, false));
	bench_expect(ws_router_set_urpf(router, 0, WS_IP4, false, WS_URPF_STRICT, -1));
}

static const char *const urpf_nodes[] = {"ethernet-input", "ip4-input",   "ip4-rx-urpf-strict",
										 "ip4-lookup",     "ip4-rewrite", "e1-output"};

static struct node_path urpf = {
	.name = "urpf",
	NODE_PATH_NODES(urpf_nodes),
	.is_alone = true,
	.make = make_ip4,
	.aim = aim_ip4,
	.prepare = make_urpf,
};
NODE_PATH(urpf)
