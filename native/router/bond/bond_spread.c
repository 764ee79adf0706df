/* SPDX-License-Identifier: Apache-2.0 */
/* Distribution of flows over the members of a bond, and reception by them. Main thread. */
#include "dev/error.h"
#include "dev/rcu.h"
#include "router/bond/bond.h"
#include "router/interface/interface_settings.h"

#include <errno.h>
#include <rte_cycles.h>
#include <stdlib.h>
#include <string.h>

/* Time for which a moved flow is held back so that its packets on the old member arrive first, if
 * that member still sends. */
enum { QUIET_US = 200 };

static bool takes(const struct ws_router *router, const struct bond *bond,
				  const struct bond_member *member)
{
	return bond->mode != WS_BOND_LACP ? router->interfaces[member->port].usable
									  : bond_member_can_send(router, bond, member) ||
											member->lacp.mux == LACP_MUX_COLLECTING;
}

static bool has(const struct bond_spread *spread, uint16_t port)
{
	for (uint16_t i = 0; i < spread->count; i++)
		if (spread->members[i] == port)
			return true;
	return false;
}

/* List the senders. active-backup: the current one as long as it can send, otherwise the first one
 * that can. */
static void list_members(const struct ws_router *router, const struct bond *bond,
						 struct bond_spread *spread)
{
	const struct bond_spread *old = bond->spread;
	for (uint16_t i = 0; i < bond->member_count; i++)
		if (bond_member_can_send(router, bond, &bond->members[i]) && !bond->members[i].is_leaving)
			spread->members[spread->count++] = bond->members[i].port;
	if (bond->mode != WS_BOND_ACTIVE_BACKUP || !spread->count)
		return;
	if (old->count && has(spread, old->members[0]))
		spread->members[0] = old->members[0];
	spread->count = 1;
}

/* Each bucket keeps its member if possible, and the members' numbers of buckets differ by at most
 * one. */
static void fill_buckets(struct bond_spread *spread, const struct bond_spread *old)
{
	uint16_t loads[WS_MAX_PORTS] = {0}, extra = BOND_BUCKETS % spread->count;
	uint16_t share = BOND_BUCKETS / spread->count;
	bool is_placed[BOND_BUCKETS] = {false};
	for (uint16_t i = 0; old->count && i < (uint16_t)BOND_BUCKETS; i++) {
		uint16_t port = old->buckets[i];
		bool fits = has(spread, port) && loads[port] < share + (extra ? 1 : 0);
		if (!fits)
			continue;
		spread->buckets[i] = port;
		is_placed[i] = true;
		if (++loads[port] > share)
			extra--;
	}
	for (uint16_t i = 0, at = 0; i < (uint16_t)BOND_BUCKETS; i++) {
		if (is_placed[i])
			continue;
		while (loads[spread->members[at]] >= share + (extra ? 1 : 0))
			at = (uint16_t)((at + 1) % spread->count);
		spread->buckets[i] = spread->members[at];
		if (++loads[spread->members[at]] > share)
			extra--;
		at = (uint16_t)((at + 1) % spread->count);
	}
}

/* True if the flows of the bucket leave a member that can still send: packets under way must not be
 * overtaken. */
static bool moves(const struct ws_router *router, struct bond *bond,
				  const struct bond_spread *spread, uint16_t bucket)
{
	const struct bond_spread *old = bond->spread;
	return old->count && old->buckets[bucket] != spread->buckets[bucket] &&
		   bond_can_send(router, bond, old->buckets[bucket]);
}

static void replace(struct bond *bond, struct bond_spread *spread)
{
	struct bond_spread *old = bond->spread;
	__atomic_store_n(&bond->spread, spread, __ATOMIC_RELEASE);
	rcu_synchronize();
	free(old);
}

/* Moved flows are held until the other end has received their earlier packets (802.1AX clause
 * 5.3.3): it replies to a marker, or without LACP a fixed time passes. */
static void hand_over(struct ws_router *router, struct bond *bond, const struct bond_spread *spread)
{
	struct bond_spread *held = malloc(sizeof(*held)), before = *bond->spread;
	bool is_any = false;
	if (!held)
		return;
	*held = *spread;
	for (uint16_t i = 0; i < (uint16_t)BOND_BUCKETS; i++)
		if (moves(router, bond, spread, i)) {
			held->buckets[i] = BOND_HELD;
			is_any = true;
		}
	if (!is_any) {
		free(held);
		return;
	}
	replace(bond, held);
	if (bond->mode == WS_BOND_LACP)
		bond_ask(router, bond, &before, spread);
	else
		rte_delay_us_block(QUIET_US);
}

static void publish(struct ws_router *router, struct bond *bond, struct bond_spread *spread)
{
	bool is_by_flow = bond->mode == WS_BOND_LACP || bond->mode == WS_BOND_XOR;
	if (router->running && is_by_flow && spread->count)
		hand_over(router, bond, spread);
	replace(bond, spread);
}

static void set_port(struct ws_router *router, const struct bond *bond,
					 const struct bond_member *member)
{
	uint32_t flags = BOND_MEMBER;
	if (takes(router, bond, member))
		flags |= bond->mode == WS_BOND_ACTIVE_BACKUP && !has(bond->spread, member->port)
					 ? BOND_TAKES | BOND_TAKES_HOSTS
					 : BOND_TAKES;
	__atomic_store_n(&bond_state(router)->ports[member->port],
					 (uint32_t)bond->interface << BOND_FLAG_BITS | flags, __ATOMIC_RELEASE);
}

void bond_leave(struct ws_router *router, struct bond *bond, uint16_t port)
{
	struct bond_member *member = bond_find_member(bond, port);
	member->is_leaving = true;
	bond_refresh(router, bond);
	member->is_leaving = false;
}

void bond_refresh(struct ws_router *router, struct bond *bond)
{
	struct bond_spread *spread = calloc(1, sizeof(*spread));
	if (!spread) {
		fail(-ENOMEM, "no memory for the members of a bond");
		return;
	}
	list_members(router, bond, spread);
	bool is_handed_over = bond->mode == WS_BOND_ACTIVE_BACKUP && spread->count &&
						  bond->spread->count && spread->members[0] != bond->spread->members[0];
	if (spread->count)
		fill_buckets(spread, bond->spread);
	if (memcmp(spread, bond->spread, sizeof(*spread)))
		publish(router, bond, spread);
	else
		free(spread);
	for (uint16_t i = 0; i < bond->member_count; i++)
		set_port(router, bond, &bond->members[i]);
	if (is_handed_over)
		bond_announce(router, bond);
	bool link_up = bond->spread->count;
	if (router->settings[bond->interface].link_up == link_up)
		return;
	router->settings[bond->interface].link_up = link_up;
	router_update_usable(router, bond->interface);
}
