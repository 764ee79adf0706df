/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of sampling one packet in ten thousand. */
#include "bench/bench_setup.h"
#include "bench/node_paths.h"
#include "wirespeed/sflow.h"

static void sample(struct ws_router *router)
{
	bench_expect(ws_router_sflow_enable(router, 0, true));
}

static const char *const sflow_nodes[] = {"sflow",      "ethernet-input", "ip4-input",
										  "ip4-lookup", "ip4-rewrite",    "e1-output"};

static struct node_path sflow = {
	.name = "sflow",
	NODE_PATH_NODES(sflow_nodes),
	.entry = "sflow",
	.make = make_ip4,
	.aim = aim_ip4,
	.prepare = sample,
};
NODE_PATH(sflow)
