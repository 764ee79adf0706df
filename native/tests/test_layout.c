/* SPDX-License-Identifier: Apache-2.0 */
/* Words that one thread often writes share no cache line with words that another thread uses per
 * packet. */
#include "cmocka_all.h"
#include "generator/control/generator.h"
#include "router/router.h"

#include <stddef.h>

enum { LINE = 64 };

#define LINE_OF(type, member) (offsetof(struct type, member) / LINE)
#define LAST_LINE_OF(type, member)                                                                 \
	((offsetof(struct type, member) + sizeof(((struct type *)0)->member) - 1) / LINE)
/* `first` ends in a cache line before that of `second`. */
#define ASSERT_APART(type, first, second)                                                          \
	assert_true(LAST_LINE_OF(type, first) < LINE_OF(type, second))

#define ASSERT_WHOLE_LINES(type)                                                                   \
	do {                                                                                           \
		assert_int_equal(_Alignof(struct type) % LINE, 0);                                         \
		assert_int_equal(sizeof(struct type) % LINE, 0);                                           \
	} while (0)

/* Structures of several workers are adjacent in memory. */
static void what_a_worker_has_of_its_own_is_whole_lines(void **state)
{
	(void)state;
	ASSERT_WHOLE_LINES(router_worker);
	ASSERT_WHOLE_LINES(stats_thread);
	ASSERT_WHOLE_LINES(worker_counts);
	ASSERT_WHOLE_LINES(generator_worker);
	ASSERT_WHOLE_LINES(generator_port);
	ASSERT_WHOLE_LINES(mailbox);
}

/* The main thread posts calls; the worker counts each loop. */
static void a_worker_counts_beside_its_mailbox(void **state)
{
	(void)state;
	ASSERT_APART(generator_worker, mailbox, stats);
}

/* A million routes may be added within seconds. */
static void a_change_of_routes_leaves_the_readers_lines_alone(void **state)
{
	(void)state;
	ASSERT_WHOLE_LINES(fib_table);
	ASSERT_APART(fib_trie, root, groups);
	ASSERT_APART(fib_trie, nodes, groups);
	ASSERT_APART(fib_trie, default_value, groups);
	assert_true(offsetof(struct fib_trie, count) > offsetof(struct fib_trie, groups));
	ASSERT_APART(load_balance_table, balances, uses);
	ASSERT_APART(adjacency_table, adjacencies, neighbors);
	/* An adjacency or load balance is rewritten with its neighbours in use. */
	ASSERT_WHOLE_LINES(adjacency);
}

static void events_of_one_worker_leave_the_others_lines_alone(void **state)
{
	(void)state;
	ASSERT_APART(ws_router, adjacencies, events);
	ASSERT_APART(ws_router, events, main_input);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_worker_has_of_its_own_is_whole_lines),
		cmocka_unit_test(a_worker_counts_beside_its_mailbox),
		cmocka_unit_test(a_change_of_routes_leaves_the_readers_lines_alone),
		cmocka_unit_test(events_of_one_worker_leave_the_others_lines_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
