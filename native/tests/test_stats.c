/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics segment of a router, read as by VPP's readers: only through the addresses in it.
 */
#include "accounted.h"
#include "cmocka_all.h"
#include "rig_tests.h"
#include "router_rig.h"
#include "wire/ethernet.h"
#include "wirespeed/interfaces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A copy of the segment in a block of exact size, so that the sanitizer finds addresses and lengths
 * that lead outside. */
static uint8_t *copy;
static size_t size;

static void take_copy(void)
{
	free(copy);
	size = rig_router->stats.size;
	copy = malloc(size);
	assert_non_null(copy);
	memcpy(copy, rig_router->stats.memory, size);
}

static const struct stats_header *header(void)
{
	return (const void *)copy;
}

static const void *at(uint64_t address)
{
	uint64_t offset = address - header()->base;
	assert_true(offset >= 8 && offset < size && offset % 8 == 0);
	return copy + offset;
}

/* Also checks that the elements of that size, and one more byte, as some readers want, are inside.
 */
static uint32_t length_of(uint64_t address, size_t element)
{
	uint32_t length;
	memcpy(&length, (const uint8_t *)at(address) - 8, sizeof(length));
	assert_true(address - header()->base + length * element < size);
	return length;
}

static const struct stats_entry *entry(uint32_t index)
{
	assert_true(index < length_of(header()->directory, sizeof(struct stats_entry)));
	return (const struct stats_entry *)at(header()->directory) + index;
}

static const struct stats_entry *find(const char *name)
{
	const struct stats_entry *found = NULL;
	for (uint32_t i = 0; i < length_of(header()->directory, sizeof(struct stats_entry)); i++) {
		if (entry(i)->type == STATS_EMPTY || strcmp(entry(i)->name, name))
			continue;
		assert_null(found);
		found = entry(i);
	}
	return found;
}

static uint64_t word(uint64_t vector, uint32_t index, size_t words)
{
	assert_true(index < length_of(vector, words * sizeof(uint64_t)));
	return ((const uint64_t *)at(vector))[index * words];
}

/* The first word of a link, for the thread. */
static uint64_t link_value(const char *name, uint32_t thread)
{
	const struct stats_entry *link = find(name);
	assert_non_null(link);
	assert_int_equal(link->type, STATS_SYMLINK);
	const struct stats_entry *target = entry(link->link.entry);
	assert_true(target->type == STATS_SIMPLE || target->type == STATS_COMBINED);
	return word(word(target->value, thread, 1), link->link.index,
				target->type == STATS_COMBINED ? 2 : 1);
}

static const char *name_at(const char *vector, uint32_t index)
{
	uint64_t text = word(find(vector)->value, index, 1);
	const char *name = at(text);
	assert_int_equal(length_of(text, 1), strlen(name) + 1);
	return name;
}

/* Everything that an entry refers to is inside, and all threads' rows have the same length. */
static void check_entry(const struct stats_entry *checked)
{
	assert_non_null(memchr(checked->name, 0, sizeof(checked->name)));
	switch (checked->type) {
	case STATS_SIMPLE:
	case STATS_COMBINED:
	case STATS_HISTOGRAM: {
		size_t element = checked->type == STATS_COMBINED ? 16 : 8;
		for (uint32_t i = 0; i < length_of(checked->value, 8); i++)
			assert_int_equal(length_of(word(checked->value, i, 1), element),
							 length_of(word(checked->value, 0, 1), element));
		break;
	}
	case STATS_NAMES:
		for (uint32_t i = 0; i < length_of(checked->value, 8); i++)
			name_at(checked->name, i);
		break;
	case STATS_SYMLINK:
		for (uint32_t i = 0; i < length_of(entry(checked->link.entry)->value, 8); i++)
			link_value(checked->name, i);
		break;
	default:
		assert_true(checked->type == STATS_SCALAR || checked->type == STATS_GAUGE ||
					checked->type == STATS_EMPTY);
	}
}

static void all_addresses_lead_inside(void **state)
{
	(void)state;
	take_copy();
	assert_int_equal(header()->version, 2);
	assert_int_equal(header()->in_progress, 0);
	assert_ptr_equal((const void *)(uintptr_t)header()->base, rig_router->stats.memory);
	for (uint32_t i = 0; i < length_of(header()->directory, sizeof(struct stats_entry)); i++)
		check_entry(entry(i));
	/* The first three are where some readers expect them. */
	assert_string_equal(entry(0)->name, "/sys/last_stats_clear");
	assert_string_equal(entry(1)->name, "/sys/heartbeat");
	assert_string_equal(entry(2)->name, "/sys/boottime");
	assert_int_equal(find("/sys/last_update")->type, STATS_SCALAR);
	/* VPP's exporter writes a TYPE line for each row of a histogram. */
	assert_int_equal(length_of(find("/sys/vector-sizes")->value, 8), 1);
}

