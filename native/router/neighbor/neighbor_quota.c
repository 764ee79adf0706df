/* SPDX-License-Identifier: Apache-2.0 */
#include "router/neighbor/neighbor_quota.h"

#include "dev/error.h"
#include "router/interface/interface_settings.h"
#include "wirespeed/neighbors.h"
#include "wirespeed/router.h"

#include <errno.h>
#include <rte_cycles.h>

/* Evicting a neighbour costs an RCU grace period, so evictions are rate-limited. */
enum { RECYCLED_PPS = 500, RECYCLED_BURST = 100, KEPT_FREE_PART = 8 };

static int neighbor_quota_init(struct ws_router *router)
{
	struct neighbor_quota *quota = neighbor_quota_of(router);
	uint32_t in_all = router->config->max_neighbors;
	quota->most = in_all - in_all / KEPT_FREE_PART;
	quota->most_of_interface = RTE_MIN(router->config->max_interface_neighbors, quota->most);
	quota->recycling.ticks_per_token = router->tsc_hz / RECYCLED_PPS;
	quota->recycling.capacity_ticks = router->tsc_hz / RECYCLED_PPS * RECYCLED_BURST;
	return 0;
}

/* ---- Unproven neighbours, the oldest first ---- */

static void append(struct ws_router *router, uint32_t index)
{
	struct neighbor *neighbors = router->adjacencies.neighbors;
	uint16_t interface = router->adjacencies.adjacencies[index].tx_interface;
	uint32_t newest = neighbor_quota_of(router)->interfaces[interface].newest;
	neighbors[index].older = newest;
	neighbors[index].newer = 0;
	if (newest)
		neighbors[newest].newer = index;
	else
		neighbor_quota_of(router)->interfaces[interface].oldest = index;
	neighbor_quota_of(router)->interfaces[interface].newest = index;
}

static void unlink(struct ws_router *router, uint32_t index)
{
	struct neighbor *neighbors = router->adjacencies.neighbors;
	uint16_t interface = router->adjacencies.adjacencies[index].tx_interface;
	uint32_t older = neighbors[index].older, newer = neighbors[index].newer;
	if (older)
		neighbors[older].newer = newer;
	else
		neighbor_quota_of(router)->interfaces[interface].oldest = newer;
	if (newer)
		neighbors[newer].older = older;
	else
		neighbor_quota_of(router)->interfaces[interface].newest = older;
	neighbors[index].older = neighbors[index].newer = 0;
}

/* ---- Room ---- */

/* The interface with the most neighbours, of those with an unproven one; `interface` if there is
 * none. */
static uint16_t most_crowded(const struct ws_router *router, uint16_t interface)
{
	const struct neighbor_quota *quota = neighbor_quota_of(router);
	uint32_t most = 0;
	for (uint16_t i = 0; i < router->interface_count; i++)
		if (quota->interfaces[i].oldest && quota->interfaces[i].learnt > most) {
			most = quota->interfaces[i].learnt;
			interface = i;
		}
	return interface;
}

int64_t neighbor_quota_make(struct ws_router *router, uint16_t interface)
{
	struct neighbor_quota *quota = neighbor_quota_of(router);
	bool is_interface_full = quota->interfaces[interface].learnt >= quota->most_of_interface;
	if (!is_interface_full && quota->learnt < quota->most)
		return 0;
	uint16_t from = is_interface_full ? interface : most_crowded(router, interface);
	uint32_t oldest = quota->interfaces[from].oldest;
	if (oldest && token_bucket_take(&quota->recycling, rte_rdtsc())) {
		quota->counters.recycled++;
		return oldest;
	}
	if (is_interface_full) {
		quota->counters.refused_interface++;
		return fail(-ENOSPC,
					"interface %s has %u neighbours, which is the most; start the router with a "
					"larger --max-interface-neighbors",
					interface_name(router, interface), quota->interfaces[interface].learnt);
	}
	quota->counters.refused_table++;
	return fail(-ENOSPC,
				"the neighbour table is full at %u that were learnt; start the router with a "
				"larger --max-neighbors",
				quota->learnt);
}

void neighbor_quota_enter(struct ws_router *router, uint32_t index)
{
	uint16_t interface = router->adjacencies.adjacencies[index].tx_interface;
	neighbor_quota_of(router)->learnt++;
	neighbor_quota_of(router)->interfaces[interface].learnt++;
	router->adjacencies.neighbors[index].is_learnt = true;
	router->adjacencies.neighbors[index].is_proven = false;
	append(router, index);
}

void neighbor_quota_leave(struct ws_router *router, uint32_t index)
{
	struct neighbor *neighbor = &router->adjacencies.neighbors[index];
	uint16_t interface = router->adjacencies.adjacencies[index].tx_interface;
	if (!neighbor->is_learnt)
		return;
	if (!neighbor->is_proven)
		unlink(router, index);
	neighbor->is_learnt = false;
	neighbor_quota_of(router)->learnt--;
	neighbor_quota_of(router)->interfaces[interface].learnt--;
}

void neighbor_quota_prove(struct ws_router *router, uint32_t index)
{
	struct neighbor *neighbor = &router->adjacencies.neighbors[index];
	if (!neighbor->is_learnt || neighbor->is_proven)
		return;
	unlink(router, index);
	neighbor->is_proven = true;
}

int ws_router_neighbor_counters(struct ws_router *router, struct ws_neighbor_counters *out)
{
	const struct neighbor_quota *quota = neighbor_quota_of(router);
	*out = quota->counters;
	out->used = router->adjacencies.used;
	out->most = router->adjacencies.most;
	out->learnt = quota->learnt;
	out->most_learnt = quota->most;
	out->most_of_interface = quota->most_of_interface;
	return 0;
}

ROUTER_MODULE_EXTERN(neighbor_quota_module, .name = "neighbor-quota", .is_trunk = true,
					 .state_size = sizeof(struct neighbor_quota), .make = neighbor_quota_init)
