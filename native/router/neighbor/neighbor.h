/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours: learnt from what workers see, probed, aged. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct interface_due;
struct ws_address;
struct ws_router;

/* Have the next poll look at all of them, whenever they were due. */
void router_neighbor_look_again(struct ws_router *router);
/* Ask the station `mac`, or all when NULL, for the address; false when that cannot be sent. */
bool router_neighbor_ask(struct ws_router *router, uint16_t interface,
						 const struct ws_address *address, const uint8_t *mac);
/* Tell all stations where the interface's own addresses of a family are, now. */
void router_announce_addresses(struct ws_router *router, uint16_t index, uint8_t family);
/* When interfaces are announced next; NULL before announcing is first set. */
struct interface_due *announcements_due(const struct ws_router *router);
