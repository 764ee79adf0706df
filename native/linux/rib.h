/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The known routes of the kernel: (table, prefix, metric) to a set of paths. Linux keeps routes of
 * several metrics for one prefix and uses the lowest; when that one is deleted, the next one
 * becomes active without a message. So all are stored here: 32 bytes per route in one
 * open-addressed array, with shared sets of paths. Each entry has the generation of the last dump
 * or event about it, by which a finished dump finds deleted routes.
 */
#pragma once

#include "linux/message.h"

struct rib_key {
	uint8_t address[16];
	uint32_t table, metric;
	uint8_t family, length;
};

struct rib_entry {
	uint8_t address[16];
	uint32_t table, metric;
	uint32_t paths; /* index of its set; 0: the slot is free */
	uint8_t family, length;
	uint8_t generation;
	bool is_ambiguous; /* there is another route with this metric: request a dump when it is deleted
						*/
};

/* No padding and unused paths zero, so that sets are compared as bytes. */
struct path_set {
	int32_t kind; /* enum ws_path_kind */
	uint32_t count;
	uint32_t nexthop; /* the object that has the paths, or 0 */
	struct linux_path paths[WS_MAX_PATHS];
};

struct shared_set {
	uint32_t users, next, hash;
	struct path_set *set;
};

struct rib {
	struct rib_entry *entries;
	uint32_t size, used;     /* size is a power of two, or 0 */
	struct shared_set *sets; /* [0] is unused; free ones are linked through `next` */
	uint32_t set_size, set_free;
	uint32_t buckets[1024]; /* hash table of sets, chained through `next` */
};

void rib_close(struct rib *rib);
/* Add or update the entry with these paths and this generation; NULL if memory is short. */
struct rib_entry *rib_set(struct rib *rib, const struct rib_key *key, const struct path_set *paths,
						  uint8_t generation);
struct rib_entry *rib_find(const struct rib *rib, const struct rib_key *key);
/* The entry with the lowest metric for the key's table and prefix; NULL if there is none. */
const struct rib_entry *rib_best(const struct rib *rib, const struct rib_key *key);
void rib_remove(struct rib *rib, struct rib_entry *entry);
const struct path_set *rib_paths(const struct rib *rib, const struct rib_entry *entry);

/* The first entry from slot *at on whose paths are those of an object; *at becomes its slot. NULL
 * at the end. */
struct rib_entry *rib_next_of_nexthops(const struct rib *rib, uint32_t *at);

struct rib_key rib_key_of(const struct rib_entry *entry);

/*
 * The first entry from slot *at on with `family` and without `generation`; *at becomes its slot, in
 * which another entry may be after a removal. NULL at the end.
 */
struct rib_entry *rib_next_stale(const struct rib *rib, uint32_t *at, uint8_t family,
								 uint8_t generation);
