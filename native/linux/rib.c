/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/rib.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 1024, FIRST_SETS = 64, FULL_NUMERATOR = 3, FULL_DENOMINATOR = 4 };

static uint32_t hash_bytes(const void *bytes, size_t length)
{
	const uint8_t *at = bytes;
	uint64_t hash = 0x9e3779b97f4a7c15u ^ length;
	for (; length >= 8; at += 8, length -= 8) {
		uint64_t word;
		memcpy(&word, at, sizeof(word));
		hash = (hash ^ word) * 0xff51afd7ed558ccdu;
		hash ^= hash >> 32;
	}
	for (; length; at++, length--)
		hash = (hash ^ *at) * 0x100000001b3u;
	hash ^= hash >> 29;
	return (uint32_t)(hash * 0xbf58476d1ce4e5b9u >> 32);
}

/* Without the metric, so that all routes of a prefix are in one run of slots. */
static uint32_t hash_prefix(const uint8_t *address, uint32_t table, uint8_t family, uint8_t length)
{
	uint8_t bytes[24] = {0};
	memcpy(bytes, address, 16);
	memcpy(bytes + 16, &table, sizeof(table));
	bytes[20] = family;
	bytes[21] = length;
	return hash_bytes(bytes, sizeof(bytes));
}

static bool same_prefix(const struct rib_entry *entry, const struct rib_key *key)
{
	return !memcmp(entry->address, key->address, sizeof(entry->address)) &&
		   entry->table == key->table && entry->length == key->length &&
		   entry->family == key->family;
}

struct rib_key rib_key_of(const struct rib_entry *entry)
{
	struct rib_key key = {
		.table = entry->table,
		.metric = entry->metric,
		.family = entry->family,
		.length = entry->length,
	};
	memcpy(key.address, entry->address, sizeof(key.address));
	return key;
}

/* ---- Sets of paths ---- */

static void set_release(struct rib *rib, uint32_t index)
{
	struct shared_set *set = &rib->sets[index];
	if (--set->users)
		return;
	uint32_t *link = &rib->buckets[set->hash % 1024];
	while (*link != index)
		link = &rib->sets[*link].next;
	*link = set->next;
	free(set->set);
	set->set = NULL;
	set->next = rib->set_free;
	rib->set_free = index;
}

static bool grow_sets(struct rib *rib)
{
	uint32_t size = rib->set_size ? rib->set_size * 2 : FIRST_SETS;
	struct shared_set *sets = realloc(rib->sets, size * sizeof(*sets));
	if (!sets)
		return false;
	rib->sets = sets;
	for (uint32_t i = size - 1; i >= rib->set_size && i > 0; i--) {
		sets[i] = (struct shared_set){.next = rib->set_free};
		rib->set_free = i;
	}
	rib->set_size = size;
	return true;
}

/* Index of a set with these paths, for one more user; 0 if memory is short. */
static uint32_t set_take(struct rib *rib, const struct path_set *paths)
{
	size_t length = offsetof(struct path_set, paths) + paths->count * sizeof(paths->paths[0]);
	uint32_t hash = hash_bytes(paths, length);
	for (uint32_t i = rib->buckets[hash % 1024]; i; i = rib->sets[i].next)
		if (rib->sets[i].hash == hash && rib->sets[i].set->count == paths->count &&
			!memcmp(rib->sets[i].set, paths, length)) {
			rib->sets[i].users++;
			return i;
		}
	if (!rib->set_free && !grow_sets(rib))
		return 0;
	uint32_t index = rib->set_free;
	struct path_set *copy = calloc(1, sizeof(*copy));
	if (!copy)
		return 0;
	memcpy(copy, paths, length);
	rib->set_free = rib->sets[index].next;
	rib->sets[index] = (struct shared_set){
		.users = 1, .next = rib->buckets[hash % 1024], .hash = hash, .set = copy};
	rib->buckets[hash % 1024] = index;
	return index;
}

const struct path_set *rib_paths(const struct rib *rib, const struct rib_entry *entry)
{
	return rib->sets[entry->paths].set;
}

/* ---- Entries ---- */

static uint32_t home_of(const struct rib *rib, const struct rib_entry *entry)
{
	return hash_prefix(entry->address, entry->table, entry->family, entry->length) &
		   (rib->size - 1);
}

