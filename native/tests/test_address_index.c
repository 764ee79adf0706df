/* SPDX-License-Identifier: Apache-2.0 */
/* The index of addresses compared with a search over all interfaces: owners of addresses, addresses
 * in a prefix. */
#include "cmocka_all.h"
#include "router/interface/address_index.h"
#include "router/router.h"
#include "wire/address.h"

#include <stdlib.h>

enum { INTERFACES = 300, ROUNDS = 2000 };

static struct ws_router *router;
static struct address_list lists[INTERFACES];

static uint32_t below(uint32_t limit)
{
	return (uint32_t)rand() % limit;
}

/* Each interface has a /16 of its own (in one of two tables), and prefixes nested in it. */
static struct ws_prefix draw(uint16_t interface)
{
	uint8_t length = (uint8_t)(16 + below(17));
	return (struct ws_prefix){
		address_of_ip4(0x0a000000 + ((uint32_t)interface / 2 << 16) + below(1 << 16)), length};
}

static void change(uint16_t interface)
{
	struct address_list *list = &lists[interface], before = *list;
	assert_int_equal(address_index_reserve(&router->address_index), 0);
	if (list->count && (below(3) == 0 || list->count == WS_MAX_ADDRESSES))
		list->at[below(list->count)] = list->at[list->count - 1], list->count--;
	else
		list->at[list->count++] = draw(interface);
	list->given = list->count;
	address_index_change(router, interface, &before, list);
}

static void check_over(uint16_t table, struct ws_address address)
{
	const struct indexed_address *found;
	uint32_t place = 0, expected = 0, count = 0;
	uint8_t length = 32;
	for (uint16_t i = 0; i < INTERFACES; i++)
		for (uint16_t a = 0; i % 2 == table && a < lists[i].count; a++)
			expected += prefix_covers(&lists[i].at[a], &address);
	while ((found = address_index_over(&router->address_index, table, &address, &place))) {
		assert_true(prefix_covers(&found->prefix, &address));
		assert_int_equal(found->table, table);
		assert_true(found->prefix.length <= length);
		length = found->prefix.length;
		count++;
	}
	assert_int_equal(count, expected);
}

static void check_within(uint16_t table, struct ws_prefix prefix)
{
	const struct indexed_address *found;
	uint32_t place = 0, expected = 0, count = 0;
	prefix = prefix_network(prefix);
	for (uint16_t i = 0; i < INTERFACES; i++)
		for (uint16_t a = 0; i % 2 == table && a < lists[i].count; a++) {
			struct ws_prefix network = prefix_network(lists[i].at[a]);
			expected += prefix_covers(&prefix, &network.address);
		}
	while ((found = address_index_within(&router->address_index, table, prefix, &place)))
		count++;
	assert_int_equal(count, expected);
}

static void finds_what_a_walk_finds(void **state)
{
	(void)state;
	router = calloc(1, sizeof(*router));
	for (uint16_t i = 0; i < INTERFACES; i++)
		router->interfaces[i].table[0] = i % 2;
	for (int round = 0; round < ROUNDS; round++) {
		change((uint16_t)below(INTERFACES));
		uint16_t interface = (uint16_t)below(INTERFACES);
		check_over(interface % 2, draw(interface).address);
		check_within(interface % 2, draw(interface));
		if (lists[interface].count)
			check_over(interface % 2, lists[interface].at[0].address);
	}
	address_index_free(&router->address_index);
	free(router);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(finds_what_a_walk_finds)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
