/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/node_paths.h"

#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/ip6.h"
#include "wire/mpls.h"
#include "wire/udp.h"
#include "wire/vxlan.h"

uint32_t route_address(uint32_t i)
{
	uint32_t address = (16u << 24) + (i << 11);
	return address < 127u << 24 ? address : address + (1u << 24);
}

uint8_t route_length(uint32_t i)
{
	static const uint8_t lengths[5] = {24, 23, 24, 22, 24};
	return lengths[i % 5];
}

static void make_ip4(uint8_t *header)
{
	static const uint8_t to[6] = {2, 0, 0, 0, 0, 0}, from[6] = {2, 0xaa, 0, 0, 0, 2};
	struct ip4_header *ip = (void *)(header + ETHERNET_LEN);
	ethernet_write(header, to, from, ETHERNET_IP4);
	*ip = (struct ip4_header){
		.version_ihl = 0x45,
		.total_length = htobe16(NODE_RIG_FRAME - ETHERNET_LEN),
		.ttl = 64,
		.protocol = IP4_UDP,
	};
}

static void aim_ip4(uint8_t *header, uint32_t route, uint32_t flow)
{
	struct ip4_header *ip = (void *)(header + ETHERNET_LEN);
	ip->source = htobe32((10u << 24 | 2u << 16) + flow);
	ip->destination = htobe32(route_address(route) + 1);
	ip4_set_checksum(ip);
}

/* Of fewer flows, as sessions have: some ten thousand with ten routes. */
static void aim_session(uint8_t *header, uint32_t route, uint32_t flow)
{
	aim_ip4(header, route, flow % NODE_PATHS_SESSION_FLOWS);
}

void route_address6(uint32_t i, uint8_t *address)
{
	static const uint16_t registries[] = {0x2001, 0x2400, 0x2600, 0x2800, 0x2a00, 0x2c00};
	static const uint16_t sites[8] = {0, 0x0001, 0x1000, 0x2010, 0x8000, 0x9001, 0xa0ff, 0xfff0};
	uint32_t block = i / 8, high = (uint32_t)registries[block % 6] << 16 | (block / 6) << 3;
	memset(address, 0, IP6_ADDRESS_LEN);
	high = htobe32(high);
	memcpy(address, &high, sizeof(high));
	address[4] = (uint8_t)(sites[i % 8] >> 8);
	address[5] = (uint8_t)sites[i % 8];
}

uint8_t route_length6(uint32_t i)
{
	static const uint8_t lengths[8] = {32, 48, 36, 44, 40, 48, 48, 48};
	return lengths[i % 8];
}

static void make_ip6(uint8_t *header)
{
	static const uint8_t to[6] = {2, 0, 0, 0, 0, 0}, from[6] = {2, 0xaa, 0, 0, 0, 2};
	static const uint8_t none[IP6_ADDRESS_LEN];
	ethernet_write(header, to, from, ETHERNET_IP6);
	ip6_write(header + ETHERNET_LEN, NODE_RIG_FRAME - ETHERNET_LEN - IP6_LEN, IP6_UDP, 64, none,
			  none);
}

static void aim_ip6(uint8_t *header, uint32_t route, uint32_t flow)
{
	struct ip6_header *ip = (void *)(header + ETHERNET_LEN);
	memcpy(ip->source, (uint8_t[]){0x20, 1, 0xd, 0xb8, 0xaa}, 5);
	memcpy(ip->source + 12, &flow, sizeof(flow));
	route_address6(route, ip->destination);
	ip->destination[15] = 1;
}

/* A label at the bottom of the stack, for one that takes its place. */
static void make_mpls(uint8_t *header)
{
	make_ip4(header);
	header[12] = ETHERNET_MPLS >> 8;
	header[13] = ETHERNET_MPLS & 0xff;
	memmove(header + ETHERNET_LEN + MPLS_LEN, header + ETHERNET_LEN, IP4_LEN);
	mpls_store(header + ETHERNET_LEN, NODE_PATHS_LABEL << MPLS_LABEL_SHIFT | MPLS_BOTTOM | 64);
}

/* An empty frame out of the tunnel whose other end is 10.0.0.2. */
static void make_vxlan(uint8_t *header)
{
	struct ip4_header *ip = (void *)(header + ETHERNET_LEN);
	uint8_t *udp = header + ETHERNET_LEN + IP4_LEN;
	const struct udp_header ports = {
		.destination = htobe16(VXLAN_PORT),
		.length = htobe16(NODE_RIG_HEADER - ETHERNET_LEN - IP4_LEN),
	};
	const struct vxlan_header vxlan = {htobe32(VXLAN_HAS_VNI),
									   htobe32(NODE_PATHS_VNI << VXLAN_VNI_SHIFT)};
	make_ip4(header);
	ip->total_length = htobe16(NODE_RIG_HEADER - ETHERNET_LEN);
	ip->source = htobe32(10u << 24 | 2);
	ip->destination = htobe32(10u << 24 | 1);
	ip4_set_checksum(ip);
	memcpy(udp, &ports, sizeof(ports));
	memcpy(udp + UDP_LEN, &vxlan, sizeof(vxlan));
}

