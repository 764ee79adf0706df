/* SPDX-License-Identifier: Apache-2.0 */
#include "router/fib_trie.h"

#include "dev/error.h"
#include "dev/rcu.h"
#include "router/address_space.h"
#include "wire/address.h"

#include <errno.h>

enum {
	/* Of IPv6. What the Internet's prefixes need is one to two groups for three routes; a route of
	 * IPv4 never needs more than one. */
	GROUPS_PER_ROUTE = 4,
	MIN_GROUPS = 4096,
	/* So many are retired before memory never used is left alone and the workers are waited for. */
	RECLAIM_BATCH = 1024,
};
#define ROOT_ENTRIES (1u << FIB_TRIE_ROOT_BITS)
#define NO_GROUP UINT32_MAX

static size_t groups_bytes(const struct fib_trie *fib)
{
	return (size_t)fib->capacity * FIB_TRIE_GROUP_SIZE * sizeof(*fib->groups);
}

int fib_trie_init(struct fib_trie *fib, uint8_t family, uint32_t max_routes)
{
	uint32_t groups = family == WS_IP4 ? max_routes : max_routes * GROUPS_PER_ROUTE;
	*fib = (struct fib_trie){.max = max_routes, .first_free = NO_GROUP, .first_retired = NO_GROUP};
	fib->capacity = groups > MIN_GROUPS ? groups : MIN_GROUPS;
	fib->root = address_space_reserve(ROOT_ENTRIES * sizeof(*fib->root));
	fib->groups = address_space_reserve(groups_bytes(fib));
	fib->links = address_space_reserve(fib->capacity * sizeof(*fib->links));
	if (prefix_tree_init(&fib->prefixes, family, max_routes) && fib->root && fib->groups &&
		fib->links)
		return 0;
	fib_trie_close(fib);
	return fail(-ENOMEM,
				"no address space for a table of %u IPv%u routes, of which it takes %zu MB; "
				"allow more of it (ulimit -v) or fewer routes",
				max_routes, family, (groups_bytes(fib) >> 20) + 65);
}

void fib_trie_close(struct fib_trie *fib)
{
	prefix_tree_close(&fib->prefixes);
	address_space_release(fib->root, ROOT_ENTRIES * sizeof(*fib->root));
	address_space_release(fib->groups, groups_bytes(fib));
	address_space_release(fib->links, fib->capacity * sizeof(*fib->links));
	fib->root = fib->groups = fib->links = NULL;
}

/* ---- Groups ---- */

static uint32_t *group_entries(const struct fib_trie *fib, uint32_t group)
{
	return &fib->groups[(size_t)group * FIB_TRIE_GROUP_SIZE];
}

/* The workers let go of what was retired, so that it can be taken again. */
static void reclaim(struct fib_trie *fib)
{
	rcu_synchronize();
	while (fib->first_retired != NO_GROUP) {
		uint32_t group = fib->first_retired;
		fib->first_retired = fib->links[group];
		fib->links[group] = fib->first_free;
		fib->first_free = group;
	}
	fib->free_count += fib->retired_count;
	fib->retired_count = 0;
}

/* Whether `wanted` groups can be taken. */
static bool make_room(struct fib_trie *fib, uint32_t wanted)
{
	uint32_t fresh = fib->capacity - fib->made;
	if (wanted <= fib->free_count)
		return true;
	if (fib->retired_count >= RECLAIM_BATCH ||
		(fib->retired_count && wanted > fib->free_count + fresh))
		reclaim(fib);
	return wanted <= fib->free_count + fresh;
}

/* A group all of whose entries are `entry`; make_room() came before. */
static uint32_t take_group(struct fib_trie *fib, uint32_t entry)
{
	uint32_t group = fib->first_free;
	if (group == NO_GROUP) {
		group = fib->made++;
	} else {
		fib->first_free = fib->links[group];
		fib->free_count--;
	}
	uint32_t *entries = group_entries(fib, group);
	for (uint32_t i = 0; i < FIB_TRIE_GROUP_SIZE; i++)
		entries[i] = entry;
	fib->links[group] = 0;
	fib->used++;
	return group;
}

