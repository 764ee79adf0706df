/* SPDX-License-Identifier: Apache-2.0 */
/* The IPv6 table compared with a plain list, at its limits, and with a concurrent reader. */
#include "dev/rcu.h"
#include "router/fib/fib_lookup_ip6.h"
#include "tests/rig_tests.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MODEL_SIZE = 400, MAX_ROUTES = 600 };

static struct fib_trie fib;
static struct {
	struct ws_prefix prefix;
	uint32_t value;
} model[MODEL_SIZE];
static int model_count;
static unsigned int seed;

static int fresh(void **state)
{
	(void)state;
	model_count = 0;
	return fib_trie_init(&fib, WS_IP6, MAX_ROUTES);
}

static int closed(void **state)
{
	(void)state;
	fib_trie_close(&fib);
	return 0;
}

static int set(struct ws_prefix prefix, uint32_t value)
{
	return fib_trie_set(&fib, &prefix, value);
}

static struct ws_prefix prefix_of(const uint8_t *bytes, uint8_t length)
{
	struct ws_prefix prefix = {.address.family = WS_IP6, .length = length};
	memcpy(prefix.address.bytes, bytes, sizeof(prefix.address.bytes));
	for (int bit = length; bit < 128; bit++)
		prefix.address.bytes[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
	return prefix;
}

static bool covers(const struct ws_prefix *prefix, const uint8_t *address)
{
	struct ws_prefix cut = prefix_of(address, prefix->length);
	return !memcmp(cut.address.bytes, prefix->address.bytes, sizeof(cut.address.bytes));
}

static int model_find(const struct ws_prefix *prefix)
{
	for (int i = 0; i < model_count; i++)
		if (model[i].prefix.length == prefix->length &&
			covers(prefix, model[i].prefix.address.bytes))
			return i;
	return -1;
}

static int model_match(const uint8_t *address)
{
	int best = -1;
	for (int i = 0; i < model_count; i++)
		if (covers(&model[i].prefix, address) &&
			(best < 0 || model[i].prefix.length > model[best].prefix.length))
			best = i;
	return best;
}

static int order(const struct ws_prefix *a, const struct ws_prefix *b)
{
	int difference = memcmp(a->address.bytes, b->address.bytes, sizeof(a->address.bytes));
	return difference ? difference : a->length - b->length;
}

/* Few values per byte, including the extremes, so that prefixes nest and share groups. */
static void random_address(uint8_t *bytes)
{
	static const uint8_t values[] = {0, 0, 0, 1, 0x7f, 0x80, 0xff, 0x20};
	for (int i = 0; i < 16; i++)
		bytes[i] = i < 2 ? (uint8_t)(rand_r(&seed) % 2 ? 0 : 0xff)
						 : values[(unsigned int)rand_r(&seed) % sizeof(values)];
}

static struct ws_prefix random_prefix(void)
{
	static const uint8_t lengths[] = {0,  1,  8,  16, 23, 24, 25, 31,  32,  33,  40,  44,
									  47, 48, 49, 56, 63, 64, 65, 100, 119, 120, 127, 128};
	uint8_t bytes[16];
	random_address(bytes);
	/* Short prefixes write all entries of the root: not too often. */
	uint32_t choice = (uint32_t)rand_r(&seed) % sizeof(lengths);
	if (lengths[choice] < 16 && rand_r(&seed) % 8)
		choice = 4;
	return prefix_of(bytes, lengths[choice]);
}

static void expect_lookups(int rounds)
{
	uint8_t addresses[64][16];
	const uint8_t *at[64];
	uint32_t values[64], value;
	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < 64; i++) {
			random_address(addresses[i]);
			/* Half of the addresses are in a prefix, some at its start. */
			if (model_count && i % 2) {
				const struct ws_prefix *inside = &model[rand_r(&seed) % model_count].prefix;
				memcpy(addresses[i], inside->address.bytes, 16);
				addresses[i][15] ^= (uint8_t)(rand_r(&seed) % 2);
			}
			at[i] = addresses[i];
		}
		/* The addresses after the last group of eight take another code path. */
		uint16_t count = (uint16_t)(64 - rand_r(&seed) % LANES);
		fib_trie_lookup_bulk(&fib, at, values, count);
		for (int i = 0; i < count; i++) {
			int best = model_match(addresses[i]);
			struct ws_address address = {.family = WS_IP6};
			struct ws_prefix found;
			memcpy(address.bytes, addresses[i], 16);
			assert_int_equal(values[i], best < 0 ? 0 : model[best].value);
			assert_int_equal(fib_trie_match(&fib, &address, &found, &value), best >= 0);
			if (best >= 0)
				assert_int_equal(order(&found, &model[best].prefix), 0);
		}
	}
}

