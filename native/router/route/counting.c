/* SPDX-License-Identifier: Apache-2.0 */
/* Counting of routes and adjacencies: switching it on and off, and reading the counters. */
#include "router/route/counting.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "router/fib/own_balance.h"
#include "wirespeed/counters.h"

#include <errno.h>
#include <string.h>

static struct counted_routes *others;

void counted_routes_register(struct counted_routes *routes)
{
	routes->next = others;
	others = routes;
}

static int begin_route(void *context, uint32_t index)
{
	int error = stats_forwarding_begin(context, STATS_ROUTE_TO, index);
	return error ? error : stats_forwarding_begin(context, STATS_ROUTE_VIA, index);
}

static int begin_adjacency(void *context, uint32_t index)
{
	return stats_forwarding_begin(context, STATS_ADJACENCY, index);
}

/* ---- The value of a route: a load balance of its own, or a shared one ---- */

int64_t counting_value(struct load_balance_table *table, uint32_t before)
{
	bool is_own = load_balance_is_own(table, before);
	if (!before || is_own == table->has_own)
		return before;
	return is_own ? load_balance_base(table, before) : own_balance_take(table, before);
}

struct route_value {
	struct ws_prefix prefix;
	uint32_t value;
};

/* Read the routes behind `*last`, which is NULL at first; returns their number, up to `max`. */
static uint32_t read_routes(const struct fib_trie *trie, const struct ws_prefix *last,
							struct route_value *out, uint32_t max)
{
	struct prefix_cursor cursor = {0};
	uint32_t n = 0;
	if (last)
		fib_trie_seek(trie, &cursor, last);
	while (n < max && fib_trie_next_prefix(trie, &cursor, &out[n].prefix, &out[n].value))
		n++;
	return n;
}

/* Replacing an existing route's value cannot fail. */
static int settle_table(struct load_balance_table *balances, struct fib_trie *trie)
{
	enum { PAGE = 256 };
	struct route_value page[PAGE];
	struct ws_prefix last;
	for (uint32_t n, first = true; (n = read_routes(trie, first ? NULL : &last, page, PAGE));
		 first = false) {
		last = page[n - 1].prefix;
		for (uint32_t i = 0; i < n; i++) {
			int64_t value = counting_value(balances, page[i].value);
			if (value < 0)
				return (int)value;
			fib_trie_set(trie, &page[i].prefix, (uint32_t)value);
			if (value != page[i].value)
				route_balance_release(balances, page[i].value);
		}
	}
	return 0;
}

static int settle_all(struct ws_router *router, bool has_own)
{
	int error = 0;
	router->load_balances.has_own = has_own;
	for (int family = 0; family < FAMILIES; family++)
		for (uint32_t i = 0; i < router->table_end[family] && !error; i++)
			if (router->tables[family][i])
				error = settle_table(&router->load_balances, &router->tables[family][i]->trie);
	for (const struct counted_routes *routes = others; routes && !error; routes = routes->next)
		error = routes->settle(router);
	/* Routes that follow another route switch as well. */
	load_balance_refresh(&router->load_balances);
	return error;
}

/* ---- On and off ---- */

/* When this returns, nodes count, or no longer count. */
static void set_counting(struct ws_router *router, int32_t what, bool on)
{
	router_set_extra(router, (uint8_t)what, on);
	if (!on)
		rcu_synchronize();
}

static void end_routes(struct ws_router *router)
{
	settle_all(router, false);
	router->load_balances.watch = NULL;
	stats_forwarding_hide(router, STATS_ROUTE_TO);
	stats_forwarding_hide(router, STATS_ROUTE_VIA);
}

