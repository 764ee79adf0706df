/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours: learnt from received packets, probed, aged. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct interface_due;
struct ws_address;
struct ws_router;

/* Check all neighbours in the next poll, whatever their due time. */
void router_neighbor_look_again(struct ws_router *router);
/* Send a request for the address to the station `mac`, or to all if NULL; false if it cannot be
 * sent. */
bool router_neighbor_ask(struct ws_router *router, uint16_t interface,
						 const struct ws_address *address, const uint8_t *mac);
/* Announce the interface's own addresses of a family now. */
void router_announce_addresses(struct ws_router *router, uint16_t index, uint8_t family);
/* Times of the interfaces' next announcements; NULL before announcing is first set. */
struct interface_due *announcements_due(const struct ws_router *router);
