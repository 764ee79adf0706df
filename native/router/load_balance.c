/* SPDX-License-Identifier: Apache-2.0 */
#include "router/load_balance.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "router/adjacency.h"
#include "wire/mpls.h"

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
	return x->count != y->count || memcmp(x, y, list_size(x));
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
	table->size = size;
	table->by_paths = rte_hash_create(&parameters);
	table->balances =
		rte_zmalloc("load-balances", size * sizeof(*table->balances), RTE_CACHE_LINE_SIZE);
	table->uses = calloc(size, sizeof(*table->uses));
	table->recursive = calloc(size, sizeof(*table->recursive));
	if (!table->by_paths || !table->balances || !table->uses || !table->recursive)
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
}

void load_balance_table_close(struct load_balance_table *table)
{
	for (uint32_t i = 0; table->uses && table->balances && i < table->end; i++) {
		rte_free((void *)(uintptr_t)table->balances[i].buckets);
		free_use(&table->uses[i]);
	}
	rte_hash_free(table->by_paths);
	rte_free(table->balances);
	free(table->uses);
	free(table->recursive);
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

/* ---- From a path to its adjacency ---- */

/* What is sent to the next hop of a path without labels to push. */
static enum adjacency_link payload_link(uint16_t payload)
{
	static const enum adjacency_link links[] = {
		[PAYLOAD_IP4] = LINK_IP4,      [PAYLOAD_IP6] = LINK_IP6,      [PAYLOAD_MPLS] = LINK_MPLS,
		[PAYLOAD_MPLS_IP4] = LINK_IP4, [PAYLOAD_MPLS_IP6] = LINK_IP6,
	};
	return links[payload];
}

static int64_t forwarding_adjacency(struct adjacency_table *table, uint16_t payload,
									const struct path_key *leaf)
{
	switch (leaf->kind) {
	case WS_PATH_NEXT_HOP:
		return adjacency_take(table, (uint16_t)leaf->interface, &leaf->next_hop,
							  leaf->label_count ? LINK_MPLS : payload_link(payload));
	case WS_PATH_ATTACHED:
		return ADJACENCY_FIRST_GLEAN + leaf->interface;
	case WS_PATH_LOOKUP:
		return adjacency_lookup(table, leaf->table);
	case WS_PATH_LOCAL:
		/* What is ours under a label is what would be ours without. */
		return payload < PAYLOAD_MPLS ? ADJACENCY_LOCAL
									  : adjacency_lookup(table, ADJACENCY_RX_TABLE);
	case WS_PATH_UNREACHABLE:
		return ADJACENCY_UNREACHABLE;
	case WS_PATH_PROHIBIT:
		return ADJACENCY_PROHIBIT;
	default:
		return ADJACENCY_DROP;
	}
}

/* The last label takes the place of one that came, if any did. Then it counts that one's TTL on,
 * also where a recursive path made it so: a loop would not end otherwise. */
static int64_t push_labels(struct adjacency_table *table, uint16_t payload,
						   const struct path_key *leaf, uint32_t next)
{
	struct path_key path = *leaf;
	if (payload >= PAYLOAD_MPLS)
		path.labels[path.label_count - 1] &= ~0u << MPLS_LABEL_SHIFT;
	return adjacency_push(table, path.labels, path.label_count, next);
}

static int64_t leaf_adjacency(struct adjacency_table *table, uint16_t payload,
							  const struct path_key *leaf)
{
	static const enum adjacency_kind pops[] = {
		[PAYLOAD_MPLS] = ADJACENCY_POP_MPLS,
		[PAYLOAD_MPLS_IP4] = ADJACENCY_POP_IP4,
		[PAYLOAD_MPLS_IP6] = ADJACENCY_POP_IP6,
	};
	int64_t adjacency = forwarding_adjacency(table, payload, leaf);
	if (adjacency < 0 || adjacency <= ADJACENCY_PROHIBIT)
		return adjacency;
	if (leaf->label_count)
		return push_labels(table, payload, leaf, (uint32_t)adjacency);
	return payload < PAYLOAD_MPLS ? adjacency
								  : adjacency_pop(table, pops[payload], (uint32_t)adjacency);
}

static void release_adjacencies(struct load_balance_table *table, const uint32_t *adjacencies,
								uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		adjacency_release(table->adjacencies, adjacencies[i]);
}

/* ---- Making one ---- */

/* Everything of a load balance but its place in the table. */
struct draft {
	struct path_key *leaves;
	uint32_t *adjacencies;
	uint32_t leaf_count;
	struct load_balance balance;
};

static int make_buckets(struct draft *draft)
{
	uint32_t weights[LOAD_BALANCE_MAX_LEAVES] = {0}, shares[LOAD_BALANCE_MAX_LEAVES];
	uint32_t count = draft->leaf_count;
	if (count == 1) {
		draft->balance = (struct load_balance){.adjacency = draft->adjacencies[0]};
		return 0;
	}
	for (uint32_t i = 0; i < count; i++)
		weights[i] = draft->leaves[i].weight;
	uint32_t total = load_balance_share(weights, count, shares);
	struct buckets *buckets = rte_malloc(
		"buckets", sizeof(*buckets) + total * sizeof(buckets->adjacencies[0]), RTE_CACHE_LINE_SIZE);
	if (!buckets)
		return fail(-ENOMEM, "no memory for %u paths", count);
	uint32_t *next = buckets->adjacencies;
	buckets->count = total;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t n = 0; n < shares[i]; n++)
			*next++ = draft->adjacencies[i];
	draft->balance = (struct load_balance){ADJACENCY_LOAD_BALANCE, buckets};
	return 0;
}

