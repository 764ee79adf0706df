/* SPDX-License-Identifier: Apache-2.0 */
#include "router/l2/l2fib.h"

#include "dev/error.h"
#include "dev/rcu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { REFRESH_S = 5 }; /* minimum age at which a frame updates the value */

struct l2fib *l2fib_create(void)
{
	struct l2fib *fib = aligned_alloc(64, sizeof(*fib));
	if (fib)
		memset(fib, 0, sizeof(*fib));
	else
		fail(-ENOMEM, "no memory for a table of %d Ethernet addresses", L2FIB_SIZE);
	return fib;
}

static bool swap(uint64_t *word, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* An entry with the key, which takes a free one if necessary; NULL if there is no room. */
static struct l2fib_entry *claim(struct l2fib *fib, uint64_t key)
{
	for (int which = 0; which < 2; which++) {
		struct l2fib_entry *entry = &fib->entries[l2fib_window(key, which)];
		for (int i = 0; i < L2FIB_WINDOW; i++) {
			uint64_t there = __atomic_load_n(&entry[i].key, __ATOMIC_ACQUIRE);
			if (there == key || (!there && swap(&entry[i].key, 0, key)) ||
				__atomic_load_n(&entry[i].key, __ATOMIC_ACQUIRE) == key)
				return &entry[i];
		}
	}
	return NULL;
}

enum l2fib_learnt l2fib_learn(struct l2fib *fib, uint64_t key, uint16_t interface, uint32_t second)
{
	struct l2fib_entry *entry = l2fib_entry(fib, key);
	if (!entry)
		entry = claim(fib, key);
	if (!entry)
		return L2FIB_FULL;
	uint64_t value = __atomic_load_n(&entry->value, __ATOMIC_ACQUIRE);
	uint64_t fresh = l2fib_value(interface, L2FIB_VALID, second);
	if (!value)
		return swap(&entry->value, 0, fresh) ? L2FIB_LEARNT : L2FIB_RACE;
	if (!(l2fib_flags(value) & L2FIB_VALID))
		return L2FIB_RACE;
	if (l2fib_flags(value) & L2FIB_STATIC)
		return l2fib_interface(value) == interface && !(l2fib_flags(value) & L2FIB_FILTER)
				   ? L2FIB_KNOWN
				   : L2FIB_VIOLATION;
	if (l2fib_interface(value) == interface) {
		if (second - l2fib_second(value) >= REFRESH_S)
			swap(&entry->value, value, fresh);
		return L2FIB_KNOWN;
	}
	return swap(&entry->value, value, fresh) ? L2FIB_MOVED : L2FIB_RACE;
}

int l2fib_set(struct l2fib *fib, uint64_t key, uint64_t value)
{
	struct l2fib_entry *entry = l2fib_entry(fib, key);
	if (!entry)
		entry = claim(fib, key);
	if (!entry)
		return fail(-ENOSPC, "the hash bucket of this MAC address is full; remove an entry");
	/* Entries marked dead are free before l2fib_remove returns, so no other thread writes to this
	 * one. */
	__atomic_store_n(&entry->value, value, __ATOMIC_RELEASE);
	return 0;
}

uint32_t l2fib_remove(struct l2fib *fib, l2fib_test_fn *is_gone, const void *argument)
{
	const uint64_t dead = l2fib_value(0, L2FIB_DEAD, 0);
	uint32_t count = 0;
	for (uint32_t i = 0; i < L2FIB_SIZE; i++) {
		struct l2fib_entry *entry = &fib->entries[i];
		uint64_t key = __atomic_load_n(&entry->key, __ATOMIC_ACQUIRE);
		uint64_t value = __atomic_load_n(&entry->value, __ATOMIC_ACQUIRE);
		if (key && l2fib_flags(value) & L2FIB_VALID && is_gone(key, value, argument))
			count += swap(&entry->value, value, dead);
	}
	if (!count)
		return 0;
	rcu_synchronize();
	/* The key first: a worker that claims the entry waits until its value is 0. */
	for (uint32_t i = 0; i < L2FIB_SIZE; i++) {
		struct l2fib_entry *entry = &fib->entries[i];
		if (__atomic_load_n(&entry->value, __ATOMIC_ACQUIRE) != dead)
			continue;
		__atomic_store_n(&entry->key, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&entry->value, 0, __ATOMIC_RELEASE);
	}
	return count;
}
