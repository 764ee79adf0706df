/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of a bridge domain behind which an Ethernet address is. Workers read, learn and
 * refresh entries without locks; the main thread lists, adds and removes them.
 *
 * The table has a fixed size. An address belongs into one of two windows of eight entries, and is
 * not learnt if both are full. An entry is two words. A key is put into a free entry by
 * compare-and-swap, and a value is changed only by compare-and-swap. So a worker never restores an
 * entry that the main thread has marked dead, and the main thread never frees an entry that a
 * worker has refreshed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { L2FIB_WINDOW = 8, L2FIB_WINDOWS = 1 << 14, L2FIB_SIZE = L2FIB_WINDOWS * L2FIB_WINDOW };

enum {
	L2FIB_VALID = 1,
	L2FIB_STATIC = 2, /* does not move and does not expire */
	L2FIB_FILTER = 4, /* frames to it are dropped */
	L2FIB_DEAD = 8,   /* without VALID: freed once no worker can see it */
};

struct l2fib_entry {
	uint64_t key;   /* address and bridge domain; 0: free */
	uint64_t value; /* interface, flags and the second of its last frame; 0: none */
};

struct l2fib {
	struct l2fib_entry entries[L2FIB_SIZE] __attribute__((aligned(64)));
};

/* Key of an Ethernet address as a number, and of a domain's index, which is not 0. */
static inline uint64_t l2fib_key(uint64_t address, uint16_t domain)
{
	return address << 16 | domain;
}

static inline uint64_t l2fib_value(uint16_t interface, uint8_t flags, uint32_t second)
{
	return (uint64_t)second << 32 | (uint64_t)flags << 16 | interface;
}

static inline uint16_t l2fib_interface(uint64_t value)
{
	return (uint16_t)value;
}

static inline uint8_t l2fib_flags(uint64_t value)
{
	return (uint8_t)(value >> 16);
}

static inline uint32_t l2fib_second(uint64_t value)
{
	return (uint32_t)(value >> 32);
}

/* First entries of the two windows of a key. */
static inline uint32_t l2fib_window(uint64_t key, int which)
{
	uint64_t hash = key * 0x9e3779b97f4a7c15u;
	hash ^= hash >> 29;
	hash *= 0xbf58476d1ce4e5b9u;
	return (uint32_t)(hash >> (which ? 20 : 44)) % L2FIB_WINDOWS * L2FIB_WINDOW;
}

static inline struct l2fib_entry *l2fib_entry(struct l2fib *fib, uint64_t key)
{
	for (int which = 0; which < 2; which++) {
		struct l2fib_entry *entry = &fib->entries[l2fib_window(key, which)];
		for (int i = 0; i < L2FIB_WINDOW; i++)
			if (__atomic_load_n(&entry[i].key, __ATOMIC_ACQUIRE) == key)
				return &entry[i];
	}
	return (struct l2fib_entry *)0;
}

/* The value of a known key, otherwise 0. */
static inline uint64_t l2fib_find(struct l2fib *fib, uint64_t key)
{
	const struct l2fib_entry *entry = l2fib_entry(fib, key);
	uint64_t value = entry ? __atomic_load_n(&entry->value, __ATOMIC_ACQUIRE) : 0;
	return l2fib_flags(value) & L2FIB_VALID ? value : 0;
}

enum l2fib_learnt {
	L2FIB_KNOWN,
	L2FIB_LEARNT,
	L2FIB_MOVED,
	L2FIB_VIOLATION, /* static entry of another interface */
	L2FIB_FULL,
	L2FIB_RACE, /* the entry is being removed, or another worker was first */
};

/* Learn the address of a frame from `interface`. From any worker. */
enum l2fib_learnt l2fib_learn(struct l2fib *fib, uint64_t key, uint16_t interface, uint32_t second);

/* ---- Main thread ---- */

struct l2fib *l2fib_create(void); /* NULL if memory is short */
/* Add or overwrite an entry; -ENOSPC if there is no room. */
int l2fib_set(struct l2fib *fib, uint64_t key, uint64_t value);
/* Remove all entries for which `is_gone` is true; returns their number. */
typedef bool l2fib_test_fn(uint64_t key, uint64_t value, const void *argument);
uint32_t l2fib_remove(struct l2fib *fib, l2fib_test_fn *is_gone, const void *argument);
