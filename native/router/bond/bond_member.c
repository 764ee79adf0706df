/* SPDX-License-Identifier: Apache-2.0 */
/* Members of bonds. Main thread. */
#include "dev/error.h"
#include "dev/rcu.h"
#include "router/bond/bond.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_groups.h"
#include "router/interface/interface_settings.h"
#include "router/worker/features.h"
#include "wirespeed/bonds.h"

#include <errno.h>
#include <string.h>

#define INPUT_NODE "bond-input"

static int check_member(const struct ws_router *router, uint16_t port)
{
	const struct interface *interface = &router->interfaces[port];
	const struct interface_settings *settings = &router->settings[port];
	const char *what = settings->kind != WS_INTERFACE_PORT ? "is not a port"
					   : settings->addresses->given        ? "has an address"
					   : router->ip6[port]                 ? "has IPv6 enabled"
					   : settings->unnumbered_of >= 0      ? "is unnumbered"
					   : settings->borrowers               ? "lends its addresses"
					   : interface->vlans                  ? "has sub-interfaces"
					   : interface->mode != WS_MODE_L3     ? "is in layer 2"
					   : interface->is_lcp_host            ? "is Linux's side of a pair"
														   : NULL;
	if (settings->bond)
		return fail(-EINVAL, "%s is already a member of %s; remove it there first", settings->name,
					interface_name(router, settings->bond));
	return what ? fail(-EINVAL, "%s %s; a member of a bond is a port that nothing else uses",
					   settings->name, what)
				: 0;
}

static uint16_t free_number(struct bond *bond)
{
	uint16_t number = 1;
	for (uint16_t i = 0; i < bond->member_count; i++)
		if (bond->members[i].number == number) {
			number++;
			i = UINT16_MAX; /* start again at the first member */
		}
	return number;
}

/* All members have one address: the given one, or that of the first member. */
static int share_mac(struct ws_router *router, const struct bond *bond, uint16_t port)
{
	if (!bond->given.has_mac && !bond->member_count)
		return interface_set_mac(router, bond->interface, router->interfaces[port].mac);
	return interface_set_mac(router, port, router->interfaces[bond->interface].mac);
}

static struct bond *find(const struct ws_router *router, uint16_t index)
{
	if (router_check_interface(router, index))
		return NULL;
	struct bond *bond = bond_of(router, index);
	if (bond && bond->interface == index)
		return bond;
	fail(-EINVAL, "%s is not a bond; show bond lists them", interface_name(router, index));
	return NULL;
}

int ws_router_bond_member_add(struct ws_router *router, uint16_t index, uint16_t port,
							  bool is_passive, bool is_long_timeout)
{
	struct bond *bond = find(router, index);
	int error = bond ? router_check_interface(router, port) : -EINVAL;
	if (!error)
		error = check_member(router, port);
	if (!error)
		error = features_set(router, INPUT_NODE, NO_PORT, true);
	struct bond_member member = {
		.port = port, .choices = {is_passive, is_long_timeout}, .number = 1};
	if (!error) {
		member.number = free_number(bond);
		memcpy(member.own_mac, router->interfaces[port].mac, sizeof(member.own_mac));
		error = share_mac(router, bond, port);
	}
	if (error) {
		if (bond && !bond_state(router)->count)
			features_set(router, INPUT_NODE, NO_PORT, false);
		return error;
	}
	router->settings[port].bond = index;
	router_update_groups(router, port);
	bond_state(router)->count++;
	bond->members[bond->member_count++] = member;
	bond_gauges_add(router, bond, &bond->members[bond->member_count - 1]);
	if (bond->mode == WS_BOND_LACP)
		bond_lacp_begin(router, bond, &bond->members[bond->member_count - 1]);
	bond_refresh(router, bond);
	bond_gauges_write(router, bond);
	return 0;
}