static void retire_group(struct fib_trie *fib, uint32_t group)
{
	fib->links[group] = fib->first_retired;
	fib->first_retired = group;
	fib->retired_count++;
	fib->used--;
}

/* ---- The trie ---- */

static uint32_t make_entry(uint8_t length, uint32_t value)
{
	return (uint32_t)length << FIB_TRIE_VALUE_BITS | value;
}

static uint8_t entry_length(uint32_t entry)
{
	return (uint8_t)(entry >> FIB_TRIE_VALUE_BITS);
}

static void store(uint32_t *entry, uint32_t value)
{
	__atomic_store_n(entry, value, __ATOMIC_RELEASE);
}

static uint32_t group_of(uint32_t entry)
{
	return entry & ~FIB_TRIE_IS_GROUP;
}

/* In `count` entries and what is below them, those of prefixes of `shortest` to `longest` bits. */
static void overwrite(const struct fib_trie *fib, uint32_t *entries, uint32_t count,
					  uint8_t shortest, uint8_t longest, uint32_t by)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t entry = entries[i];
		if (entry & FIB_TRIE_IS_GROUP)
			overwrite(fib, group_entries(fib, group_of(entry)), FIB_TRIE_GROUP_SIZE, shortest,
					  longest, by);
		else if (entry_length(entry) >= shortest && entry_length(entry) <= longest)
			store(&entries[i], by);
	}
}

/* Where a prefix ends: a run of entries, in the root or in the last of the groups on its way. */
struct place {
	uint32_t *entries;
	uint32_t count;
};

static struct place place_in(uint32_t *table, uint32_t index, uint8_t unused_bits)
{
	return (struct place){&table[index & ~0u << unused_bits], 1u << unused_bits};
}

/* Calls for each entry on the way from the root to the prefix's place that stands for a group. */
typedef void visit_fn(struct fib_trie *fib, uint32_t *entry);

static struct place descend(struct fib_trie *fib, const struct ws_prefix *prefix, visit_fn *visit)
{
	const uint8_t *bytes = prefix->address.bytes;
	uint32_t index = fib_trie_root_index(bytes), *table = fib->root;
	uint8_t end = FIB_TRIE_ROOT_BITS;
	for (; prefix->length > end; end += 8) {
		visit(fib, &table[index]);
		table = group_entries(fib, group_of(table[index]));
		index = bytes[end / 8];
	}
	return place_in(table, index, end - prefix->length);
}

static void enter(struct fib_trie *fib, uint32_t *entry)
{
	if (!(*entry & FIB_TRIE_IS_GROUP))
		store(entry, take_group(fib, *entry) | FIB_TRIE_IS_GROUP);
	fib->links[group_of(*entry)]++;
}

static void pass(struct fib_trie *fib, uint32_t *entry)
{
	(void)fib;
	(void)entry;
}

/*
 * One prefix less on the way to where it stood. The first group that has none left, and with it
 * those below, which are on this way alone, gives way to `by`, which all of its entries are by now.
 */
static void leave(struct fib_trie *fib, const struct ws_prefix *prefix, uint32_t by)
{
	uint32_t *entry = &fib->root[fib_trie_root_index(prefix->address.bytes)];
	bool unlinked = false;
	for (uint8_t end = FIB_TRIE_ROOT_BITS; prefix->length > end; end += 8) {
		uint32_t group = group_of(*entry);
		uint32_t *below = &group_entries(fib, group)[prefix->address.bytes[end / 8]];
		if (!--fib->links[group]) {
			if (!unlinked)
				store(entry, by);
			unlinked = true;
			retire_group(fib, group);
		}
		entry = below;
	}
}

