/* SPDX-License-Identifier: Apache-2.0 */
#include "router/fib.h"

#include "dev/error.h"

#include <errno.h>

int fib_init(struct fib_table *table, uint32_t max_routes)
{
	return fib_trie_init(&table->trie, table->family, max_routes);
}

void fib_close(struct fib_table *table)
{
	fib_trie_close(&table->trie);
}

int fib_set(struct fib_table *table, const struct ws_prefix *prefix, uint32_t value)
{
	int error = fib_trie_set(&table->trie, prefix, value);
	if (error != -ENOSPC)
		return error;
	if (table->index)
		return fail(error, "IPv%u table %u is full at %u routes, which is the most", table->family,
					table->id, fib_count(table));
	return fail(error, "the IPv%u table is full at %u routes; start the router with a larger %s",
				table->family, fib_count(table),
				table->family == WS_IP4 ? "--max-routes" : "--max-ip6-routes");
}

void fib_remove(struct fib_table *table, const struct ws_prefix *prefix)
{
	fib_trie_remove(&table->trie, prefix);
}

bool fib_get(const struct fib_table *table, const struct ws_prefix *prefix, uint32_t *value)
{
	return fib_trie_get(&table->trie, prefix, value);
}

bool fib_match(const struct fib_table *table, const struct ws_address *address,
			   struct ws_prefix *prefix, uint32_t *value)
{
	return fib_trie_match(&table->trie, address, prefix, value);
}

uint32_t fib_count(const struct fib_table *table)
{
	return table->trie.count;
}

uint64_t fib_generation(const struct fib_table *table)
{
	return table->trie.generation;
}

bool fib_next(const struct fib_table *table, struct prefix_cursor *cursor, struct ws_prefix *prefix,
			  uint32_t *value)
{
	return prefix_tree_next(&table->trie.prefixes, cursor, prefix, value);
}
