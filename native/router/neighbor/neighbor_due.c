/* SPDX-License-Identifier: Apache-2.0 */
#include "router/neighbor/neighbor_due.h"

#include "router/module.h"
#include "router/neighbor/neighbor_change.h"

#include <rte_cycles.h>

/* RFC 4861 section 10, for both families. */
enum { DEFAULT_REACHABLE_S = 30 };

struct neighbor_due {
	uint64_t tick;                          /* tick to which the wheel was last turned */
	uint32_t first[NEIGHBOR_DUE_SLOTS + 1]; /* adjacencies; 0: none */
	uint32_t reachable_s[FAMILIES];
};

static struct router_module due_module;

static struct neighbor_due *due_of(const struct ws_router *router)
{
	return module_state(router, &due_module);
}

uint32_t *neighbor_reachable_s(const struct ws_router *router, uint8_t family)
{
	return &due_of(router)->reachable_s[family_index(family)];
}

static uint64_t tick_of(const struct ws_router *router, uint64_t tsc)
{
	return tsc * NEIGHBOR_DUE_A_SECOND / router->tsc_hz;
}

void neighbor_due_never(struct ws_router *router, uint32_t index)
{
	struct neighbor *neighbors = router->adjacencies.neighbors, *neighbor = &neighbors[index];
	if (!neighbor->due_slot)
		return;
	if (neighbor->next_due)
		neighbors[neighbor->next_due].previous_due = neighbor->previous_due;
	if (neighbor->previous_due)
		neighbors[neighbor->previous_due].next_due = neighbor->next_due;
	else
		due_of(router)->first[neighbor->due_slot - 1] = neighbor->next_due;
	neighbor->due_slot = 0;
}

static void put(struct ws_router *router, uint32_t index, uint16_t slot)
{
	struct neighbor *neighbors = router->adjacencies.neighbors;
	uint32_t *first = &due_of(router)->first[slot];
	neighbor_due_never(router, index);
	neighbors[index].next_due = *first;
	neighbors[index].previous_due = 0;
	neighbors[index].due_slot = slot + 1;
	if (*first)
		neighbors[*first].previous_due = index;
	*first = index;
}

void neighbor_due_in(struct ws_router *router, uint32_t index, uint64_t ticks)
{
	struct neighbor_due *due = due_of(router);
	uint64_t now = tick_of(router, rte_rdtsc()), at = tick_of(router, rte_rdtsc() + ticks) + 1;
	if (!due->tick)
		due->tick = now;
	/* The wheel may lag a little; slots that it has not passed are before its own place. */
	at = RTE_MIN(at, due->tick + NEIGHBOR_DUE_SLOTS - 1);
	put(router, index, (uint16_t)(RTE_MAX(at, due->tick + 1) % NEIGHBOR_DUE_SLOTS));
}

/* Maximum time in its state; 0: unlimited. */
static uint32_t patience_s(const struct ws_router *router, const struct neighbor *neighbor)
{
	uint32_t reachable_s = *neighbor_reachable_s(router, neighbor->next_hop.family);
	if (neighbor->state == WS_NEIGHBOR_PROBE)
		return RETRANSMIT_S;
	if (!neighbor->is_proven || (neighbor->state == WS_NEIGHBOR_STALE && reachable_s))
		return DELAY_FIRST_PROBE_S;
	return neighbor->state == WS_NEIGHBOR_REACHABLE ? reachable_s : 0;
}

void neighbor_schedule(struct ws_router *router, uint32_t index)
{
	const struct neighbor *neighbor = &router->adjacencies.neighbors[index];
	uint32_t seconds = neighbor->is_static ? 0 : patience_s(router, neighbor);
	uint64_t until = neighbor->state_tsc + seconds * router->tsc_hz, now = rte_rdtsc();
	if (seconds)
		neighbor_due_in(router, index, until > now ? until - now : 0);
	else
		neighbor_due_never(router, index);
}

void neighbor_due_now(struct ws_router *router, uint32_t index)
{
	put(router, index, NEIGHBOR_DUE_NOW);
}

bool neighbor_due_turn(struct ws_router *router, uint64_t tsc, uint16_t *slot)
{
	struct neighbor_due *due = due_of(router);
	uint64_t now = tick_of(router, tsc);
	if (!due->tick || due->tick >= now)
		return false;
	/* One round is enough to visit all slots. */
	due->tick = RTE_MAX(due->tick + 1, now - RTE_MIN(now, (uint64_t)NEIGHBOR_DUE_SLOTS - 1));
	*slot = (uint16_t)(due->tick % NEIGHBOR_DUE_SLOTS);
	return true;
}

uint32_t neighbor_due_take(struct ws_router *router, uint16_t slot)
{
	uint32_t index = due_of(router)->first[slot];
	if (index)
		neighbor_due_never(router, index);
	return index;
}

static int begin_ages(struct ws_router *router)
{
	struct neighbor_due *due = due_of(router);
	due->reachable_s[0] = due->reachable_s[1] = DEFAULT_REACHABLE_S;
	return 0;
}

ROUTER_MODULE(due_module, .name = "neighbor-due", .is_trunk = true,
			  .state_size = sizeof(struct neighbor_due), .make = begin_ages)
