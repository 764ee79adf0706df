/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours: adjacencies with a MAC address, and their host routes. */
#include "router/neighbor/neighbor.h"
#include "router/event.h"
#include "router/fib/own_balance.h"
#include "router/interface/interface_change.h"
#include "router/neighbor/neighbor_change.h"
#include "router/neighbor/neighbor_due.h"
#include "router/neighbor/neighbor_quota.h"
#include "router/route/route.h"
#include "router/route/sources.h"
#include "wire/address.h"
#include "wire/ethernet.h"

#include <rte_cycles.h>
#include <string.h>

/* True if the address may be a neighbour on the interface. */
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

/* True if this neighbour made the prefix's route. */
static bool has_own_route(const struct ws_router *router, const struct ws_prefix *prefix,
						  uint32_t index)
{
	const struct fib_table *table = table_of(router, index);
	const struct load_balance_table *balances = &router->load_balances;
	uint32_t load_balance;
	return fib_trie_get(&table->trie, prefix, &load_balance) &&
		   sources_standing(router, table, prefix) == WS_SOURCE_NEIGHBOR &&
		   balances->uses[load_balance_base(balances, load_balance)].adjacencies[0] == index;
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

/* A neighbour on a connected prefix has a host route of its own, unless another route takes
 * precedence. Restore that for one address, or for all of an interface. */
static void restore_host_route(struct ws_router *router, const struct fib_table *table,
							   const struct ws_address *address)
{
	int interface = router_connected_interface(router, table, address);
	int64_t index = interface < 0
						? ADJACENCY_NONE
						: adjacency_find(&router->adjacencies, (uint16_t)interface, address);
	if (index >= 0 && adjacency_is_resolved(&router->adjacencies, (uint32_t)index))
		restore_route(router, (uint32_t)index);
}

void neighbor_forget(struct ws_router *router, uint32_t index)
{
	neighbor_quota_leave(router, index);
	neighbor_due_never(router, index);
	router->adjacencies.neighbors[index].is_static = false;
	adjacency_unresolve(&router->adjacencies, index);
	restore_route(router, index);
	adjacency_release(&router->adjacencies, index);
}

static void restore_routes(struct ws_router *router, uint16_t interface)
{
	struct adjacency_table *table = &router->adjacencies;
	for (uint32_t i = adjacency_first_on(table, interface); i; i = adjacency_next_on(table, i)) {
		if (!table->neighbors[i].used || !adjacency_is_resolved(table, i))
			continue;
		if (table->neighbors[i].is_static ||
			belongs(router, interface, &table->neighbors[i].next_hop))
			restore_route(router, i);
		else
			neighbor_forget(router, i);
	}
}

void neighbor_enter(struct ws_router *router, uint32_t index, enum ws_neighbor_state state)
{
	struct neighbor *neighbor = &router->adjacencies.neighbors[index];
	neighbor->state = (uint8_t)state;
	neighbor->state_tsc = rte_rdtsc();
	neighbor->probes = 0;
	neighbor_schedule(router, index);
}

static void hear_of(struct ws_router *router, uint32_t index, enum ws_neighbor_state state)
{
	struct neighbor *neighbor = &router->adjacencies.neighbors[index];
	neighbor_enter(router, index, state);
	neighbor->updated_tsc = neighbor->state_tsc;
}

/*
 * Workers are paused if one of them holds packets, so that these are not overtaken (hold.h), or if
 * the neighbour's MAC address changes. Other neighbours cause no pause: a flood of them must not
 * stop the packet path.
 */
static void resolve(struct ws_router *router, uint32_t index, const uint8_t *mac)
{
	struct adjacency_table *table = &router->adjacencies;
	const uint8_t *old = adjacency_mac(&table->adjacencies[index]);
	bool is_changed =
		adjacency_is_resolved(table, index) && memcmp(old, mac, ETHERNET_ADDRESS_LEN) != 0;
	bool must_pause = is_changed || hold_is_used(router);
	if (must_pause)
		router_pause(router);
	adjacency_resolve(table, index, mac);
	restore_route(router, index);
	__atomic_add_fetch(&router->neighbors_settled, 1, __ATOMIC_RELEASE);
	if (must_pause)
		router_resume(router);
}

int64_t neighbor_settle(struct ws_router *router, uint16_t interface,
						const struct ws_address *address, const uint8_t *mac,
						enum ws_neighbor_state state)
{
	struct adjacency_table *table = &router->adjacencies;
	bool is_static = state == WS_NEIGHBOR_STATIC;
	int64_t index = adjacency_find(table, interface, address);
	bool is_resolved = index >= 0 && adjacency_is_resolved(table, (uint32_t)index);
	bool is_learnt = is_resolved && table->neighbors[index].is_learnt;
	if (!is_static && !is_learnt) {
		int64_t oldest = neighbor_quota_make(router, interface);
		if (oldest < 0)
			return oldest;
		if (oldest)
			neighbor_forget(router, (uint32_t)oldest);
	}
	if (!is_resolved)
		index = adjacency_take_own(table, interface, address);
	if (index < 0) {
		neighbor_quota_of(router)->counters.refused_table++;
		return index;
	}
	struct neighbor *neighbor = &table->neighbors[index];
	if (is_static)
		neighbor_quota_leave(router, (uint32_t)index);
	else if (!is_learnt)
		neighbor_quota_enter(router, (uint32_t)index);
	neighbor->is_static = is_static;
	hear_of(router, (uint32_t)index, state);
	resolve(router, (uint32_t)index, mac);
	return index;
}

/* ---- Learning from received packets ---- */

enum { ANSWER_WITHIN_S = 3 };

/* True if the router sent a request for the address within this time. Any host can send a packet
 * that claims to be a reply. */
static bool was_asked(const struct ws_router *router, uint16_t interface,
					  const struct ws_address *address, int64_t index)
{
	const struct adjacency_table *table = &router->adjacencies;
	uint64_t now = rte_rdtsc(), halves[2] = {0, address_ip4(address)};
	if (address->family == WS_IP6)
		memcpy(halves, address->bytes, sizeof(halves));
	if (index >= 0 && adjacency_is_resolved(table, (uint32_t)index) &&
		table->neighbors[index].state == WS_NEIGHBOR_PROBE)
		return true;
	uint64_t asked = index < 0 ? 0 : table->adjacencies[index].asked_tsc;
	if (asked && (asked > now || now - asked < ANSWER_WITHIN_S * router->tsc_hz))
		return true;
	for (uint16_t i = 0; i < router->worker_count; i++) {
		const struct glean_throttle *glean = &router->workers[i]->glean;
		uint64_t host = glean_hash(glean, interface, halves[0], halves[1]);
		if (glean_was_asked(glean, host, now, ANSWER_WITHIN_S))
			return true;
	}
	return false;
}

/* A resolved neighbour's message about itself may only change its state (RFC 4861 section 7.2.5).
 */
static bool settles_state(struct ws_router *router, uint32_t index,
						  const struct router_event *event)
{
	const struct neighbor *neighbor = &router->adjacencies.neighbors[index];
	const uint8_t *mac = adjacency_mac(&router->adjacencies.adjacencies[index]);
	bool is_same =
		!(event->flags & NEIGHBOR_HAS_MAC) || !memcmp(mac, event->mac, sizeof(event->mac));
	if (!is_same && event->flags & NEIGHBOR_OVERRIDES)
		return false;
	if (is_same && event->flags & NEIGHBOR_CONFIRMS)
		hear_of(router, index, WS_NEIGHBOR_REACHABLE);
	else if (!is_same && neighbor->state == WS_NEIGHBOR_REACHABLE)
		neighbor_enter(router, index, WS_NEIGHBOR_STALE);
	return true;
}

static bool may_learn(const struct ws_router *router, const struct router_event *event,
					  int64_t index)
{
	const struct fib_table *table =
		router_interface_table(router, event->interface, event->address.family);
	if (!belongs(router, event->interface, &event->address) ||
		router_is_local_address(router, table, &event->address))
		return false;
	return index < 0 ? event->flags & NEIGHBOR_MAY_CREATE
					 : !router->adjacencies.neighbors[index].is_static;
}

/* Apply an event of a worker. */
static void router_neighbor_learn(struct ws_router *router, const struct router_event *event)
{
	struct adjacency_table *table = &router->adjacencies;
	int64_t index = adjacency_find(table, event->interface, &event->address);
	if (!may_learn(router, event, index))
		return;
	bool confirms = event->flags & NEIGHBOR_CONFIRMS;
	bool is_answer = confirms && was_asked(router, event->interface, &event->address, index);
	bool is_settled = index >= 0 && adjacency_is_resolved(table, (uint32_t)index) &&
					  settles_state(router, (uint32_t)index, event);
	if (!is_settled && event->flags & NEIGHBOR_HAS_MAC)
		index = neighbor_settle(router, event->interface, &event->address, event->mac,
								confirms ? WS_NEIGHBOR_REACHABLE : WS_NEIGHBOR_STALE);
	if (is_answer && index >= 0)
		neighbor_quota_prove(router, (uint32_t)index);
}

/* Remove the neighbours of a family (0: both) on an interface that no longer has it. */
static void forget_all(struct ws_router *router, uint16_t interface, uint8_t family)
{
	struct adjacency_table *table = &router->adjacencies;
	for (uint32_t i = adjacency_first_on(table, interface); i; i = adjacency_next_on(table, i))
		if (table->neighbors[i].used && adjacency_is_resolved(table, i) &&
			(!family || table->neighbors[i].next_hop.family == family))
			neighbor_forget(router, i);
}

static int watch_neighbors(struct ws_router *router, uint16_t index, enum interface_change change)
{
	if (change == INTERFACE_ADDRESSES_CHANGED)
		restore_routes(router, index);
	else if (change == INTERFACE_LOST_IP6)
		forget_all(router, index, WS_IP6);
	else if (change == INTERFACE_LOST_NUMBER || change == INTERFACE_LEAVES)
		forget_all(router, index, 0);
	return 0;
}
INTERFACE_WATCH(watch_neighbors)

__attribute__((constructor)) static void watch_host_routes(void)
{
	static struct host_route_watcher watcher = {.gone = restore_host_route};
	sources_watch_hosts(&watcher);
}

ROUTER_EVENT(EVENT_NEIGHBOR, router_neighbor_learn)
