/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours as set by the user and by Linux, and the list of them. */
#include "dev/error.h"
#include "router/interface/interface_settings.h"
#include "router/neighbor/neighbor_change.h"
#include "router/neighbor/neighbor_due.h"
#include "router/neighbor/neighbor_quota.h"
#include "wire/address.h"
#include "wire/ethernet.h"
#include "wirespeed/neighbors.h"

#include <errno.h>
#include <rte_cycles.h>
#include <string.h>

static int check_neighbor(const struct ws_router *router, uint16_t interface,
						  const struct ws_address *address, const uint8_t *mac)
{
	if (router_check_interface(router, interface))
		return -ENODEV;
	const struct fib_table *table = router_interface_table(router, interface, address->family);
	if (!address_is_unicast(address) || router_is_local_address(router, table, address))
		return fail(-EINVAL, "%s cannot be a neighbour; give a unicast address",
					ADDRESS_TEXT(address));
	if (ethernet_is_group(mac) || ethernet_is_zero(mac))
		return fail(-EINVAL,
					"the MAC address of a neighbour is multicast or zero; give a unicast one");
	return 0;
}

/* Its index if it is resolved, otherwise ADJACENCY_NONE. */
static int64_t find_resolved(const struct ws_router *router, uint16_t interface,
							 const struct ws_address *address)
{
	int64_t index = adjacency_find(&router->adjacencies, interface, address);
	return index >= 0 && adjacency_is_resolved(&router->adjacencies, (uint32_t)index)
			   ? index
			   : ADJACENCY_NONE;
}

int ws_router_neighbor_add(struct ws_router *router, uint16_t interface, struct ws_address address,
						   const uint8_t *mac)
{
	int64_t result = check_neighbor(router, interface, &address, mac);
	if (!result)
		result = neighbor_settle(router, interface, &address, mac, WS_NEIGHBOR_STATIC);
	if (result < 0)
		return (int)result;
	router->adjacencies.neighbors[result].is_of_linux = false;
	return 0;
}

int ws_router_neighbor_del(struct ws_router *router, uint16_t interface, struct ws_address address)
{
	if (router_check_interface(router, interface))
		return -ENODEV;
	int64_t index = find_resolved(router, interface, &address);
	if (index < 0)
		return fail(-ENOENT, "interface %s has no neighbour %s; show ip neighbors lists them",
					interface_name(router, interface), ADDRESS_TEXT(&address));
	neighbor_forget(router, (uint32_t)index);
	return 0;
}

/* ---- Events from Linux ---- */

/* Linux has removed the neighbour. If Linux had set it, it is removed here; otherwise Linux may
 * just not have used it, so it is probed now. */
static void forgotten_by_linux(struct ws_router *router, uint32_t index)
{
	if (router->adjacencies.neighbors[index].is_static ||
		!neighbor_probe(router, index, rte_rdtsc()))
		neighbor_forget(router, index);
}

static int known_to_linux(struct ws_router *router, uint16_t interface,
						  const struct ws_neighbor_news *news, enum ws_neighbor_state state)
{
	int64_t index = find_resolved(router, interface, &news->address);
	const struct neighbor *known = index >= 0 ? &router->adjacencies.neighbors[index] : NULL;
	bool is_known = known && !known->is_static &&
					!memcmp(adjacency_mac(&router->adjacencies.adjacencies[index]), news->mac,
							sizeof(news->mac));
	int error = check_neighbor(router, interface, &news->address, news->mac);
	/* Linux's state may be older than the router's own. */
	if (error || (is_known && state == WS_NEIGHBOR_STALE))
		return error;
	index = neighbor_settle(router, interface, &news->address, news->mac, state);
	if (index < 0)
		return (int)index;
	router->adjacencies.neighbors[index].is_of_linux = true;
	if (state == WS_NEIGHBOR_REACHABLE)
		neighbor_quota_prove(router, (uint32_t)index);
	return 0;
}

int ws_router_neighbor_follow(struct ws_router *router, uint16_t interface,
							  const struct ws_neighbor_news *news)
{
	static const enum ws_neighbor_state states[] = {
		[WS_NEIGHBOR_NEWS_HEARD] = WS_NEIGHBOR_REACHABLE,
		[WS_NEIGHBOR_NEWS_SILENT] = WS_NEIGHBOR_STALE,
		[WS_NEIGHBOR_NEWS_PERMANENT] = WS_NEIGHBOR_STATIC,
	};
	if (router_check_interface(router, interface))
		return -ENODEV;
	int64_t index = find_resolved(router, interface, &news->address);
	const struct neighbor *neighbor = index < 0 ? NULL : &router->adjacencies.neighbors[index];
	bool is_lost =
		news->kind == WS_NEIGHBOR_NEWS_FAILED || news->kind == WS_NEIGHBOR_NEWS_FORGOTTEN;
	/* Linux does not change entries of the router's user. */
	if (neighbor ? neighbor->is_static && !neighbor->is_of_linux : is_lost)
		return 0;
	if (news->kind == WS_NEIGHBOR_NEWS_FAILED)
		neighbor_forget(router, (uint32_t)index);
	else if (is_lost)
		forgotten_by_linux(router, (uint32_t)index);
	else
		return known_to_linux(router, interface, news, states[news->kind]);
	return 0;
}

/* ---- List ---- */

int ws_router_neighbors(struct ws_router *router, uint32_t start, struct ws_neighbor *out,
						uint32_t max)
{
	const struct adjacency_table *table = &router->adjacencies;
	uint32_t position = 0, n = 0;
	uint64_t now = rte_rdtsc();
	for (uint32_t i = ADJACENCY_FIRST_NEIGHBOR; i < table->end && n < max; i++) {
		const struct adjacency *adjacency = &table->adjacencies[i];
		bool resolved = adjacency_is_resolved(table, i);
		if (!table->neighbors[i].used || position++ < start)
			continue;
		out[n] = (struct ws_neighbor){
			.interface = adjacency->tx_interface,
			.address = table->neighbors[i].next_hop,
			.state = resolved ? table->neighbors[i].state : WS_NEIGHBOR_INCOMPLETE,
		};
		if (resolved) {
			memcpy(out[n].mac, adjacency_mac(adjacency), sizeof(out[n].mac));
			out[n].age_s = (double)(now - table->neighbors[i].updated_tsc) / (double)router->tsc_hz;
		}
		n++;
	}
	return (int)n;
}
