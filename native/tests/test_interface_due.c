/* SPDX-License-Identifier: Apache-2.0 */
/* Interfaces by due time: in order, and without inspecting the others. */
#include "cmocka_all.h"
#include "router/interface/interface_due.h"

#include <stdlib.h>
#include <string.h>

static struct interface_due due;

static int reset(void **state)
{
	(void)state;
	memset(&due, 0, sizeof(due));
	return 0;
}

static void the_soonest_comes_first(void **state)
{
	(void)state;
	uint64_t last = 0;
	uint16_t index, count = 0;
	srand(7);
	for (uint16_t i = 0; i < 1000; i++)
		interface_due_at(&due, i, (uint64_t)(rand() % 500));
	for (uint16_t i = 0; i < 1000; i += 3)
		interface_due_at(&due, i, (uint64_t)(rand() % 500)); /* in place of before */
	for (uint16_t i = 0; i < 1000; i += 5)
		interface_due_never(&due, i);
	while (interface_due_take(&due, 250, &index)) {
		assert_true(due.tsc[index] >= last && due.tsc[index] <= 250);
		assert_true(index % 5 != 0);
		last = due.tsc[index];
		count++;
	}
	uint16_t late = 0;
	for (uint16_t i = 0; i < 1000; i++)
		late += interface_is_due(&due, i) && due.tsc[i] > 250;
	assert_int_equal(count + late, 800);
	assert_int_equal(due.count, late);
}

/* The cost of a poll does not depend on the number of interfaces: one entry is inspected if nothing
 * is due, and a few for each that is. */
static void a_poll_looks_at_few(void **state)
{
	(void)state;
	uint16_t index;
	for (uint32_t i = 0; i < WS_MAX_INTERFACES; i++)
		interface_due_at(&due, (uint16_t)i, 1000 + i);
	due.looks = 0;
	assert_false(interface_due_take(&due, 999, &index));
	assert_int_equal(due.looks, 1);
	due.looks = 0;
	assert_true(interface_due_take(&due, 1000, &index));
	interface_due_at(&due, index, 100000);
	assert_false(interface_due_take(&due, 1000, &index));
	assert_in_range(due.looks, 1, 64); /* a little more than three times the depth of the heap */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_soonest_comes_first, reset),
		cmocka_unit_test_setup(a_poll_looks_at_few, reset),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
