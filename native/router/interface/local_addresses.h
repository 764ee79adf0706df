/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses that no packet from outside may have as its source, with the table of each: ours,
 * and for IPv4 the network and broadcast addresses of our subnets.
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

enum { LOCAL_BITMAP_BITS = 14, LOCAL_BUCKET_SIZE = 8 };

/* An address as two numbers in host byte order; IPv4 uses `low` only. */
struct local_address {
	uint64_t high, low;
	uint32_t table; /* index; LOCAL_NO_TABLE where the place is free */
	uint32_t references;
};

#define LOCAL_NO_TABLE UINT32_MAX

/* Odd multipliers of the halves; the upper bits of the products count (multiply-shift hashing). */
struct local_hash {
	uint64_t high, low;
};

struct local_bucket {
	struct local_address at[LOCAL_BUCKET_SIZE];
};

struct local_set {
	uint32_t bitmap[(1 << LOCAL_BITMAP_BITS) / 32];
	uint32_t bit[4]; /* odd multipliers of the bitmap's hash, one per word of an address */
	struct local_hash bucket;
	uint32_t bucket_bits; /* at least 1 */
	struct local_bucket buckets[];
};

struct local_addresses {
	struct local_set *ip4, *ip6;
};

static inline struct local_address local_address_ip4(uint32_t address, uint32_t table)
{
	return (struct local_address){.low = address, .table = table};
}

static inline struct local_address local_address_ip6(const uint8_t *bytes, uint32_t table)
{
	struct local_address address = {.table = table};
	memcpy(&address.high, bytes, sizeof(address.high));
	memcpy(&address.low, bytes + sizeof(address.high), sizeof(address.low));
	return address;
}

/*
 * Bit of the bitmap that is set if an address may be ours: of one of IPv4, as a number, and of the
 * four words of one of IPv6 as they are loaded. Of one address, or of a vector of them.
 */
#define LOCAL_IP4_BIT(own, address) ((address) * (own)->bit[0] >> (32 - LOCAL_BITMAP_BITS))
#define LOCAL_IP6_BIT(own, words)                                                                  \
	(((words)[0] * (own)->bit[2] + (words)[1] * (own)->bit[3] + (words)[2] * (own)->bit[0] +       \
	  (words)[3] * (own)->bit[1]) >>                                                               \
	 (32 - LOCAL_BITMAP_BITS))

/* 0 when no address whose bit this is is ours, in any table. */
static inline uint32_t local_set_bit_is_set(const struct local_set *own, uint32_t bit)
{
	return __atomic_load_n(&own->bitmap[bit / 32], __ATOMIC_RELAXED) >> bit % 32 & 1;
}

bool local_set_has(const struct local_set *own, const struct local_address *address);
/* Add a reference; false when the bucket is full. */
bool local_set_add(struct local_set *own, const struct local_address *address);
/* Drop a reference. A free place may be used again after a grace period. */
void local_set_remove(struct local_set *own, const struct local_address *address);
/* NULL when memory is short. An address may be given more than once, and is then taken as often. */
struct local_set *local_set_make(const struct local_address *addresses, uint32_t count);
