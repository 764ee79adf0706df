/* SPDX-License-Identifier: Apache-2.0 */
/* Route tables: the default one of each family, and those that the user adds. */
#include "dev/error.h"
#include "dev/rcu.h"
#include "router/interface/interface_settings.h"
#include "router/route/route.h"
#include "wire/address.h"
#include "wirespeed/router.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

static const char *check_family(uint8_t family)
{
	return family == WS_IP4 ? "ip" : family == WS_IP6 ? "ip6" : NULL;
}

static int compare_ids(const void *a, const void *b)
{
	const struct fib_table *one = a, *other = b;
	return (one->id > other->id) - (one->id < other->id);
}

static struct fib_table *find_table(const struct ws_router *router, uint8_t family, uint32_t id)
{
	const struct fib_table key = {.id = id};
	struct fib_table *const *found =
		tfind(&key, &router->tables_by_id[family_index(family)], compare_ids);
	return found ? *found : NULL;
}

struct fib_table *router_table(const struct ws_router *router, uint8_t family, uint32_t id)
{
	const char *command = check_family(family);
	struct fib_table *table = command ? find_table(router, family, id) : NULL;
	if (!command)
		fail(-ENOENT, "address family %u does not exist", family);
	else if (!table && family == WS_IP6 && !router->tables[1][0])
		fail(-ENOENT, "IPv6 is not supported yet");
	else if (!table)
		fail(-ENOENT, "there is no IPv%u table %u; %s table add %u makes it", family, id, command,
			 id);
	return table;
}

int router_make_table(struct ws_router *router, uint8_t family, uint16_t index, uint32_t id,
					  const char *name, uint32_t max_routes)
{
	struct fib_table *table = aligned_alloc(_Alignof(struct fib_table), sizeof(*table));
	if (!table)
		return fail(-ENOMEM, "no memory for a table of routes");
	*table = (struct fib_table){
		.family = family, .index = index, .id = id, .flow_hash = fib_flow_hash(family)};
	if (name && name[0])
		snprintf(table->name, sizeof(table->name), "%s", name);
	else
		snprintf(table->name, sizeof(table->name), "ipv%u-VRF:%u", family, id);
	int error = fib_trie_init(&table->trie, family, max_routes);
	if (!error && !tsearch(table, &router->tables_by_id[family_index(family)], compare_ids)) {
		fib_trie_close(&table->trie);
		error = fail(-ENOMEM, "no memory for a table of routes");
	}
	if (error) {
		free(table);
		return error;
	}
	uint32_t *end = &router->table_end[family_index(family)];
	*end = RTE_MAX(*end, index + 1u);
	__atomic_store_n(&router->tables[family_index(family)][index], table, __ATOMIC_RELEASE);
	return 0;
}

void router_free_tables(struct ws_router *router)
{
	for (int family = 0; family < FAMILIES; family++)
		for (uint32_t i = 0; i < router->table_end[family]; i++) {
			struct fib_table *table = router->tables[family][i];
			if (!table)
				continue;
			tdelete(table, &router->tables_by_id[family], compare_ids);
			fib_trie_close(&table->trie);
			free(table);
		}
}

static void count_tables(struct ws_router *router, uint8_t family)
{
	bool many = false;
	for (uint32_t i = 1; i < router->table_end[family_index(family)] && !many; i++)
		many = router->tables[family_index(family)][i] != NULL;
	router_set_extra(router, extra_tables(family), many);
}

int ws_router_table_add(struct ws_router *router, uint8_t family, uint32_t id, const char *name)
{
	if (!check_family(family))
		return fail(-EINVAL, "address family %u does not exist", family);
	if (find_table(router, family, id))
		return 0;
	for (uint16_t i = 1; i < (uint16_t)MAX_TABLES; i++)
		if (!router->tables[family_index(family)][i]) {
			const struct ws_router_config *config = router->config;
			int error = router_make_table(router, family, i, id, name,
										  family == WS_IP4 ? config->max_ip4_routes
														   : config->max_ip6_routes);
			count_tables(router, family);
			return error;
		}
	return fail(-ENOSPC, "%d IPv%u tables exist, the maximum; delete one first", MAX_TABLES,
				family);
}

/* True if a path of a route looks up in the table, or resolves its next hop there. */
static bool is_named_by_paths(const struct ws_router *router, const struct fib_table *table)
{
	const struct load_balance_table *balances = &router->load_balances;
	for (uint32_t i = 0; i < balances->end; i++) {
		const struct path_list *list = balances->uses[i].list;
		for (uint32_t p = 0; list && p < list->count; p++) {
			const struct path_key *path = &list->paths[p];
			bool is_ip6 = path->kind == WS_PATH_LOOKUP
							  ? list->payload == PAYLOAD_IP6 || list->payload == PAYLOAD_MPLS_IP6
							  : path->next_hop.family == WS_IP6;
			if ((path->kind == WS_PATH_LOOKUP || path_is_recursive(path)) &&
				path->table == table->index && is_ip6 == (table->family == WS_IP6))
				return true;
		}
	}
	return false;
}

int ws_router_table_del(struct ws_router *router, uint8_t family, uint32_t id)
{
	struct fib_table *table = router_table(router, family, id);
	if (!table)
		return -ENOENT;
	if (!table->index)
		return fail(-EINVAL, "table %u is the default table and cannot be deleted", id);
	for (uint16_t i = 0; i < router->interface_count; i++)
		if (router->interfaces[i].table[family_index(family)] == table->index)
			return fail(-EBUSY, "table %u is used by interface %s; move it to another table first",
						id, interface_name(router, i));
	if (table->trie.count)
		return fail(-EBUSY, "table %u has %u routes; delete them first", id, table->trie.count);
	if (table->tunnels)
		return fail(-EBUSY, "table %u is looked up by tunnels or unicast RPF; end these first", id);
	if (is_named_by_paths(router, table))
		return fail(-EBUSY, "routes in other tables look up in table %u; delete these first", id);
	__atomic_store_n(&router->tables[family_index(family)][table->index], NULL, __ATOMIC_RELEASE);
	count_tables(router, family);
	rcu_synchronize();
	tdelete(table, &router->tables_by_id[family_index(family)], compare_ids);
	fib_trie_close(&table->trie);
	free(table);
	return 0;
}

int ws_router_tables(struct ws_router *router, uint8_t family, struct ws_table *out, uint32_t max)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < router->table_end[family_index(family)] && n < max; i++) {
		const struct fib_table *table = router->tables[family_index(family)][i];
		if (!table)
			continue;
		out[n] = (struct ws_table){.family = table->family, .id = table->id};
		out[n].route_count = table->trie.count;
		out[n].flow_hash = table->flow_hash;
		snprintf(out[n++].name, sizeof(out->name), "%s", table->name);
	}
	return (int)n;
}

int ws_router_set_table(struct ws_router *router, uint16_t index, uint8_t family, uint32_t id)
{
	if (router_check_interface(router, index))
		return -ENODEV;
	struct fib_table *table = router_table(router, family, id);
	if (!table)
		return -ENOENT;
	uint16_t *place = &router->interfaces[index].table[family_index(family)];
	const struct address_list *list = router->settings[index].addresses;
	for (uint16_t i = 0; i < list->given && *place != table->index; i++)
		if (list->at[i].address.family == family)
			return fail(-EBUSY, "interface %s has %s/%u; delete it before another table is set",
						interface_name(router, index), ADDRESS_TEXT(&list->at[i].address),
						list->at[i].length);
	__atomic_store_n(place, table->index, __ATOMIC_RELEASE);
	return router_update_local(router);
}
