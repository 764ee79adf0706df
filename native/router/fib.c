/* SPDX-License-Identifier: Apache-2.0 */
#include "router/fib.h"

#include "wire/address.h"

#include <stdio.h>

static struct ip4_prefix to_ip4(const struct ws_prefix *prefix)
{
	return (struct ip4_prefix){address_ip4(&prefix->address), prefix->length};
}

static struct ws_prefix from_ip4(struct ip4_prefix prefix)
{
	return (struct ws_prefix){address_of_ip4(prefix.address), prefix.length};
}

/* The trie has the addresses of both families alike, from their first bit on. */
static bool own_family(const struct fib_table *table, bool found, struct ws_prefix *prefix)
{
	prefix->address.family = table->family;
	return found;
}

int fib_init(struct fib_table *table, uint32_t max_routes)
{
	char name[32];
	if (fib_is_flat(table))
		return fib4_init(&table->fib4, max_routes);
	snprintf(name, sizeof(name), "ip%u-%u", table->family, table->index);
	return fib6_init(&table->fib6, name, max_routes);
}

void fib_close(struct fib_table *table)
{
	if (fib_is_flat(table))
		fib4_close(&table->fib4);
	else
		fib6_close(&table->fib6);
}

int fib_set(struct fib_table *table, const struct ws_prefix *prefix, uint32_t value)
{
	if (fib_is_flat(table))
		return fib4_set(&table->fib4, to_ip4(prefix), value);
	return fib6_set(&table->fib6, prefix, value);
}

void fib_remove(struct fib_table *table, const struct ws_prefix *prefix)
{
	if (fib_is_flat(table))
		fib4_remove(&table->fib4, to_ip4(prefix));
	else
		fib6_remove(&table->fib6, prefix);
}

bool fib_get(const struct fib_table *table, const struct ws_prefix *prefix, uint32_t *value)
{
	if (fib_is_flat(table))
		return fib4_get(&table->fib4, to_ip4(prefix), value);
	return fib6_get(&table->fib6, prefix, value);
}

bool fib_match(const struct fib_table *table, const struct ws_address *address,
			   struct ws_prefix *prefix, uint32_t *value)
{
	struct ip4_prefix found;
	if (!fib_is_flat(table))
		return own_family(table, fib6_match(&table->fib6, address, prefix, value), prefix);
	if (!fib4_match(&table->fib4, address_ip4(address), &found, value))
		return false;
	*prefix = from_ip4(found);
	return true;
}

uint32_t fib_count(const struct fib_table *table)
{
	return fib_is_flat(table) ? table->fib4.count : table->fib6.count;
}

uint64_t fib_generation(const struct fib_table *table)
{
	return fib_is_flat(table) ? table->fib4.generation : table->fib6.generation;
}

bool fib_next(const struct fib_table *table, struct fib_cursor *cursor, struct ws_prefix *prefix,
			  uint32_t *value)
{
	struct ip4_prefix found;
	if (!fib_is_flat(table))
		return own_family(table, fib6_next(&table->fib6, &cursor->fib6, prefix, value), prefix);
	if (!fib4_next(&table->fib4, &cursor->fib4, &found, value))
		return false;
	*prefix = from_ip4(found);
	return true;
}