static int begin_routes(struct ws_router *router)
{
	struct load_balance_table *table = &router->load_balances;
	uint32_t most = router->stats.forwarding[STATS_ROUTE_TO].most;
	router_pause(router);
	int error = own_balances_reserve(table, most - table->most);
	router_resume(router);
	if (!error)
		error = stats_forwarding_show(router, STATS_ROUTE_TO, table->end);
	if (!error)
		error = stats_forwarding_show(router, STATS_ROUTE_VIA, table->end);
	table->watch = begin_route;
	if (!error)
		error = settle_all(router, true);
	if (error) {
		const struct error_line why = error_line();
		end_routes(router);
		fail(error, "%s", why.text);
	}
	return error;
}

static void end_adjacencies(struct ws_router *router)
{
	router->adjacencies.watch = NULL;
	stats_forwarding_hide(router, STATS_ADJACENCY);
}

static int begin_adjacencies(struct ws_router *router)
{
	struct adjacency_table *table = &router->adjacencies;
	int error = stats_forwarding_show(router, STATS_ADJACENCY, table->end);
	if (error)
		return error;
	table->watch = begin_adjacency;
	table->watch_context = router;
	return 0;
}

int ws_router_set_counting(struct ws_router *router, int32_t what, bool on)
{
	if (what != WS_COUNT_ROUTES && what != WS_COUNT_ADJACENCIES)
		return fail(-EINVAL, "counter type %d does not exist", what);
	if (router_has(router, (uint8_t)what) == on)
		return 0;
	int error = 0;
	if (on)
		error = what == WS_COUNT_ROUTES ? begin_routes(router) : begin_adjacencies(router);
	if (!error)
		set_counting(router, what, on);
	if (!on && what == WS_COUNT_ROUTES)
		end_routes(router);
	else if (!on)
		end_adjacencies(router);
	return error;
}

int ws_router_counting(const struct ws_router *router)
{
	return router->extras & (WS_COUNT_ROUTES | WS_COUNT_ADJACENCIES);
}

/* ---- Reading ---- */

static struct ws_counts sum(const struct ws_router *router, enum stats_forwarding which,
							uint32_t index)
{
	struct ws_counts total = {0};
	for (uint16_t i = 0; i < router->stats.thread_count; i++) {
		struct own_pair pair = own_pair_read(&stats_forwarding_of(&router->stats, which, i)[index]);
		total.packets += pair.packets;
		total.bytes += pair.bytes;
	}
	return total;
}

int ws_router_route_counts(struct ws_router *router, uint32_t index, struct ws_counts *to,
						   struct ws_counts *via)
{
	if (!router_has(router, WS_COUNT_ROUTES) || index >= router->load_balances.end)
		return fail(-ENOENT, "route %u does not count; route counters enable makes all do", index);
	*to = sum(router, STATS_ROUTE_TO, index);
	*via = sum(router, STATS_ROUTE_VIA, index);
	return 0;
}

static void describe(const struct ws_router *router, uint32_t index, struct ws_adjacency *out)
{
	const struct adjacency *adjacency = &router->adjacencies.adjacencies[index];
	*out = (struct ws_adjacency){
		.index = index,
		.interface = adjacency->tx_interface,
		.link = adjacency->link,
		.is_resolved = adjacency->kind == ADJACENCY_REWRITE,
		.mtu = adjacency->mtu,
		.next_hop = router->adjacencies.neighbors[index].next_hop,
	};
	if (out->is_resolved) {
		out->rewrite_len = adjacency->rewrite_len;
		memcpy(out->rewrite, adjacency_mac(adjacency), adjacency->rewrite_len);
	}
	if (router_has(router, WS_COUNT_ADJACENCIES))
		out->counts = sum(router, STATS_ADJACENCY, index);
}

int ws_router_adjacencies(struct ws_router *router, uint32_t index, struct ws_adjacency *out,
						  uint32_t max)
{
	const struct adjacency_table *table = &router->adjacencies;
	uint32_t n = 0;
	for (uint32_t i = RTE_MAX(index, (uint32_t)ADJACENCY_FIRST_NEIGHBOR); i < table->end && n < max;
		 i++)
		if (table->neighbors[i].next_hop.family)
			describe(router, i, &out[n++]);
	return (int)n;
}
