/* SPDX-License-Identifier: Apache-2.0 */
#include "router/adjacency.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "wire/ethernet.h"

#include <errno.h>
#include <rte_hash.h>
#include <rte_jhash.h>
#include <rte_malloc.h>

struct key {
	uint32_t next_hop, interface;
};

int adjacency_table_init(struct adjacency_table *table, uint32_t max_neighbors)
{
	table->size = ADJACENCY_FIRST_NEIGHBOR + max_neighbors;
	struct rte_hash_parameters parameters = {
		.name = "adjacencies",
		.entries = RTE_MAX(max_neighbors, 8u),
		.key_len = sizeof(struct key),
		.hash_func = rte_jhash,
		.extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
		.socket_id = SOCKET_ID_ANY,
	};
	table->by_next_hop = rte_hash_create(&parameters);
	table->adjacencies =
		rte_zmalloc("adjacencies", table->size * sizeof(*table->adjacencies), RTE_CACHE_LINE_SIZE);
	table->neighbors = rte_zmalloc("neighbors", table->size * sizeof(*table->neighbors), 0);
	if (!table->by_next_hop || !table->adjacencies || !table->neighbors)
		return fail(-ENOMEM, "no memory for %u neighbours", max_neighbors);
	for (int kind = 0; kind < ADJACENCY_GLEAN; kind++)
		table->adjacencies[kind].kind = (uint8_t)kind;
	for (int i = 0; i < WS_MAX_PORTS; i++) {
		table->adjacencies[ADJACENCY_FIRST_GLEAN + i].kind = ADJACENCY_GLEAN;
		table->adjacencies[ADJACENCY_FIRST_GLEAN + i].tx_interface = (uint16_t)i;
	}
	for (uint32_t i = table->size - 1; i >= ADJACENCY_FIRST_NEIGHBOR; i--) {
		table->neighbors[i].next_free = table->first_free;
		table->first_free = i;
	}
	return 0;
}

void adjacency_table_close(struct adjacency_table *table)
{
	rte_hash_free(table->by_next_hop);
	rte_free(table->adjacencies);
	rte_free(table->neighbors);
}

int64_t adjacency_find(const struct adjacency_table *table, uint16_t interface, uint32_t next_hop)
{
	struct key key = {next_hop, interface};
	void *index;
	if (rte_hash_lookup_data(table->by_next_hop, &key, &index) < 0)
		return ADJACENCY_NONE;
	return (int64_t)(uintptr_t)index;
}

int64_t adjacency_take(struct adjacency_table *table, uint16_t interface, uint32_t next_hop,
					   uint16_t mtu)
{
	int64_t found = adjacency_find(table, interface, next_hop);
	if (found >= 0) {
		table->neighbors[found].references++;
		return found;
	}
	struct key key = {next_hop, interface};
	uint32_t index = table->first_free;
	if (!index || rte_hash_add_key_data(table->by_next_hop, &key, (void *)(uintptr_t)index))
		return fail(-ENOSPC, "the neighbour table is full at %u entries; allow more of them",
					table->used);
	table->first_free = table->neighbors[index].next_free;
	table->neighbors[index] = (struct neighbor){.used = true, .references = 1};
	table->adjacencies[index] = (struct adjacency){
		.tx_interface = interface,
		.mtu = mtu,
		.kind = ADJACENCY_INCOMPLETE,
		.next_hop = next_hop,
	};
	table->used++;
	return index;
}

void adjacency_release(struct adjacency_table *table, uint32_t index)
{
	struct neighbor *neighbor = &table->neighbors[index];
	if (--neighbor->references)
		return;
	struct key key = {table->adjacencies[index].next_hop, table->adjacencies[index].tx_interface};
	rte_hash_del_key(table->by_next_hop, &key);
	rcu_synchronize();
	*neighbor = (struct neighbor){.next_free = table->first_free};
	table->first_free = index;
	table->used--;
}

static void set_kind(struct adjacency *adjacency, enum adjacency_kind kind)
{
	__atomic_store_n(&adjacency->kind, (uint8_t)kind, __ATOMIC_RELEASE);
}

void adjacency_resolve(struct adjacency_table *table, uint32_t index, const uint8_t *mac,
					   const uint8_t *own_mac)
{
	struct adjacency *adjacency = &table->adjacencies[index];
	uint8_t rewrite[sizeof(adjacency->rewrite)];
	ethernet_write(rewrite, mac, own_mac, ETHERNET_IP4);
	if (adjacency->kind == ADJACENCY_REWRITE) {
		if (!memcmp(adjacency->rewrite, rewrite, sizeof(rewrite)))
			return;
		adjacency_unresolve(table, index);
	}
	memcpy(adjacency->rewrite, rewrite, sizeof(rewrite));
	set_kind(adjacency, ADJACENCY_REWRITE);
}

void adjacency_unresolve(struct adjacency_table *table, uint32_t index)
{
	set_kind(&table->adjacencies[index], ADJACENCY_INCOMPLETE);
	rcu_synchronize();
}

void adjacency_set_source(struct adjacency_table *table, uint16_t interface, const uint8_t *own_mac)
{
	for (uint32_t i = ADJACENCY_FIRST_NEIGHBOR; i < table->size; i++) {
		struct adjacency *adjacency = &table->adjacencies[i];
		uint8_t mac[6];
		if (!table->neighbors[i].used || adjacency->tx_interface != interface ||
			adjacency->kind != ADJACENCY_REWRITE)
			continue;
		memcpy(mac, adjacency->rewrite, sizeof(mac));
		adjacency_resolve(table, i, mac, own_mac);
	}
}

void adjacency_set_mtu(struct adjacency_table *table, uint16_t interface, uint16_t mtu)
{
	for (uint32_t i = ADJACENCY_FIRST_NEIGHBOR; i < table->size; i++)
		if (table->neighbors[i].used && table->adjacencies[i].tx_interface == interface)
			__atomic_store_n(&table->adjacencies[i].mtu, mtu, __ATOMIC_RELAXED);
}