static void counters_stand_in_the_rows_of_their_threads(void **state)
{
	(void)state;
	struct frame frame = frame_udp(IP(10, 0, 0, 2), IP(9, 9, 9, 9), 20);
	/* A wrong checksum, so that they are dropped at once. */
	frame.bytes[ETHERNET_LEN + 10] ^= 1;
	for (int i = 0; i < 3; i++)
		rig_send(0, frame.bytes, frame.length);
	take_copy();
	assert_int_equal(link_value("/interfaces/e0/ip4", 1), 3);
	assert_int_equal(link_value("/interfaces/e0/ip4", 0), 0);
	assert_int_equal(link_value("/interfaces/e1/ip4", 1), 0);
	struct ws_interface_counters of_e0;
	assert_int_equal(ws_router_interface_counters(rig_router, 0, &of_e0), 0);
	assert_true(of_e0.drops > 0);
	assert_int_equal(link_value("/interfaces/e0/drops", 1), of_e0.drops);
	assert_int_equal(link_value("/sys/drops", 1), rig_totals().drops);
	assert_int_equal(link_value("/nodes/ip4-input/vectors", 1), 3);
	struct ws_node_counter counters[512];
	int count = ws_router_node_counters(rig_router, 0, counters, 512);
	uint64_t counted = 0;
	for (int i = 0; i < count; i++) {
		char name[2 * WS_NAME_LEN + 8];
		snprintf(name, sizeof(name), "/err/%.63s/%.63s", counters[i].node, counters[i].reason);
		assert_int_equal(link_value(name, 1), counters[i].count);
		counted += counters[i].count;
	}
	assert_true(counted >= 3);
}

static int add_loopback(uint32_t instance)
{
	static const uint8_t mac[6] = {0x02, 0, 0, 0, 1, 0};
	int index = ws_router_loopback_add(rig_router, instance, mac);
	assert_true(index >= 0);
	return index;
}

static void an_interface_that_comes_has_names_and_one_that_goes_has_none(void **state)
{
	(void)state;
	take_copy();
	uint64_t epoch = header()->epoch;
	uint32_t entries = length_of(header()->directory, sizeof(struct stats_entry));
	assert_string_equal(name_at("/if/names", 0), "local0");
	int index = add_loopback(7);
	take_copy();
	assert_true(header()->epoch > epoch);
	assert_string_equal(name_at("/if/names", (uint32_t)index + STATS_FIRST_INTERFACE), "loop7");
	assert_string_equal(name_at("/if/names", STATS_FIRST_INTERFACE + WS_MAX_PORTS - 1),
						""); /* an index without interface */
	assert_int_equal(link_value("/interfaces/loop7/rx", 1), 0);
	rig_router->workers[0]->interfaces->rx.at[index].packets = 5;
	take_copy();
	assert_int_equal(link_value("/interfaces/loop7/rx", 1), 5);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(ws_router_interface_delete(rig_router, (uint16_t)index), 0);
		take_copy();
		assert_null(find("/interfaces/loop7/rx"));
		assert_string_equal(name_at("/if/names", (uint32_t)index + STATS_FIRST_INTERFACE), "");
		all_addresses_lead_inside(NULL);
		index = add_loopback(7);
	}
	/* It started again, in the places of the old one. */
	take_copy();
	assert_int_equal(link_value("/interfaces/loop7/rx", 1), 0);
	assert_int_equal(length_of(header()->directory, sizeof(struct stats_entry)),
					 entries + STATS_INTERFACE_LINKS);
}

static void as_many_interfaces_as_there_can_be_have_names(void **state)
{
	(void)state;
	uint32_t made = 0;
	while (made < WS_MAX_INTERFACES - WS_MAX_PORTS)
		add_loopback(made++);
	take_copy();
	char name[STATS_NAME_LEN];
	for (uint32_t i = 0; i < made; i += 251) { /* each find walks the whole directory */
		snprintf(name, sizeof(name), "loop%u", i);
		assert_string_equal(name_at("/if/names", STATS_FIRST_INTERFACE + WS_MAX_PORTS + i), name);
	}
	snprintf(name, sizeof(name), "/interfaces/loop%u/tx-broadcast", made - 1);
	assert_int_equal(link_value(name, 1), 0);
}

static void nodes_count_on_in_a_new_graph(void **state)
{
	(void)state;
	struct frame frame = frame_udp(IP(10, 0, 0, 2), IP(9, 9, 9, 9), 20);
	rig_send(0, frame.bytes, frame.length);
	take_copy();
	const struct stats_entry *link = find("/nodes/ip4-input/vectors");
	uint32_t slot = link->link.index;
	for (int i = 0; i < 4; i++) {
		assert_int_equal(router_remake_graphs(rig_router), 0);
		rig_send(0, frame.bytes, frame.length);
	}
	take_copy();
	assert_int_equal(find("/nodes/ip4-input/vectors")->link.index, slot);
	assert_int_equal(link_value("/nodes/ip4-input/vectors", 1), 5);
	assert_string_equal(name_at("/sys/node/names", slot), "ip4-input");
}

static int begin(void **state)
{
	(void)state;
	rig_reset();
	return 0;
}

static int end(void **state)
{
	free(copy);
	copy = NULL;
	return rest_accounted(state);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(all_addresses_lead_inside),
		TEST(counters_stand_in_the_rows_of_their_threads),
		TEST(an_interface_that_comes_has_names_and_one_that_goes_has_none),
		TEST(as_many_interfaces_as_there_can_be_have_names),
		TEST(nodes_count_on_in_a_new_graph),
	};
	return RIG_RUN(tests);
}
