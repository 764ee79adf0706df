/* SPDX-License-Identifier: Apache-2.0 */
#include "router/route/sources.h"

#include "dev/error.h"
#include "router/fib/own_balance.h"
#include "router/module.h"
#include "router/route/route.h"
#include "wire/address.h"

#include <errno.h>
#include <rte_hash.h>
#include <rte_jhash.h>
#include <stdlib.h>

enum { SOURCES = 4, MAX_PREFIXES = 65536 };

struct sources {
	struct rte_hash *by_prefix; /* entries: struct waiting */
	uint32_t count;
};

static struct router_module sources_module;
static struct host_route_watcher *host_watchers;

/* Lower is better. */
static const uint8_t ranks[SOURCES] = {
	[WS_SOURCE_CONNECTED] = 0,
	[WS_SOURCE_STATIC] = 1,
	[WS_SOURCE_LINUX] = 2,
	[WS_SOURCE_NEIGHBOR] = 3,
};

struct key {
	struct ws_prefix prefix;
	uint16_t table;
};

/* Load balances by source; LOAD_BALANCE_NO_ROUTE: none. */
struct waiting {
	uint32_t by_source[SOURCES];
};

static struct sources *sources_of(const struct ws_router *router)
{
	return module_state(router, &sources_module);
}

static int sources_make(struct ws_router *router)
{
	struct sources *sources = sources_of(router);
	struct rte_hash_parameters parameters = {
		.name = "route-sources",
		.entries = MAX_PREFIXES,
		.key_len = sizeof(struct key),
		.hash_func = rte_jhash,
		.extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
		.socket_id = SOCKET_ID_ANY,
	};
	sources->by_prefix = rte_hash_create(&parameters);
	return sources->by_prefix ? 0 : fail(-ENOMEM, "no memory for routes of several sources");
}

static void sources_free(struct ws_router *router)
{
	const struct sources *sources = sources_of(router);
	const void *key;
	void *waiting;
	uint32_t next = 0;
	while (sources->by_prefix && rte_hash_iterate(sources->by_prefix, &key, &waiting, &next) >= 0)
		free(waiting);
	rte_hash_free(sources->by_prefix);
}

uint32_t sources_waiting(const struct ws_router *router)
{
	return sources_of(router)->count;
}

static enum ws_route_source source_of(const struct ws_router *router, uint32_t load_balance)
{
	return router->load_balances.uses[load_balance].list->source;
}

int sources_standing(const struct ws_router *router, const struct fib_table *table,
					 const struct ws_prefix *prefix)
{
	uint32_t load_balance;
	return fib_trie_get(&table->trie, prefix, &load_balance) ? (int)source_of(router, load_balance)
															 : ROUTE_NONE;
}

/* ---- Waiting routes ---- */

static struct key waiting_key(const struct fib_table *table, const struct ws_prefix *prefix)
{
	return (struct key){.prefix = *prefix, .table = table->index};
}

static struct waiting *find_waiting(const struct sources *sources, const struct fib_table *table,
									const struct ws_prefix *prefix)
{
	struct key key = waiting_key(table, prefix);
	void *waiting;
	if (!sources->count || rte_hash_lookup_data(sources->by_prefix, &key, &waiting) < 0)
		return NULL;
	return waiting;
}

/* Let the route wait, with a reference of its own. */
static int let_wait(struct ws_router *router, const struct fib_table *table,
					const struct ws_prefix *prefix, uint32_t load_balance)
{
	struct key key = waiting_key(table, prefix);
	struct waiting *waiting = find_waiting(sources_of(router), table, prefix);
	if (!waiting) {
		waiting = calloc(1, sizeof(*waiting));
		if (!waiting || rte_hash_add_key_data(sources_of(router)->by_prefix, &key, waiting)) {
			free(waiting);
			return fail(-ENOSPC, "there are %u prefixes with routes of several sources already",
						sources_waiting(router));
		}
		sources_of(router)->count++;
	}
	uint32_t *place = &waiting->by_source[source_of(router, load_balance)], old = *place;
	router->load_balances.uses[load_balance].routes++;
	*place = load_balance;
	if (old)
		load_balance_release(&router->load_balances, old, 1);
	return 0;
}

/* Remove the waiting route and return its reference; LOAD_BALANCE_NO_ROUTE if the source has none.
 */
