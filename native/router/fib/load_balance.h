/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Load balances: the value of a route, one or more weighted paths to adjacencies. Routes with equal
 * paths share one.
 *
 * A path may name a next hop that another route leads to. When that route changes, the load balance
 * is updated in place, once for all routes that share it. Workers read `adjacency` and `buckets`
 * without locks.
 */
#pragma once

#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct adjacency_table;
struct path_key;
struct path_list;
struct rte_hash;

enum {
	LOAD_BALANCE_NO_ROUTE = 0,
	LOAD_BALANCE_MAX_BUCKETS = 256,
	LOAD_BALANCE_MAX_LEAVES = 64, /* maximum number of resolved paths of a route */
};

/* Followed by the adjacencies and, for each, the route through which it was resolved, like `via`
 * below. */
struct buckets {
	uint32_t count;
	uint32_t adjacencies[];
};

struct load_balance {
	uint32_t adjacency; /* adjacency of the only path, or ADJACENCY_LOAD_BALANCE */
	uint32_t via; /* the route to that path's next hop, while routes are counted; otherwise 0 */
	const struct buckets *buckets; /* NULL for a single path */
};

struct path_list_use {
	uint64_t routes; /* number of routes with it */
	uint32_t next_free;
	uint32_t leaf_count;
	struct path_list *list;
	struct path_key *leaves; /* resolved paths; each has an interface */
	uint32_t *adjacencies;   /* one per leaf */
	/* Places in the sets below, path by path, for several paths with interfaces or a recursive
	 * path. The last one is the place in `recursive`. */
	uint32_t *places;
};

/* Load balances that depend on an interface or next hop, through `path` of their list. */
struct balance_set {
	struct balance_member {
		uint32_t balance, path;
	} * at;
	uint32_t count, capacity;
};

/* Resolves a list with recursive paths; returns the number of leaves, at least one. */
typedef uint32_t load_balance_resolve_fn(void *context, const struct path_list *list,
										 struct path_key *leaves);

/* Called before a load balance gets this index; a negative errno prevents it. */
typedef int load_balance_watch_fn(void *context, uint32_t index);

struct load_balance_table {
	struct load_balance *balances;

	/* Main thread: written as routes change, so they are not in the cache line above. */
	struct path_list_use *uses __attribute__((aligned(64))); /* same index */
	struct own_balance *own; /* same index; NULL until routes are counted (own_balance.h) */
	struct rte_hash *by_paths;
	uint32_t size, first_free;
	uint32_t used, most; /* sets of paths */
	uint32_t end;        /* entries from here on were never used */
	uint32_t retired, retired_count;
	bool has_own;                 /* each route has a load balance of its own */
	load_balance_watch_fn *watch; /* or NULL */
	struct adjacency_table *adjacencies;
	load_balance_resolve_fn *resolve;
	void *resolve_context;                              /* also the context of `watch` */
	struct balance_set by_interface[WS_MAX_INTERFACES]; /* load balances with several paths, one of
														   them through this interface */
	struct balance_set recursive;                       /* balances with recursive paths */
	void *next_hops; /* tree of the next hops of recursive paths (balance_set.c) */
};

int load_balance_table_init(struct load_balance_table *table, struct adjacency_table *adjacencies,
							uint32_t size);
void load_balance_table_close(struct load_balance_table *table);

/* Take an unused index. */
int64_t load_balance_claim(struct load_balance_table *table);
void load_balance_unclaim(struct load_balance_table *table, uint32_t index);
/* Workers may be reading `balance`. */
void load_balance_publish(struct load_balance *balance, const struct load_balance *changed);

/* The load balance over these paths, created if necessary, for one more route. */
int64_t load_balance_take(struct load_balance_table *table, const struct path_list *list);
/* Release for `routes` routes. The last release frees it after a grace period. */
void load_balance_release(struct load_balance_table *table, uint32_t index, uint64_t routes);
/* Resolve those with several paths, none of them recursive, that may use the interface. */
void load_balance_refresh_interface(struct load_balance_table *table, uint32_t interface);
/* Resolve all load balances with recursive paths again. */
void load_balance_refresh(struct load_balance_table *table);

/*
 * Number of the `bucket_count` buckets for each path: in proportion to its weight, at least one.
 * Returns the total; the weights are met exactly if their sum is at most LOAD_BALANCE_MAX_BUCKETS.
 */
uint32_t load_balance_share(const uint32_t *weights, uint32_t count, uint32_t *shares);
