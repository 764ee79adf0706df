/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the kernel's routes compared with a plain list, through thousands of random changes.
 */
#include "cmocka_all.h"
#include "linux/rib.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 3000, STEPS = 60000, METRICS = 3, SETS = 40 };

static uint32_t seed = 1;

static uint32_t random_below(uint32_t limit)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % limit;
}

static struct rib_key key_of(uint32_t prefix, uint32_t metric)
{
	struct rib_key key = {.table = prefix % 2, .metric = metric, .family = WS_IP4, .length = 24};
	memcpy(key.address, &prefix, sizeof(prefix));
	return key;
}

static struct path_set set_of(uint32_t number)
{
	struct path_set set;
	memset(&set, 0, sizeof(set));
	set.count = 1 + number % 3;
	for (uint32_t i = 0; i < set.count; i++)
		set.paths[i].link = (int32_t)(number + i);
	return set;
}

/* model[prefix][metric]: number of the set, 0: none. */
static uint8_t model[ENTRIES][METRICS];

static void check(const struct rib *rib)
{
	uint32_t used = 0;
	for (uint32_t prefix = 0; prefix < ENTRIES; prefix++) {
		uint32_t best = 0;
		for (uint32_t metric = METRICS; metric-- > 0;) {
			struct rib_key key = key_of(prefix, metric);
			struct rib_entry *entry = rib_find(rib, &key);
			used += model[prefix][metric] > 0;
			assert_int_equal(entry != NULL, model[prefix][metric] > 0);
			if (entry) {
				assert_int_equal(rib_paths(rib, entry)->paths[0].link, model[prefix][metric]);
				best = metric + 1;
			}
		}
		struct rib_key key = key_of(prefix, 0);
		const struct rib_entry *found = rib_best(rib, &key);
		assert_int_equal(found ? found->metric + 1 : 0, best);
	}
	assert_int_equal(rib->used, used);
}

static void keeps_what_a_list_would(void **state)
{
	(void)state;
	struct rib rib = {0};
	for (uint32_t step = 0; step < STEPS; step++) {
		uint32_t prefix = random_below(ENTRIES), metric = random_below(METRICS);
		struct rib_key key = key_of(prefix, metric);
		struct rib_entry *entry = rib_find(&rib, &key);
		if (entry && random_below(2)) {
			rib_remove(&rib, entry);
			model[prefix][metric] = 0;
		} else {
			uint32_t number = 1 + random_below(SETS);
			struct path_set set = set_of(number);
			assert_non_null(rib_set(&rib, &key, &set, (uint8_t)(step % 2)));
			model[prefix][metric] = (uint8_t)number;
		}
		if (step % 10000 == 0)
			check(&rib);
	}
	check(&rib);
	rib_close(&rib);
}

static void sweeps_one_generation_and_family(void **state)
{
	(void)state;
	struct rib rib = {0};
	struct path_set set = set_of(1);
	uint32_t swept = 0, at = 0;
	struct rib_entry *entry;
	for (uint32_t i = 0; i < ENTRIES; i++) {
		struct rib_key key = key_of(i, 0);
		key.family = i % 3 ? WS_IP4 : WS_IP6;
		assert_non_null(rib_set(&rib, &key, &set, i % 2 ? 7 : 8));
	}
	while ((entry = rib_next_stale(&rib, &at, WS_IP4, 8))) {
		assert_int_equal(entry->generation, 7);
		rib_remove(&rib, entry);
		swept++;
	}
	assert_int_equal(swept, ENTRIES / 3);
	assert_int_equal(rib.used, ENTRIES - swept);
	rib_close(&rib);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_what_a_list_would),
		cmocka_unit_test(sweeps_one_generation_and_family),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
