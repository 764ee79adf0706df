/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Load balances that one route has for its own, so that it is told apart from others by its index
 * while packets are counted. Each follows a shared one, whose adjacency and buckets it has, and
 * leads elsewhere when its route does: the index stays. Main thread only.
 */
#pragma once

#include "router/fib/load_balance.h"

/* By index, of all load balances; those without `base` are shared. */
struct own_balance {
	uint32_t base;           /* which it follows; 0: it is none */
	uint32_t next, previous; /* of the same base, which has the first one in `next`; of one that
								was let go of: the next one, in `next` */
};

/* Room for `count` more, which it keeps. While workers stand still: what they read moves. */
int own_balances_reserve(struct load_balance_table *table, uint32_t count);
/* Lets go of what all of the table stands in, then. */
void own_balances_close(struct load_balance_table *table);

/* A load balance that follows the shared `base`; its owner keeps a reference of that. */
int64_t own_balance_take(struct load_balance_table *table, uint32_t base);
/* The shared one has changed. */
void own_balances_follow(struct load_balance_table *table, uint32_t base);

/*
 * The load balance of a route in a table: its paths' `base`, or, if the table counts per route
 * (`has_own`), its own that follows that. `before` is the route's previous one, 0 for none.
 */
int64_t route_balance(struct load_balance_table *table, uint32_t before, uint32_t base);
/* It stands for none any more; a shared one stays. */
void route_balance_release(struct load_balance_table *table, uint32_t index);

static inline bool load_balance_is_own(const struct load_balance_table *table, uint32_t index)
{
	return table->own && table->own[index].base;
}

/* The shared one that it follows, or itself. */
static inline uint32_t load_balance_base(const struct load_balance_table *table, uint32_t index)
{
	return load_balance_is_own(table, index) ? table->own[index].base : index;
}
