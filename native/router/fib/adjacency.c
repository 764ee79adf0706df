/* SPDX-License-Identifier: Apache-2.0 */
#include "router/fib/adjacency.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "wire/ethernet.h"
#include "wire/mpls.h"

#include <errno.h>
#include <rte_hash.h>
#include <rte_jhash.h>
#include <rte_malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct key {
	struct ws_address next_hop;
	uint8_t link;
	uint16_t interface;
};

static struct key neighbor_key(uint16_t interface, const struct ws_address *next_hop, uint8_t link)
{
	return (struct key){.next_hop = *next_hop, .link = link, .interface = interface};
}

static enum adjacency_link own_link(const struct ws_address *next_hop)
{
	return next_hop->family == WS_IP4 ? LINK_IP4 : LINK_IP6;
}

static enum adjacency_kind incomplete(const struct ws_address *next_hop)
{
	return next_hop->family == WS_IP4 ? ADJACENCY_INCOMPLETE : ADJACENCY_INCOMPLETE6;
}

int adjacency_table_init(struct adjacency_table *table, uint32_t max_neighbors, uint32_t max_others)
{
	table->size = ADJACENCY_FIRST_NEIGHBOR + LINKS * max_neighbors + max_others;
	table->most = max_neighbors;
	struct rte_hash_parameters parameters = {
		.name = "adjacencies",
		.entries = RTE_MAX(LINKS * max_neighbors, 8u),
		.key_len = sizeof(struct key),
		.hash_func = rte_jhash,
		.extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
		.socket_id = SOCKET_ID_ANY,
	};
	table->by_next_hop = rte_hash_create(&parameters);
	table->adjacencies =
		rte_zmalloc("adjacencies", table->size * sizeof(*table->adjacencies), RTE_CACHE_LINE_SIZE);
	table->neighbors = calloc(table->size, sizeof(*table->neighbors));
	if (!table->by_next_hop || !table->adjacencies || !table->neighbors)
		return fail(-ENOMEM, "no memory for %u neighbours", max_neighbors);
	for (int kind = 0; kind < ADJACENCY_GLEAN; kind++)
		table->adjacencies[kind].kind = (uint8_t)kind;
	for (int i = 0; i < WS_MAX_INTERFACES; i++) {
		table->adjacencies[ADJACENCY_FIRST_GLEAN + i].kind = ADJACENCY_GLEAN;
		table->adjacencies[ADJACENCY_FIRST_GLEAN + i].tx_interface = (uint16_t)i;
	}
	table->end = ADJACENCY_FIRST_NEIGHBOR;
	return 0;
}

void adjacency_table_close(struct adjacency_table *table)
{
	rte_hash_free(table->by_next_hop);
	rte_free(table->adjacencies);
	free(table->neighbors);
}

/* ---- Adding and removing ---- */

/* Returns 0 if the table is full. */
static uint32_t allocate_adjacency(struct adjacency_table *table)
{
	uint32_t index = table->first_free ? table->first_free : table->end;
	if (index == table->size || (table->watch && table->watch(table->watch_context, index)))
		return 0;
	if (table->first_free)
		table->first_free = table->neighbors[index].next_free;
	else
		__atomic_store_n(&table->end, table->end + 1, __ATOMIC_RELAXED);
	table->neighbors[index].references = 1;
	return index;
}

static void join_interface(struct adjacency_table *table, uint32_t index)
{
	uint32_t *first = &table->first_on[table->adjacencies[index].tx_interface];
	table->neighbors[index].next_on = *first;
	table->neighbors[index].previous_on = 0;
	if (*first)
		table->neighbors[*first].previous_on = index;
	*first = index;
}

static void leave_interface(struct adjacency_table *table, uint32_t index)
{
	const struct neighbor *neighbor = &table->neighbors[index];
	if (neighbor->next_on)
		table->neighbors[neighbor->next_on].previous_on = neighbor->previous_on;
	if (neighbor->previous_on)
		table->neighbors[neighbor->previous_on].next_on = neighbor->next_on;
	else
		table->first_on[table->adjacencies[index].tx_interface] = neighbor->next_on;
}

static uint32_t hold(struct adjacency_table *table, uint32_t index)
{
	if (index)
		table->neighbors[index].references++;
	return index;
}

uint32_t adjacency_first_on(struct adjacency_table *table, uint16_t interface)
{
	return hold(table, table->first_on[interface]);
}

uint32_t adjacency_next_on(struct adjacency_table *table, uint32_t index)
{
	uint32_t next = hold(table, table->neighbors[index].next_on);
	adjacency_release(table, index);
	return next;
}

