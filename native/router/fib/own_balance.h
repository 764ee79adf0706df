/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Load balances of one route each, so that packets are counted per route: the index of the load
 * balance is that of the counter. Each follows a shared one and copies its adjacency and buckets.
 * The index stays when the route's paths change. Main thread only.
 */
#pragma once

#include "router/fib/load_balance.h"

/* One per load balance, by index; those without `base` are shared. */
struct own_balance {
	uint32_t base;           /* the balance it follows; 0: none */
	uint32_t next, previous; /* list of those with one base, whose `next` is the first; released:
								list of free ones */
};

/* Reserve places for `count` more load balances, once. Workers must be paused, since arrays move.
 */
int own_balances_reserve(struct load_balance_table *table, uint32_t count);
/* Releases the reserved arrays with all entries of the table. */
void own_balances_close(struct load_balance_table *table);

/* Makes a load balance that follows the shared `base`. The caller holds a reference to the base. */
int64_t own_balance_take(struct load_balance_table *table, uint32_t base);
/* Copies the changed shared load balance to its followers. */
void own_balances_follow(struct load_balance_table *table, uint32_t base);

/*
 * The load balance of a route in a table: its paths' `base`, or, if the table counts per route
 * (`has_own`), its own that follows that. `before` is the route's previous one, 0 for none.
 */
int64_t route_balance(struct load_balance_table *table, uint32_t before, uint32_t base);
/* Releases the route's own load balance; a shared one stays. */
void route_balance_release(struct load_balance_table *table, uint32_t index);

static inline bool load_balance_is_own(const struct load_balance_table *table, uint32_t index)
{
	return table->own && table->own[index].base;
}

/* The shared load balance that it follows, or itself. */
static inline uint32_t load_balance_base(const struct load_balance_table *table, uint32_t index)
{
	return load_balance_is_own(table, index) ? table->own[index].base : index;
}
