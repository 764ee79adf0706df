/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of the next checks of resolved neighbours: a timing wheel of quarter seconds, so that a
 * poll visits only those that are due. A later time is put at the wheel's end and entered again
 * from there.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

enum {
	NEIGHBOR_DUE_SLOTS = 256,
	NEIGHBOR_DUE_A_SECOND = 4,
	NEIGHBOR_DUE_NOW = NEIGHBOR_DUE_SLOTS, /* slot for the next poll */
};

/* Reachable time of the family's neighbours; 0: unlimited. */
uint32_t *neighbor_reachable_s(const struct ws_router *router, uint8_t family);
/* Check the neighbour in `ticks` of the TSC, or shortly after; replaces its previous time. */
void neighbor_due_in(struct ws_router *router, uint32_t index, uint64_t ticks);
/* Check it in the next poll. */
void neighbor_due_now(struct ws_router *router, uint32_t index);
void neighbor_due_never(struct ws_router *router, uint32_t index);
/* Turn the wheel towards `tsc` by at most one slot; false if it is there already. All calls of a
 * round use one time, so that the round ends however fast the clock is. */
bool neighbor_due_turn(struct ws_router *router, uint64_t tsc, uint16_t *slot);
/* Take a neighbour out of the slot; 0 if there is none. */
uint32_t neighbor_due_take(struct ws_router *router, uint16_t slot);
