/* SPDX-License-Identifier: Apache-2.0 */
#include "router/fib/fib_trie.h"

#include "dev/error.h"
#include "router/fib/address_space.h"
#include "router/fib/fib_entry.h"
#include "wire/address.h"

#include <errno.h>

enum {
	/* At most, for IPv6, since lists replace nearly all groups. An IPv4 route never needs more than
	 * one. */
	GROUPS_PER_ROUTE = 4,
	MIN_GROUPS = 4096,
	SPARE_LISTS = 4096, /* in addition to one per route: lists that workers may still read */
};
#define ROOT_ENTRIES (1u << FIB_TRIE_ROOT_BITS)
#define GROUP_BYTES (FIB_TRIE_GROUP_SIZE * sizeof(uint32_t))

int fib_trie_init(struct fib_trie *fib, uint8_t family, uint32_t max_routes)
{
	uint32_t groups = family == WS_IP4 ? max_routes : max_routes * GROUPS_PER_ROUTE;
	uint32_t lists = family == WS_IP4 ? 1 : max_routes + SPARE_LISTS;
	size_t list_bytes = lists * sizeof(struct prefix_list);
	groups = groups > MIN_GROUPS ? groups : MIN_GROUPS;
	*fib = (struct fib_trie){.max = max_routes};
	fib->node_bytes = list_bytes + (size_t)groups * GROUP_BYTES;
	fib->root = address_space_reserve(ROOT_ENTRIES * sizeof(*fib->root));
	fib->nodes = address_space_reserve(fib->node_bytes);
	bool has_lists = node_pool_init(&fib->lists, fib->nodes, lists, sizeof(struct prefix_list));
	bool has_groups = node_pool_init(&fib->groups, fib->nodes + list_bytes, groups, GROUP_BYTES);
	if (prefix_tree_init(&fib->prefixes, family, max_routes) && fib->root && fib->nodes &&
		has_lists && has_groups)
		return 0;
	size_t wanted = fib->node_bytes;
	fib_trie_close(fib);
	return fail(-ENOMEM,
				"no address space for a table of %u IPv%u routes, of which it takes %zu MB; "
				"allow more of it (ulimit -v) or fewer routes",
				max_routes, family, (wanted >> 20) + 65);
}

void fib_trie_close(struct fib_trie *fib)
{
	prefix_tree_close(&fib->prefixes);
	address_space_release(fib->root, ROOT_ENTRIES * sizeof(*fib->root));
	address_space_release(fib->nodes, fib->node_bytes);
	node_pool_close(&fib->groups);
	node_pool_close(&fib->lists);
	fib->root = NULL;
	fib->nodes = NULL;
}

/* ---- Paths ---- */

/* The path through existing groups towards a prefix: the entry where it continues in a list or
 * ends, and the number of bits before it. */
struct way {
	uint32_t *table, *entry;
	uint8_t depth;
};

static struct way way_begin(const struct fib_trie *fib, const struct ws_prefix *prefix)
{
	uint32_t *entry = &fib->root[fib_trie_root_index(prefix->address.bytes)];
	return (struct way){fib->root, entry, FIB_TRIE_ROOT_BITS};
}

static void way_enter(const struct fib_trie *fib, const struct ws_prefix *prefix, struct way *way)
{
	way->table = fib_entry_group(fib, *way->entry);
	way->entry = &way->table[prefix->address.bytes[way->depth / 8]];
	way->depth += 8;
}

static struct way way_to(const struct fib_trie *fib, const struct ws_prefix *prefix)
{
	struct way way = way_begin(fib, prefix);
	while (prefix->length > way.depth && fib_entry_is_group(*way.entry))
		way_enter(fib, prefix, &way);
	return way;
}

/* Write the prefix's entry over those of prefixes from `shortest` bits up to its own length. */
static void overwrite_at(const struct fib_trie *fib, const struct ws_prefix *prefix,
						 const struct way *way, uint8_t shortest, uint32_t by)
{
	struct fib_place place =
		fib_place_in(way->table, (uint32_t)(way->entry - way->table), way->depth - prefix->length);
	fib_entries_overwrite(fib, place.entries, place.count, shortest, prefix->length, by);
}

/* Reserve all nodes that adding the prefix may take. */
static bool reserve_nodes(struct fib_trie *fib, const struct ws_prefix *prefix)
{
	struct way way = way_to(fib, prefix);
	uint32_t bits = prefix->length > way.depth ? (uint32_t)(prefix->length - way.depth) : 0;
	uint32_t groups = (bits + 7) / 8, lists = 0, in_list = PREFIX_LIST_BITS / 8;
	if (bits && fib_has_lists(fib)) {
		lists = 1;
		if (fib_entry_is_list(*way.entry) &&
			fib_entry_list_count(fib, *way.entry) == PREFIX_LIST_MOST)
			lists += groups * PREFIX_LIST_MOST;
		else if (fib_entry_is_list(*way.entry) && groups > in_list)
			lists += in_list * PREFIX_LIST_MOST;
		else
			groups = groups > in_list ? groups - in_list : 0;
	}
	return node_pool_reserve(&fib->groups, groups) && node_pool_reserve(&fib->lists, lists);
}

static void add_prefix(struct fib_trie *fib, const struct ws_prefix *prefix, uint32_t value)
{
	struct way way = way_begin(fib, prefix);
	for (; prefix->length > way.depth; way_enter(fib, prefix, &way)) {
		if (!fib_entry_is_group(*way.entry) && fib_list_reaches(fib, prefix, way.depth) &&
			fib_entry_list_count(fib, *way.entry) < PREFIX_LIST_MOST) {
			fib_entry_add(fib, way.entry, fib_list_item(prefix, way.depth, value));
			return;
		}
		fib_entry_make_group(fib, way.entry, way.depth);
		++*fib_entry_group_links(fib, *way.entry);
	}
	overwrite_at(fib, prefix, &way, 0, fib_entry_make(prefix->length, value));
}

