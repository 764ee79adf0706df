/* SPDX-License-Identifier: Apache-2.0 */
/* LACP state of both ends of members, in the statistics. Main thread. */
#include "router/bond/bond.h"
#include "router/observe/stats_directory.h"

static bool is_told(const struct ws_router *router, const struct bond *bond)
{
	return bond->mode == WS_BOND_LACP && router->stats.memory;
}

void bond_gauges_add(struct ws_router *router, const struct bond *bond, struct bond_member *member)
{
	static const char *const names[STATS_MEMBER_GAUGES] = {
		[BOND_GAUGE_STATE] = "state",
		[BOND_GAUGE_PARTNER_STATE] = "partner-state",
	};
	if (!is_told(router, bond))
		return;
	stats_lock(&router->stats);
	for (int i = 0; i < STATS_MEMBER_GAUGES; i++)
		member->gauges[i] = stats_entry_add(&router->stats, STATS_GAUGE, 0, "/if/lacp/%u/%u/%s",
											bond->interface + STATS_FIRST_INTERFACE,
											member->port + STATS_FIRST_INTERFACE, names[i]);
	stats_unlock(&router->stats);
}

void bond_gauges_drop(struct ws_router *router, const struct bond *bond,
					  const struct bond_member *member)
{
	if (!is_told(router, bond))
		return;
	stats_lock(&router->stats);
	for (int i = 0; i < STATS_MEMBER_GAUGES; i++)
		stats_entry_drop(&router->stats, member->gauges[i]);
	stats_unlock(&router->stats);
}

void bond_gauges_write(struct ws_router *router, const struct bond *bond)
{
	if (!is_told(router, bond))
		return;
	for (uint16_t i = 0; i < bond->member_count; i++) {
		const struct bond_member *member = &bond->members[i];
		stats_gauge_set(&router->stats, member->gauges[BOND_GAUGE_STATE], member->lacp.actor.state);
		stats_gauge_set(&router->stats, member->gauges[BOND_GAUGE_PARTNER_STATE],
						member->lacp.partner.state);
	}
}
