/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses that no packet from outside may have as its source, with their table: the router's own,
 * and for IPv4 the network and broadcast addresses of its subnets. A bitmap by hash excludes nearly
 * all other addresses; the rest is searched for in one bucket of bounded size. Both hashes have
 * random seeds per set, so that nobody outside can choose addresses that take the slow path. The
 * main thread changes single places while workers read. When a bucket is full, it makes a new set.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LOCAL_BITMAP_BITS = 14, LOCAL_BUCKET_SIZE = 8 };

/* An address as two numbers in host byte order; IPv4 uses `low` only. */
struct local_address {
	uint64_t high, low;
	uint32_t table; /* index of the table; LOCAL_NO_TABLE: the place is free */
	uint32_t references;
};

#define LOCAL_NO_TABLE UINT32_MAX

/* Odd multipliers of the halves; the upper bits of the products are used (multiply-shift hashing).
 */
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
 * Bit of the bitmap that is set if an address may be the router's: of an IPv4 address as a number,
 * or of the four words of an IPv6 address as loaded. For one address, or for a vector of them.
 */
#define LOCAL_IP4_BIT(own, address) ((address) * (own)->bit[0] >> (32 - LOCAL_BITMAP_BITS))
#define LOCAL_IP6_BIT(own, words)                                                                  \
	(((words)[0] * (own)->bit[2] + (words)[1] * (own)->bit[3] + (words)[2] * (own)->bit[0] +       \
	  (words)[3] * (own)->bit[1]) >>                                                               \
	 (32 - LOCAL_BITMAP_BITS))

/* 0 if no address with this bit is the router's, in any table. */
static inline uint32_t local_set_bit_is_set(const struct local_set *own, uint32_t bit)
{
	return __atomic_load_n(&own->bitmap[bit / 32], __ATOMIC_RELAXED) >> bit % 32 & 1;
}

bool local_set_has(const struct local_set *own, const struct local_address *address);
/* Add a reference; false if the bucket is full. */
bool local_set_add(struct local_set *own, const struct local_address *address);
/* Drop a reference. A free place may be reused after a grace period. */
void local_set_remove(struct local_set *own, const struct local_address *address);
/* NULL if memory is short. Addresses may occur several times; each occurrence is a reference. */
struct local_set *local_set_make(const struct local_address *addresses, uint32_t count);
