/* SPDX-License-Identifier: Apache-2.0 */
/* The set of the router's own addresses: exact, and of bounded cost for all contents and lookups.
 */
#include "cmocka_all.h"
#include "router/interface/local_addresses.h"

#include <stdlib.h>

enum { MANY = 20000 };

static uint32_t may_have(const struct local_set *own, uint64_t high, uint64_t low)
{
	const uint32_t words[] = {(uint32_t)high, (uint32_t)(high >> 32), (uint32_t)low,
							  (uint32_t)(low >> 32)};
	return local_set_bit_is_set(own, LOCAL_IP6_BIT(own, words));
}

static struct local_address nth(uint32_t i)
{
	uint8_t bytes[16] = {0x20, 1, 0xd, 0xb8, [14] = (uint8_t)(i >> 8), [15] = (uint8_t)i};
	bytes[7] = (uint8_t)(i >> 16);
	return i % 2 ? local_address_ip4(0x0a000000 + i, i % 3) : local_address_ip6(bytes, i % 3);
}

static void has_what_it_was_made_of(void **state)
{
	(void)state;
	struct local_address *addresses = malloc((MANY + 100) * sizeof(*addresses));
	for (uint32_t i = 0; i < MANY; i++)
		addresses[i] = nth(i);
	for (uint32_t i = 0; i < 100; i++)
		addresses[MANY + i] = nth(7); /* twice or more */
	struct local_set *own = local_set_make(addresses, MANY + 100);
	assert_non_null(own);
	/* At most twice as many buckets as addresses, each of a few places: the cost is bounded. */
	assert_true(1u << own->bucket_bits <= 4 * MANY);
	for (uint32_t i = 0; i < MANY; i++) {
		struct local_address address = nth(i), other = nth(MANY + i);
		assert_true(may_have(own, address.high, address.low));
		assert_true(local_set_has(own, &address));
		assert_false(local_set_has(own, &other));
		address.table += 3;
		assert_false(local_set_has(own, &address));
	}
	free(own);
	free(addresses);
}

/* Some addresses occur several times, as with unnumbered interfaces. */
static void follows_what_comes_and_goes(void **state)
{
	(void)state;
	uint32_t references[64] = {0};
	struct local_set *own = local_set_make(NULL, 0);
	for (uint32_t round = 0; round < 20000; round++) {
		uint32_t i = (uint32_t)rand() % 64;
		struct local_address address = local_address_ip4(0x0a000000 + i, i % 3);
		if (references[i] && rand() % 2) {
			local_set_remove(own, &address);
			references[i]--;
		} else if (local_set_add(own, &address)) {
			references[i]++;
			assert_true(may_have(own, address.high, address.low));
		}
		for (uint32_t other = 0; other < 64; other++) {
			address = local_address_ip4(0x0a000000 + other, other % 3);
			assert_int_equal(local_set_has(own, &address), references[other] > 0);
		}
	}
	free(own);
}

static void an_empty_one_has_nothing(void **state)
{
	(void)state;
	struct local_set *own = local_set_make(NULL, 0);
	const struct local_address zero = local_address_ip4(0, 0);
	assert_false(local_set_has(own, &zero));
	assert_false(may_have(own, 0, 0));
	free(own);
}

/* Anything but a sequence: products of one multiplier and evenly spaced numbers can all miss a bit.
 */
static uint64_t scattered(uint64_t i)
{
	i = (i ^ i >> 15) * 0x9e3779b97f4a7c15u;
	i = (i ^ i >> 32) * 0xd6e8feb86659fd93u;
	return i >> 32;
}

/* Addresses that pass the bitmap of one set do not pass that of the next one more often than
 * others. */
static void each_is_seeded_anew(void **state)
{
	(void)state;
	const struct local_address own_one = local_address_ip4(0x0a000001, 0);
	struct local_set *one = local_set_make(&own_one, 1), *other = local_set_make(&own_one, 1);
	uint32_t found = 0, in_both = 0;
	for (uint32_t i = 0; i < 4000000; i++) {
		uint64_t address = scattered(i);
		uint32_t alike = may_have(one, 0, address);
		found += alike;
		in_both += alike && may_have(other, 0, address);
	}
	assert_true(found > 0);
	assert_true(in_both * 2 < found);
	free(one);
	free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_what_it_was_made_of),
		cmocka_unit_test(follows_what_comes_and_goes),
		cmocka_unit_test(an_empty_one_has_nothing),
		cmocka_unit_test(each_is_seeded_anew),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
