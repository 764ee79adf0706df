/* SPDX-License-Identifier: Apache-2.0 */
#include "router/fib/fib_entry.h"

static uint32_t entry_to(const struct fib_trie *fib, uint32_t kind, const void *node)
{
	size_t distance = (size_t)((const uint8_t *)node - fib->nodes);
	return kind << FIB_TRIE_KIND_SHIFT | (uint32_t)(distance / FIB_TRIE_NODE_UNIT);
}

/* Entry for addresses that no prefix of the list covers. */
static uint32_t *list_otherwise(const struct fib_trie *fib, uint32_t entry)
{
	return &fib_entry_list(fib, entry)->entries[PREFIX_LIST_MOST];
}

void fib_entries_overwrite(const struct fib_trie *fib, uint32_t *entries, uint32_t count,
						   uint8_t shortest, uint8_t longest, uint32_t by)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *entry =
			fib_entry_is_list(entries[i]) ? list_otherwise(fib, entries[i]) : &entries[i];
		uint32_t length = prefix_entry_length(*entry);
		if (fib_entry_is_group(*entry))
			fib_entries_overwrite(fib, fib_entry_group(fib, *entry), FIB_TRIE_GROUP_SIZE, shortest,
								  longest, by);
		else if (length >= shortest && length <= longest)
			fib_entry_store(entry, by);
	}
}

/* Replace the entry's list by one of these items; by the covering entry if there are none. */
static void replace_list(struct fib_trie *fib, uint32_t *entry,
						 const struct prefix_list_item *items, uint32_t count)
{
	uint32_t before = *entry;
	uint32_t otherwise = fib_entry_is_list(before) ? *list_otherwise(fib, before) : before;
	uint32_t after = otherwise;
	if (count) {
		struct prefix_list *list = node_pool_take(&fib->lists);
		prefix_list_write(list, items, count, otherwise);
		*node_pool_link(&fib->lists, list) = count;
		after = entry_to(fib, FIB_TRIE_LIST, list);
	}
	fib_entry_store(entry, after);
	if (fib_entry_is_list(before))
		node_pool_retire(&fib->lists, fib_entry_list(fib, before));
}

void fib_entry_add(struct fib_trie *fib, uint32_t *entry, struct prefix_list_item item)
{
	struct prefix_list_item items[PREFIX_LIST_MOST];
	uint32_t count = fib_entry_list_count(fib, *entry);
	if (count)
		prefix_list_read(fib_entry_list(fib, *entry), items, count);
	prefix_list_add(items, count, item);
	replace_list(fib, entry, items, count + 1);
}

void fib_entry_remove(struct fib_trie *fib, uint32_t *entry, struct prefix_list_item item)
{
	struct prefix_list_item items[PREFIX_LIST_MOST];
	uint32_t count = fib_entry_list_count(fib, *entry);
	/* There is room: SPARE_LISTS more than routes. */
	node_pool_reserve(&fib->lists, 1);
	prefix_list_read(fib_entry_list(fib, *entry), items, count);
	prefix_list_remove(items, count, item);
	replace_list(fib, entry, items, count - 1);
}

/* Make a group with all entries equal to `entry`; returns the entry that leads to it. */
static uint32_t take_group(struct fib_trie *fib, uint32_t entry)
{
	uint32_t *entries = node_pool_take(&fib->groups);
	for (uint32_t i = 0; i < FIB_TRIE_GROUP_SIZE; i++)
		entries[i] = entry;
	return entry_to(fib, FIB_TRIE_GROUP, entries);
}

/* Replace the list by a group; prefixes that do not end within it get lists of their own. */
static void spread_list(struct fib_trie *fib, uint32_t *entry, uint8_t depth)
{
	struct prefix_list_item items[PREFIX_LIST_MOST];
	uint32_t list = *entry, count = fib_entry_list_count(fib, list);
	uint32_t group = take_group(fib, *list_otherwise(fib, list));
	uint32_t *below = fib_entry_group(fib, group);
	uint8_t end = depth + 8;
	prefix_list_read(fib_entry_list(fib, list), items, count);
	/* Shorter prefixes first: they cover longer ones. */
	for (uint32_t i = count; i--;) {
		uint32_t index = items[i].key >> 24, length = prefix_entry_length(items[i].entry);
		struct fib_place place =
			fib_place_in(below, index, length < end ? (uint8_t)(end - length) : 0);
		if (length <= end)
			fib_entries_overwrite(fib, place.entries, place.count, 0, (uint8_t)length,
								  items[i].entry);
		else
			fib_entry_add(fib, &below[index],
						  (struct prefix_list_item){items[i].key << 8, items[i].entry});
	}
	*fib_entry_group_links(fib, group) = count;
	fib_entry_store(entry, group);
	node_pool_retire(&fib->lists, fib_entry_list(fib, list));
}

void fib_entry_make_group(struct fib_trie *fib, uint32_t *entry, uint8_t depth)
{
	if (fib_entry_is_list(*entry))
		spread_list(fib, entry, depth);
	else if (!fib_entry_is_group(*entry))
		fib_entry_store(entry, take_group(fib, *entry));
}