/* The table's walk returns every prefix once, in order, with its value. */
static void expect_walk(void)
{
	struct prefix_cursor cursor = {0};
	struct ws_prefix prefix, last;
	uint32_t value;
	int count = 0;
	for (; prefix_tree_next(&fib.prefixes, &cursor, &prefix, &value); last = prefix, count++) {
		int found = model_find(&prefix);
		assert_true(found >= 0);
		assert_int_equal(value, model[found].value);
		if (count)
			assert_true(order(&last, &prefix) < 0);
	}
	assert_int_equal(count, model_count);
	assert_int_equal(fib.count, model_count);
}

/* From any prefix, whether it exists or not, the walk continues with the next one. */
static void expect_seek(void)
{
	struct prefix_cursor cursor = {0}, all = {0};
	struct ws_prefix after = random_prefix(), prefix, wanted;
	uint32_t value;
	bool is_there = prefix_tree_next(&fib.prefixes, &all, &wanted, &value);
	while (is_there && order(&wanted, &after) <= 0)
		is_there = prefix_tree_next(&fib.prefixes, &all, &wanted, &value);
	prefix_tree_seek(&fib.prefixes, &cursor, &after);
	while (is_there) {
		assert_true(prefix_tree_next(&fib.prefixes, &cursor, &prefix, &value));
		assert_int_equal(order(&prefix, &wanted), 0);
		is_there = prefix_tree_next(&fib.prefixes, &all, &wanted, &value);
	}
	assert_false(prefix_tree_next(&fib.prefixes, &cursor, &prefix, &value));
}

static void change(void)
{
	struct ws_prefix prefix = random_prefix();
	uint32_t value = 1 + (uint32_t)rand_r(&seed) % 4, was;
	int found = model_find(&prefix);
	/* A random prefix rarely exists, so some are chosen from the existing ones. */
	if (found < 0 && model_count && rand_r(&seed) % 3 == 0) {
		found = rand_r(&seed) % model_count;
		prefix = model[found].prefix;
	}
	assert_int_equal(fib_trie_get(&fib, &prefix, &was), found >= 0);
	if (found >= 0)
		assert_int_equal(was, model[found].value);
	if (found >= 0 && rand_r(&seed) % 2) {
		fib_trie_remove(&fib, &prefix);
		model[found] = model[--model_count];
		return;
	}
	if (found < 0 && model_count == MODEL_SIZE)
		return;
	if (found < 0)
		model[found = model_count++].prefix = prefix;
	model[found].value = value;
	assert_int_equal(set(prefix, value), 0);
}

static void expect_all_free(void)
{
	const struct node_pool *const pools[] = {&fib.groups, &fib.lists};
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pools[i]->used, 0);
		assert_int_equal(pools[i]->free_count + pools[i]->retired_count, pools[i]->made);
	}
}

static void agrees_with_a_plain_list(void **state)
{
	(void)state;
	for (unsigned int run = 1; run <= 3; run++) {
		seed = run;
		for (int i = 0; i < 3000; i++) {
			change();
			if (i % 25 == 0)
				expect_lookups(1);
			if (i % 500 == 0) {
				expect_walk();
				expect_seek();
			}
		}
		expect_lookups(20);
		expect_walk();
		while (model_count) {
			fib_trie_remove(&fib, &model[--model_count].prefix);
			if (model_count % 50 == 0)
				expect_lookups(1);
		}
		expect_all_free();
	}
}

static struct ws_prefix numbered(uint32_t n, uint8_t length)
{
	uint8_t bytes[16] = {0x20, 0x01, (uint8_t)(n >> 24), (uint8_t)(n >> 16)};
	bytes[14] = (uint8_t)(n >> 8);
	bytes[15] = (uint8_t)n;
	return prefix_of(bytes, length);
}

/* Groups are reused: the changes would otherwise need several times the available room. */
static void takes_groups_again(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 20000; i++) {
		assert_int_equal(set(numbered(i << 16, 128), 7), 0);
		struct ws_prefix prefix = numbered(i << 16, 128);
		fib_trie_remove(&fib, &prefix);
	}
	expect_all_free();
	assert_true(fib.groups.made < fib.groups.capacity);
	assert_true(fib.lists.made < fib.lists.capacity);
}