static void free_draft(struct draft *draft)
{
	free(draft->leaves);
	free(draft->adjacencies);
}

static int make_draft(struct load_balance_table *table, uint16_t payload,
					  const struct path_key *leaves, uint32_t count, struct draft *draft)
{
	*draft = (struct draft){.leaf_count = count};
	draft->leaves = malloc(count * sizeof(*leaves));
	draft->adjacencies = malloc(count * sizeof(*draft->adjacencies));
	if (!draft->leaves || !draft->adjacencies) {
		free_draft(draft);
		return fail(-ENOMEM, "no memory for another set of paths");
	}
	int error = 0;
	uint32_t made = 0;
	for (; made < count; made++) {
		draft->leaves[made] = leaves[made];
		int64_t adjacency = leaf_adjacency(table->adjacencies, payload, &leaves[made]);
		if (adjacency < 0) {
			error = (int)adjacency;
			break;
		}
		draft->adjacencies[made] = (uint32_t)adjacency;
	}
	if (!error)
		error = make_buckets(draft);
	if (error) {
		release_adjacencies(table, draft->adjacencies, made);
		free_draft(draft);
	}
	return error;
}

static uint32_t resolve(const struct load_balance_table *table, const struct path_list *list,
						struct path_key *leaves, bool *recursive)
{
	*recursive = false;
	for (uint32_t i = 0; i < list->count; i++)
		*recursive |= path_is_recursive(&list->paths[i]);
	if (*recursive || list->count > 1)
		return table->resolve(table->resolve_context, list, leaves);
	memcpy(leaves, list->paths, list->count * sizeof(*leaves));
	return list->count;
}

static int64_t make(struct load_balance_table *table, const struct path_list *list)
{
	struct path_key leaves[LOAD_BALANCE_MAX_LEAVES];
	struct draft draft;
	bool recursive;
	uint32_t index = table->first_free ? table->first_free : table->end;
	if (index == table->size)
		return fail(-ENOSPC, "the table of path sets is full at %u", table->used);
	int error =
		make_draft(table, list->payload, leaves, resolve(table, list, leaves, &recursive), &draft);
	if (error)
		return error;
	struct path_list *copy = malloc(list_size(list));
	if (copy)
		memcpy(copy, list, list_size(list));
	if (!copy || rte_hash_add_key_data(table->by_paths, &copy, (void *)(uintptr_t)index)) {
		free(copy);
		rte_free((void *)(uintptr_t)draft.balance.buckets);
		release_adjacencies(table, draft.adjacencies, draft.leaf_count);
		free_draft(&draft);
		return fail(-ENOMEM, "no memory for another set of paths");
	}
	if (table->first_free)
		table->first_free = table->uses[index].next_free;
	else
		table->end++;
	table->balances[index] = draft.balance;
	table->uses[index] = (struct path_list_use){
		.routes = 1,
		.leaf_count = draft.leaf_count,
		.list = copy,
		.leaves = draft.leaves,
		.adjacencies = draft.adjacencies,
	};
	table->used++;
	if (recursive)
		table->recursive[table->recursive_count++] = index;
	return index;
}

