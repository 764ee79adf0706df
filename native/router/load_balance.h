/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Load balances: what a route's value stands for, one or more paths to adjacencies by weight.
 *
 * Routes with the same paths share one. Workers read `adjacency`, `bucket_count` and `buckets`
 * without locks.
 */
#ifndef ROUTER_LOAD_BALANCE_H
#define ROUTER_LOAD_BALANCE_H

#include "wirespeed.h"

#include <stdbool.h>
#include <stdint.h>

struct adjacency_table;
struct rte_hash;

enum { LOAD_BALANCE_NO_ROUTE = 0, LOAD_BALANCE_MAX_BUCKETS = 256 };

struct load_balance {
	uint32_t adjacency;      /* of the only path, else ADJACENCY_LOAD_BALANCE */
	uint32_t bucket_count;   /* 0 for a single path */
	const uint32_t *buckets; /* adjacencies */
};

/* What routes share: the key under which a load balance is found. No padding, unused paths zero. */
struct path_list {
	uint32_t is_static, count;
	struct {
		uint32_t kind, next_hop, interface, weight;
	} paths[WS_MAX_PATHS];
};

struct path_list_use {
	uint64_t routes; /* that have it */
	uint32_t next_free;
	struct path_list list;
	uint32_t adjacencies[WS_MAX_PATHS]; /* of each path */
};

struct load_balance_table {
	struct load_balance *balances;
	struct path_list_use *uses; /* same index; main thread only */
	struct rte_hash *by_paths;
	uint32_t size, first_free, used;
	struct adjacency_table *adjacencies;
};

int load_balance_table_init(struct load_balance_table *table, struct adjacency_table *adjacencies,
							uint32_t size);
void load_balance_table_close(struct load_balance_table *table);

/*
 * The load balance over these paths, made when there is none, for one route more; its paths must
 * have an interface where they need one. `mtus` are those of the interfaces.
 */
int64_t load_balance_take(struct load_balance_table *table, const struct path_list *list,
						  const uint16_t *mtus);
/* `routes` routes less; the last one frees it, after the workers have let go of it. */
void load_balance_release(struct load_balance_table *table, uint32_t index, uint64_t routes);

/*
 * How many of `bucket_count` buckets each path gets: in proportion to its weight, at least one.
 * Returns the number of buckets, all weights exactly met when they add up to no more than
 * LOAD_BALANCE_MAX_BUCKETS.
 */
uint32_t load_balance_share(const uint32_t *weights, uint32_t count, uint32_t *shares);

#endif
