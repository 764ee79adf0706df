/* SPDX-License-Identifier: Apache-2.0 */
#include "router/fib6.h"

#include "dev/error.h"
#include "dev/rcu.h"

#include <errno.h>
#include <rte_rib6.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum {
	/* What the Internet's prefixes need is one to two groups for three routes. */
	GROUPS_PER_ROUTE = 4,
	MIN_GROUPS = 4096,
	/* So many are retired before memory never used is left alone and the workers are waited for. */
	RECLAIM_BATCH = 1024,
};
#define ROOT_ENTRIES (1u << FIB6_ROOT_BITS)
#define NO_GROUP UINT32_MAX

/* Address space, which takes memory where it is written. NULL when there is none. */
static void *reserve(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
						MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

static void release(void *memory, size_t bytes)
{
	if (memory)
		munmap(memory, bytes);
}

static size_t groups_bytes(const struct fib6 *fib)
{
	return (size_t)fib->capacity * FIB6_GROUP_SIZE * sizeof(*fib->groups);
}

int fib6_init(struct fib6 *fib, const char *name, uint32_t max_routes)
{
	struct rte_rib6_conf conf = {.max_nodes = (int)RTE_MAX(max_routes * 2, 64u)};
	*fib = (struct fib6){.max = max_routes, .first_free = NO_GROUP, .first_retired = NO_GROUP};
	fib->capacity = RTE_MAX(max_routes * GROUPS_PER_ROUTE, (uint32_t)MIN_GROUPS);
	fib->rib = rte_rib6_create(name, SOCKET_ID_ANY, &conf);
	fib->root = reserve(ROOT_ENTRIES * sizeof(*fib->root));
	fib->groups = reserve(groups_bytes(fib));
	fib->links = reserve(fib->capacity * sizeof(*fib->links));
	if (fib->rib && fib->root && fib->groups && fib->links)
		return 0;
	fib6_close(fib);
	return fail(-ENOMEM,
				"no memory for a table of %u IPv6 routes, which takes about %u MB; "
				"give more memory or allow fewer routes",
				max_routes, max_routes / 4096 + 1);
}

void fib6_close(struct fib6 *fib)
{
	rte_rib6_free(fib->rib);
	release(fib->root, ROOT_ENTRIES * sizeof(*fib->root));
	release(fib->groups, groups_bytes(fib));
	release(fib->links, fib->capacity * sizeof(*fib->links));
	*fib = (struct fib6){0};
}

/* ---- Groups ---- */

static uint32_t *group_entries(const struct fib6 *fib, uint32_t group)
{
	return &fib->groups[(size_t)group * FIB6_GROUP_SIZE];
}

/* The workers let go of what was retired, so that it can be taken again. */
static void reclaim(struct fib6 *fib)
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
static bool make_room(struct fib6 *fib, uint32_t wanted)
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
static uint32_t take_group(struct fib6 *fib, uint32_t entry)
{
	uint32_t group = fib->first_free;
	if (group == NO_GROUP) {
		group = fib->made++;
	} else {
		fib->first_free = fib->links[group];
		fib->free_count--;
	}
	uint32_t *entries = group_entries(fib, group);
	for (uint32_t i = 0; i < FIB6_GROUP_SIZE; i++)
		entries[i] = entry;
	fib->links[group] = 0;
	fib->used++;
	return group;
}

static void retire_group(struct fib6 *fib, uint32_t group)
{
	fib->links[group] = fib->first_retired;
	fib->first_retired = group;
	fib->retired_count++;
	fib->used--;
}

/* ---- The trie ---- */

static uint32_t make_entry(uint8_t length, uint32_t value)
{
	return (uint32_t)length << FIB6_VALUE_BITS | value;
}

static uint8_t entry_length(uint32_t entry)
{
	return (uint8_t)(entry >> FIB6_VALUE_BITS);
}

static void store(uint32_t *entry, uint32_t value)
{
	__atomic_store_n(entry, value, __ATOMIC_RELEASE);
}

static uint32_t group_of(uint32_t entry)
{
	return entry & ~FIB6_IS_GROUP;
}

/* In `count` entries and what is below them, those of prefixes of `shortest` to `longest` bits. */
static void overwrite(const struct fib6 *fib, uint32_t *entries, uint32_t count, uint8_t shortest,
					  uint8_t longest, uint32_t by)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t entry = entries[i];
		if (entry & FIB6_IS_GROUP)
			overwrite(fib, group_entries(fib, group_of(entry)), FIB6_GROUP_SIZE, shortest, longest,
					  by);
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
typedef void visit_fn(struct fib6 *fib, uint32_t *entry);

static struct place descend(struct fib6 *fib, const struct ws_prefix *prefix, visit_fn *visit)
{
	const uint8_t *bytes = prefix->address.bytes;
	uint32_t index = fib6_root_index(bytes), *table = fib->root;
	uint8_t end = FIB6_ROOT_BITS;
	for (; prefix->length > end; end += 8) {
		visit(fib, &table[index]);
		table = group_entries(fib, group_of(table[index]));
		index = bytes[end / 8];
	}
	return place_in(table, index, end - prefix->length);
}

static void enter(struct fib6 *fib, uint32_t *entry)
{
	if (!(*entry & FIB6_IS_GROUP))
		store(entry, take_group(fib, *entry) | FIB6_IS_GROUP);
	fib->links[group_of(*entry)]++;
}

static void pass(struct fib6 *fib, uint32_t *entry)
{
	(void)fib;
	(void)entry;
}

/*
 * One prefix less on the way to where it stood. The first group that has none left, and with it
 * those below, which are on this way alone, gives way to `by`, which all of its entries are by now.
 */
static void leave(struct fib6 *fib, const struct ws_prefix *prefix, uint32_t by)
{
	uint32_t *entry = &fib->root[fib6_root_index(prefix->address.bytes)];
	bool unlinked = false;
	for (uint8_t end = FIB6_ROOT_BITS; prefix->length > end; end += 8) {
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
static uint32_t groups_missing(const struct fib6 *fib, const struct ws_prefix *prefix)
{
	uint32_t entry = fib->root[fib6_root_index(prefix->address.bytes)];
	uint8_t end = FIB6_ROOT_BITS;
	for (; prefix->length > end && entry & FIB6_IS_GROUP; end += 8)
		entry = *fib6_next_entry(fib, entry, prefix->address.bytes[end / 8]);
	return prefix->length > end ? (prefix->length - end + 7u) / 8 : 0;
}

/* ---- Prefixes ---- */

static int insert(struct fib6 *fib, const struct ws_prefix *prefix, uint32_t value)
{
	if (fib->count >= fib->max)
		return fail(-ENOSPC, "the IPv6 table is full at %u routes; allow more of them", fib->max);
	if (!make_room(fib, groups_missing(fib, prefix)))
		return fail(-ENOSPC,
					"no room for another prefix of /%u among %u IPv6 routes; allow more of them",
					prefix->length, fib->count);
	struct rte_rib6_node *node = rte_rib6_insert(fib->rib, prefix->address.bytes, prefix->length);
	if (!node)
		return fail(-ENOMEM, "no memory for another IPv6 route among %u", fib->count);
	rte_rib6_set_nh(node, value);
	fib->count++;
	return 0;
}

int fib6_set(struct fib6 *fib, const struct ws_prefix *prefix, uint32_t value)
{
	struct rte_rib6_node *node =
		rte_rib6_lookup_exact(fib->rib, prefix->address.bytes, prefix->length);
	if (value > FIB6_VALUE_MASK)
		return fail(-ERANGE, "%u is no value of an IPv6 route", value);
	fib->generation++;
	if (node) {
		rte_rib6_set_nh(node, value);
	} else {
		int error = insert(fib, prefix, value);
		if (error)
			return error;
	}
	if (!prefix->length) {
		__atomic_store_n(&fib->default_value, value, __ATOMIC_RELEASE);
		return 0;
	}
	struct place place = descend(fib, prefix, node ? pass : enter);
	overwrite(fib, place.entries, place.count, 0, prefix->length,
			  make_entry(prefix->length, value));
	return 0;
}

static void read_node(const struct rte_rib6_node *node, struct ws_prefix *prefix, uint32_t *value)
{
	uint64_t wide;
	*prefix = (struct ws_prefix){.address.family = WS_IP6};
	rte_rib6_get_ip(node, prefix->address.bytes);
	rte_rib6_get_depth(node, &prefix->length);
	rte_rib6_get_nh(node, &wide);
	*value = (uint32_t)wide;
}

/* What stands where the prefix stood once it is gone: the next shorter one over it. */
static uint32_t covering_entry(const struct fib6 *fib, const struct ws_prefix *prefix)
{
	struct rte_rib6_node *node =
		rte_rib6_lookup_exact(fib->rib, prefix->address.bytes, prefix->length);
	struct rte_rib6_node *parent = rte_rib6_lookup_parent(node);
	struct ws_prefix above;
	uint32_t value;
	if (!parent)
		return 0;
	read_node(parent, &above, &value);
	return above.length ? make_entry(above.length, value) : 0;
}

void fib6_remove(struct fib6 *fib, const struct ws_prefix *prefix)
{
	uint32_t by = covering_entry(fib, prefix);
	rte_rib6_remove(fib->rib, prefix->address.bytes, prefix->length);
	fib->generation++;
	fib->count--;
	if (!prefix->length) {
		__atomic_store_n(&fib->default_value, 0, __ATOMIC_RELEASE);
		return;
	}
	struct place place = descend(fib, prefix, pass);
	overwrite(fib, place.entries, place.count, prefix->length, prefix->length, by);
	leave(fib, prefix, by);
}

bool fib6_get(const struct fib6 *fib, const struct ws_prefix *prefix, uint32_t *value)
{
	struct rte_rib6_node *node =
		rte_rib6_lookup_exact(fib->rib, prefix->address.bytes, prefix->length);
	struct ws_prefix found;
	if (node)
		read_node(node, &found, value);
	return node;
}

bool fib6_match(const struct fib6 *fib, const struct ws_address *address, struct ws_prefix *prefix,
				uint32_t *value)
{
	struct rte_rib6_node *node = rte_rib6_lookup(fib->rib, address->bytes);
	if (node)
		read_node(node, prefix, value);
	return node;
}

bool fib6_next(const struct fib6 *fib, struct fib6_cursor *cursor, struct ws_prefix *prefix,
			   uint32_t *value)
{
	if (!cursor->started) {
		cursor->started = true;
		cursor->depth = 1; /* below ::/0, which the RIB's walk leaves out */
		*prefix = cursor->stack[0].prefix = (struct ws_prefix){.address.family = WS_IP6};
		if (fib6_get(fib, prefix, value))
			return true;
	}
	while (cursor->depth) {
		uint8_t top = cursor->depth - 1;
		struct ws_prefix *parent = &cursor->stack[top].prefix;
		struct rte_rib6_node *node =
			rte_rib6_get_nxt(fib->rib, parent->address.bytes, parent->length,
							 cursor->stack[top].last, RTE_RIB6_GET_NXT_COVER);
		cursor->stack[top].last = node;
		if (!node) {
			cursor->depth--;
			continue;
		}
		read_node(node, prefix, value);
		cursor->stack[cursor->depth].prefix = *prefix;
		cursor->stack[cursor->depth].last = NULL;
		cursor->depth++;
		return true;
	}
	return false;
}
