/* SPDX-License-Identifier: Apache-2.0 */
/* Counting of tagged packet groups by a worker. Each packet is in heap blocks of exactly the size
 * that may be read. */
#include "generator/observe/flow_wire.h"
#include "generator/tagged/tagged.h"
#include "tests/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

enum { DOT1Q = 0x8100, QINQ = 0x88a8, HEAD = 14, GROUPS = 3, TAGS = 4, UNKNOWN = TAGS, NO_TAG };

static const struct ws_tag tags[TAGS] = {{.first = 7}, {.first = 7, .second = 9}, {0}, {4094, 1}};
static struct tagged *tagged;

static int set_up(void **state)
{
	(void)state;
	struct tag_map *map = tag_map_create(tags, TAGS);
	tagged = map ? tagged_create(GROUPS, TAGS, map) : NULL;
	return !tagged;
}

static int tear_down(void **state)
{
	(void)state;
	tagged_leave(tagged);
	return 0;
}

static void put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* A frame's first `head_len` bytes: addresses, the tags of `types` and `ids`, and an IPv4 type. */
static void receive_head(uint8_t first, const uint16_t types[2], const uint16_t ids[2],
						 uint32_t head_len, uint32_t group, uint32_t number)
{
	uint8_t frame[HEAD + 8] = {first};
	uint8_t *at = frame + 12;
	for (int i = 0; i < 2 && types[i]; i++, at += 4) {
		put16(at, types[i]);
		put16(at + 2, ids[i]);
	}
	put16(at, 0x0800);
	uint8_t *head = malloc(head_len), *tail = malloc(FLOW_TAIL_LEN);
	memcpy(head, frame, head_len);
	flow_put_tagged(tail,
					&(struct flow_tail){.magic = FLOW_MAGIC_TAGGED,
										.start = FLOW_START_TAGGED,
										.id = FLOW_ID_TAGGED,
										.tsc = group},
					number);
	struct flow_packet packet = {.head = head, .tail = tail, .head_len = head_len, .bytes = 100};
	tagged_receive(tagged, &packet);
	free(head);
	free(tail);
}

static void receive(uint16_t outer, uint16_t inner, uint32_t group, uint32_t number)
{
	const uint16_t types[2] = {outer ? DOT1Q : 0, inner ? DOT1Q : 0}, ids[2] = {outer, inner};
	receive_head(2, types, ids, HEAD + 4 * (!!outer + !!inner), group, number);
}

static struct tagged_count *count_of(uint32_t group, uint32_t column)
{
	return &tagged->counts[group * tagged->row + column];
}

static uint64_t packets(uint32_t group, uint32_t column)
{
	return count_of(group, column)->order.packets;
}

static uint64_t all_packets(void)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < GROUPS * tagged->row; i++)
		sum += tagged->counts[i].order.packets;
	return sum;
}

static void tags_are_told_apart(void **state)
{
	(void)state;
	receive(7, 0, 0, 0);
	receive(7, 9, 1, 0);
	receive(4094, 1, GROUPS - 1, 0);
	receive(0, 0, 0, 0);
	receive(8, 0, 0, 0);
	receive(9, 7, 0, 0); /* the other order */
	assert_int_equal(packets(0, 0), 1);
	assert_int_equal(packets(1, 1), 1);
	assert_int_equal(packets(GROUPS - 1, 3), 1);
	assert_int_equal(packets(0, NO_TAG), 1);
	assert_int_equal(packets(0, UNKNOWN), 2);
	assert_int_equal(all_packets(), 6);
	assert_int_equal(count_of(0, UNKNOWN)->bytes, 200);
	assert_int_equal(tagged->unknown_count, 2);
	assert_int_equal(tagged->unknown[1].tag.first, 9);
	assert_int_equal(tagged->unknown[1].tag.second, 7);
}

static void priority_and_service_tags_are_looked_through(void **state)
{
	(void)state;
	receive_head(2, (const uint16_t[]){QINQ, DOT1Q}, (const uint16_t[]){0xe007, 0x1009}, HEAD + 8,
				 0, 0);
	assert_int_equal(packets(0, 1), 1);
}

static void other_packets_are_not_counted(void **state)
{
	(void)state;
	receive(7, 0, GROUPS, 0);
	receive(7, 0, UINT32_MAX, 0);
	assert_int_equal(all_packets(), 0);
	uint8_t *bytes = calloc(1, HEAD + FLOW_TAIL_LEN);
	struct flow_packet packet = {
		.head = bytes, .tail = bytes + HEAD, .head_len = HEAD + FLOW_TAIL_LEN, .bytes = 64};
	tagged_receive(tagged, &packet);
	free(bytes);
	assert_int_equal(all_packets(), 0);
}

static void short_heads_are_survived(void **state)
{
	(void)state;
	const uint16_t types[2] = {DOT1Q, DOT1Q}, ids[2] = {7, 9};
	for (uint32_t len = 1; len <= HEAD + 8; len++)
		receive_head(2, types, ids, len, 0, 0);
	/* Less than 14 bytes: not counted; less than 18: no tag; less than 22: one of the two tags. */
	assert_int_equal(packets(0, NO_TAG), 4);
	assert_int_equal(packets(0, 0), 4);
	assert_int_equal(packets(0, 1), 1);
	assert_int_equal(all_packets(), 9);
}

static void unknown_tags_are_kept_up_to_a_bound(void **state)
{
	(void)state;
	for (uint16_t vlan = 100; vlan < 100 + 2 * WS_UNKNOWN_TAGS; vlan++)
		receive(vlan, 0, GROUPS + vlan, 0);
	assert_int_equal(tagged->unknown_count, WS_UNKNOWN_TAGS);
	assert_int_equal(tagged->unknown[WS_UNKNOWN_TAGS - 1].tag.first, 99 + WS_UNKNOWN_TAGS);
	assert_int_equal(tagged->unknown[0].group, GROUPS + 100);
}

static void order_is_counted_as_trex_does(void **state)
{
	(void)state;
	const uint32_t numbers[] = {0, 1, 4, 2, 4, 5, 5, 9};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		receive(7, 0, 0, numbers[i]);
		receive(8, 0, 0, numbers[i]);
	}
	const struct flow_order *order = &count_of(0, 0)->order;
	assert_int_equal(order->packets, 8);
	assert_int_equal(order->dropped, 4); /* 2, 3, less 2 that came late; 6, 7, 8 */
	assert_int_equal(order->seq_too_high, 2);
	assert_int_equal(order->seq_too_low, 3);
	assert_int_equal(order->duplicate, 2);
	assert_int_equal(order->out_of_order, 1);
	assert_int_equal(count_of(0, UNKNOWN)->order.dropped, 0);
}

static void receivers_of_a_group_address_join_late(void **state)
{
	(void)state;
	const uint16_t none[2] = {0};
	receive_head(1, none, none, HEAD, 0, 1000);
	receive_head(1, none, none, HEAD, 0, 1002);
	assert_int_equal(count_of(0, NO_TAG)->order.dropped, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(tags_are_told_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(priority_and_service_tags_are_looked_through, set_up,
										tear_down),
		cmocka_unit_test_setup_teardown(other_packets_are_not_counted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(short_heads_are_survived, set_up, tear_down),
		cmocka_unit_test_setup_teardown(unknown_tags_are_kept_up_to_a_bound, set_up, tear_down),
		cmocka_unit_test_setup_teardown(order_is_counted_as_trex_does, set_up, tear_down),
		cmocka_unit_test_setup_teardown(receivers_of_a_group_address_join_late, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
