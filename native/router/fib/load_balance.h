/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Load balances: the value of a route, one or more weighted paths to adjacencies.
 *
 * Routes with the same paths share one. Some paths name a next hop that another route leads to;
 * what they resolve to changes with that route, in place, however many routes share the paths.
 * Workers read `adjacency` and `buckets` without locks.
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
	LOAD_BALANCE_MAX_LEAVES = 64, /* paths that those of one route resolve to */
};

/* Behind the adjacencies, of each the route that it was found by, as `via` below. */
struct buckets {
	uint32_t count;
	uint32_t adjacencies[];
};

struct load_balance {
	uint32_t adjacency;            /* adjacency of the only path, else ADJACENCY_LOAD_BALANCE */
	uint32_t via;                  /* the route to that path's next hop, while routes count; or 0 */
	const struct buckets *buckets; /* NULL for a single path */
};

struct path_list_use {
	uint64_t routes; /* that have it */
	uint32_t next_free;
	uint32_t leaf_count;
	struct path_list *list;
	struct path_key *leaves; /* resolved paths; never a next hop without interface */
	uint32_t *adjacencies;   /* one per leaf */
	/* Places in the sets below, path by path: of several paths with interfaces, or of a recursive
	 * one. The last is the place in `recursive`. */
	uint32_t *places;
};

/* Load balances that something leads to; `path` of the list is why. */
struct balance_set {
	struct balance_member {
		uint32_t balance, path;
	} * at;
	uint32_t count, capacity;
};

/* Resolves a list with recursive paths; returns how many leaves there are, at least one. */
typedef uint32_t load_balance_resolve_fn(void *context, const struct path_list *list,
										 struct path_key *leaves);

/* A load balance is about to have this index; a negative errno keeps it from that. */
typedef int load_balance_watch_fn(void *context, uint32_t index);

struct load_balance_table {
	struct load_balance *balances;

	/* The main thread's, written as routes change: not in the line above. */
	struct path_list_use *uses __attribute__((aligned(64))); /* same index */
	struct own_balance *own; /* same index; NULL until routes count (own_balance.h) */
	struct rte_hash *by_paths;
	uint32_t size, first_free;
	uint32_t used, most; /* sets of paths */
	uint32_t end;        /* entries from here on were never used */
	uint32_t retired, retired_count;
	bool has_own;                 /* each route has one of its own */
	load_balance_watch_fn *watch; /* or NULL */
	struct adjacency_table *adjacencies;
	load_balance_resolve_fn *resolve;
	void *resolve_context; /* context of `watch` as well */
	struct balance_set
		by_interface[WS_MAX_INTERFACES]; /* balances with one of several paths by this interface */
	struct balance_set recursive;        /* balances with recursive paths */
	void *next_hops;                     /* tree of those of recursive paths (next_hops.c) */
};

int load_balance_table_init(struct load_balance_table *table, struct adjacency_table *adjacencies,
							uint32_t size);
void load_balance_table_close(struct load_balance_table *table);

/* An index for one more, which nothing has. */
int64_t load_balance_claim(struct load_balance_table *table);
void load_balance_unclaim(struct load_balance_table *table, uint32_t index);
/* Workers may be reading `balance`. */
void load_balance_publish(struct load_balance *balance, const struct load_balance *changed);

/* The load balance over these paths, made when there is none, for one route more. */
int64_t load_balance_take(struct load_balance_table *table, const struct path_list *list);
/* `routes` routes less; the last one frees it, after the workers have let go of it. */
void load_balance_release(struct load_balance_table *table, uint32_t index, uint64_t routes);
/* Resolve those of several paths, none recursive, that may lead by the interface again. */
void load_balance_refresh_interface(struct load_balance_table *table, uint32_t interface);
/* Resolve all those with recursive paths again. */
void load_balance_refresh(struct load_balance_table *table);

/*
 * Share of `bucket_count` buckets that each path gets: in proportion to its weight, at least one.
 * Returns the number of buckets, all weights exactly met when they add up to no more than
 * LOAD_BALANCE_MAX_BUCKETS.
 */
uint32_t load_balance_share(const uint32_t *weights, uint32_t count, uint32_t *shares);
