/* SPDX-License-Identifier: Apache-2.0 */
#include "router/fib/prefix_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

void prefix_list_add(struct prefix_list_item *items, uint32_t count, struct prefix_list_item item)
{
	uint32_t length = prefix_entry_length(item.entry), at = count;
	for (; at && prefix_entry_length(items[at - 1].entry) < length; at--)
		items[at] = items[at - 1];
	items[at] = item;
}

static bool is_same(uint32_t key, uint32_t entry, struct prefix_list_item item)
{
	return key == item.key && prefix_entry_length(entry) == prefix_entry_length(item.entry);
}

void prefix_list_remove(struct prefix_list_item *items, uint32_t count,
						struct prefix_list_item item)
{
	uint32_t at = 0;
	while (!is_same(items[at].key, items[at].entry, item))
		at++;
	memmove(&items[at], &items[at + 1], (count - at - 1) * sizeof(*items));
}

/* First of `count` items that end before the last slot. */
static uint32_t first_slot(uint32_t count)
{
	return PREFIX_LIST_MOST - count;
}

void prefix_list_write(struct prefix_list *list, const struct prefix_list_item *items,
					   uint32_t count, uint32_t otherwise)
{
	uint32_t first = first_slot(count);
	for (uint32_t slot = 0; slot < PREFIX_LIST_MOST; slot++) {
		const struct prefix_list_item *item = &items[slot < first ? 0 : slot - first];
		list->keys[slot] = item->key;
		list->entries[slot] = item->entry;
	}
	list->keys[PREFIX_LIST_MOST] = 0;
	list->entries[PREFIX_LIST_MOST] = otherwise;
}

void prefix_list_read(const struct prefix_list *list, struct prefix_list_item *items,
					  uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t slot = first_slot(count) + i;
		items[i] = (struct prefix_list_item){list->keys[slot], list->entries[slot]};
	}
}

uint32_t *prefix_list_find(struct prefix_list *list, struct prefix_list_item item, uint32_t *slots)
{
	uint32_t first = 0, end;
	while (first < PREFIX_LIST_MOST && !is_same(list->keys[first], list->entries[first], item))
		first++;
	for (end = first; end < PREFIX_LIST_MOST; end++)
		if (!is_same(list->keys[end], list->entries[end], item))
			break;
	*slots = end - first;
	return *slots ? &list->entries[first] : NULL;
}
