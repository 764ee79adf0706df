/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of counting by DSCP: ip4, with the node. */
#include "bench/bench_setup.h"
#include "bench/node_paths.h"
#include "wirespeed/dscp.h"

static void count_packets(struct ws_router *router)
{
	bench_expect(ws_router_set_dscp(router, 0, true));
}

static const char *const nodes[] = {"ethernet-input", "ip4-input",   "dscp-ip4",
									"ip4-lookup",     "ip4-rewrite", "e1-output"};

static struct node_path dscp = {
	.name = "dscp",
	NODE_PATH_NODES(nodes),
	.is_alone = true,
	.make = make_ip4,
	.aim = aim_ip4,
	.prepare = count_packets,
};
NODE_PATH(dscp)
