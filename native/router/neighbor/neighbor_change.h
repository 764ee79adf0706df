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

/* Its MAC address is known by now; a resolved one holds one reference for being so. Its index, or
 * a negative errno with its line. */
int64_t neighbor_settle(struct ws_router *router, uint16_t interface,
						const struct ws_address *address, const uint8_t *mac,
						enum ws_neighbor_state state);
/* Forget the MAC address of a resolved one; it stays, incomplete, while routes go through it. */
void neighbor_forget(struct ws_router *router, uint32_t index);
void neighbor_enter(struct ws_router *router, uint32_t index, enum ws_neighbor_state state);
/* Have it looked at when its state has lasted long enough. */
void neighbor_schedule(struct ws_router *router, uint32_t index);
/* Ask one now, whatever its state; false when nothing can be asked. */
bool neighbor_probe(struct ws_router *router, uint32_t index, uint64_t now);
