/* SPDX-License-Identifier: Apache-2.0 */
#include "router/fib/load_balance.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "router/fib/adjacency.h"
#include "router/fib/balance_set.h"
#include "router/fib/load_balance_draft.h"
#include "router/fib/own_balance.h"
#include "router/fib/path_list.h"

#include <errno.h>
#include <rte_hash.h>
#include <rte_jhash.h>
#include <rte_malloc.h>
#include <stdlib.h>
#include <string.h>

static size_t list_size(const struct path_list *list)
{
	return sizeof(*list) + list->count * sizeof(list->paths[0]);
}

/* The hash's key is a pointer to the list. */
static uint32_t hash_list(const void *key, uint32_t length, uint32_t seed)
{
	const struct path_list *list;
	memcpy(&list, key, length);
	return rte_jhash(list, (uint32_t)list_size(list), seed);
}

static int compare_lists(const void *a, const void *b, size_t length)
{
	const struct path_list *x, *y;
	memcpy(&x, a, length);
	memcpy(&y, b, length);
	/* DPDK also compares a key whose signature is 0 with empty slots, which hold no list. */
	return !x || !y || x->count != y->count || memcmp(x, y, list_size(x));
}

int load_balance_table_init(struct load_balance_table *table, struct adjacency_table *adjacencies,
							uint32_t size)
{
	struct rte_hash_parameters parameters = {
		.name = "load-balances",
		.entries = size,
		.key_len = sizeof(struct path_list *),
		.hash_func = hash_list,
		.extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
		.socket_id = SOCKET_ID_ANY,
	};
	table->adjacencies = adjacencies;
	table->size = table->most = size;
	table->by_paths = rte_hash_create(&parameters);
	table->balances =
		rte_zmalloc("load-balances", size * sizeof(*table->balances), RTE_CACHE_LINE_SIZE);
	table->uses = calloc(size, sizeof(*table->uses));
	if (!table->by_paths || !table->balances || !table->uses)
		return fail(-ENOMEM, "no memory for %u sets of paths", size);
	rte_hash_set_cmp_func(table->by_paths, compare_lists);
	table->balances[LOAD_BALANCE_NO_ROUTE].adjacency = ADJACENCY_NO_ROUTE;
	table->end = LOAD_BALANCE_NO_ROUTE + 1;
	return 0;
}

static void free_use(struct path_list_use *use)
{
	free(use->list);
	free(use->leaves);
	free(use->adjacencies);
	free(use->places);
}

void load_balance_table_close(struct load_balance_table *table)
{
	for (uint32_t i = 0; table->uses && table->balances && i < table->end; i++) {
		if (load_balance_is_own(table, i))
			continue;
		rte_free((void *)(uintptr_t)table->balances[i].buckets);
		free_use(&table->uses[i]);
	}
	rte_hash_free(table->by_paths);
	if (table->own) {
		own_balances_close(table);
	} else {
		rte_free(table->balances);
		free(table->uses);
	}
	balance_sets_close(table);
}

/* ---- Creation ---- */

static uint32_t resolve_list(const struct load_balance_table *table, const struct path_list *list,
							 struct path_key *leaves)
{
	if (list->count > 1 || path_list_is_recursive(list))
		return table->resolve(table->resolve_context, list, leaves);
	memcpy(leaves, list->paths, list->count * sizeof(*leaves));
	return list->count;
}

static int64_t make_load_balance(struct load_balance_table *table, const struct path_list *list)
{
	struct path_key leaves[LOAD_BALANCE_MAX_LEAVES];
	struct load_balance_draft draft;
	if (table->used + 1 == table->most)
		return fail(-ENOSPC, "the table of path sets is full at %u", table->used);
	int64_t claimed = load_balance_claim(table);
	if (claimed < 0)
		return claimed;
	uint32_t index = (uint32_t)claimed;
	int error = load_balance_make_draft(table, list->payload, leaves,
										resolve_list(table, list, leaves), &draft);
	if (error) {
		load_balance_unclaim(table, index);
		return error;
	}
	struct path_list *copy = malloc(list_size(list));
	uint32_t *places = NULL;
	if (copy)
		memcpy(copy, list, list_size(list));
	if (!copy || balance_sets_join(table, index, list, &places) ||
		rte_hash_add_key_data(table->by_paths, &copy, (void *)(uintptr_t)index)) {
		balance_sets_leave(table, list, places);
		free(places);
		free(copy);
		rte_free((void *)(uintptr_t)draft.balance.buckets);
		load_balance_release_adjacencies(table, draft.adjacencies, draft.leaf_count);
		load_balance_free_draft(&draft);
		load_balance_unclaim(table, index);
		return fail(-ENOMEM, "no memory for another set of paths");
	}
	load_balance_publish(&table->balances[index], &draft.balance);
	table->uses[index] = (struct path_list_use){
		.routes = 1,
		.leaf_count = draft.leaf_count,
		.list = copy,
		.leaves = draft.leaves,
		.adjacencies = draft.adjacencies,
		.places = places,
	};
	table->used++;
	return index;
}

