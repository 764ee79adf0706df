/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of bonds: sending through one member and through two, and receiving. l2xc is the path
 * without a bond. */
#include "bench/bench_setup.h"
#include "bench/node_paths.h"
#include "wirespeed/bonds.h"
#include "wirespeed/interfaces.h"

enum { MEMBER = 4, BONDED, SECOND }; /* ports; a bond is cross-connected to BONDED */

/* The only member sends everything, by flow. */
static void make_bond(struct ws_router *router)
{
	struct ws_bond_member member;
	struct ws_bond bond = {
		.mode = WS_BOND_XOR, .balance = WS_BOND_L34, .has_mac = true, .mac = {2, 0xfe}};
	if (!ws_router_bond_member(router, MEMBER, &member))
		return;
	int index = ws_router_bond_add(router, &bond);
	bench_expect(RTE_MIN(index, 0));
	bench_expect(ws_router_bond_member_add(router, (uint16_t)index, MEMBER, false, false));
	bench_expect(ws_router_set_state(router, (uint16_t)index, true));
	bench_expect(ws_router_set_xconnect(router, BONDED, (uint16_t)index));
	bench_expect(ws_router_set_xconnect(router, (uint16_t)index, BONDED));
}

/* Another member sends half of the flows. */
static void add_member(struct ws_router *router)
{
	struct ws_bond_member member;
	make_bond(router);
	if (!ws_router_bond_member(router, SECOND, &member))
		return;
	bench_expect(ws_router_bond_member(router, MEMBER, &member));
	bench_expect(ws_router_bond_member_add(router, member.bond, SECOND, false, false));
}

static const char *const bond_out_nodes[] = {"ethernet-input", "l2-input", "l2-output",
											 "bond-output",    "bond-tx",  "e4-output"};
static const char *const bond_in_nodes[] = {"bond-input", "ethernet-input", "l2-input", "l2-output",
											"e5-output"};

static struct node_path bond_out = {
	.name = "bond-o",
	NODE_PATH_NODES(bond_out_nodes),
	.interface = BONDED,
	.make = make_ip4,
	.aim = aim_ip4,
	.set_up = make_bond,
};
NODE_PATH(bond_out)

static struct node_path bond_two = {
	.name = "bond-2",
	NODE_PATH_NODES(bond_out_nodes),
	.interface = BONDED,
	.make = make_ip4,
	.aim = aim_ip4,
	.set_up = add_member,
};
NODE_PATH(bond_two)

static struct node_path bond_in = {
	.name = "bond-i",
	NODE_PATH_NODES(bond_in_nodes),
	.interface = MEMBER,
	.entry = "bond-input",
	.make = make_ip4,
	.aim = aim_ip4,
	.set_up = make_bond,
};
NODE_PATH(bond_in)