int64_t load_balance_take(struct load_balance_table *table, const struct path_list *list)
{
	void *found;
	if (rte_hash_lookup_data(table->by_paths, &list, &found) < 0)
		return make(table, list);
	uint32_t index = (uint32_t)(uintptr_t)found;
	table->uses[index].routes++;
	return index;
}

static void forget_recursive(struct load_balance_table *table, uint32_t index)
{
	for (uint32_t i = 0; i < table->recursive_count; i++)
		if (table->recursive[i] == index) {
			table->recursive[i] = table->recursive[--table->recursive_count];
			return;
		}
}

void load_balance_release(struct load_balance_table *table, uint32_t index, uint64_t routes)
{
	struct path_list_use *use = &table->uses[index];
	use->routes -= routes;
	if (use->routes)
		return;
	const struct path_list *list = use->list;
	rte_hash_del_key(table->by_paths, &list);
	forget_recursive(table, index);
	rcu_synchronize();
	rte_free((void *)(uintptr_t)table->balances[index].buckets);
	table->balances[index] = (struct load_balance){.adjacency = ADJACENCY_NO_ROUTE};
	release_adjacencies(table, use->adjacencies, use->leaf_count);
	free_use(use);
	*use = (struct path_list_use){.next_free = table->first_free};
	table->first_free = index;
	table->used--;
}

/* ---- Resolving again ---- */

/*
 * Workers that found ADJACENCY_LOAD_BALANCE read the buckets until the end of their walk, so
 * these are there first and stay until the workers have let go.
 */
static void publish(struct load_balance *balance, const struct load_balance *changed)
{
	if (changed->buckets)
		__atomic_store_n(&balance->buckets, changed->buckets, __ATOMIC_RELEASE);
	__atomic_store_n(&balance->adjacency, changed->adjacency, __ATOMIC_RELEASE);
	rcu_synchronize();
	balance->buckets = changed->buckets;
}

static void refresh(struct load_balance_table *table, uint32_t index)
{
	struct path_list_use *use = &table->uses[index];
	struct load_balance old = table->balances[index];
	struct path_key leaves[LOAD_BALANCE_MAX_LEAVES];
	struct draft draft;
	uint32_t count = table->resolve(table->resolve_context, use->list, leaves);
	if (count == use->leaf_count && !memcmp(leaves, use->leaves, count * sizeof(*leaves)))
		return;
	/* When there is no room for what it leads to now, it leads nowhere rather than astray. */
	if (make_draft(table, use->list->payload, leaves, count, &draft)) {
		leaves[0] = (struct path_key){.kind = WS_PATH_DROP, .weight = 1};
		if (make_draft(table, use->list->payload, leaves, 1, &draft))
			return;
	}
	publish(&table->balances[index], &draft.balance);
	rte_free((void *)(uintptr_t)old.buckets);
	release_adjacencies(table, use->adjacencies, use->leaf_count);
	free(use->leaves);
	free(use->adjacencies);
	use->leaves = draft.leaves;
	use->adjacencies = draft.adjacencies;
	use->leaf_count = draft.leaf_count;
}

static bool may_lead_by(const struct path_list *list, uint32_t interface)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (path_is_recursive(&list->paths[i]) ||
			(list->count > 1 && list->paths[i].interface == interface))
			return true;
	return false;
}

void load_balance_refresh_interface(struct load_balance_table *table, uint32_t interface)
{
	for (uint32_t i = LOAD_BALANCE_NO_ROUTE + 1; i < table->end; i++)
		if (table->uses[i].list && may_lead_by(table->uses[i].list, interface))
			refresh(table, i);
}

void load_balance_refresh(struct load_balance_table *table)
{
	for (uint32_t i = 0; i < table->recursive_count; i++)
		refresh(table, table->recursive[i]);
}
