/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recursive paths: a next hop that is not on a connected network is reached through its own route,
 * and follows changes of that route.
 */
#include "router/fib/balance_set.h"
#include "router/route/route.h"
#include "wire/address.h"

#include <string.h>

enum {
	MAX_DEPTH = 8,   /* maximum depth of recursion, also of routes that lead to each other */
	MAX_STEPS = 256, /* maximum number of steps over all branches */
	WHOLE = 1 << 24, /* sum of the weights below */
};

struct expansion {
	const struct ws_router *router;
	struct path_key *leaves;
	uint32_t count, steps;
};

static void add_leaf(struct expansion *to, const struct path_key *path, uint64_t weight)
{
	if (to->count == LOAD_BALANCE_MAX_LEAVES)
		return;
	to->leaves[to->count] = *path;
	to->leaves[to->count++].weight = weight ? (uint32_t)weight : 1;
}

static void add_drop(struct expansion *to, uint64_t weight)
{
	const struct path_key drop = {.kind = WS_PATH_DROP, .interface = PATH_NO_INTERFACE};
	add_leaf(to, &drop, weight);
}

/* Labels of a lower path are pushed later, so they are outside of the `inner` ones. */
static bool join_labels(struct path_key *path, const struct path_key *inner)
{
	if (path->label_count + inner->label_count > WS_MAX_LABELS)
		return false;
	memcpy(path->labels + path->label_count, inner->labels,
		   inner->label_count * sizeof(inner->labels[0]));
	path->label_count += inner->label_count;
	return true;
}

/* `inner` is the path above, `via` the route through which this one was reached. */
static void expand(struct expansion *to, const struct path_list *list, uint64_t weight,
				   const struct path_key *inner, uint32_t via, int depth);

/* Follow the route to the path's next hop; each route on the way counts its packets as `via`. */
static void follow(struct expansion *to, const struct path_key *path, uint64_t weight, uint32_t via,
				   int depth)
{
	const struct fib_table *table =
		to->router->tables[family_index(path->next_hop.family)][path->table];
	struct ws_prefix prefix;
	uint32_t value;
	if (depth == MAX_DEPTH || ++to->steps > MAX_STEPS || !table ||
		!fib_trie_match(&table->trie, &path->next_hop, &prefix, &value)) {
		add_drop(to, weight);
		return;
	}
	const struct load_balance_table *balances = &to->router->load_balances;
	const struct path_list *list = balances->uses[value].list;
	if (!depth)
		via = balances->has_own ? value : 0;
	if (list->paths[0].kind == WS_PATH_ATTACHED) {
		struct path_key here = *path;
		here.interface = list->paths[0].interface;
		here.table = 0;
		here.via = via;
		add_leaf(to, &here, weight);
	} else {
		expand(to, list, weight, path, via, depth + 1);
	}
}

static void expand(struct expansion *to, const struct path_list *list, uint64_t weight,
				   const struct path_key *inner, uint32_t via, int depth)
{
	uint64_t total = 0;
	for (uint32_t i = 0; i < list->count; i++)
		total += list->paths[i].weight;
	for (uint32_t i = 0; i < list->count; i++) {
		struct path_key path = list->paths[i];
		uint64_t part = weight * path.weight / total;
		path.via = via;
		/* A next hop that is the router's own address, or whose route leads to another table, is
		 * invalid. */
		bool is_none = depth && (path.kind == WS_PATH_LOCAL || path.kind == WS_PATH_LOOKUP);
		if (is_none || (path.kind == WS_PATH_NEXT_HOP && !join_labels(&path, inner)))
			add_drop(to, part);
		else if (path_is_recursive(&path))
			follow(to, &path, part, via, depth);
		else
			add_leaf(to, &path, part);
	}
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

static bool is_usable(const struct ws_router *router, const struct path_key *leaf)
{
	return leaf->interface >= WS_MAX_INTERFACES || router->interfaces[leaf->interface].usable;
}

/* Leave out paths through interfaces that are not usable, unless all paths are. */
static uint32_t prefer_usable(const struct ws_router *router, struct path_key *leaves,
							  uint32_t count)
{
	uint32_t usable = 0;
	for (uint32_t i = 0; i < count; i++)
		usable += is_usable(router, &leaves[i]);
	if (!usable || usable == count)
		return count;
	usable = 0;
	for (uint32_t i = 0; i < count; i++)
		if (is_usable(router, &leaves[i]))
			leaves[usable++] = leaves[i];
	return usable;
}

uint32_t router_resolve(void *router, const struct path_list *list, struct path_key *leaves)
{
	const struct path_key no_labels = {0};
	struct expansion to = {.router = router, .leaves = leaves};
	uint32_t divisor = 0;
	if (!path_list_is_recursive(list)) {
		memcpy(leaves, list->paths, list->count * sizeof(*leaves));
		return prefer_usable(router, leaves, list->count);
	}
	expand(&to, list, WHOLE, &no_labels, 0, 0);
	for (uint32_t i = 0; i < to.count; i++)
		divisor = common_divisor(leaves[i].weight, divisor);
	for (uint32_t i = 0; i < to.count; i++)
		leaves[i].weight /= divisor;
	return prefer_usable(router, leaves, to.count);
}

void router_follow(struct ws_router *router, const struct fib_table *table,
				   const struct ws_prefix *prefix)
{
	if (balance_sets_have_next_hop(&router->load_balances, table->index, prefix))
		load_balance_refresh(&router->load_balances);
}
