/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits on learnt neighbours, in total and per interface. Any station on a link can appear as any
 * number of neighbours, so a limit per interface protects the other links, and an eighth of the
 * table is reserved for the user's neighbours and for next hops of routes. If the table is full,
 * the oldest neighbour that never replied to a request is removed, at a limited rate; those that
 * have replied stay.
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
		uint32_t oldest, newest; /* list, by neighbor.newer, of those that never replied; 0: none */
	} interfaces[WS_MAX_INTERFACES];
	struct token_bucket recycling;
	struct ws_neighbor_counters counters;
};

extern struct router_module neighbor_quota_module;

static inline struct neighbor_quota *neighbor_quota_of(const struct ws_router *router)
{
	return module_state(router, &neighbor_quota_module);
}

/* Called before a neighbour is learnt. Returns 0, the index of a neighbour to remove first, or
 * -ENOSPC with an error text. */
int64_t neighbor_quota_make(struct ws_router *router, uint16_t interface);
/* The neighbour was learnt, or is being removed. */
void neighbor_quota_enter(struct ws_router *router, uint32_t index);
void neighbor_quota_leave(struct ws_router *router, uint32_t index);
/* The neighbour has replied. */
void neighbor_quota_prove(struct ws_router *router, uint32_t index);
