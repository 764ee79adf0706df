/* SPDX-License-Identifier: Apache-2.0 */
/* Aging of resolved neighbours: reachable, stale, probed, removed. */
#include "router/neighbor/neighbor.h"
#include "router/neighbor/neighbor_change.h"
#include "router/neighbor/neighbor_due.h"
#include "router/neighbor/neighbor_quota.h"
#include "wirespeed/neighbors.h"

#include <rte_cycles.h>

enum { MAX_PROBES = 3 }; /* RFC 4861 section 10 */

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

/* A neighbour is reachable for some time, then stale for a moment in which its own messages can
 * refresh it, then probed. A neighbour that has never replied to a request has only that moment,
 * whatever it sends. */
static void age(struct ws_router *router, uint32_t index, uint64_t now)
{
	struct neighbor *neighbor = &router->adjacencies.neighbors[index];
	uint32_t reachable_s = *neighbor_reachable_s(router, neighbor->next_hop.family);
	/* `now` may be a little older than the neighbour's last message. */
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
			neighbor_quota_of(router)->counters.unanswered++;
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

static void look_at(struct ws_router *router, uint16_t slot)
{
	for (uint32_t index; (index = neighbor_due_take(router, slot));) {
		if (ages(router, index))
			age(router, index, rte_rdtsc());
		if (ages(router, index))
			neighbor_schedule(router, index);
	}
}

/* Remove neighbours that were silent for too long. */
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
	*neighbor_reachable_s(router, family) = seconds;
	router_neighbor_look_again(router);
	return 0;
}

uint32_t ws_router_reachable_time(const struct ws_router *router, uint8_t family)
{
	return *neighbor_reachable_s(router, family);
}

ROUTER_MODULE(neighbors_module, .name = "neighbors", .is_trunk = true, .poll = router_neighbor_age)