static bool grow(struct rib *rib)
{
	uint32_t size = rib->size ? rib->size * 2 : FIRST_SIZE;
	struct rib_entry *entries = calloc(size, sizeof(*entries));
	if (!entries)
		return false;
	struct rib_entry *old = rib->entries;
	uint32_t old_size = rib->size;
	rib->entries = entries;
	rib->size = size;
	for (uint32_t i = 0; i < old_size; i++) {
		if (!old[i].paths)
			continue;
		uint32_t at = home_of(rib, &old[i]);
		while (entries[at].paths)
			at = (at + 1) & (size - 1);
		entries[at] = old[i];
	}
	free(old);
	return true;
}

struct rib_entry *rib_find(const struct rib *rib, const struct rib_key *key)
{
	if (!rib->size)
		return NULL;
	uint32_t at = hash_prefix(key->address, key->table, key->family, key->length);
	for (at &= rib->size - 1; rib->entries[at].paths; at = (at + 1) & (rib->size - 1))
		if (same_prefix(&rib->entries[at], key) && rib->entries[at].metric == key->metric)
			return &rib->entries[at];
	return NULL;
}

const struct rib_entry *rib_best(const struct rib *rib, const struct rib_key *key)
{
	const struct rib_entry *best = NULL;
	if (!rib->size)
		return NULL;
	uint32_t at = hash_prefix(key->address, key->table, key->family, key->length);
	for (at &= rib->size - 1; rib->entries[at].paths; at = (at + 1) & (rib->size - 1))
		if (same_prefix(&rib->entries[at], key) &&
			(!best || rib->entries[at].metric < best->metric))
			best = &rib->entries[at];
	return best;
}

struct rib_entry *rib_set(struct rib *rib, const struct rib_key *key, const struct path_set *paths,
						  uint8_t generation)
{
	uint32_t set = set_take(rib, paths);
	struct rib_entry *entry = set ? rib_find(rib, key) : NULL;
	if (!set)
		return NULL;
	if (entry) {
		set_release(rib, entry->paths);
		entry->paths = set;
		entry->generation = generation;
		return entry;
	}
	if ((uint64_t)(rib->used + 1) * FULL_DENOMINATOR > (uint64_t)rib->size * FULL_NUMERATOR &&
		!grow(rib)) {
		set_release(rib, set);
		return NULL;
	}
	uint32_t at = hash_prefix(key->address, key->table, key->family, key->length);
	for (at &= rib->size - 1; rib->entries[at].paths;)
		at = (at + 1) & (rib->size - 1);
	entry = &rib->entries[at];
	*entry = (struct rib_entry){
		.table = key->table,
		.metric = key->metric,
		.paths = set,
		.family = key->family,
		.length = key->length,
		.generation = generation,
	};
	memcpy(entry->address, key->address, sizeof(entry->address));
	rib->used++;
	return entry;
}

/* Later entries that may move into the gap do so, so that no run is broken. */
void rib_remove(struct rib *rib, struct rib_entry *entry)
{
	uint32_t mask = rib->size - 1, hole = (uint32_t)(entry - rib->entries);
	set_release(rib, entry->paths);
	for (uint32_t at = (hole + 1) & mask; rib->entries[at].paths; at = (at + 1) & mask) {
		uint32_t home = home_of(rib, &rib->entries[at]);
		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		rib->entries[hole] = rib->entries[at];
		hole = at;
	}
	rib->entries[hole] = (struct rib_entry){0};
	rib->used--;
}

struct rib_entry *rib_next_stale(const struct rib *rib, uint32_t *at, uint8_t family,
								 uint8_t generation)
{
	for (; *at < rib->size; (*at)++) {
		struct rib_entry *entry = &rib->entries[*at];
		if (entry->paths && entry->family == family && entry->generation != generation)
			return entry;
	}
	return NULL;
}

struct rib_entry *rib_next_of_nexthops(const struct rib *rib, uint32_t *at)
{
	for (; *at < rib->size; (*at)++) {
		struct rib_entry *entry = &rib->entries[*at];
		if (entry->paths && rib->sets[entry->paths].set->nexthop)
			return entry;
	}
	return NULL;
}

void rib_close(struct rib *rib)
{
	for (uint32_t i = 1; i < rib->set_size; i++)
		free(rib->sets[i].set);
	free(rib->sets);
	free(rib->entries);
	memset(rib, 0, sizeof(*rib));
}
