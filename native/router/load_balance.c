/* SPDX-License-Identifier: Apache-2.0 */
#include "router/load_balance.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "router/adjacency.h"

#include <errno.h>
#include <rte_hash.h>
#include <rte_jhash.h>
#include <rte_malloc.h>
#include <string.h>

int load_balance_table_init(struct load_balance_table *table, struct adjacency_table *adjacencies,
							uint32_t size)
{
	struct rte_hash_parameters parameters = {
		.name = "load-balances",
		.entries = size,
		.key_len = sizeof(struct path_list),
		.hash_func = rte_jhash,
		.extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
		.socket_id = SOCKET_ID_ANY,
	};
	table->adjacencies = adjacencies;
	table->size = size;
	table->by_paths = rte_hash_create(&parameters);
	table->balances =
		rte_zmalloc("load-balances", size * sizeof(*table->balances), RTE_CACHE_LINE_SIZE);
	table->uses = rte_zmalloc("path-lists", size * sizeof(*table->uses), 0);
	if (!table->by_paths || !table->balances || !table->uses)
		return fail(-ENOMEM, "no memory for %u sets of paths", size);
	table->balances[LOAD_BALANCE_NO_ROUTE].adjacency = ADJACENCY_NO_ROUTE;
	for (uint32_t i = size - 1; i > LOAD_BALANCE_NO_ROUTE; i--) {
		table->uses[i].next_free = table->first_free;
		table->first_free = i;
	}
	return 0;
}

void load_balance_table_close(struct load_balance_table *table)
{
	for (uint32_t i = 0; table->balances && i < table->size; i++)
		rte_free((void *)(uintptr_t)table->balances[i].buckets);
	rte_hash_free(table->by_paths);
	rte_free(table->balances);
	rte_free(table->uses);
}

uint32_t load_balance_share(const uint32_t *weights, uint32_t count, uint32_t *shares)
{
	uint64_t total = 0;
	for (uint32_t i = 0; i < count; i++)
		total += weights[i];
	if (total <= LOAD_BALANCE_MAX_BUCKETS) {
		memcpy(shares, weights, count * sizeof(*shares));
		return (uint32_t)total;
	}
	uint32_t used = 0;
	for (uint32_t i = 0; i < count; i++) {
		/* One each, and the others in proportion, rounded down; what is left goes to the first. */
		shares[i] =
			1 + (uint32_t)((LOAD_BALANCE_MAX_BUCKETS - count) * (uint64_t)weights[i] / total);
		used += shares[i];
	}
	for (uint32_t i = 0; i < count && used < LOAD_BALANCE_MAX_BUCKETS; i++, used++)
		shares[i]++;
	return LOAD_BALANCE_MAX_BUCKETS;
}

static int64_t path_adjacency(struct load_balance_table *table, const struct path_list *list,
							  uint32_t path, const uint16_t *mtus)
{
	uint16_t interface = (uint16_t)list->paths[path].interface;
	switch (list->paths[path].kind) {
	case WS_PATH_NEXT_HOP:
		return adjacency_take(table->adjacencies, interface, list->paths[path].next_hop,
							  mtus[interface]);
	case WS_PATH_ATTACHED:
		return ADJACENCY_FIRST_GLEAN + interface;
	case WS_PATH_LOCAL:
		return ADJACENCY_LOCAL;
	default:
		return ADJACENCY_DROP;
	}
}

static void release_paths(struct load_balance_table *table, const struct path_list_use *use,
						  uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (use->list.paths[i].kind == WS_PATH_NEXT_HOP)
			adjacency_release(table->adjacencies, use->adjacencies[i]);
}

static int make_buckets(struct load_balance *balance, const struct path_list_use *use)
{
	uint32_t weights[WS_MAX_PATHS], shares[WS_MAX_PATHS], count = use->list.count;
	if (count == 1) {
		*balance = (struct load_balance){.adjacency = use->adjacencies[0]};
		return 0;
	}
	for (uint32_t i = 0; i < count; i++)
		weights[i] = use->list.paths[i].weight;
	uint32_t total = load_balance_share(weights, count, shares);
	uint32_t *buckets = rte_malloc("buckets", total * sizeof(*buckets), RTE_CACHE_LINE_SIZE);
	if (!buckets)
		return fail(-ENOMEM, "no memory for %u paths", count);
	*balance = (struct load_balance){ADJACENCY_LOAD_BALANCE, total, buckets};
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t n = 0; n < shares[i]; n++)
			*buckets++ = use->adjacencies[i];
	return 0;
}

static int64_t make(struct load_balance_table *table, const struct path_list *list,
					const uint16_t *mtus)
{
	uint32_t index = table->first_free;
	struct path_list_use *use = &table->uses[index];
	if (!index)
		return fail(-ENOSPC, "the table of path sets is full at %u", table->used);
	uint32_t next_free = use->next_free;
	use->list = *list;
	int error = 0;
	for (uint32_t i = 0; i < list->count; i++) {
		int64_t adjacency = path_adjacency(table, list, i, mtus);
		if (adjacency < 0) {
			release_paths(table, use, i);
			return adjacency;
		}
		use->adjacencies[i] = (uint32_t)adjacency;
	}
	error = make_buckets(&table->balances[index], use);
	if (!error && rte_hash_add_key_data(table->by_paths, list, (void *)(uintptr_t)index))
		error = fail(-ENOMEM, "no memory for another set of paths");
	if (error) {
		rte_free((void *)(uintptr_t)table->balances[index].buckets);
		table->balances[index] = (struct load_balance){0};
		release_paths(table, use, list->count);
		return error;
	}
	table->first_free = next_free;
	table->used++;
	use->routes = 1;
	return index;
}

int64_t load_balance_take(struct load_balance_table *table, const struct path_list *list,
						  const uint16_t *mtus)
{
	void *found;
	if (rte_hash_lookup_data(table->by_paths, list, &found) < 0)
		return make(table, list, mtus);
	uint32_t index = (uint32_t)(uintptr_t)found;
	table->uses[index].routes++;
	return index;
}

void load_balance_release(struct load_balance_table *table, uint32_t index, uint64_t routes)
{
	struct path_list_use *use = &table->uses[index];
	use->routes -= routes;
	if (use->routes)
		return;
	rte_hash_del_key(table->by_paths, &use->list);
	rcu_synchronize();
	rte_free((void *)(uintptr_t)table->balances[index].buckets);
	table->balances[index] = (struct load_balance){.adjacency = ADJACENCY_NO_ROUTE};
	release_paths(table, use, use->list.count);
	*use = (struct path_list_use){.next_free = table->first_free};
	table->first_free = index;
	table->used--;
}
