/* SPDX-License-Identifier: Apache-2.0 */
/* Another member sends from now on: announcements of the bond's own addresses tell switches behind
 * which port its stations are. Main thread. */
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