void bond_remove_member(struct ws_router *router, struct bond *bond, uint16_t port)
{
	struct bond_state *state = bond_state(router);
	struct bond_member *member = bond_find_member(bond, port);
	uint8_t mac[6];
	bond_leave(router, bond, port);
	memcpy(mac, member->own_mac, sizeof(mac));
	bond_gauges_drop(router, bond, member);
	*member = bond->members[--bond->member_count];
	router->settings[port].bond = 0;
	router_update_groups(router, port);
	__atomic_store_n(&state->ports[port], 0, __ATOMIC_RELEASE);
	bond_refresh(router, bond);
	rcu_synchronize();
	interface_set_mac(router, port, mac);
	if (!--state->count)
		features_set(router, INPUT_NODE, NO_PORT, false);
}

int ws_router_bond_member_del(struct ws_router *router, uint16_t port)
{
	if (router_check_interface(router, port))
		return -ENODEV;
	uint16_t index = router->settings[port].bond;
	if (!index)
		return fail(-EINVAL, "%s is not a member of a bond; show bond details lists members",
					interface_name(router, port));
	bond_remove_member(router, bond_state(router)->by_interface[index], port);
	return 0;
}

static struct ws_lacp_party told(const struct lacp_party *party)
{
	struct ws_lacp_party out = {
		.system_priority = party->system_priority,
		.key = party->key,
		.port_priority = party->port_priority,
		.port = party->port,
		.state = party->state,
	};
	memcpy(out.system, party->system, sizeof(out.system));
	return out;
}

int ws_router_bond_member(struct ws_router *router, uint16_t port, struct ws_bond_member *out)
{
	if (router_check_interface(router, port))
		return -ENODEV;
	uint16_t index = router->settings[port].bond;
	if (!index)
		return fail(-EINVAL, "%s is not a member of a bond; show bond details lists members",
					interface_name(router, port));
	struct bond *bond = bond_state(router)->by_interface[index];
	const struct bond_member *member = bond_find_member(bond, port);
	*out = (struct ws_bond_member){
		.bond = index,
		.is_passive = member->choices.is_passive,
		.is_long_timeout = member->choices.is_long_timeout,
		.has_lacp = bond->mode == WS_BOND_LACP,
		.actor = told(&member->lacp.actor),
		.partner = told(&member->lacp.partner),
		.receive_state = (int32_t)member->lacp.receive,
		.periodic_state = (int32_t)member->lacp.periodic,
		.mux_state = (int32_t)member->lacp.mux,
		.received = member->lacp.received,
		.sent = member->lacp.sent,
	};
	for (uint16_t i = 0; i < bond->spread->count; i++)
		out->is_active |= bond->spread->members[i] == port;
	return 0;
}

/* A port that is to be deleted leaves its bond first. MAC address, link and state of members are
 * followed. */
static int changed(struct ws_router *router, uint16_t index, enum interface_change change)
{
	struct bond *bond = bond_of(router, index);
	uint16_t of = router->settings[index].bond;
	if (change == INTERFACE_TO_BE_DELETED && of)
		return fail(-EEXIST, "%s is a member of %s; bond del takes it out",
					interface_name(router, index), interface_name(router, of));
	if (change == INTERFACE_GOES_DOWN && of)
		bond_leave(router, bond_state(router)->by_interface[of], index);
	if (change == INTERFACE_USABLE_CHANGED && of)
		bond_refresh(router, bond_state(router)->by_interface[of]);
	if (change != INTERFACE_MAC_CHANGED || !bond || bond->interface != index)
		return 0;
	for (uint16_t i = 0; i < bond->member_count; i++) {
		interface_set_mac(router, bond->members[i].port, router->interfaces[index].mac);
		if (bond->mode == WS_BOND_LACP)
			bond_lacp_begin(router, bond, &bond->members[i]);
	}
	bond_refresh(router, bond);
	return 0;
}
INTERFACE_WATCH(changed)
