/* SPDX-License-Identifier: Apache-2.0 */
#include "router/neighbor/neighbor_room.h"

#include "dev/error.h"
#include "router/interface/interface_settings.h"
#include "wirespeed/neighbors.h"
#include "wirespeed/router.h"

#include <errno.h>
#include <rte_cycles.h>

/* Each one that makes room has the workers waited for. */
enum { RECYCLED_PPS = 500, RECYCLED_BURST = 100, KEPT_FREE_PART = 8 };

static int neighbor_room_init(struct ws_router *router)
{
	struct neighbor_room *room = neighbor_room_of(router);
	uint32_t in_all = router->config->max_neighbors;
	room->most = in_all - in_all / KEPT_FREE_PART;
	room->most_of_interface = RTE_MIN(router->config->max_interface_neighbors, room->most);
	room->recycling.ticks_per_token = router->tsc_hz / RECYCLED_PPS;
	room->recycling.capacity_ticks = router->tsc_hz / RECYCLED_PPS * RECYCLED_BURST;
	return 0;
}

/* ---- Those that never answered, in the order in which they came ---- */

static void append(struct ws_router *router, uint32_t index)
{
	struct neighbor *neighbors = router->adjacencies.neighbors;
	uint16_t interface = router->adjacencies.adjacencies[index].tx_interface;
	uint32_t newest = neighbor_room_of(router)->interfaces[interface].newest;
	neighbors[index].older = newest;
	neighbors[index].newer = 0;
	if (newest)
		neighbors[newest].newer = index;
	else
		neighbor_room_of(router)->interfaces[interface].oldest = index;
	neighbor_room_of(router)->interfaces[interface].newest = index;
}

static void unlink(struct ws_router *router, uint32_t index)
{
	struct neighbor *neighbors = router->adjacencies.neighbors;
	uint16_t interface = router->adjacencies.adjacencies[index].tx_interface;
	uint32_t older = neighbors[index].older, newer = neighbors[index].newer;
	if (older)
		neighbors[older].newer = newer;
	else
		neighbor_room_of(router)->interfaces[interface].oldest = newer;
	if (newer)
		neighbors[newer].older = older;
	else
		neighbor_room_of(router)->interfaces[interface].newest = older;
	neighbors[index].older = neighbors[index].newer = 0;
}

/* ---- Room ---- */

/* The interface with the most neighbours among those with an unproven one; else `interface`. */
static uint16_t most_crowded(const struct ws_router *router, uint16_t interface)
{
	const struct neighbor_room *room = neighbor_room_of(router);
	uint32_t most = 0;
	for (uint16_t i = 0; i < router->interface_count; i++)
		if (room->interfaces[i].oldest && room->interfaces[i].learnt > most) {
			most = room->interfaces[i].learnt;
			interface = i;
		}
	return interface;
}

int64_t neighbor_room_make(struct ws_router *router, uint16_t interface)
{
	struct neighbor_room *room = neighbor_room_of(router);
	bool is_interface_full = room->interfaces[interface].learnt >= room->most_of_interface;
	if (!is_interface_full && room->learnt < room->most)
		return 0;
	uint16_t from = is_interface_full ? interface : most_crowded(router, interface);
	uint32_t oldest = room->interfaces[from].oldest;
	if (oldest && token_bucket_take(&room->recycling, rte_rdtsc())) {
		room->counters.recycled++;
		return oldest;
	}
	if (is_interface_full) {
		room->counters.refused_interface++;
		return fail(-ENOSPC,
					"interface %s has %u neighbours, which is the most; start the router with a "
					"larger --max-interface-neighbors",
					interface_name(router, interface), room->interfaces[interface].learnt);
	}
	room->counters.refused_table++;
	return fail(-ENOSPC,
				"the neighbour table is full at %u that were learnt; start the router with a "
				"larger --max-neighbors",
				room->learnt);
}

void neighbor_room_enter(struct ws_router *router, uint32_t index)
{
	uint16_t interface = router->adjacencies.adjacencies[index].tx_interface;
	neighbor_room_of(router)->learnt++;
	neighbor_room_of(router)->interfaces[interface].learnt++;
	router->adjacencies.neighbors[index].is_learnt = true;
	router->adjacencies.neighbors[index].is_proven = false;
	append(router, index);
}

void neighbor_room_leave(struct ws_router *router, uint32_t index)
{
	struct neighbor *neighbor = &router->adjacencies.neighbors[index];
	uint16_t interface = router->adjacencies.adjacencies[index].tx_interface;
	if (!neighbor->is_learnt)
		return;
	if (!neighbor->is_proven)
		unlink(router, index);
	neighbor->is_learnt = false;
	neighbor_room_of(router)->learnt--;
	neighbor_room_of(router)->interfaces[interface].learnt--;
}

void neighbor_room_prove(struct ws_router *router, uint32_t index)
{
	struct neighbor *neighbor = &router->adjacencies.neighbors[index];
	if (!neighbor->is_learnt || neighbor->is_proven)
		return;
	unlink(router, index);
	neighbor->is_proven = true;
}

int ws_router_neighbor_counters(struct ws_router *router, struct ws_neighbor_counters *out)
{
	const struct neighbor_room *room = neighbor_room_of(router);
	*out = room->counters;
	out->used = router->adjacencies.used;
	out->most = router->adjacencies.most;
	out->learnt = room->learnt;
	out->most_learnt = room->most;
	out->most_of_interface = room->most_of_interface;
	return 0;
}

ROUTER_MODULE_EXTERN(neighbor_room_module, .name = "neighbor-room", .is_trunk = true,
					 .state_size = sizeof(struct neighbor_room), .make = neighbor_room_init)