/* How many groups the way to the prefix lacks. */
static uint32_t groups_missing(const struct fib_trie *fib, const struct ws_prefix *prefix)
{
	uint32_t entry = fib->root[fib_trie_root_index(prefix->address.bytes)];
	uint8_t end = FIB_TRIE_ROOT_BITS;
	for (; prefix->length > end && entry & FIB_TRIE_IS_GROUP; end += 8)
		entry = *fib_trie_next_entry(fib, entry, prefix->address.bytes[end / 8]);
	return prefix->length > end ? (prefix->length - end + 7u) / 8 : 0;
}

/* ---- Prefixes ---- */

/*
 * The trie mostly knows whether a prefix is there, in one or two accesses where the tree takes
 * twenty: what stands at its first address is of its own length, or of a shorter one when it is not
 * there. Only a longer one hides it.
 */
bool fib_trie_get(const struct fib_trie *fib, const struct ws_prefix *prefix, uint32_t *value)
{
	uint32_t entry = fib->root[fib_trie_root_index(prefix->address.bytes)];
	for (uint8_t end = FIB_TRIE_ROOT_BITS; prefix->length > end && entry & FIB_TRIE_IS_GROUP;
		 end += 8)
		entry = *fib_trie_next_entry(fib, entry, prefix->address.bytes[end / 8]);
	if (!prefix->length)
		*value = fib->default_value;
	else if (entry & FIB_TRIE_IS_GROUP || entry_length(entry) > prefix->length)
		*value = prefix_tree_get(&fib->prefixes, prefix);
	else
		*value = entry_length(entry) == prefix->length ? entry & FIB_TRIE_VALUE_MASK : 0;
	return *value;
}

static int check_room(struct fib_trie *fib, const struct ws_prefix *prefix)
{
	if (fib->count >= fib->max)
		return fail(-ENOSPC, "the table is full at %u routes", fib->max);
	if (!make_room(fib, groups_missing(fib, prefix)))
		return fail(-ENOSPC, "there is no room for another prefix of /%u among %u routes",
					prefix->length, fib->count);
	return 0;
}

int fib_trie_set(struct fib_trie *fib, const struct ws_prefix *prefix, uint32_t value)
{
	if (!value || value > FIB_TRIE_VALUE_MASK)
		return fail(-ERANGE, "%u is no value of a route", value);
	uint32_t old;
	bool replaces = fib_trie_get(fib, prefix, &old);
	int error = replaces ? 0 : check_room(fib, prefix);
	if (error)
		return error;
	fib->count += !replaces;
	fib->generation++;
	prefix_tree_set(&fib->prefixes, prefix, value);
	if (!prefix->length) {
		__atomic_store_n(&fib->default_value, value, __ATOMIC_RELEASE);
		return 0;
	}
	struct place place = descend(fib, prefix, replaces ? pass : enter);
	overwrite(fib, place.entries, place.count, 0, prefix->length,
			  make_entry(prefix->length, value));
	return 0;
}

void fib_trie_remove(struct fib_trie *fib, const struct ws_prefix *prefix)
{
	struct prefix_value above;
	prefix_tree_remove(&fib->prefixes, prefix, &above);
	fib->generation++;
	fib->count--;
	if (!prefix->length) {
		__atomic_store_n(&fib->default_value, 0, __ATOMIC_RELEASE);
		return;
	}
	/* What stands there from now on; the default route does not stand in the trie. */
	uint32_t by = above.length ? make_entry(above.length, above.value) : 0;
	struct place place = descend(fib, prefix, pass);
	overwrite(fib, place.entries, place.count, prefix->length, prefix->length, by);
	leave(fib, prefix, by);
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

bool fib_trie_next_prefix(const struct fib_trie *fib, struct prefix_cursor *cursor,
						  struct ws_prefix *prefix, uint32_t *value)
{
	return prefix_tree_next(&fib->prefixes, cursor, prefix, value);
}