static const char *const ip4_nodes[] = {"ethernet-input", "ip4-input", "ip4-lookup", "ip4-rewrite",
										"e1-output"};
static const char *const ip6_nodes[] = {"ethernet-input", "ip6-input", "ip6-lookup", "ip6-rewrite",
										"e1-output"};
static const char *const mpls_nodes[] = {"ethernet-input", "mpls-input", "mpls-lookup",
										 "mpls-label-imposition-uniform", "e1-output"};
static const char *const l2_nodes[] = {"ethernet-input", "l2-input", "l2-output", "e1-output"};
/* In and out of tunnels; what is measured against l2xc, the way of what they bear. */
static const char *const vxlan_out_nodes[] = {"ethernet-input", "l2-input",     "l2-output",
											  "vxlan-output",   "vxlan4-encap", "ip4-rewrite",
											  "e1-output"};
static const char *const vxlan_in_nodes[] = {"ethernet-input", "ip4-input",    "ip4-lookup",
											 "vxlan4-local",   "vxlan4-input", "l2-input",
											 "l2-output",      "e1-output"};

/* Out of a port and into a bond, and the other way; l2xc is the same without the bond. */
static const char *const bond_out_nodes[] = {"ethernet-input", "l2-input", "l2-output",
											 "bond-output",    "bond-tx",  "e4-output"};
static const char *const bond_in_nodes[] = {"bond-input", "ethernet-input", "l2-input", "l2-output",
											"e5-output"};

static const char *const sflow_nodes[] = {"sflow",      "ethernet-input", "ip4-input",
										  "ip4-lookup", "ip4-rewrite",    "e1-output"};

static const char *const urpf_nodes[] = {"ethernet-input", "ip4-input",   "ip4-rx-urpf-strict",
										 "ip4-lookup",     "ip4-rewrite", "e1-output"};
static const char *const acl_nodes[] = {"ethernet-input", "ip4-input",   "acl-plugin-in-ip4-fa",
										"ip4-lookup",     "ip4-rewrite", "e1-output"};

const struct node_path path_ip4 = {"ip4",          ip4_nodes, 5,       0,
								   NODE_RIG_FRAME, make_ip4,  aim_ip4, NODE_ENTRY_ETHERNET};
const struct node_path path_ip6 = {"ip6",          ip6_nodes, 5,       0,
								   NODE_RIG_FRAME, make_ip6,  aim_ip6, NODE_ENTRY_ETHERNET};
const struct node_path path_mpls = {"mpls",         mpls_nodes, 5,    0,
									NODE_RIG_FRAME, make_mpls,  NULL, NODE_ENTRY_ETHERNET};
const struct node_path path_l2xc = {"l2xc",         l2_nodes, 4,    NODE_PATHS_L2,
									NODE_RIG_FRAME, make_ip4, NULL, NODE_ENTRY_ETHERNET};
const struct node_path path_vxlan_out = {
	"vx-out",       vxlan_out_nodes, 7,    NODE_PATHS_TUNNEL,
	NODE_RIG_FRAME, make_ip4,        NULL, NODE_ENTRY_ETHERNET};
const struct node_path path_vxlan_in = {"vx-in",         vxlan_in_nodes, 8,    0,
										NODE_RIG_HEADER, make_vxlan,     NULL, NODE_ENTRY_ETHERNET};
const struct node_path path_sflow = {"sflow",        sflow_nodes, 6,       0,
									 NODE_RIG_FRAME, make_ip4,    aim_ip4, NODE_ENTRY_SFLOW};
const struct node_path path_urpf = {"urpf",         urpf_nodes, 6,       0,
									NODE_RIG_FRAME, make_ip4,   aim_ip4, NODE_ENTRY_ETHERNET};
const struct node_path path_count = {"count",        ip4_nodes, 5,       0,
									 NODE_RIG_FRAME, make_ip4,  aim_ip4, NODE_ENTRY_ETHERNET};
const struct node_path path_acl = {"acl",          acl_nodes, 6,           0,
								   NODE_RIG_FRAME, make_ip4,  aim_session, NODE_ENTRY_ETHERNET};
const struct node_path path_reflect = {"reflect",      acl_nodes, 6,           0,
									   NODE_RIG_FRAME, make_ip4,  aim_session, NODE_ENTRY_ETHERNET};
const struct node_path path_bond_out = {"bond-o",          bond_out_nodes,     6,
										NODE_PATHS_BONDED, NODE_RIG_FRAME,     make_ip4,
										aim_ip4,           NODE_ENTRY_ETHERNET};
const struct node_path path_bond_two = {"bond-2",          bond_out_nodes,     6,
										NODE_PATHS_BONDED, NODE_RIG_FRAME,     make_ip4,
										aim_ip4,           NODE_ENTRY_ETHERNET};
const struct node_path path_bond_in = {"bond-i",       bond_in_nodes, 5,       NODE_PATHS_MEMBER,
									   NODE_RIG_FRAME, make_ip4,      aim_ip4, NODE_ENTRY_BOND};
