/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours over their life, once resolved: reachable, silent, asked, forgotten. */
#include "router/neighbor/neighbor.h"
#include "router/neighbor/neighbor_change.h"
#include "router/neighbor/neighbor_due.h"
#include "router/neighbor/neighbor_room.h"
#include "wirespeed/neighbors.h"

#include <rte_cycles.h>

/* RFC 4861 section 10. */
enum { DEFAULT_REACHABLE_S = 30, DELAY_FIRST_PROBE_S = 5, RETRANSMIT_S = 1, MAX_PROBES = 3 };

struct ages {
	uint32_t reachable_s[FAMILIES]; /* how long a neighbour is taken to be there; 0: for ever */
};

static struct router_module neighbors_module;

static uint32_t *reachable_s_of(const struct ws_router *router, uint8_t family)
{
	struct ages *ages = module_state(router, &neighbors_module);
	return &ages->reachable_s[family_index(family)];
}

bool neighbor_probe(struct ws_router *router, uint32_t index, uint64_t now)
{
	struct neighbor *neighbor = &router->adjacencies.neighbors[index];
	const struct adjacency *adjacency = &router->adjacencies.adjacencies[index];
	uint8_t probes = neighbor->probes;
	if (!router_neighbor_ask(router, adjacency->tx_interface, &neighbor->next_hop,
							 adjacency_mac(adjacency)))
		return false;
	neighbor_enter(router, index, WS_NEIGHBOR_PROBE);
	neighbor->state_tsc = now;
	neighbor->probes = probes + 1;
	return true;
}

/* Reachable for some time, then stale for a moment, in which it may show up, then asked. One that
 * never answered a question of ours has that moment alone, whatever it says of itself. */
static void age(struct ws_router *router, uint32_t index, uint64_t now)
{
	struct neighbor *neighbor = &router->adjacencies.neighbors[index];
	uint32_t reachable_s = *reachable_s_of(router, neighbor->next_hop.family);
	/* Heard of by this thread since `now` was read it may be a little younger. */
	uint64_t passed = now > neighbor->state_tsc ? now - neighbor->state_tsc : 0;
	switch (neighbor->state) {
	case WS_NEIGHBOR_REACHABLE:
		if (!neighbor->is_proven && passed > DELAY_FIRST_PROBE_S * router->tsc_hz)
			neighbor_probe(router, index, now);
		else if (reachable_s && passed > reachable_s * router->tsc_hz)
			neighbor_enter(router, index, WS_NEIGHBOR_STALE);
		break;
	case WS_NEIGHBOR_STALE:
		if ((reachable_s || !neighbor->is_proven) && passed > DELAY_FIRST_PROBE_S * router->tsc_hz)
			neighbor_probe(router, index, now);
		break;
	default:
		if (passed <= RETRANSMIT_S * router->tsc_hz)
			break;
		if (neighbor->probes < MAX_PROBES) {
			neighbor_probe(router, index, now);
		} else {
			neighbor_room_of(router)->counters.unanswered++;
			neighbor_forget(router, index);
		}
	}
}

static bool ages(const struct ws_router *router, uint32_t index)
{
	const struct neighbor *neighbor = &router->adjacencies.neighbors[index];
	return neighbor->used && !neighbor->is_static &&
		   adjacency_is_resolved(&router->adjacencies, index);
}

/* How long its state may last; 0: for ever. */
static uint32_t patience_s(const struct ws_router *router, const struct neighbor *neighbor)
{
	uint32_t reachable_s = *reachable_s_of(router, neighbor->next_hop.family);
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

static void look_at(struct ws_router *router, uint16_t slot)
{
	for (uint32_t index; (index = neighbor_due_take(router, slot));) {
		if (ages(router, index))
			age(router, index, rte_rdtsc());
		if (ages(router, index))
			neighbor_schedule(router, index);
	}
}

/* Forgets neighbours that were not heard for long. */
static void router_neighbor_age(struct ws_router *router)
{
	uint64_t now = rte_rdtsc();
	uint16_t slot = NEIGHBOR_DUE_NOW;
	do
		look_at(router, slot);
	while (neighbor_due_turn(router, now, &slot));
}

void router_neighbor_look_again(struct ws_router *router)
{
	for (uint32_t i = ADJACENCY_FIRST_NEIGHBOR; i < router->adjacencies.end; i++)
		if (ages(router, i))
			neighbor_due_now(router, i);
}

int ws_router_set_reachable_time(struct ws_router *router, uint8_t family, uint32_t seconds)
{
	*reachable_s_of(router, family) = seconds;
	router_neighbor_look_again(router);
	return 0;
}

uint32_t ws_router_reachable_time(const struct ws_router *router, uint8_t family)
{
	return *reachable_s_of(router, family);
}

static int begin_ages(struct ws_router *router)
{
	struct ages *ages = module_state(router, &neighbors_module);
	ages->reachable_s[0] = ages->reachable_s[1] = DEFAULT_REACHABLE_S;
	return 0;
}

static struct router_module neighbors_module = {
	.name = "neighbors",
	.is_trunk = true,
	.state_size = sizeof(struct ages),
	.make = begin_ages,
	.poll = router_neighbor_age,
};
ROUTER_MODULE(neighbors_module)
