/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours: adjacencies with a MAC address, by ARP or by the user. */
#include "dev/error.h"
#include "dev/port.h"
#include "router/router.h"
#include "wire/address.h"
#include "wire/ethernet.h"

#include <errno.h>
#include <rte_cycles.h>
#include <string.h>

/* RFC 4861 section 10, for both families. */
enum { DELAY_FIRST_PROBE_S = 5, RETRANSMIT_S = 1, MAX_PROBES = 3 };

/* Whether a station of this address may be on the interface's link. */
static bool belongs(const struct ws_router *router, uint16_t interface,
					const struct ws_address *address)
{
	if (address_is_link_local(address))
		return router->ip6[interface];
	return router->interfaces[interface].is_unnumbered ||
		   router_connected_interface(router,
									  router_interface_table(router, interface, address->family),
									  address) == interface;
}

static struct fib_table *table_of(const struct ws_router *router, uint32_t index)
{
	const struct neighbor *neighbor = &router->adjacencies.neighbors[index];
	uint16_t interface = router->adjacencies.adjacencies[index].tx_interface;
	return router_interface_table(router, interface, neighbor->next_hop.family);
}

/* Whether the prefix's route is the one that this neighbour made. */
static bool has_own_route(const struct ws_router *router, const struct ws_prefix *prefix,
						  uint32_t index)
{
	const struct fib_table *table = table_of(router, index);
	uint32_t load_balance;
	return fib_trie_get(&table->trie, prefix, &load_balance) &&
		   sources_standing(router, table, prefix) == WS_SOURCE_NEIGHBOR &&
		   router->load_balances.uses[load_balance].adjacencies[0] == index;
}

/* Make the host route of a resolved neighbour be there, or not, as it should. */
static void restore_route(struct ws_router *router, uint32_t index)
{
	const struct adjacency *adjacency = &router->adjacencies.adjacencies[index];
	const struct ws_address *next_hop = &router->adjacencies.neighbors[index].next_hop;
	struct fib_table *table = table_of(router, index);
	struct ws_prefix prefix = prefix_of_host(*next_hop);
	bool wanted = adjacency->kind == ADJACENCY_REWRITE &&
				  router_connected_interface(router, table, next_hop) == adjacency->tx_interface;
	struct ws_path path = {
		.kind = WS_PATH_NEXT_HOP,
		.next_hop = *next_hop,
		.interface = adjacency->tx_interface,
	};
	if (wanted && sources_standing(router, table, &prefix) == ROUTE_NONE)
		router_set_route(router, table, &prefix, &path, WS_SOURCE_NEIGHBOR);
	else if (!wanted && has_own_route(router, &prefix, index))
		sources_remove(router, table, &prefix, WS_SOURCE_NEIGHBOR);
}

void router_neighbor_restore_route(struct ws_router *router, const struct fib_table *table,
								   const struct ws_address *address)
{
	int interface = router_connected_interface(router, table, address);
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
	for (uint32_t i = ADJACENCY_FIRST_NEIGHBOR; i < table->end; i++) {
		if (!table->neighbors[i].used || table->adjacencies[i].tx_interface != interface ||
			!adjacency_is_resolved(table, i))
			continue;
		if (table->neighbors[i].is_static ||
			belongs(router, interface, &table->neighbors[i].next_hop))
			restore_route(router, i);
		else
			forget(router, i);
	}
}

static void enter(struct neighbor *neighbor, enum ws_neighbor_state state)
{
	neighbor->state = (uint8_t)state;
	neighbor->state_tsc = rte_rdtsc();
	neighbor->probes = 0;
}

static void hear_of(struct neighbor *neighbor, enum ws_neighbor_state state)
{
	enter(neighbor, state);
	neighbor->updated_tsc = neighbor->state_tsc;
}

/* The neighbour's MAC address is known by now. A resolved one holds one reference for being so. */
static int settle(struct ws_router *router, uint16_t interface, const struct ws_address *address,
				  const uint8_t *mac, enum ws_neighbor_state state)
{
	struct adjacency_table *table = &router->adjacencies;
	int64_t index = adjacency_find(table, interface, address);
	if (index < 0 || !adjacency_is_resolved(table, (uint32_t)index))
		index = adjacency_take_own(table, interface, address);
	if (index < 0)
		return (int)index;
	struct neighbor *neighbor = &table->neighbors[index];
	neighbor->is_static = state == WS_NEIGHBOR_STATIC;
	neighbor->is_watched = false;
	hear_of(neighbor, state);
	adjacency_resolve(table, (uint32_t)index, mac);
	restore_route(router, (uint32_t)index);
	return 0;
}

/* What a resolved neighbour says of itself changes nothing but its state (RFC 4861 section 7.2.5).
 */
static bool is_settled(struct ws_router *router, uint32_t index, const struct router_event *event)
{
	struct neighbor *neighbor = &router->adjacencies.neighbors[index];
	const uint8_t *mac = adjacency_mac(&router->adjacencies.adjacencies[index]);
	bool is_same =
		!(event->flags & NEIGHBOR_HAS_MAC) || !memcmp(mac, event->mac, sizeof(event->mac));
	if (!is_same && event->flags & NEIGHBOR_OVERRIDES)
		return false;
	if (is_same && event->flags & NEIGHBOR_CONFIRMS)
		hear_of(neighbor, WS_NEIGHBOR_REACHABLE);
	else if (!is_same && neighbor->state == WS_NEIGHBOR_REACHABLE)
		enter(neighbor, WS_NEIGHBOR_STALE);
	return true;
}

