/* SPDX-License-Identifier: Apache-2.0 */
#include "router/interface/address_index.h"

#include "dev/error.h"
#include "router/router.h"
#include "wire/address.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* By family, table, network and length; equal ones, nested in one interface, are in any order. */
static int compare(const struct indexed_address *one, const struct indexed_address *other)
{
	if (one->prefix.address.family != other->prefix.address.family)
		return one->prefix.address.family < other->prefix.address.family ? -1 : 1;
	if (one->table != other->table)
		return one->table < other->table ? -1 : 1;
	if (one->first != other->first)
		return one->first < other->first ? -1 : 1;
	return one->prefix.length - other->prefix.length;
}

/* Number of entries before the key. */
static uint32_t rank(const struct address_index *index, const struct indexed_address *key)
{
	uint32_t low = 0, high = index->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (compare(&index->at[middle], key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct indexed_address key_of(uint16_t interface, uint16_t table, struct ws_prefix prefix)
{
	struct ws_prefix network = prefix_network(prefix);
	return (struct indexed_address){
		.first = address_number(&network.address),
		.prefix = prefix,
		.interface = interface,
		.table = table,
	};
}

/* ---- Changes ---- */

int address_index_reserve(struct address_index *index)
{
	if (index->capacity - index->count >= WS_MAX_ADDRESSES)
		return 0;
	uint32_t capacity = index->capacity * 2 + WS_MAX_ADDRESSES;
	struct indexed_address *larger = realloc(index->at, capacity * sizeof(*larger));
	if (!larger)
		return fail(-ENOMEM, "no memory for an address");
	index->at = larger;
	index->capacity = capacity;
	return 0;
}

static void insert(struct address_index *index, const struct indexed_address *address)
{
	uint32_t place = rank(index, address);
	memmove(&index->at[place + 1], &index->at[place],
			(index->count - place) * sizeof(index->at[0]));
	index->at[place] = *address;
	index->count++;
}

static void drop(struct address_index *index, const struct indexed_address *address)
{
	uint32_t place = rank(index, address);
	while (place < index->count && !prefix_equal(&index->at[place].prefix, &address->prefix))
		place++;
	if (place == index->count)
		return;
	index->count--;
	memmove(&index->at[place], &index->at[place + 1],
			(index->count - place) * sizeof(index->at[0]));
}

static bool has(const struct address_list *list, const struct ws_prefix *prefix)
{
	for (uint16_t i = 0; i < list->given; i++)
		if (prefix_equal(&list->at[i], prefix))
			return true;
	return false;
}

void address_index_change(struct ws_router *router, uint16_t interface,
						  const struct address_list *before, const struct address_list *after)
{
	const uint16_t *tables = router->interfaces[interface].table;
	for (int is_after = 0; is_after < 2; is_after++) {
		const struct address_list *list = is_after ? after : before,
								  *other = is_after ? before : after;
		for (uint16_t i = 0; i < list->given; i++) {
			const struct ws_prefix *prefix = &list->at[i];
			struct indexed_address address =
				key_of(interface, tables[family_index(prefix->address.family)], *prefix);
			if (has(other, prefix))
				continue;
			if (is_after)
				insert(&router->address_index, &address);
			else
				drop(&router->address_index, &address);
		}
	}
}

void address_index_free(struct address_index *index)
{
	free(index->at);
	*index = (struct address_index){0};
}

/* ---- Lookups ---- */

/*
 * Goes backwards from the last network that begins at or before the address. A network that covers
 * the address also overlaps all networks in between, so these are of the same interface.
 */
const struct indexed_address *address_index_over(const struct address_index *index, uint16_t table,
												 const struct ws_address *address, uint32_t *place)
{
	struct indexed_address key = key_of(0, table, prefix_of_host(*address));
	key.prefix.length = UINT8_MAX; /* behind all that begin there */
	uint32_t end = rank(index, &key);
	for (; *place < end; ++*place) {
		const struct indexed_address *found = &index->at[end - 1 - *place];
		if (found->table != table || found->prefix.address.family != address->family ||
			found->interface != index->at[end - 1].interface)
			return NULL;
		if (prefix_covers(&found->prefix, address)) {
			++*place;
			return found;
		}
	}
	return NULL;
}

const struct indexed_address *address_index_within(const struct address_index *index,
												   uint16_t table, struct ws_prefix prefix,
												   uint32_t *place)
{
	struct indexed_address key = key_of(0, table, prefix);
	key.prefix.length = 0; /* before all that begin there */
	uint32_t at = rank(index, &key) + *place;
	if (at >= index->count)
		return NULL;
	const struct indexed_address *found = &index->at[at];
	prefix_fill(&prefix, true);
	if (found->table != table || found->prefix.address.family != prefix.address.family ||
		found->first > address_number(&prefix.address))
		return NULL;
	++*place;
	return found;
}
