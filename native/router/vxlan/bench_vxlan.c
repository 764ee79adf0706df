/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of tunnels, sending and receiving. The inner packets take the path l2xc. */
#include "bench/bench_setup.h"
#include "bench/node_paths.h"
#include "wire/address.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/udp.h"
#include "wire/vxlan.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/vxlan.h"

enum { PORT = 3, VNI = 100 };

/* An empty frame from the tunnel with the remote endpoint 10.0.0.2. */
static void make_vxlan(uint8_t *header)
{
	struct ip4_header *ip = (void *)(header + ETHERNET_LEN);
	uint8_t *udp = header + ETHERNET_LEN + IP4_LEN;
	const struct udp_header ports = {
		.destination = htobe16(VXLAN_PORT),
		.length = htobe16(NODE_RIG_HEADER - ETHERNET_LEN - IP4_LEN),
	};
	const struct vxlan_header vxlan = {htobe32(VXLAN_HAS_VNI), htobe32(VNI << VXLAN_VNI_SHIFT)};
	make_ip4(header);
	ip->total_length = htobe16(NODE_RIG_HEADER - ETHERNET_LEN);
	ip->source = htobe32(10u << 24 | 2);
	ip->destination = htobe32(10u << 24 | 1);
	ip4_set_checksum(ip);
	memcpy(udp, &ports, sizeof(ports));
	memcpy(udp + UDP_LEN, &vxlan, sizeof(vxlan));
}

/* One tunnel per direction: out to the host at e1, in from the host at e0. */
static void make_tunnel(struct ws_router *router, bool is_out)
{
	uint32_t network = 10u << 24 | (uint32_t)is_out << 8;
	struct ws_vxlan_tunnel tunnel = {
		.instance = is_out,
		.source = address_of_ip4(network | 1),
		.destination = address_of_ip4(network | 2),
		.vni = VNI,
	};
	int index = ws_router_vxlan_add(router, &tunnel);
	bench_expect(RTE_MIN(index, 0));
	bench_expect(ws_router_set_state(router, (uint16_t)index, true));
	bench_expect(ws_router_set_xconnect(router, is_out ? PORT : (uint16_t)index,
										is_out ? (uint16_t)index : 1));
}

static void make_way_out(struct ws_router *router)
{
	make_tunnel(router, true);
}

static void make_way_in(struct ws_router *router)
{
	make_tunnel(router, false);
}

static const char *const vxlan_out_nodes[] = {"ethernet-input", "l2-input",     "l2-output",
											  "vxlan-output",   "vxlan4-encap", "ip4-rewrite",
											  "e1-output"};
static const char *const vxlan_in_nodes[] = {"ethernet-input", "ip4-input", "ip4-lookup",
											 "vxlan4-input",   "l2-input",  "l2-output",
											 "e1-output"};

static struct node_path vxlan_out = {
	.name = "vx-out",
	NODE_PATH_NODES(vxlan_out_nodes),
	.interface = PORT,
	.make = make_ip4,
	.set_up = make_way_out,
};
NODE_PATH(vxlan_out)

static struct node_path vxlan_in = {
	.name = "vx-in",
	NODE_PATH_NODES(vxlan_in_nodes),
	.frame = NODE_RIG_HEADER,
	.make = make_vxlan,
	.prepare = make_way_in,
};
NODE_PATH(vxlan_in)
