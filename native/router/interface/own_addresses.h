/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses that no packet from outside may bear as its source, with the table in which that holds:
 * ours, and of IPv4 the network and broadcast addresses of our subnets.
 *
 * A bitmap by hash says no for nearly all others; what it lets through is looked for in one bucket
 * of bounded size. Both hashes are seeded anew for each set, so that nobody outside can choose
 * addresses that take the longer way. The main thread changes single places while workers read, and
 * makes the set anew, for all to replace, when a bucket is full.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { OWN_BITMAP_BITS = 14, OWN_BUCKET_SIZE = 8 };

/* An address as two numbers in host byte order; IPv4 uses `low` only. */
struct own_address {
	uint64_t high, low;
	uint32_t table; /* index; OWN_NO_TABLE where the place is free */
	uint32_t references;
};

#define OWN_NO_TABLE UINT32_MAX

/* Odd multipliers of the halves; the upper bits of the products count (multiply-shift hashing). */
struct own_hash {
	uint64_t high, low;
};

struct own_bucket {
	struct own_address at[OWN_BUCKET_SIZE];
};

struct own_set {
	uint32_t bitmap[(1 << OWN_BITMAP_BITS) / 32];
	uint32_t bit[4]; /* of the bitmap's hash, odd: one for each word of an address */
	struct own_hash bucket;
	uint32_t bucket_bits; /* at least 1 */
	struct own_bucket buckets[];
};

struct own_addresses {
	struct own_set *ip4, *ip6;
};

static inline struct own_address own_address_ip4(uint32_t address, uint32_t table)
{
	return (struct own_address){.low = address, .table = table};
}

static inline struct own_address own_address_ip6(const uint8_t *bytes, uint32_t table)
{
	struct own_address address = {.table = table};
	memcpy(&address.high, bytes, sizeof(address.high));
	memcpy(&address.low, bytes + sizeof(address.high), sizeof(address.low));
	return address;
}

/*
 * Where the bitmap says whether an address may be ours: of one of IPv4, as a number, and of the
 * four words of one of IPv6 as they are loaded. Of one address, or of a vector of them.
 */
#define OWN_IP4_BIT(own, address) ((address) * (own)->bit[0] >> (32 - OWN_BITMAP_BITS))
#define OWN_IP6_BIT(own, words)                                                                    \
	(((words)[0] * (own)->bit[2] + (words)[1] * (own)->bit[3] + (words)[2] * (own)->bit[0] +       \
	  (words)[3] * (own)->bit[1]) >>                                                               \
	 (32 - OWN_BITMAP_BITS))

/* 0 when no address whose bit this is is ours, in any table. */
static inline uint32_t own_set_bit_is_set(const struct own_set *own, uint32_t bit)
{
	return __atomic_load_n(&own->bitmap[bit / 32], __ATOMIC_RELAXED) >> bit % 32 & 1;
}

bool own_set_has(const struct own_set *own, const struct own_address *address);
/* Add a reference; false when the bucket is full. */
bool own_set_add(struct own_set *own, const struct own_address *address);
/* Drop a reference. A free place may be used again after a grace period. */
void own_set_remove(struct own_set *own, const struct own_address *address);
/* NULL when memory is short. An address may be given more than once, and is then taken as often. */
struct own_set *own_set_make(const struct own_address *addresses, uint32_t count);
