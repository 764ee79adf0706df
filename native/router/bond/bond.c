/* SPDX-License-Identifier: Apache-2.0 */
/* Creating and deleting bonds. Main thread. */
#include "router/bond/bond.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_make.h"
#include "router/interface/interface_settings.h"
#include "router/interface_kind.h"
#include "wire/ethernet.h"
#include "wirespeed/bonds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOND_MTU = 9000 };

static int check(const struct ws_bond *given)
{
	if (given->mode < WS_BOND_ROUND_ROBIN || given->mode > WS_BOND_LACP)
		return fail(-EINVAL, "bond mode %d does not exist", given->mode);
	if (given->balance < WS_BOND_L2 || given->balance > WS_BOND_L23)
		return fail(-EINVAL, "bond load balance %d does not exist", given->balance);
	if (given->has_mac && (ethernet_is_group(given->mac) || ethernet_is_zero(given->mac)))
		return fail(-EINVAL, "the MAC address of a bond is multicast or zero; give a unicast one");
	return 0;
}

static int make_interface(struct ws_router *router, const struct ws_bond *given)
{
	struct interface interface = {.mtu = BOND_MTU};
	struct interface_settings settings = {.kind = WS_INTERFACE_BOND, .instance = given->id};
	const uint8_t made[6] = {0x02,
							 0xfe,
							 (uint8_t)(given->id >> 24),
							 (uint8_t)(given->id >> 16),
							 (uint8_t)(given->id >> 8),
							 (uint8_t)given->id};
	memcpy(interface.mac, given->has_mac ? given->mac : made, sizeof(interface.mac));
	snprintf(settings.name, sizeof(settings.name), "BondEthernet%u", given->id);
	return interface_make_own(router, &interface, &settings);
}

int ws_router_bond_add(struct ws_router *router, const struct ws_bond *given)
{
	int error = check(given);
	if (error)
		return error;
	struct bond_state *state = bond_make_state(router);
	struct bond *bond = aligned_alloc(64, sizeof(*bond));
	struct bond_spread *spread = calloc(1, sizeof(*spread));
	int index = -ENOMEM;
	if (!state || !bond || !spread)
		fail(index, "no memory for a bond");
	else
		index = make_interface(router, given);
	if (index < 0 || !bond) {
		free(bond);
		free(spread);
		return index;
	}
	memset(bond, 0, sizeof(*bond));
	bond->spread = spread;
	bond->interface = (uint16_t)index;
	bond->mode = (uint8_t)given->mode;
	bond->balance = (uint8_t)given->balance;
	bond->given = *given;
	bond->next = state->first;
	state->first = bond;
	__atomic_store_n(&state->by_interface[index], bond, __ATOMIC_RELEASE);
	return index;
}

int ws_router_bond(struct ws_router *router, uint16_t index, struct ws_bond *out)
{
	struct bond *bond = router_check_interface(router, index) ? NULL : bond_of(router, index);
	if (!bond || bond->interface != index)
		return fail(-ENODEV, "interface %u is not a bond; show bond lists them", index);
	*out = bond->given;
	memcpy(out->mac, router->interfaces[index].mac, sizeof(out->mac));
	out->member_count = bond->member_count;
	for (uint16_t i = 0; i < bond->member_count; i++) {
		out->members[i] = bond->members[i].port;
		for (uint16_t k = 0; k < bond->spread->count; k++)
			out->is_active[i] |= bond->spread->members[k] == out->members[i];
	}
	return 0;
}

static void let_go(struct ws_router *router, struct bond_state *state, struct bond *bond)
{
	while (bond->member_count)
		bond_remove_member(router, bond, bond->members[0].port);
	struct bond **place = &state->first;
	while (*place != bond)
		place = &(*place)->next;
	*place = bond->next;
	__atomic_store_n(&state->by_interface[bond->interface], NULL, __ATOMIC_RELEASE);
	rcu_synchronize();
	bond_free(bond);
}

static int changed(struct ws_router *router, uint16_t index, enum interface_change change)
{
	struct bond_state *state = bond_state(router);
	struct bond *bond = state ? state->by_interface[index] : NULL;
	if (state && change == INTERFACE_MADE && router->settings[index].kind == WS_INTERFACE_SUB) {
		bond = state->by_interface[router->settings[index].parent];
		__atomic_store_n(&state->by_interface[index], bond, __ATOMIC_RELEASE);
	} else if (bond && change == INTERFACE_LEAVES) {
		if (bond->interface == index)
			let_go(router, state, bond);
		else
			__atomic_store_n(&state->by_interface[index], NULL, __ATOMIC_RELEASE);
	}
	return 0;
}
INTERFACE_WATCH(changed)

static const struct interface_kind bond_kind = {
	.kind = WS_INTERFACE_BOND, .output = "bond", .takes_subs = true, .sets_mtu = true};
INTERFACE_KIND(bond_kind)