int64_t load_balance_take(struct load_balance_table *table, const struct path_list *list)
{
	void *found;
	if (rte_hash_lookup_data(table->by_paths, &list, &found) < 0)
		return make_load_balance(table, list);
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
	const struct path_list *list = use->list;
	rte_hash_del_key(table->by_paths, &list);
	balance_sets_leave(table, list, use->places);
	rcu_synchronize();
	rte_free((void *)(uintptr_t)table->balances[index].buckets);
	table->balances[index] = (struct load_balance){.adjacency = ADJACENCY_NO_ROUTE};
	load_balance_release_adjacencies(table, use->adjacencies, use->leaf_count);
	free_use(use);
	load_balance_unclaim(table, index);
	table->used--;
}

/* ---- Update ---- */

/* Parts of a load balance that workers may read until the grace period ends. */
struct retired {
	const struct buckets *buckets;
	uint32_t balance, leaf_count, *adjacencies;
};

/* Number of updates per grace period. */
enum { REFRESH_BATCH = 256 };

struct refresh {
	struct load_balance_table *table;
	uint32_t count;
	struct retired retired[REFRESH_BATCH];
};

static void finish(struct refresh *refresh)
{
	struct load_balance_table *table = refresh->table;
	if (!refresh->count)
		return;
	rcu_synchronize();
	for (uint32_t i = 0; i < refresh->count; i++) {
		const struct retired *old = &refresh->retired[i];
		struct load_balance *balance = &table->balances[old->balance];
		if (balance->adjacency != ADJACENCY_LOAD_BALANCE)
			balance->buckets = NULL;
		rte_free((void *)(uintptr_t)old->buckets);
		load_balance_release_adjacencies(table, old->adjacencies, old->leaf_count);
		free(old->adjacencies);
	}
	refresh->count = 0;
}

static void refresh_list(struct refresh *refresh, uint32_t index)
{
	struct load_balance_table *table = refresh->table;
	struct path_list_use *use = &table->uses[index];
	struct path_key leaves[LOAD_BALANCE_MAX_LEAVES];
	struct load_balance_draft draft;
	uint32_t count = table->resolve(table->resolve_context, use->list, leaves);
	if (count == use->leaf_count && !memcmp(leaves, use->leaves, count * sizeof(*leaves)))
		return;
	/* If there is no room for the new result, packets are dropped rather than sent the wrong way.
	 */
	if (load_balance_make_draft(table, use->list->payload, leaves, count, &draft)) {
		leaves[0] = (struct path_key){.kind = WS_PATH_DROP, .weight = 1};
		if (load_balance_make_draft(table, use->list->payload, leaves, 1, &draft))
			return;
	}
	struct load_balance *balance = &table->balances[index];
	refresh->retired[refresh->count++] = (struct retired){
		/* The buckets of a load balance that was retired before must not be freed twice. */
		.buckets = balance->adjacency == ADJACENCY_LOAD_BALANCE ? balance->buckets : NULL,
		.balance = index,
		.leaf_count = use->leaf_count,
		.adjacencies = use->adjacencies,
	};
	load_balance_publish(balance, &draft.balance);
	own_balances_follow(table, index);
	free(use->leaves);
	use->leaves = draft.leaves;
	use->adjacencies = draft.adjacencies;
	use->leaf_count = draft.leaf_count;
	if (refresh->count == REFRESH_BATCH)
		finish(refresh);
}

static void refresh_set(struct load_balance_table *table, const struct balance_set *set)
{
	struct refresh refresh = {.table = table};
	for (uint32_t i = 0; i < set->count; i++)
		refresh_list(&refresh, set->at[i].balance);
	finish(&refresh);
}

void load_balance_refresh_interface(struct load_balance_table *table, uint32_t interface)
{
	refresh_set(table, &table->by_interface[interface]);
}

void load_balance_refresh(struct load_balance_table *table)
{
	refresh_set(table, &table->recursive);
}
