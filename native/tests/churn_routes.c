/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/churn_changes.h"
#include "tests/churn_packets.h"
#include "tests/churn_rig.h"
#include "wirespeed/counters.h"
#include "wirespeed/routes.h"

#include "router/fib/fib.h"
#include "router/route/route.h"

#include <string.h>

enum { MANY = 64, TABLE = 5 };

/* Up to three paths, to known and unknown hosts. */
struct ws_route churn_route(uint64_t *row, struct ws_prefix prefix)
{
	struct ws_route route = {.prefix = prefix, .path_count = 1 + (uint16_t)churn_draw(row, 3)};
	for (uint16_t i = 0; i < route.path_count; i++) {
		uint32_t wire = churn_draw(row, 3), host = 2 + churn_draw(row, CHURN_HOSTS);
		route.paths[i] = (struct ws_path){
			.next_hop = prefix.address.family == WS_IP4 ? ADDRESS(10, 0, wire, host)
														: CHURN_IP6(wire, (uint8_t)host),
			.interface = -1,
			.weight = (uint16_t)(1 + churn_draw(row, 3)),
		};
	}
	return route;
}

static void routes(struct ws_router *router, uint64_t *row, bool on)
{
	struct ws_route route = churn_route(row, PREFIX(49, 0, 0, 0, 24));
	if (!on) {
		churn_expect(ws_router_route_del_many(router, 0, route.prefix, WS_SOURCE_STATIC, MANY),
					 "routes away");
		return;
	}
	churn_expect(ws_router_route_add_many(router, &route, MANY, true), "routes");
	for (uint32_t i = 0; i < MANY; i += 1 + churn_draw(row, 4)) {
		route = churn_route(row, PREFIX(49, 0, i, 0, 24));
		churn_expect(ws_router_route_add(router, &route, true), "route replaced");
	}
}

static void routes6(struct ws_router *router, uint64_t *row, bool on)
{
	for (uint8_t i = 0; i < 4; i++) {
		const struct ws_prefix prefix = {CHURN_IP6(0x49 + i, 0), 64};
		const struct ws_route route = churn_route(row, prefix);
		churn_expect(on ? ws_router_route_add(router, &route, true)
						: (int)ws_router_route_del_many(router, 0, prefix, WS_SOURCE_STATIC, 1),
					 "IPv6 route");
	}
}

/* More specific routes, and one that hides the constant route. */
static void routes_as_text(struct ws_router *router, uint64_t *row, bool on)
{
	static const char add[] = "ip route add 49.0.3.0/32 via 10.0.1.200\n"
							  "ip route add 49.0.0.0/16 via 10.0.2.3 e2\n"
							  "ip route add 48.0.0.0/25 via 10.19.0.2\n";
	static const char del[] = "ip route del 49.0.3.0/32\nip route del 49.0.0.0/16\n"
							  "ip route del 48.0.0.0/25\n";
	uint64_t lines;
	(void)row;
	int64_t done = on ? ws_router_routes_text(router, add, strlen(add), &lines)
					  : ws_router_routes_text(router, del, strlen(del), &lines);
	churn_expect(done == (int64_t)strlen(on ? add : del) ? 0 : -1, "text of routes");
}

static void neighbors(struct ws_router *router, uint64_t *row, bool on)
{
	(void)row;
	for (uint8_t host = 2; host < 6; host++)
		for (uint16_t wire = 0; wire < 3; wire++) {
			const uint8_t mac[6] = {2, 0xcc, 0, 0, (uint8_t)wire, host};
			const struct ws_address addresses[] = {ADDRESS(10, 0, wire, host),
												   CHURN_IP6(wire, host)};
			for (int i = 0; i < 2; i++)
				churn_expect(on ? ws_router_neighbor_add(router, wire, addresses[i], mac)
								: ws_router_neighbor_del(router, wire, addresses[i]),
							 "neighbour");
		}
}

/* Learnt neighbours are probed and removed at once. */
static void ages(struct ws_router *router, uint64_t *row, bool on)
{
	(void)row;
	churn_expect(ws_router_set_reachable_time(router, WS_IP4, on ? 1 : 60), "age");
	churn_expect(ws_router_set_reachable_time(router, WS_IP6, on ? 1 : 60), "age");
	churn_expect(ws_router_set_announcing(router, WS_IP4, on), "announcing");
}

static void tables(struct ws_router *router, uint64_t *row, bool on)
{
	const struct ws_prefix prefix = PREFIX(49, 0, 7, 0, 24);
	struct ws_route route = churn_route(row, PREFIX(49, 0, 0, 0, 8));
	const struct ws_route looked_up = {
		.prefix = prefix, .path_count = 1, .paths = {{.kind = WS_PATH_LOOKUP, .table = TABLE}}};
	route.table = TABLE;
	for (uint16_t i = 0; i < route.path_count; i++)
		route.paths[i].interface = route.paths[i].next_hop.bytes[2];
	if (on) {
		churn_expect(ws_router_table_add(router, WS_IP4, TABLE, "churn"), "table");
		churn_expect(ws_router_route_add(router, &route, false), "route of a table");
		churn_expect(ws_router_route_add(router, &looked_up, true), "route into a table");
		return;
	}
	ws_router_route_del_many(router, 0, prefix, WS_SOURCE_STATIC,
							 1); /* another change may have deleted it */
	ws_router_route_del_many(router, TABLE, route.prefix, WS_SOURCE_STATIC, 1);
	churn_expect(ws_router_table_del(router, WS_IP4, TABLE), "table away");
}

static void seeds(struct ws_router *router, uint64_t *row, bool on)
{
	(void)on;
	ws_router_set_flow_hash_seed(router, churn_draw(row, UINT32_MAX));
}

static void route_counts(struct ws_router *router, uint64_t *row, bool on)
{
	(void)row;
	churn_expect(ws_router_set_counting(router, WS_COUNT_ROUTES, on), "counts of routes");
}

static void adjacency_counts(struct ws_router *router, uint64_t *row, bool on)
{
	(void)row;
	churn_expect(ws_router_set_counting(router, WS_COUNT_ADJACENCIES, on), "counts of adjacencies");
}

static void flow_fields(struct ws_router *router, uint64_t *row, bool on)
{
	uint32_t drawn = WS_FLOW_SRC | churn_draw(row, WS_FLOW_FIELDS + 1);
	churn_expect(ws_router_set_flow_hash(router, WS_IP4, 0, on ? drawn : FLOW_HASH_IP4),
				 "IPv4's flows");
	churn_expect(ws_router_set_flow_hash(router, WS_IP6, 0, on ? drawn : FLOW_HASH_IP6),
				 "IPv6's flows");
}

CHURN(routes)
CHURN(routes6)
CHURN(routes_as_text)
CHURN(neighbors)
CHURN(ages)
CHURN(tables)
CHURN(seeds)
CHURN(route_counts)
CHURN(adjacency_counts)
CHURN(flow_fields)