void router_neighbor_learn(struct ws_router *router, const struct router_event *event)
{
	struct adjacency_table *table = &router->adjacencies;
	int64_t index = adjacency_find(table, event->interface, &event->address);
	if (!belongs(router, event->interface, &event->address) ||
		router_is_own_address(
			router, router_interface_table(router, event->interface, event->address.family),
			&event->address))
		return;
	if (index < 0 ? !(event->flags & NEIGHBOR_MAY_CREATE) : table->neighbors[index].is_static)
		return;
	if (index >= 0 && adjacency_is_resolved(table, (uint32_t)index) &&
		is_settled(router, (uint32_t)index, event))
		return;
	if (event->flags & NEIGHBOR_HAS_MAC)
		settle(router, event->interface, &event->address, event->mac,
			   event->flags & NEIGHBOR_CONFIRMS ? WS_NEIGHBOR_REACHABLE : WS_NEIGHBOR_STALE);
}

/* Ask one that is silent; true once it was asked often enough in vain. */
static bool probe(struct ws_router *router, uint32_t index, uint64_t now)
{
	struct neighbor *neighbor = &router->adjacencies.neighbors[index];
	const struct adjacency *adjacency = &router->adjacencies.adjacencies[index];
	uint8_t probes = neighbor->probes;
	if (probes == MAX_PROBES)
		return true;
	if (!router_neighbor_ask(router, adjacency->tx_interface, &neighbor->next_hop,
							 adjacency_mac(adjacency)))
		return false;
	enter(neighbor, WS_NEIGHBOR_PROBE);
	neighbor->state_tsc = now;
	neighbor->probes = probes + 1;
	return false;
}

/* Reachable for some time, then stale for a moment, in which it may show up, then asked. */
static void age(struct ws_router *router, uint32_t index, uint64_t now)
{
	struct neighbor *neighbor = &router->adjacencies.neighbors[index];
	uint32_t reachable_s = router->reachable_s[family_index(neighbor->next_hop.family)];
	/* Heard of by this thread since `now` was read it may be a little younger. */
	uint64_t passed = now > neighbor->state_tsc ? now - neighbor->state_tsc : 0;
	if (!reachable_s)
		return;
	switch (neighbor->state) {
	case WS_NEIGHBOR_REACHABLE:
		if (passed > reachable_s * router->tsc_hz)
			enter(neighbor, WS_NEIGHBOR_STALE);
		break;
	case WS_NEIGHBOR_STALE:
		if (passed > DELAY_FIRST_PROBE_S * router->tsc_hz)
			probe(router, index, now);
		break;
	default:
		if (passed > RETRANSMIT_S * router->tsc_hz && probe(router, index, now))
			forget(router, index);
	}
}

void router_neighbor_age(struct ws_router *router)
{
	struct adjacency_table *table = &router->adjacencies;
	uint64_t now = rte_rdtsc();
	for (uint32_t i = ADJACENCY_FIRST_NEIGHBOR; i < table->end; i++)
		if (table->neighbors[i].used && !table->neighbors[i].is_static &&
			!table->neighbors[i].is_watched && adjacency_is_resolved(table, i))
			age(router, i, now);
}

void router_neighbor_forget_all(struct ws_router *router, uint16_t interface, uint8_t family)
{
	struct adjacency_table *table = &router->adjacencies;
	for (uint32_t i = ADJACENCY_FIRST_NEIGHBOR; i < table->end; i++)
		if (table->neighbors[i].used && table->adjacencies[i].tx_interface == interface &&
			(!family || table->neighbors[i].next_hop.family == family) &&
			adjacency_is_resolved(table, i))
			forget(router, i);
}

int ws_router_set_reachable_time(struct ws_router *router, uint8_t family, uint32_t seconds)
{
	router->reachable_s[family_index(family)] = seconds;
	return 0;
}

static int check_neighbor(const struct ws_router *router, uint16_t interface,
						  const struct ws_address *address, const uint8_t *mac)
{
	if (router_check_interface(router, interface))
		return -ENODEV;
	const struct fib_table *table = router_interface_table(router, interface, address->family);
	if (!address_is_unicast(address) || router_is_own_address(router, table, address))
		return fail(-EINVAL, "%s is no address of a neighbour", ADDRESS_TEXT(address));
	if (ethernet_is_group(mac) || ethernet_is_zero(mac))
		return fail(-EINVAL, "a neighbour has the MAC address of one station");
	return 0;
}

int ws_router_neighbor_add(struct ws_router *router, uint16_t interface, struct ws_address address,
						   const uint8_t *mac)
{
	int error = check_neighbor(router, interface, &address, mac);
	return error ? error : settle(router, interface, &address, mac, WS_NEIGHBOR_STATIC);
}

int ws_router_neighbor_learn(struct ws_router *router, uint16_t interface,
							 struct ws_address address, const uint8_t *mac)
{
	int error = check_neighbor(router, interface, &address, mac);
	int64_t index = adjacency_find(&router->adjacencies, interface, &address);
	if (error || (index >= 0 && router->adjacencies.neighbors[index].is_static))
		return error;
	error = settle(router, interface, &address, mac, WS_NEIGHBOR_REACHABLE);
	if (error)
		return error;
	index = adjacency_find(&router->adjacencies, interface, &address);
	router->adjacencies.neighbors[index].is_watched = true;
	return 0;
}

int ws_router_neighbor_del(struct ws_router *router, uint16_t interface, struct ws_address address)
{
	if (router_check_interface(router, interface))
		return -ENODEV;
	int64_t index = adjacency_find(&router->adjacencies, interface, &address);
	if (index < 0 || !adjacency_is_resolved(&router->adjacencies, (uint32_t)index))
		return fail(-ENOENT, "interface %s has no neighbour %s", interface_name(router, interface),
					ADDRESS_TEXT(&address));
	forget(router, (uint32_t)index);
	return 0;
}

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
