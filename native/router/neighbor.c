/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours: adjacencies with a MAC address, by ARP or by the user. */
#include "dev/error.h"
#include "dev/port.h"
#include "router/router.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"

#include <errno.h>
#include <rte_cycles.h>
#include <string.h>

enum { NEIGHBOR_LIFETIME_S = 20 * 60 };

static struct ws_ip4_prefix host(uint32_t address)
{
	return (struct ws_ip4_prefix){.address = address, .length = 32};
}

/* Whether the prefix's route is the one that this neighbour made. */
static bool has_own_route(const struct ws_router *router, struct ws_ip4_prefix prefix,
						  uint32_t index)
{
	uint32_t load_balance;
	return fib4_get(&router->fib4, prefix, &load_balance) &&
		   router_route_owner(router, prefix) == ROUTE_NEIGHBOR &&
		   router->load_balances.uses[load_balance].adjacencies[0] == index;
}

/* Make the host route of a resolved neighbour be there, or not, as it should. */
static void restore_route(struct ws_router *router, uint32_t index)
{
	const struct adjacency *adjacency = &router->adjacencies.adjacencies[index];
	struct ws_ip4_prefix prefix = host(adjacency->next_hop);
	bool wanted =
		adjacency->kind == ADJACENCY_REWRITE &&
		router_connected_interface(router, adjacency->next_hop) == adjacency->tx_interface;
	struct ws_path path = {
		.kind = WS_PATH_NEXT_HOP,
		.next_hop = adjacency->next_hop,
		.interface = adjacency->tx_interface,
	};
	if (wanted && router_route_owner(router, prefix) == ROUTE_NONE)
		router_set_route(router, prefix, &path, false);
	else if (!wanted && has_own_route(router, prefix, index))
		router_remove_route(router, prefix);
}

void router_neighbor_restore_route(struct ws_router *router, uint32_t address)
{
	int interface = router_connected_interface(router, address);
	int64_t index = interface < 0
						? ADJACENCY_NONE
						: adjacency_find(&router->adjacencies, (uint16_t)interface, address);
	if (index >= 0 && adjacency_is_resolved(&router->adjacencies, (uint32_t)index))
		restore_route(router, (uint32_t)index);
}

/* Forget the MAC address of a resolved neighbour; it stays, incomplete, while routes go through it.
 */
static void forget(struct ws_router *router, uint32_t index)
{
	router->adjacencies.neighbors[index].is_static = false;
	adjacency_unresolve(&router->adjacencies, index);
	restore_route(router, index);
	adjacency_release(&router->adjacencies, index);
}

void router_neighbor_restore_routes(struct ws_router *router, uint16_t interface)
{
	struct adjacency_table *table = &router->adjacencies;
	for (uint32_t i = ADJACENCY_FIRST_NEIGHBOR; i < table->size; i++) {
		if (!table->neighbors[i].used || table->adjacencies[i].tx_interface != interface ||
			!adjacency_is_resolved(table, i))
			continue;
		if (table->neighbors[i].is_static ||
			router_connected_interface(router, table->adjacencies[i].next_hop) == interface)
			restore_route(router, i);
		else
			forget(router, i);
	}
}

/* A resolved neighbour holds one reference for being so. */
static int resolve(struct ws_router *router, uint16_t interface, uint32_t address,
				   const uint8_t *mac, bool is_static)
{
	struct adjacency_table *table = &router->adjacencies;
	int64_t index = adjacency_find(table, interface, address);
	if (index < 0 || !adjacency_is_resolved(table, (uint32_t)index))
		index = adjacency_take(table, interface, address, router->mtus[interface]);
	if (index < 0)
		return (int)index;
	table->neighbors[index].is_static = is_static;
	table->neighbors[index].updated_tsc = rte_rdtsc();
	adjacency_resolve(table, (uint32_t)index, mac, router->interfaces[interface].mac);
	restore_route(router, (uint32_t)index);
	return 0;
}

void router_neighbor_learn(struct ws_router *router, const struct arp_event *event)
{
	struct adjacency_table *table = &router->adjacencies;
	int64_t index = adjacency_find(table, event->interface, event->address);
	if (router_connected_interface(router, event->address) != event->interface ||
		router_is_own_address(router, event->address))
		return;
	if (index < 0 ? !event->may_create : table->neighbors[index].is_static)
		return;
	resolve(router, event->interface, event->address, event->mac, false);
}

void router_neighbor_age(struct ws_router *router)
{
	struct adjacency_table *table = &router->adjacencies;
	uint64_t now = rte_rdtsc(), lifetime = NEIGHBOR_LIFETIME_S * router->tsc_hz;
	for (uint32_t i = ADJACENCY_FIRST_NEIGHBOR; i < table->size; i++)
		if (table->neighbors[i].used && !table->neighbors[i].is_static &&
			adjacency_is_resolved(table, i) && now - table->neighbors[i].updated_tsc > lifetime)
			forget(router, i);
}

int ws_router_neighbor_add(struct ws_router *router, uint16_t interface, uint32_t address,
						   const uint8_t *mac)
{
	if (router_check_interface(router, interface))
		return -ENODEV;
	if (!address_is_unicast(address) || router_is_own_address(router, address))
		return fail(-EINVAL, IP4_FORMAT " is no address of a neighbour", IP4_ARGS(address));
	if (ethernet_is_group(mac) || ethernet_is_zero(mac))
		return fail(-EINVAL, "a neighbour has the MAC address of one station");
	return resolve(router, interface, address, mac, true);
}

int ws_router_neighbor_del(struct ws_router *router, uint16_t interface, uint32_t address)
{
	if (router_check_interface(router, interface))
		return -ENODEV;
	int64_t index = adjacency_find(&router->adjacencies, interface, address);
	if (index < 0 || !adjacency_is_resolved(&router->adjacencies, (uint32_t)index))
		return fail(-ENOENT, "interface %s has no neighbour " IP4_FORMAT, port_name(interface),
					IP4_ARGS(address));
	forget(router, (uint32_t)index);
	return 0;
}

int ws_router_neighbors(struct ws_router *router, uint32_t start, struct ws_neighbor *out,
						uint32_t max)
{
	const struct adjacency_table *table = &router->adjacencies;
	uint32_t position = 0, n = 0;
	uint64_t now = rte_rdtsc();
	for (uint32_t i = ADJACENCY_FIRST_NEIGHBOR; i < table->size && n < max; i++) {
		const struct adjacency *adjacency = &table->adjacencies[i];
		bool resolved = adjacency_is_resolved(table, i);
		if (!table->neighbors[i].used || position++ < start)
			continue;
		out[n] = (struct ws_neighbor){
			.interface = adjacency->tx_interface,
			.address = adjacency->next_hop,
			.state = !resolved                       ? WS_NEIGHBOR_INCOMPLETE
					 : table->neighbors[i].is_static ? WS_NEIGHBOR_STATIC
													 : WS_NEIGHBOR_REACHABLE,
		};
		if (resolved) {
			memcpy(out[n].mac, adjacency->rewrite, sizeof(out[n].mac));
			out[n].age_s = (double)(now - table->neighbors[i].updated_tsc) / (double)router->tsc_hz;
		}
		n++;
	}
	return (int)n;
}