/* Replace the value of an existing prefix. */
static void replace_value(struct fib_trie *fib, const struct ws_prefix *prefix, uint32_t value)
{
	struct way way = way_to(fib, prefix);
	uint32_t entry = fib_entry_make(prefix->length, value), slots;
	if (prefix->length <= way.depth) {
		overwrite_at(fib, prefix, &way, prefix->length, entry);
		return;
	}
	uint32_t *found = prefix_list_find(fib_entry_list(fib, *way.entry),
									   fib_list_item(prefix, way.depth, value), &slots);
	while (slots--)
		fib_entry_store(&found[slots], entry);
}

/*
 * Decrement the prefix counts on the path of a removed prefix. The first group without prefixes,
 * and the groups below it, which are only on this path, are replaced by `by`, the value of all its
 * entries.
 */
static void leave_groups(struct fib_trie *fib, const struct ws_prefix *prefix, uint32_t by)
{
	struct way way = way_begin(fib, prefix);
	bool unlinked = false;
	while (prefix->length > way.depth && fib_entry_is_group(*way.entry)) {
		uint32_t *entry = way.entry, group = *entry;
		way_enter(fib, prefix, &way);
		if (--*fib_entry_group_links(fib, group))
			continue;
		if (!unlinked)
			fib_entry_store(entry, by);
		unlinked = true;
		node_pool_retire(&fib->groups, fib_entry_group(fib, group));
	}
}

/* ---- Prefixes ---- */

/*
 * In most cases the trie shows whether a prefix exists, in one or two accesses, where the tree
 * takes twenty: the entry at its first address has the prefix's length, or a shorter length if the
 * prefix does not exist. Only a longer prefix hides it.
 */
bool fib_trie_get(const struct fib_trie *fib, const struct ws_prefix *prefix, uint32_t *value)
{
	struct way way = way_to(fib, prefix);
	uint32_t entry = *way.entry, slots;
	if (prefix->length > way.depth && fib_entry_is_list(entry)) {
		const uint32_t *found = fib_list_reaches(fib, prefix, way.depth)
									? prefix_list_find(fib_entry_list(fib, entry),
													   fib_list_item(prefix, way.depth, 0), &slots)
									: NULL;
		*value = found ? *found & FIB_TRIE_VALUE_MASK : 0;
	} else if (!prefix->length) {
		*value = fib->default_value;
	} else if (fib_entry_is_group(entry) || fib_entry_is_list(entry) ||
			   prefix_entry_length(entry) > prefix->length) {
		*value = prefix_tree_get(&fib->prefixes, prefix);
	} else {
		*value = prefix_entry_length(entry) == prefix->length ? entry & FIB_TRIE_VALUE_MASK : 0;
	}
	return *value;
}

static int check_capacity(struct fib_trie *fib, const struct ws_prefix *prefix)
{
	if (fib->count >= fib->max)
		return fail(-ENOSPC, "the table is full at %u routes", fib->max);
	if (!reserve_nodes(fib, prefix))
		return fail(-ENOSPC, "there is no room for another prefix of /%u among %u routes",
					prefix->length, fib->count);
	return 0;
}

int fib_trie_set(struct fib_trie *fib, const struct ws_prefix *prefix, uint32_t value)
{
	if (!value || value > FIB_TRIE_VALUE_MASK)
		return fail(-ERANGE, "route value %u is out of range", value);
	uint32_t old;
	bool replaces = fib_trie_get(fib, prefix, &old);
	int error = replaces ? 0 : check_capacity(fib, prefix);
	if (error)
		return error;
	fib->count += !replaces;
	prefix_tree_set(&fib->prefixes, prefix, value);
	if (!prefix->length) {
		__atomic_store_n(&fib->default_value, value, __ATOMIC_RELEASE);
		return 0;
	}
	(replaces ? replace_value : add_prefix)(fib, prefix, value);
	return 0;
}

void fib_trie_remove(struct fib_trie *fib, const struct ws_prefix *prefix)
{
	struct prefix_value above;
	prefix_tree_remove(&fib->prefixes, prefix, &above);
	fib->count--;
	if (!prefix->length) {
		__atomic_store_n(&fib->default_value, 0, __ATOMIC_RELEASE);
		return;
	}
	/* The new entry; the default route is not in the trie. */
	uint32_t by = above.length ? fib_entry_make(above.length, above.value) : 0;
	struct way way = way_to(fib, prefix);
	if (prefix->length > way.depth)
		fib_entry_remove(fib, way.entry, fib_list_item(prefix, way.depth, 0));
	else
		overwrite_at(fib, prefix, &way, prefix->length, by);
	leave_groups(fib, prefix, by);
}

bool fib_trie_match(const struct fib_trie *fib, const struct ws_address *address,
					struct ws_prefix *prefix, uint32_t *value)
{
	struct prefix_value found = prefix_tree_match(&fib->prefixes, address);
	if (!found.value)
		return false;
	*prefix = prefix_network((struct ws_prefix){*address, found.length});
	*value = found.value;
	return true;
}

void fib_trie_seek(const struct fib_trie *fib, struct prefix_cursor *cursor,
				   const struct ws_prefix *after)
{
	prefix_tree_seek(&fib->prefixes, cursor, after);
}

bool fib_trie_next_prefix(const struct fib_trie *fib, struct prefix_cursor *cursor,
						  struct ws_prefix *prefix, uint32_t *value)
{
	return prefix_tree_next(&fib->prefixes, cursor, prefix, value);
}
