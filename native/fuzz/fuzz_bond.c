/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A packet received by a member of a bond. The first byte of the input gives the bond of e0: LACP
 * without a partner, or, with bit 0, a bond with e1 by flow, which routes; bit 1 adds an Ethernet
 * header for slow protocols in front of the rest. The second byte is the length of the packet's
 * buffers (0: one buffer).
 */
#include "fuzz/fuzz.h"
#include "fuzz/router_target.h"
#include "wire/ethernet.h"
#include "wire/lacp.h"
#include "wirespeed/bonds.h"
#include "wirespeed/interfaces.h"

enum { BY_FLOW = 1, SLOW = 2, KEPT = 2 };

static uint16_t bonds[2];

static void make(int which, struct ws_bond bond)
{
	int index = ws_router_bond_add(rig_router, &bond);
	FUZZ_ASSERT(index > 0);
	bonds[which] = (uint16_t)index;
	FUZZ_ASSERT(!ws_router_set_state(rig_router, bonds[which], true));
}

void router_target_extend(void)
{
	struct ws_address host = ROUTER_TARGET_IP6(1, 2);
	for (uint16_t i = 0; i < 2; i++) {
		struct ws_address own = ROUTER_TARGET_IP6(i, 1);
		FUZZ_ASSERT(!ws_router_address_del(rig_router, i, PREFIX(10, 0, i, 1, 24)));
		FUZZ_ASSERT(!ws_router_address_del(rig_router, i, (struct ws_prefix){own, 64}));
	}
	make(0, (struct ws_bond){.id = 0, .mode = WS_BOND_LACP, .has_mac = true, .mac = {2}});
	make(1, (struct ws_bond){
				.id = 1, .mode = WS_BOND_XOR, .balance = WS_BOND_L34, .has_mac = true, .mac = {2}});
	FUZZ_ASSERT(!ws_router_address_add(rig_router, bonds[1], PREFIX(10, 0, 1, 1, 24)));
	FUZZ_ASSERT(!ws_router_address_add(rig_router, bonds[1],
									   (struct ws_prefix){ROUTER_TARGET_IP6(1, 1), 64}));
	FUZZ_ASSERT(!ws_router_neighbor_add(rig_router, bonds[1], ADDRESS(10, 0, 1, 2), rig_host[1]));
	FUZZ_ASSERT(!ws_router_neighbor_add(rig_router, bonds[1], host, rig_host[1]));
	FUZZ_ASSERT(!ws_router_bond_member_add(rig_router, bonds[1], 1, false, false));
	/* A millisecond is one tick of the clock, so earlier packets are long past. */
	rig_router->tsc_hz = 1000;
}

static void join(uint16_t bond)
{
	struct ws_bond_member member;
	if (!ws_router_bond_member(rig_router, 0, &member) && member.bond == bond)
		return;
	ws_router_bond_member_del(rig_router, 0);
	FUZZ_ASSERT(!ws_router_bond_member_add(rig_router, bond, 0, false, false));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame frame = {0};
	size_t header = size >= KEPT && data[0] & SLOW ? ETHERNET_LEN : 0;
	if (size < KEPT || size - KEPT + header > sizeof(frame.bytes))
		return 0;
	if (header)
		ethernet_write(frame.bytes, slow_protocols_mac, rig_host[0], ETHERNET_SLOW);
	memcpy(frame.bytes + header, data + KEPT, size - KEPT);
	frame.length = header + size - KEPT;
	join(bonds[data[0] & BY_FLOW]);
	router_target_send(frame.bytes, frame.length, data[1] ? data[1] : sizeof(frame.bytes));
	return 0;
}
