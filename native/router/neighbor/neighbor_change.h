/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of a neighbour, for the files of this folder. */
#pragma once

#include "wirespeed/neighbors.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_address;
struct ws_router;

/* RFC 4861 section 10, for both families. */
enum { DELAY_FIRST_PROBE_S = 5, RETRANSMIT_S = 1 };

/* Create or find the neighbour, whose MAC address is known; a resolved one holds a reference to
 * itself. Returns its index, or a negative errno with an error text. */
int64_t neighbor_settle(struct ws_router *router, uint16_t interface,
						const struct ws_address *address, const uint8_t *mac,
						enum ws_neighbor_state state);
/* Remove the MAC address of a resolved neighbour; it stays, incomplete, while routes use it. */
void neighbor_forget(struct ws_router *router, uint32_t index);
void neighbor_enter(struct ws_router *router, uint32_t index, enum ws_neighbor_state state);
/* Schedule the check at which its state ends. */
void neighbor_schedule(struct ws_router *router, uint32_t index);
/* Probe the neighbour now, in any state; false if no probe can be sent. */
bool neighbor_probe(struct ws_router *router, uint32_t index, uint64_t now);