static void free_adjacency(struct adjacency_table *table, uint32_t index)
{
	struct neighbor *neighbor = &table->neighbors[index];
	/* All but the generation, which workers may be reading. */
	neighbor->next_hop = (struct ws_address){0};
	memset(&neighbor->references, 0, sizeof(*neighbor) - offsetof(struct neighbor, references));
	neighbor->next_free = table->first_free;
	table->first_free = index;
}

/* Called before and after the grace period of a removal: an adjacency is valid while its generation
 * is even. */
static void count_generation(struct adjacency_table *table, uint32_t index)
{
	__atomic_add_fetch(&table->neighbors[index].generation, 1, __ATOMIC_RELEASE);
}

static int64_t find_link(const struct adjacency_table *table, uint16_t interface,
						 const struct ws_address *next_hop, enum adjacency_link link)
{
	struct key key = neighbor_key(interface, next_hop, (uint8_t)link);
	void *index;
	if (rte_hash_lookup_data(table->by_next_hop, &key, &index) < 0)
		return ADJACENCY_NONE;
	return (int64_t)(uintptr_t)index;
}

int64_t adjacency_find(const struct adjacency_table *table, uint16_t interface,
					   const struct ws_address *next_hop)
{
	return find_link(table, interface, next_hop, own_link(next_hop));
}

static void write_rewrite(const struct adjacency_table *table, struct adjacency *adjacency,
						  const uint8_t *mac)
{
	static const uint16_t types[LINKS] = {ETHERNET_IP4, ETHERNET_IP6, ETHERNET_MPLS};
	const struct adjacency_interface *interface = &table->interfaces[adjacency->tx_interface];
	uint8_t header[REWRITE_SIZE], length = ETHERNET_LEN + interface->tags_len;
	uint16_t type = htobe16(types[adjacency->link]);
	memcpy(header, mac, ETHERNET_ADDRESS_LEN);
	memcpy(header + 6, interface->mac, ETHERNET_ADDRESS_LEN);
	memcpy(header + 12, interface->tags, interface->tags_len);
	memcpy(header + length - sizeof(type), &type, sizeof(type));
	memcpy(adjacency->rewrite + REWRITE_SIZE - length, header, length);
	adjacency->rewrite_len = length;
}

static void set_kind(struct adjacency *adjacency, enum adjacency_kind kind)
{
	__atomic_store_n(&adjacency->kind, (uint8_t)kind, __ATOMIC_RELEASE);
}

static int64_t make_neighbor(struct adjacency_table *table, uint16_t interface,
							 const struct ws_address *next_hop, enum adjacency_link link)
{
	struct key key = neighbor_key(interface, next_hop, (uint8_t)link);
	uint32_t index = allocate_adjacency(table);
	if (!index || rte_hash_add_key_data(table->by_next_hop, &key, (void *)(uintptr_t)index)) {
		if (index)
			free_adjacency(table, index);
		return fail(-ENOSPC, "no room for another adjacency among %u", table->end);
	}
	table->neighbors[index].next_hop = *next_hop;
	table->adjacencies[index] = (struct adjacency){
		.tx_interface = interface,
		.tx_output = table->interfaces[interface].output,
		.mtu = table->interfaces[interface].mtus[link],
		.kind = (uint8_t)incomplete(next_hop),
		.link = (uint8_t)link,
	};
	join_interface(table, index);
	return index;
}

int64_t adjacency_take_own(struct adjacency_table *table, uint16_t interface,
						   const struct ws_address *next_hop)
{
	int64_t index = adjacency_find(table, interface, next_hop);
	if (index >= 0) {
		table->neighbors[index].references++;
		return index;
	}
	if (table->used == table->most)
		return fail(-ENOSPC,
					"the neighbour table is full at %u entries; start the router with a larger "
					"--max-neighbors",
					table->used);
	index = make_neighbor(table, interface, next_hop, own_link(next_hop));
	if (index >= 0) {
		table->neighbors[index].used = true;
		table->used++;
	}
	return index;
}

int64_t adjacency_take(struct adjacency_table *table, uint16_t interface,
					   const struct ws_address *next_hop, enum adjacency_link link)
{
	int64_t index = find_link(table, interface, next_hop, link);
	if (link == own_link(next_hop))
		return adjacency_take_own(table, interface, next_hop);
	if (index >= 0) {
		table->neighbors[index].references++;
		return index;
	}
	int64_t own = adjacency_take_own(table, interface, next_hop);
	if (own < 0)
		return own;
	index = make_neighbor(table, interface, next_hop, link);
	if (index < 0) {
		adjacency_release(table, (uint32_t)own);
		return index;
	}
	struct adjacency *adjacency = &table->adjacencies[index];
	adjacency->next = (uint32_t)own;
	table->neighbors[own].links[link] = (uint32_t)index;
	if (adjacency_is_resolved(table, (uint32_t)own)) {
		write_rewrite(table, adjacency, adjacency_mac(&table->adjacencies[own]));
		set_kind(adjacency, ADJACENCY_REWRITE);
	}
	return index;
}

