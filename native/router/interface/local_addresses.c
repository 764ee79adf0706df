/* SPDX-License-Identifier: Apache-2.0 */
#include "router/interface/local_addresses.h"

#include "dev/seed.h"

#include <stdlib.h>

/* With as many buckets as addresses, one in a million has more addresses than its size; so few
 * attempts suffice. */
enum { TRIES = 16 };

/* `one` is a place, which may be given to another address during the call. */
static bool is_same(const struct local_address *one, const struct local_address *other)
{
	uint32_t table = __atomic_load_n(&one->table, __ATOMIC_ACQUIRE);
	uint64_t low = __atomic_load_n(&one->low, __ATOMIC_RELAXED);
	uint64_t high = __atomic_load_n(&one->high, __ATOMIC_RELAXED);
	return low == other->low && high == other->high && table == other->table;
}

static uint64_t bucket_of(const struct local_set *own, const struct local_address *address)
{
	uint64_t product = address->high * own->bucket.high + address->low * own->bucket.low;
	return product >> (64 - own->bucket_bits);
}

bool local_set_has(const struct local_set *own, const struct local_address *address)
{
	const struct local_bucket *bucket = &own->buckets[bucket_of(own, address)];
	bool found = false;
	for (int i = 0; i < LOCAL_BUCKET_SIZE; i++)
		found |= is_same(&bucket->at[i], address);
	return found;
}

static struct local_hash seeded(void)
{
	return (struct local_hash){seed_random() | 1, seed_random() | 1};
}

/* The place of the address, or a free one for it; NULL if its bucket is full of other addresses. */
static struct local_address *find_place(struct local_set *own, const struct local_address *address)
{
	struct local_bucket *bucket = &own->buckets[bucket_of(own, address)];
	struct local_address *free_place = NULL;
	for (int i = 0; i < LOCAL_BUCKET_SIZE; i++) {
		if (is_same(&bucket->at[i], address))
			return &bucket->at[i];
		if (!free_place && bucket->at[i].table == LOCAL_NO_TABLE)
			free_place = &bucket->at[i];
	}
	return free_place;
}

bool local_set_add(struct local_set *own, const struct local_address *address)
{
	struct local_address *place = find_place(own, address);
	const uint32_t words[] = {(uint32_t)address->high, (uint32_t)(address->high >> 32),
							  (uint32_t)address->low, (uint32_t)(address->low >> 32)};
	uint32_t bit = LOCAL_IP6_BIT(own, words); /* IPv4: all words but the third are 0 */
	if (!place)
		return false;
	if (place->table == LOCAL_NO_TABLE) {
		__atomic_store_n(&place->high, address->high, __ATOMIC_RELAXED);
		__atomic_store_n(&place->low, address->low, __ATOMIC_RELAXED);
		place->references = 0;
		__atomic_store_n(&place->table, address->table, __ATOMIC_RELEASE);
	}
	place->references++;
	__atomic_store_n(&own->bitmap[bit / 32], own->bitmap[bit / 32] | 1u << bit % 32,
					 __ATOMIC_RELEASE);
	return true;
}

/* The bitmap keeps its bit, which other addresses may share: a bucket may be searched in vain. */
void local_set_remove(struct local_set *own, const struct local_address *address)
{
	struct local_address *place = find_place(own, address);
	if (place && place->table != LOCAL_NO_TABLE && !--place->references)
		__atomic_store_n(&place->table, LOCAL_NO_TABLE, __ATOMIC_RELEASE);
}

static bool fill(struct local_set *own, const struct local_address *addresses, uint32_t count)
{
	memset(own->bitmap, 0, sizeof(own->bitmap));
	for (int i = 0; i < 4; i++)
		own->bit[i] = (uint32_t)seed_random() | 1;
	own->bucket = seeded();
	for (uint32_t b = 0; b < 1u << own->bucket_bits; b++)
		for (int i = 0; i < LOCAL_BUCKET_SIZE; i++)
			own->buckets[b].at[i].table = LOCAL_NO_TABLE;
	for (uint32_t i = 0; i < count; i++)
		if (!local_set_add(own, &addresses[i]))
			return false;
	return true;
}

struct local_set *local_set_make(const struct local_address *addresses, uint32_t count)
{
	uint32_t bucket_bits = 1;
	while (1u << bucket_bits < count)
		bucket_bits++;
	for (;; bucket_bits++) {
		struct local_set *own = malloc(sizeof(*own) + (sizeof(own->buckets[0]) << bucket_bits));
		if (!own)
			return NULL;
		own->bucket_bits = bucket_bits;
		for (int i = 0; i < TRIES; i++)
			if (fill(own, addresses, count))
				return own;
		free(own);
	}
}
