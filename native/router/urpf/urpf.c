/* SPDX-License-Identifier: Apache-2.0 */
#include "router/urpf/urpf.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_settings.h"
#include "router/route/route.h"
#include "wire/address.h"
#include "wirespeed/urpf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const rx_nodes[FAMILIES][WS_URPF_STRICT + 1] = {
	{[WS_URPF_LOOSE] = "ip4-rx-urpf-loose", [WS_URPF_STRICT] = "ip4-rx-urpf-strict"},
	{[WS_URPF_LOOSE] = "ip6-rx-urpf-loose", [WS_URPF_STRICT] = "ip6-rx-urpf-strict"},
};

#define TX_NODES "-tx-urpf" /* suffix of their names */

/* The state is made when unicast RPF is first set. */
static int make_state(struct ws_router *router)
{
	if (urpf_of(router))
		return 0;
	struct urpf *made = calloc(1, sizeof(*made));
	if (!made)
		return fail(-ENOMEM, "no memory for unicast RPF");
	memset(made->tables, 0xff, sizeof(made->tables)); /* URPF_OWN_TABLE */
	module_set_state(router, &urpf_module, made);
	return 0;
}

/* ---- The nodes, which are in the graph while an interface needs them ---- */

static bool is_any_on(const struct ws_router *router, int family, uint8_t mode)
{
	for (uint16_t i = 0; i < router->interface_count; i++)
		if (urpf_of(router)->modes[URPF_RX][family][i] == mode)
			return true;
	return false;
}

/* True if an interface with this output node checks sources. */
static bool is_any_sending(const struct ws_router *router, uint16_t output)
{
	for (uint16_t i = 0; i < router->interface_count; i++)
		for (int family = 0; family < FAMILIES; family++)
			if (urpf_of(router)->modes[URPF_TX][family][i] &&
				router->interfaces[i].output == output)
				return true;
	return false;
}

static int set_rx_nodes(struct ws_router *router, int family)
{
	int error = 0;
	for (uint8_t mode = WS_URPF_LOOSE; mode <= WS_URPF_STRICT && !error; mode++)
		error =
			features_set(router, rx_nodes[family][mode], NO_PORT, is_any_on(router, family, mode));
	return error;
}

static int set_tx_node(struct ws_router *router, uint16_t index)
{
	struct graph_feature_on nodes[FEATURES_MAX_OF_OUTPUT];
	uint16_t output = router->interfaces[index].output;
	uint16_t count = features_of_output(output, TX_NODES, nodes);
	return features_set_all(router, nodes, count, is_any_sending(router, output));
}

/* ---- Modes ---- */

static struct fib_table *table_at(const struct ws_router *router, int family, uint16_t index)
{
	return index == URPF_OWN_TABLE ? NULL : router->tables[family][index];
}

/* Take a reference of the new table and release that of the old one. */
static void name_table(struct ws_router *router, uint16_t *place, int family, uint16_t index)
{
	struct fib_table *before = table_at(router, family, *place);
	struct fib_table *after = table_at(router, family, index);
	if (after)
		after->tunnels++;
	__atomic_store_n(place, index, __ATOMIC_RELAXED);
	if (before)
		before->tunnels--;
}

static int set_mode(struct ws_router *router, uint16_t index, int family,
					enum urpf_direction direction, uint8_t mode, uint16_t table)
{
	uint8_t *place = &urpf_of(router)->modes[direction][family][index], before = *place;
	uint16_t *named = &urpf_of(router)->tables[direction][family][index], named_before = *named;
	name_table(router, named, family, table);
	__atomic_store_n(place, mode, __ATOMIC_RELAXED);
	int error = direction == URPF_RX ? set_rx_nodes(router, family) : set_tx_node(router, index);
	if (error) {
		__atomic_store_n(place, before, __ATOMIC_RELAXED);
		name_table(router, named, family, named_before);
		if (direction == URPF_RX)
			set_rx_nodes(router, family); /* a node may have been removed already */
	}
	return error;
}

static int check(const struct ws_router *router, uint16_t index, bool is_tx, int32_t mode)
{
	int error = router_check_interface(router, index);
	if (error)
		return error;
	if (mode < WS_URPF_OFF || mode > WS_URPF_STRICT)
		return fail(-EINVAL, "unicast RPF mode %d does not exist", mode);
	struct graph_feature_on nodes[FEATURES_MAX_OF_OUTPUT];
	if (is_tx && mode && !features_of_output(router->interfaces[index].output, TX_NODES, nodes))
		return fail(-EINVAL,
					"%s is not a port, a bond or a sub-interface of one; set unicast RPF "
					"on the interface that receives its packets",
					interface_name(router, index));
	return 0;
}

int ws_router_set_urpf(struct ws_router *router, uint16_t index, uint8_t family, bool is_tx,
					   int32_t mode, int64_t table)
{
	uint16_t named = URPF_OWN_TABLE;
	int error = check(router, index, is_tx, mode);
	if (!error && table >= 0 && mode) {
		const struct fib_table *found = router_table(router, family, (uint32_t)table);
		error = found ? 0 : -ENOENT;
		named = found ? found->index : named;
	}
	if (error || (!mode && !urpf_of(router)))
		return error;
	error = make_state(router);
	return error ? error
				 : set_mode(router, index, family_index(family), is_tx ? URPF_TX : URPF_RX,
							(uint8_t)mode, named);
}

