/* SPDX-License-Identifier: Apache-2.0 */
#include "router/fib/balance_set.h"

#include "dev/error.h"
#include "router/fib/path_list.h"
#include "wire/address.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#define NO_PLACE UINT32_MAX

/* ---- The next hops of recursive paths, without duplicates ---- */

struct next_hop {
	struct ws_prefix prefix; /* host prefix; in a query any prefix */
	uint16_t table;
	uint32_t paths; /* number of paths with it */
};

/* A prefix equals those that it covers. Prefixes that it does not cover are all below or all above,
 * so a search ends at a covered one if there is one. */
static int compare(const void *a, const void *b)
{
	const struct next_hop *one = a, *other = b;
	const struct ws_prefix *shorter =
		one->prefix.length < other->prefix.length ? &one->prefix : &other->prefix;
	const struct ws_address *x = &one->prefix.address, *y = &other->prefix.address;
	if (one->table != other->table)
		return one->table < other->table ? -1 : 1;
	if (x->family != y->family)
		return x->family < y->family ? -1 : 1;
	if (prefix_covers(shorter, x) && prefix_covers(shorter, y))
		return 0;
	return memcmp(x->bytes, y->bytes, sizeof(x->bytes));
}

/* `*place` becomes its place. */
static int take_next_hop(struct load_balance_table *table, const struct path_key *path,
						 uint32_t *place)
{
	struct next_hop key = {.prefix = prefix_of_host(path->next_hop), .table = path->table};
	struct next_hop **found = tfind(&key, &table->next_hops, compare);
	struct next_hop *made = found ? *found : malloc(sizeof(*made));
	if (!found && made) {
		*made = key;
		if (!tsearch(made, &table->next_hops, compare)) {
			free(made);
			made = NULL;
		}
	}
	if (!made)
		return -ENOMEM;
	made->paths++;
	*place = 0;
	return 0;
}

static void release_next_hop(struct load_balance_table *table, const struct path_key *path)
{
	struct next_hop key = {.prefix = prefix_of_host(path->next_hop), .table = path->table};
	struct next_hop **found = tfind(&key, &table->next_hops, compare), *next_hop = *found;
	if (--next_hop->paths)
		return;
	tdelete(next_hop, &table->next_hops, compare);
	free(next_hop);
}

bool balance_sets_have_next_hop(const struct load_balance_table *table, uint16_t index,
								const struct ws_prefix *prefix)
{
	struct next_hop key = {.prefix = *prefix, .table = index};
	return tfind(&key, &table->next_hops, compare) != NULL;
}

/* ---- Sets ---- */

static int join(struct balance_set *set, uint32_t balance, uint32_t path, uint32_t *place)
{
	if (set->count == set->capacity) {
		uint32_t capacity = set->capacity ? set->capacity * 2 : 8;
		struct balance_member *larger = realloc(set->at, capacity * sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		set->at = larger;
		set->capacity = capacity;
	}
	*place = set->count;
	set->at[set->count++] = (struct balance_member){balance, path};
	return 0;
}

/* The last member moves to the place of the removed one. `places` are those of `self`, whose use
 * may not exist yet. */
static void leave(struct load_balance_table *table, struct balance_set *set, uint32_t place,
				  uint32_t *places)
{
	uint32_t self = set->at[place].balance;
	struct balance_member moved = set->at[--set->count];
	if (place == set->count)
		return;
	set->at[place] = moved;
	(moved.balance == self ? places : table->uses[moved.balance].places)[moved.path] = place;
}

int balance_sets_join(struct load_balance_table *table, uint32_t index,
					  const struct path_list *list, uint32_t **out)
{
	bool recursive = path_list_is_recursive(list);
	*out = NULL;
	if (list->count <= 1 && !recursive)
		return 0;
	uint32_t *places = *out = malloc((list->count + 1) * sizeof(*places));
	if (!places)
		return -ENOMEM;
	memset(places, 0xff, (list->count + 1) * sizeof(*places)); /* NO_PLACE */
	int error = recursive ? join(&table->recursive, index, list->count, &places[list->count]) : 0;
	for (uint32_t i = 0; i < list->count && !error; i++) {
		if (path_is_recursive(&list->paths[i]))
			error = take_next_hop(table, &list->paths[i], &places[i]);
		else if (!recursive && list->paths[i].interface < WS_MAX_INTERFACES)
			error = join(&table->by_interface[list->paths[i].interface], index, i, &places[i]);
	}
	return error;
}

void balance_sets_leave(struct load_balance_table *table, const struct path_list *list,
						uint32_t *places)
{
	if (!places)
		return;
	if (places[list->count] != NO_PLACE)
		leave(table, &table->recursive, places[list->count], places);
	for (uint32_t i = 0; i < list->count; i++)
		if (places[i] != NO_PLACE && path_is_recursive(&list->paths[i]))
			release_next_hop(table, &list->paths[i]);
		else if (places[i] != NO_PLACE)
			leave(table, &table->by_interface[list->paths[i].interface], places[i], places);
}

void balance_sets_close(struct load_balance_table *table)
{
	for (int i = 0; i < WS_MAX_INTERFACES; i++)
		free(table->by_interface[i].at);
	free(table->recursive.at);
	tdestroy(table->next_hops, free);
}
