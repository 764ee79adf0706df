/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of route tables. */
#include "dev/error.h"
#include "router/fib/own_balance.h"
#include "router/route/route.h"
#include "wire/address.h"
#include "wire/mpls.h"
#include "wirespeed/routes.h"

#include <errno.h>
#include <string.h>

static uint32_t route_table_id(const struct ws_router *router, uint8_t family, uint16_t index)
{
	const struct fib_table *table = router->tables[family_index(family)][index];
	return table ? table->id : 0;
}

uint16_t router_describe_paths(const struct ws_router *router, uint32_t load_balance,
							   struct ws_path *out)
{
	const struct path_list *list = router->load_balances.uses[load_balance].list;
	bool is_ip6 = list->payload == PAYLOAD_IP6 || list->payload == PAYLOAD_MPLS_IP6;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct path_key *key = &list->paths[i];
		uint8_t family =
			key->kind == WS_PATH_LOOKUP ? (is_ip6 ? WS_IP6 : WS_IP4) : key->next_hop.family;
		out[i] = (struct ws_path){
			.kind = key->kind,
			.next_hop = key->next_hop,
			.interface = (int32_t)key->interface,
			.weight = (uint16_t)key->weight,
			.table = route_table_id(router, family, key->table),
			.label_count = key->label_count,
		};
		for (int n = 0; n < WS_MAX_LABELS; n++) {
			out[i].labels[n] = mpls_label(key->labels[n]);
			out[i].label_ttls[n] = mpls_ttl(key->labels[n]);
			out[i].label_classes[n] = mpls_class(key->labels[n]);
		}
	}
	return (uint16_t)list->count;
}

static void describe_route(const struct ws_router *router, const struct fib_table *table,
						   const struct ws_prefix *prefix, uint32_t load_balance,
						   struct ws_route *out)
{
	out->table = table->id;
	out->source = router->load_balances.uses[load_balance].list->source;
	out->prefix = *prefix;
	out->index = load_balance;
	out->path_count = router_describe_paths(router, load_balance, out->paths);
}

int64_t ws_router_route_count(struct ws_router *router, uint32_t id, uint8_t family)
{
	const struct fib_table *table = router_table(router, family, id);
	return table ? (int64_t)table->trie.count : -ENOENT;
}

/* Move behind the prefix; without one, to the first route. */
static int go_behind(const struct fib_table *table, const struct ws_prefix *after,
					 struct prefix_cursor *cursor)
{
	*cursor = (struct prefix_cursor){0};
	if (!after)
		return 0;
	if (after->address.family != table->family || after->length > address_bits(table->family))
		return fail(-EINVAL, "the prefix to continue after, IPv%u /%u, is not a valid IPv%u prefix",
					after->address.family, after->length, table->family);
	struct ws_prefix network = prefix_network(*after);
	fib_trie_seek(&table->trie, cursor, &network);
	return 0;
}

int ws_router_route_entries(struct ws_router *router, uint32_t id, uint8_t family,
							const struct ws_prefix *after, struct ws_route_entry *out, uint32_t max)
{
	const struct fib_table *table = router_table(router, family, id);
	struct prefix_cursor cursor;
	uint32_t n = 0;
	int error = table ? go_behind(table, after, &cursor) : -ENOENT;
	if (error)
		return error;
	for (; n < max && fib_trie_next_prefix(&table->trie, &cursor, &out[n].prefix, &out[n].index);
		 n++) {
		out[n].paths = load_balance_base(&router->load_balances, out[n].index);
		out[n].source = router->load_balances.uses[out[n].paths].list->source;
	}
	return (int)n;
}

int ws_router_paths(struct ws_router *router, uint32_t paths, struct ws_path *out)
{
	const struct load_balance_table *table = &router->load_balances;
	if (paths >= table->end || !table->uses[paths].list)
		return fail(-ENOENT, "there is no set of paths %u", paths);
	return router_describe_paths(router, paths, out);
}

int ws_router_route_get(struct ws_router *router, uint32_t id, struct ws_prefix prefix,
						struct ws_route *out)
{
	const struct fib_table *table = router_table(router, prefix.address.family, id);
	uint32_t load_balance;
	if (!table)
		return -ENOENT;
	if (prefix.length <= address_bits(prefix.address.family))
		prefix = prefix_network(prefix);
	if (prefix.length > address_bits(prefix.address.family) ||
		!fib_trie_get(&table->trie, &prefix, &load_balance))
		return fail(-ENOENT, "there is no route to %s/%u; show ip fib lists them",
					ADDRESS_TEXT(&prefix.address), prefix.length);
	describe_route(router, table, &prefix, load_balance, out);
	return 0;
}

int ws_router_route_lookup(struct ws_router *router, uint32_t id, struct ws_address address,
						   struct ws_route *out)
{
	const struct fib_table *table = router_table(router, address.family, id);
	struct ws_prefix prefix;
	uint32_t load_balance;
	if (!table)
		return -ENOENT;
	if (!fib_trie_match(&table->trie, &address, &prefix, &load_balance))
		return fail(-ENOENT, "no route covers %s", ADDRESS_TEXT(&address));
	describe_route(router, table, &prefix, load_balance, out);
	return 0;
}
