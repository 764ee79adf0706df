/* SPDX-License-Identifier: Apache-2.0 */
/* Announcements of the bond's own addresses after a change of the sending member: switches learn
 * the port behind which the addresses are. Main thread. */
#include "router/bond/bond.h"
#include "router/neighbor/neighbor.h"

void bond_announce(struct ws_router *router, const struct bond *bond)
{
	for (uint16_t i = WS_MAX_PORTS; i < router->interface_count; i++) {
		if (bond_state(router)->by_interface[i] != bond || !router->interfaces[i].usable)
			continue;
		router_announce_addresses(router, i, WS_IP4);
		router_announce_addresses(router, i, WS_IP6);
	}
}
