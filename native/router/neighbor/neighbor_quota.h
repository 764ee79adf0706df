/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits on learnt neighbours, in all and per interface.
 *
 * Anybody on a link can bring up any number of them, so none of the links may take what the others
 * need, and none of that is for the user's own and for next hops of routes: for these an eighth of
 * the table is left. Where it is full, the oldest that never answered a question of ours makes
 * room, at a bounded rate; those that did answer stay.
 */
#pragma once

#include "router/module.h"
#include "router/worker/token_bucket.h"
#include "wirespeed/limits.h"
#include "wirespeed/neighbors.h"

#include <stdint.h>

struct neighbor_quota {
	uint32_t most, most_of_interface, learnt;
	struct {
		uint32_t learnt;
		uint32_t oldest, newest; /* that never answered; 0: none. A list by neighbor.newer */
	} interfaces[WS_MAX_INTERFACES];
	struct token_bucket recycling;
	struct ws_neighbor_counters counters;
};

extern struct router_module neighbor_quota_module;

static inline struct neighbor_quota *neighbor_quota_of(const struct ws_router *router)
{
	return module_state(router, &neighbor_quota_module);
}

/* Before one is learnt: 0, the index of a neighbour that has to go first, or -ENOSPC with its line.
 */
int64_t neighbor_quota_make(struct ws_router *router, uint16_t interface);
/* It was learnt just now; it is going. */
void neighbor_quota_enter(struct ws_router *router, uint32_t index);
void neighbor_quota_leave(struct ws_router *router, uint32_t index);
/* It answered. */
void neighbor_quota_prove(struct ws_router *router, uint32_t index);