int ws_router_urpf(struct ws_router *router, uint16_t index, uint8_t family, bool is_tx,
				   int64_t *table)
{
	int error = router_check_interface(router, index), at = family_index(family);
	enum urpf_direction direction = is_tx ? URPF_TX : URPF_RX;
	*table = -1;
	if (error || !urpf_of(router))
		return error ? error : WS_URPF_OFF;
	const struct fib_table *named =
		table_at(router, at, urpf_of(router)->tables[direction][at][index]);
	if (named)
		*table = named->id;
	return urpf_of(router)->modes[direction][at][index];
}

static void urpf_free(struct ws_router *router)
{
	if (urpf_of(router))
		free(urpf_of(router)->accepted);
}

static int watch_urpf(struct ws_router *router, uint16_t index, enum interface_change change)
{
	int error = 0;
	if (change != INTERFACE_LEAVES || !urpf_of(router))
		return 0;
	for (int direction = 0; direction < URPF_DIRECTIONS; direction++)
		for (int family = 0; family < FAMILIES && !error; family++)
			if (urpf_of(router)->modes[direction][family][index])
				error = set_mode(router, index, family, (enum urpf_direction)direction, WS_URPF_OFF,
								 URPF_OWN_TABLE);
	return error;
}
INTERFACE_WATCH(watch_urpf)

/* ---- Sources that need no route ---- */

static uint32_t find(const struct urpf_accepted *list, uint16_t table,
					 const struct ws_prefix *prefix)
{
	uint32_t i = 0;
	while (i < list->count &&
		   (list->at[i].table != table || list->at[i].prefix.length != prefix->length ||
			!address_equal(&list->at[i].prefix.address, &prefix->address)))
		i++;
	return i;
}

/* A copy with room for one more entry. */
static struct urpf_accepted *copy(const struct urpf_accepted *list)
{
	uint32_t count = list ? list->count : 0;
	struct urpf_accepted *made = calloc(1, sizeof(*made) + (count + 1) * sizeof(made->at[0]));
	if (made && list)
		memcpy(made, list, sizeof(*made) + count * sizeof(made->at[0]));
	return made;
}

static int change(struct fib_table *table, struct urpf_accepted *list,
				  const struct ws_prefix *prefix, bool on)
{
	uint32_t i = find(list, table->index, prefix);
	if (on != (i == list->count))
		return fail(on ? -EEXIST : -ENOENT, "sources of %s/%u are %s accepted in table %u",
					ADDRESS_TEXT(&prefix->address), prefix->length, on ? "already" : "not",
					table->id);
	if (on && list->count == URPF_MAX_ACCEPTED)
		return fail(-ENOSPC, "%d source prefixes are accepted, the maximum; remove one first",
					URPF_MAX_ACCEPTED);
	if (on) {
		list->at[i].table = table->index;
		list->at[i].prefix = *prefix;
		list->count++;
		table->tunnels++;
	} else {
		list->at[i] = list->at[--list->count];
		table->tunnels--;
	}
	return 0;
}

int ws_router_set_urpf_accept(struct ws_router *router, const struct ws_urpf_accepted *accepted,
							  bool on)
{
	uint8_t family = accepted->prefix.address.family;
	struct fib_table *table = router_table(router, family, accepted->table);
	if (!table)
		return -ENOENT;
	if (accepted->prefix.length > address_bits(family))
		return fail(-EINVAL, "a prefix is at most %u bits long, not %u", address_bits(family),
					accepted->prefix.length);
	struct ws_prefix prefix = prefix_network(accepted->prefix);
	int error = make_state(router);
	struct urpf_accepted *before = error ? NULL : urpf_of(router)->accepted;
	struct urpf_accepted *after = error ? NULL : copy(before);
	if (!after)
		return error ? error : fail(-ENOMEM, "no memory for accepted sources");
	error = change(table, after, &prefix, on);
	if (error) {
		free(after);
		return error;
	}
	__atomic_store_n(&urpf_of(router)->accepted, after, __ATOMIC_RELEASE);
	rcu_synchronize();
	free(before);
	return 0;
}

int ws_router_urpf_accepted(struct ws_router *router, struct ws_urpf_accepted *out, uint32_t max)
{
	const struct urpf_accepted *list = urpf_of(router) ? urpf_of(router)->accepted : NULL;
	uint32_t n = 0;
	for (; list && n < list->count && n < max; n++) {
		int family = family_index(list->at[n].prefix.address.family);
		out[n].table = router->tables[family][list->at[n].table]->id;
		out[n].prefix = list->at[n].prefix;
	}
	return (int)n;
}

ROUTER_MODULE_EXTERN(urpf_module, .name = "urpf", .free = urpf_free)
