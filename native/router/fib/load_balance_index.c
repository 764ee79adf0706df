/* SPDX-License-Identifier: Apache-2.0 */
/* Indices of load balances, and the data there that workers read. */
#include "dev/error.h"
#include "router/fib/load_balance.h"

#include <errno.h>

int64_t load_balance_claim(struct load_balance_table *table)
{
	uint32_t index = table->first_free ? table->first_free : table->end;
	if (index == table->size)
		return fail(-ENOSPC, "the table of load balances is full at %u", table->size);
	int error = table->watch ? table->watch(table->resolve_context, index) : 0;
	if (error)
		return error;
	if (table->first_free)
		table->first_free = table->uses[index].next_free;
	else
		table->end++;
	return index;
}

void load_balance_unclaim(struct load_balance_table *table, uint32_t index)
{
	table->uses[index] = (struct path_list_use){.next_free = table->first_free};
	table->first_free = index;
}

/*
 * Workers that have read ADJACENCY_LOAD_BALANCE use the buckets until the end of their walk, so
 * these are written first and freed after a grace period.
 */
void load_balance_publish(struct load_balance *balance, const struct load_balance *changed)
{
	__atomic_store_n(&balance->via, changed->via, __ATOMIC_RELAXED);
	if (changed->buckets)
		__atomic_store_n(&balance->buckets, changed->buckets, __ATOMIC_RELEASE);
	__atomic_store_n(&balance->adjacency, changed->adjacency, __ATOMIC_RELEASE);
}
