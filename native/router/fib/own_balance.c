/* SPDX-License-Identifier: Apache-2.0 */
#include "router/fib/own_balance.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "router/fib/address_space.h"
#include "router/fib/adjacency.h"

#include <errno.h>
#include <rte_malloc.h>
#include <stdlib.h>
#include <string.h>

/* Retired entries per grace period. */
enum { RETIRED = 4096 };

/* ---- Reserved room ---- */

static void release_reserved(const struct load_balance_table *table, uint32_t size)
{
	address_space_release(table->balances, size * sizeof(*table->balances));
	address_space_release(table->uses, size * sizeof(*table->uses));
	address_space_release(table->own, size * sizeof(*table->own));
}

void own_balances_close(struct load_balance_table *table)
{
	release_reserved(table, table->size);
}

int own_balances_reserve(struct load_balance_table *table, uint32_t count)
{
	uint32_t size = table->size + count;
	if (table->own)
		return 0;
	const struct load_balance_table made = {
		.balances = address_space_reserve(size * sizeof(*made.balances)),
		.uses = address_space_reserve(size * sizeof(*made.uses)),
		.own = address_space_reserve(size * sizeof(*made.own)),
	};
	if (!made.balances || !made.uses || !made.own) {
		release_reserved(&made, size);
		return fail(-ENOMEM, "no address space for %u routes that count", count);
	}
	memcpy(made.balances, table->balances, table->end * sizeof(*made.balances));
	memcpy(made.uses, table->uses, table->end * sizeof(*made.uses));
	rte_free(table->balances);
	free(table->uses);
	table->balances = made.balances;
	table->uses = made.uses;
	table->own = made.own;
	table->size = size;
	return 0;
}

/* ---- Following ---- */

static void join(struct load_balance_table *table, uint32_t index, uint32_t base)
{
	struct own_balance *own = table->own;
	own[index] = (struct own_balance){.base = base, .next = own[base].next, .previous = base};
	if (own[base].next)
		own[own[base].next].previous = index;
	own[base].next = index;
	table->uses[index] = (struct path_list_use){.list = table->uses[base].list};
}

static void leave(struct load_balance_table *table, uint32_t index)
{
	struct own_balance *own = table->own;
	own[own[index].previous].next = own[index].next;
	if (own[index].next)
		own[own[index].next].previous = own[index].previous;
}

/* Follow another load balance from now on; the caller releases the previous one afterwards. */
static void own_balance_lead(struct load_balance_table *table, uint32_t index, uint32_t base)
{
	leave(table, index);
	join(table, index, base);
	load_balance_publish(&table->balances[index], &table->balances[base]);
}

void own_balances_follow(struct load_balance_table *table, uint32_t base)
{
	for (uint32_t i = table->own ? table->own[base].next : 0; i; i = table->own[i].next)
		load_balance_publish(&table->balances[i], &table->balances[base]);
}

/* ---- Adding and removing ---- */

static void free_retired(struct load_balance_table *table)
{
	if (table->retired)
		rcu_synchronize();
	while (table->retired) {
		uint32_t index = table->retired;
		table->retired = table->own[index].next;
		table->own[index] = (struct own_balance){0};
		table->balances[index] = (struct load_balance){.adjacency = ADJACENCY_NO_ROUTE};
		table->uses[index] = (struct path_list_use){.next_free = table->first_free};
		table->first_free = index;
	}
	table->retired_count = 0;
}

int64_t own_balance_take(struct load_balance_table *table, uint32_t base)
{
	if (!table->first_free && table->end == table->size)
		free_retired(table);
	int64_t index = load_balance_claim(table);
	if (index < 0)
		return index;
	join(table, (uint32_t)index, base);
	load_balance_publish(&table->balances[index], &table->balances[base]);
	return index;
}

/* Workers find it no more, but may still be reading it. */
static void own_balance_release(struct load_balance_table *table, uint32_t index)
{
	leave(table, index);
	table->uses[index].list = NULL;
	table->own[index] = (struct own_balance){.base = UINT32_MAX, .next = table->retired};
	table->retired = index;
	if (++table->retired_count == RETIRED)
		free_retired(table);
}

/* ---- For a route ---- */

int64_t route_balance(struct load_balance_table *table, uint32_t before, uint32_t base)
{
	if (!table->has_own)
		return base;
	if (!load_balance_is_own(table, before))
		return own_balance_take(table, base);
	own_balance_lead(table, before, base);
	return before;
}

void route_balance_release(struct load_balance_table *table, uint32_t index)
{
	if (load_balance_is_own(table, index))
		own_balance_release(table, index);
}