/* Each removal from a list writes a new list of the others, which must be a released one. */
static void takes_lists_again(void **state)
{
	(void)state;
	enum { ROUTES = 20000, A_LIST = 5 };
	fib_trie_close(&fib);
	assert_int_equal(fib_trie_init(&fib, WS_IP6, ROUTES), 0);
	for (uint32_t i = 0; i < ROUTES; i++) {
		uint8_t bytes[16] = {0x20, (uint8_t)(i / A_LIST >> 8), (uint8_t)(i / A_LIST)};
		bytes[3] = (uint8_t)(i % A_LIST);
		assert_int_equal(set(prefix_of(bytes, 48), 7), 0);
	}
	assert_int_equal(fib.lists.used, ROUTES / A_LIST);
	for (uint32_t i = 0; i < ROUTES; i++) {
		uint8_t bytes[16] = {0x20, (uint8_t)(i / A_LIST >> 8), (uint8_t)(i / A_LIST)};
		bytes[3] = (uint8_t)(i % A_LIST);
		struct ws_prefix prefix = prefix_of(bytes, 48);
		fib_trie_remove(&fib, &prefix);
		assert_true(fib.lists.made < ROUTES / 2);
	}
	expect_all_free();
}

static void refuses_when_full(void **state)
{
	(void)state;
	uint32_t added = 0, value;
	while (added < MAX_ROUTES && !set(numbered(added << 16, 128), 1 + added))
		added++;
	/* Eight groups each, and one for all prefixes that share their first 24 bits. */
	assert_int_equal(added, (fib.groups.capacity - 2) / 8);
	assert_int_equal(set(numbered(added << 16, 128), 1), -ENOSPC);
	struct ws_prefix missing = numbered(added << 16, 128);
	assert_false(fib_trie_get(&fib, &missing, &value));
	/* Shorter ones need no group. */
	while (added < MAX_ROUTES) {
		assert_int_equal(set(numbered(added << 24, 24), 1), 0);
		added = fib.count;
	}
	assert_int_equal(set(numbered(0xf0000000, 24), 1), -ENOSPC);
	for (uint32_t i = 0; i < (fib.groups.capacity - 2) / 8; i++) {
		struct ws_prefix prefix = numbered(i << 16, 128);
		const uint8_t *at = prefix.address.bytes;
		fib_trie_lookup_bulk(&fib, &at, &value, 1);
		assert_int_equal(value, 1 + i);
	}
	assert_int_equal(set(numbered(0, 128), FIB_TRIE_VALUE_MASK + 1), -ERANGE);
}

static bool stop_reading;
static uint64_t looked_up, wrong;

/* Look up addresses of constant prefixes, in groups that others enter and leave. */
static void *read_on(void *argument)
{
	const struct ws_prefix *kept = argument;
	const uint8_t *addresses[32];
	uint32_t values[32];
	for (int i = 0; i < 32; i++)
		addresses[i] = kept[i % 4].address.bytes;
	rcu_online(0);
	while (!__atomic_load_n(&stop_reading, __ATOMIC_RELAXED)) {
		fib_trie_lookup_bulk(&fib, addresses, values, 32);
		for (int i = 0; i < 32; i++)
			wrong += values[i] != 7;
		__atomic_store_n(&looked_up, looked_up + 32, __ATOMIC_RELAXED);
		rcu_quiescent(0);
	}
	rcu_offline(0);
	return NULL;
}

static void untouched_prefixes_never_change(void **state)
{
	(void)state;
	struct ws_prefix kept[4] = {numbered(0, 48), numbered(0x10000, 64), numbered(0x10007, 128),
								numbered(0x20000, 32)};
	pthread_t reader;
	looked_up = wrong = 0;
	stop_reading = false;
	assert_int_equal(set(prefix_of((uint8_t[16]){0}, 0), 7), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(set(kept[i], 7), 0);
	assert_int_equal(pthread_create(&reader, NULL, read_on, kept), 0);
	seed = 1;
	/* Until both threads have done enough, whatever CPU time they get. */
	for (uint32_t i = 0; i < 30000 || __atomic_load_n(&looked_up, __ATOMIC_RELAXED) < 100000; i++) {
		struct ws_prefix other = numbered(0x10080 + i % 64, (uint8_t)(121 + i % 8));
		other = i % 3 ? other : numbered(0x00100000 + (i % 5 << 16), 56);
		assert_int_equal(set(other, 9), 0);
		fib_trie_remove(&fib, &other);
	}
	__atomic_store_n(&stop_reading, true, __ATOMIC_RELAXED);
	pthread_join(reader, NULL);
	assert_int_equal(wrong, 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, fresh, closed)
	/* Static: no code of this file's march level runs before the rig has checked the CPU. */
	static const struct CMUnitTest tests[] = {
		TEST(agrees_with_a_plain_list),
		TEST(takes_groups_again),
		TEST(takes_lists_again),
		TEST(refuses_when_full),
		TEST(untouched_prefixes_never_change),
	};
	return RIG_RUN(tests);
}
