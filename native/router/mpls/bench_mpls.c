/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of swapping a label. */
#include "bench/bench_setup.h"
#include "bench/node_paths.h"
#include "wire/address.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/mpls.h"
#include "wirespeed/mpls.h"

enum { LABEL = 16, LABEL_OUT };

/* A label at the bottom of the stack is replaced by another one. */
static void make_mpls(uint8_t *header)
{
	make_ip4(header);
	header[12] = ETHERNET_MPLS >> 8;
	header[13] = ETHERNET_MPLS & 0xff;
	memmove(header + ETHERNET_LEN + MPLS_LEN, header + ETHERNET_LEN, IP4_LEN);
	mpls_store(header + ETHERNET_LEN, LABEL << MPLS_LABEL_SHIFT | MPLS_BOTTOM | 64);
}

static void swap_labels(struct ws_router *router)
{
	struct ws_mpls_route swap = {
		.label = LABEL,
		.bottom = true,
		.payload = WS_IP4,
		.path_count = 1,
		.paths = {{.next_hop = address_of_ip4(10u << 24 | 1 << 8 | 2),
				   .interface = 1,
				   .label_count = 1,
				   .labels = {LABEL_OUT}}},
	};
	bench_expect(ws_router_mpls_table_add(router));
	bench_expect(ws_router_set_mpls(router, 0, true));
	bench_expect(ws_router_mpls_route_set(router, &swap));
}

static const char *const mpls_nodes[] = {"ethernet-input", "mpls-input", "mpls-lookup",
										 "mpls-label-imposition-uniform", "e1-output"};

static struct node_path mpls = {
	.name = "mpls",
	NODE_PATH_NODES(mpls_nodes),
	.make = make_mpls,
	.set_up = swap_labels,
};
NODE_PATH(mpls)