static int64_t make_above(struct adjacency_table *table, const struct adjacency *adjacency)
{
	uint32_t index = allocate_adjacency(table);
	if (!index) {
		adjacency_release(table, adjacency->next);
		return fail(-ENOSPC, "no room for another adjacency among %u", table->end);
	}
	table->adjacencies[index] = *adjacency;
	return index;
}

int64_t adjacency_push(struct adjacency_table *table, const uint32_t *labels, uint8_t count,
					   uint32_t next)
{
	struct adjacency adjacency = {.kind = ADJACENCY_LABELS, .label_count = count, .next = next};
	for (uint8_t i = 0; i < count; i++) {
		adjacency.labels[i] = htobe32(labels[i]);
		adjacency.has_own_ttl |= (labels[i] & MPLS_TTL_MASK) != 0;
	}
	return make_above(table, &adjacency);
}

int64_t adjacency_pop(struct adjacency_table *table, enum adjacency_kind kind, uint32_t next)
{
	return make_above(table, &(struct adjacency){.kind = (uint8_t)kind, .next = next});
}

int64_t adjacency_lookup(struct adjacency_table *table, uint16_t index)
{
	return make_above(table, &(struct adjacency){.kind = ADJACENCY_TABLE, .table = index});
}

void adjacency_release(struct adjacency_table *table, uint32_t index)
{
	struct neighbor *neighbor = &table->neighbors[index];
	const struct adjacency *adjacency = &table->adjacencies[index];
	if (index < ADJACENCY_FIRST_NEIGHBOR || --neighbor->references)
		return;
	uint32_t next = adjacency->next;
	if (neighbor->next_hop.family) {
		struct key key =
			neighbor_key(adjacency->tx_interface, &neighbor->next_hop, adjacency->link);
		rte_hash_del_key(table->by_next_hop, &key);
		leave_interface(table, index);
		if (neighbor->used)
			table->used--;
		else
			table->neighbors[next].links[adjacency->link] = 0;
	}
	count_generation(table, index);
	rcu_synchronize();
	count_generation(table, index);
	free_adjacency(table, index);
	adjacency_release(table, next);
}

/* ---- Resolution ---- */

static bool has_rewrite(const struct adjacency_table *table, const struct adjacency *adjacency,
						const uint8_t *mac)
{
	struct adjacency wanted = {.link = adjacency->link, .tx_interface = adjacency->tx_interface};
	write_rewrite(table, &wanted, mac);
	return adjacency->kind == ADJACENCY_REWRITE && wanted.rewrite_len == adjacency->rewrite_len &&
		   !memcmp(adjacency_mac(&wanted), adjacency_mac(adjacency), wanted.rewrite_len);
}

static void resolve_one(struct adjacency_table *table, uint32_t index, const uint8_t *mac)
{
	struct adjacency *adjacency = &table->adjacencies[index];
	if (has_rewrite(table, adjacency, mac))
		return;
	write_rewrite(table, adjacency, mac);
	set_kind(adjacency, ADJACENCY_REWRITE);
}

void adjacency_resolve(struct adjacency_table *table, uint32_t index, const uint8_t *mac)
{
	uint8_t copy[ETHERNET_ADDRESS_LEN];
	memcpy(copy, mac, sizeof(copy)); /* `mac` may point into the rewrite that changes */
	resolve_one(table, index, copy);
	for (int link = 0; link < LINKS; link++)
		if (table->neighbors[index].links[link])
			resolve_one(table, table->neighbors[index].links[link], copy);
}

void adjacency_unresolve(struct adjacency_table *table, uint32_t index)
{
	const struct neighbor *neighbor = &table->neighbors[index];
	set_kind(&table->adjacencies[index], incomplete(&neighbor->next_hop));
	for (int link = 0; link < LINKS; link++)
		if (neighbor->links[link])
			set_kind(&table->adjacencies[neighbor->links[link]], incomplete(&neighbor->next_hop));
	rcu_synchronize();
}

void adjacency_set_interface(struct adjacency_table *table, uint16_t interface,
							 const struct adjacency_interface *config)
{
	table->interfaces[interface] = *config;
	for (uint32_t i = table->first_on[interface]; i; i = table->neighbors[i].next_on) {
		struct adjacency *adjacency = &table->adjacencies[i];
		__atomic_store_n(&adjacency->mtu, config->mtus[adjacency->link], __ATOMIC_RELAXED);
		__atomic_store_n(&adjacency->tx_output, config->output, __ATOMIC_RELAXED);
		if (adjacency->kind == ADJACENCY_REWRITE) {
			uint8_t mac[ETHERNET_ADDRESS_LEN];
			memcpy(mac, adjacency_mac(adjacency), sizeof(mac));
			resolve_one(table, i, mac);
		}
	}
}
