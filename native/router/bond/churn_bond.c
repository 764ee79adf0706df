/* SPDX-License-Identifier: Apache-2.0 */
/* Churn: bonds of each mode. */
#include "tests/churn_changes.h"
#include "tests/churn_packets.h"
#include "tests/churn_rig.h"
#include "wirespeed/bonds.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/urpf.h"

static void bond(struct ws_router *router, uint64_t *row, bool on)
{
	static uint16_t index;
	const struct ws_bond wanted = {
		.mode = WS_BOND_ROUND_ROBIN + (int)churn_draw(row, WS_BOND_LACP),
		.has_mac = true,
		.mac = {2, 0, 0, 0, 0, CHURN_BONDED},
	};
	if (!on) {
		churn_delete(router, index);
		return;
	}
	index = churn_made(ws_router_bond_add(router, &wanted), "bond");
	churn_expect(ws_router_bond_member_add(router, index, CHURN_BONDED, false, false), "member");
	churn_come_up(router, index, PREFIX(10, 0, CHURN_BONDED, 1, 24));
	for (uint8_t family = 0; family < 2; family++)
		churn_expect(ws_router_set_urpf(router, index, family ? WS_IP6 : WS_IP4, true,
										(int32_t)churn_draw(row, WS_URPF_STRICT + 1), -1),
					 "uRPF of a bond");
}
CHURN(bond)
