/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times at which resolved neighbours are checked next: a timing wheel of quarters of a second,
 * so that a poll visits only those that are due. A later time waits at the wheel's end and is
 * entered again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

enum {
	NEIGHBOR_DUE_SLOTS = 256,
	NEIGHBOR_DUE_A_SECOND = 4,
	NEIGHBOR_DUE_NOW = NEIGHBOR_DUE_SLOTS, /* the slot of the next poll, whenever it is */
};

/* Reachable time of the family's neighbours; 0: for ever. */
uint32_t *neighbor_reachable_s(const struct ws_router *router, uint8_t family);
/* Look at it `ticks` of the TSC from now, or a moment later; in place of when it was due before. */
void neighbor_due_in(struct ws_router *router, uint32_t index, uint64_t ticks);
/* At the next poll. */
void neighbor_due_now(struct ws_router *router, uint32_t index);
void neighbor_due_never(struct ws_router *router, uint32_t index);
/* Turn the wheel by one slot at the most towards `tsc`; false when it is there. One round has one
 * time, so that it ends however fast the clock is. */
bool neighbor_due_turn(struct ws_router *router, uint64_t tsc, uint16_t *slot);
/* Take one out of the slot; 0 when there is none. */
uint32_t neighbor_due_take(struct ws_router *router, uint16_t slot);