static uint32_t take_waiting(struct ws_router *router, const struct fib_table *table,
							 const struct ws_prefix *prefix, enum ws_route_source source)
{
	struct key key = waiting_key(table, prefix);
	struct waiting *waiting = find_waiting(sources_of(router), table, prefix);
	if (!waiting)
		return LOAD_BALANCE_NO_ROUTE;
	uint32_t taken = waiting->by_source[source], left = 0;
	waiting->by_source[source] = LOAD_BALANCE_NO_ROUTE;
	for (int i = 0; i < SOURCES; i++)
		left |= waiting->by_source[i];
	if (!left) {
		rte_hash_del_key(sources_of(router)->by_prefix, &key);
		free(waiting);
		sources_of(router)->count--;
	}
	return taken;
}

static uint32_t take_best(struct ws_router *router, const struct fib_table *table,
						  const struct ws_prefix *prefix)
{
	const struct waiting *waiting = find_waiting(sources_of(router), table, prefix);
	int best = ROUTE_NONE;
	for (int i = 0; waiting && i < SOURCES; i++)
		if (waiting->by_source[i] && (best < 0 || ranks[i] < ranks[best]))
			best = i;
	return best < 0 ? LOAD_BALANCE_NO_ROUTE
					: take_waiting(router, table, prefix, (enum ws_route_source)best);
}

/* ---- Active routes ---- */

/* Make the load balance the active one, in place of `before`. */
static int put_standing(struct ws_router *router, struct fib_table *table,
						const struct ws_prefix *prefix, uint32_t before, uint32_t load_balance)
{
	int64_t value = route_balance(&router->load_balances, before, load_balance);
	if (value < 0 || value == before)
		return value < 0 ? (int)value : 0;
	int error = fib_trie_set(&table->trie, prefix, (uint32_t)value);
	if (error)
		route_balance_release(&router->load_balances, (uint32_t)value);
	if (error != -ENOSPC)
		return error;
	return fail(error, "IPv%u table %u is full at %u routes; start the router with a larger %s",
				table->family, table->id, table->trie.count,
				table->family == WS_IP4 ? "--max-routes" : "--max-ip6-routes");
}

int sources_set(struct ws_router *router, struct fib_table *table, const struct ws_prefix *prefix,
				uint32_t load_balance)
{
	struct load_balance_table *balances = &router->load_balances;
	enum ws_route_source source = source_of(router, load_balance), other;
	uint32_t before = LOAD_BALANCE_NO_ROUTE;
	bool there = fib_trie_get(&table->trie, prefix, &before);
	uint32_t old = load_balance_base(balances, before);
	other = there ? source_of(router, old) : source;
	if (ranks[other] < ranks[source])
		return let_wait(router, table, prefix, load_balance);
	/* A neighbour's own route is made again when needed, so it does not wait. */
	if (other != source && other != WS_SOURCE_NEIGHBOR) {
		int error = let_wait(router, table, prefix, old);
		if (error)
			return error;
	}
	int error = put_standing(router, table, prefix, before, load_balance);
	if (error)
		return error;
	balances->uses[load_balance].routes++;
	router_follow(router, table, prefix);
	if (there)
		load_balance_release(balances, old, 1);
	return 0;
}

void sources_watch_hosts(struct host_route_watcher *watcher)
{
	watcher->next = host_watchers;
	host_watchers = watcher;
}

static void tell_of_host(struct ws_router *router, const struct fib_table *table,
						 const struct ws_address *address)
{
	for (const struct host_route_watcher *w = host_watchers; w; w = w->next)
		w->gone(router, table, address);
}

int sources_remove(struct ws_router *router, struct fib_table *table,
				   const struct ws_prefix *prefix, enum ws_route_source source)
{
	struct load_balance_table *balances = &router->load_balances;
	uint32_t before, old, next;
	if (!fib_trie_get(&table->trie, prefix, &before) || source_of(router, before) != source) {
		old = take_waiting(router, table, prefix, source);
		if (old)
			load_balance_release(balances, old, 1);
		return old ? 0 : -ENOENT;
	}
	old = load_balance_base(balances, before);
	next = take_best(router, table, prefix);
	if (next)
		put_standing(router, table, prefix, before,
					 next); /* replacing an existing entry cannot fail */
	else
		fib_trie_remove(&table->trie, prefix);
	router_follow(router, table, prefix);
	if (!next)
		route_balance_release(balances, before);
	load_balance_release(balances, old, 1);
	if (!next && prefix->length == address_bits(prefix->address.family))
		tell_of_host(router, table, &prefix->address);
	return 0;
}

ROUTER_MODULE(sources_module, .name = "route-sources", .is_trunk = true,
			  .state_size = sizeof(struct sources), .make = sources_make, .free = sources_free)
