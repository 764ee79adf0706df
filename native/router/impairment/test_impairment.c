/* SPDX-License-Identifier: Apache-2.0 */
/* Impairment: every packet is accounted for, with all settings, and when held packets are dropped.
 */
#include "router/impairment/impairment.h"
#include "tests/rig_tests.h"
#include "wirespeed/interfaces.h"

#include <errno.h>
#include <string.h>

enum { SENT = 100 };

static void send_some(void)
{
	struct frame in = frame_udp(IP(1, 2, 3, 4), IP(5, 6, 7, 8), 20);
	for (int i = 0; i < SENT; i++)
		rig_send(0, in.bytes, in.length);
}

static uint32_t take_all(uint16_t interface)
{
	uint32_t count = 0;
	while (rig_take(interface).length)
		count++;
	return count;
}

static struct ws_impairment_counters counters_of(uint16_t index)
{
	struct ws_impairment settings;
	struct ws_impairment_counters counters;
	assert_int_equal(ws_router_impairment(rig_router, index, &settings, &counters), 1);
	return counters;
}

static void loses_all_or_none(void **state)
{
	(void)state;
	struct ws_impairment all = {.loss = 1};
	assert_int_equal(ws_router_set_impairment(rig_router, 1, &all), 0);
	send_some();
	assert_int_equal(take_all(1), 0);
	assert_int_equal(counters_of(1).lost, SENT);
	assert_int_equal(rig_counter("e1-impairment", "packet lost on purpose"), SENT);
	assert_int_equal(ws_router_set_impairment(rig_router, 1, &(struct ws_impairment){0}), 0);
	send_some();
	assert_int_equal(take_all(1), SENT);
	assert_int_equal(counters_of(1).packets, 2 * SENT);
	assert_int_equal(ws_router_clear_impairment(rig_router, 1), 0);
	assert_int_equal(ws_router_clear_impairment(rig_router, 1), -ENOENT);
	send_some();
	assert_int_equal(take_all(1), SENT);
}

static void doubles_all(void **state)
{
	(void)state;
	struct ws_impairment all = {.duplicate = 1, .seed = 3};
	assert_int_equal(ws_router_set_impairment(rig_router, 1, &all), 0);
	send_some();
	rig_walk();
	assert_int_equal(take_all(1), 2 * SENT);
	assert_int_equal(counters_of(1).duplicated, SENT);
	assert_int_equal(rig_totals().made, SENT);
}

static void send_to(uint8_t host)
{
	struct frame in = frame_udp(IP(1, 2, 3, 4), IP(5, 6, 7, host), 20);
	rig_send(0, in.bytes, in.length);
}

static int taken_host(void)
{
	struct frame out = rig_take(1);
	return out.length ? out.bytes[33] : -1;
}

/* A lone packet of a frame waits for the next one and follows it. */
static void a_packet_alone_waits_to_be_reordered(void **state)
{
	(void)state;
	struct ws_impairment all = {.reorder = 1};
	assert_int_equal(ws_router_set_impairment(rig_router, 1, &all), 0);
	send_to(1);
	assert_int_equal(counters_of(1).held, 1);
	assert_true(rig_router->workers[0]->is_holding);
	assert_int_equal(taken_host(), -1);
	send_to(2);
	send_to(3);
	send_to(4);
	int order[4];
	for (int i = 0; i < 4; i++)
		order[i] = taken_host();
	assert_memory_equal(order, ((int[]){2, 1, 4, 3}), sizeof(order));
	assert_int_equal(counters_of(1).reordered, 2);
}

static void none_is_reordered_if_no_other_comes(void **state)
{
	(void)state;
	struct ws_impairment all = {.reorder = 1};
	assert_int_equal(ws_router_set_impairment(rig_router, 1, &all), 0);
	send_to(1);
	impairment_at(rig_router, 1)->lanes[0].turned_until_tsc = 0;
	rig_walk();
	assert_int_equal(taken_host(), 1);
	assert_int_equal(counters_of(1).reordered, 0);
	assert_int_equal(counters_of(1).held, 0);
}

static void one_that_waits_for_another_is_dropped_too(void **state)
{
	(void)state;
	uint32_t before = rig_buffers_in_use();
	struct ws_impairment all = {.reorder = 1};
	assert_int_equal(ws_router_set_impairment(rig_router, 1, &all), 0);
	send_to(1);
	assert_int_equal(ws_router_clear_impairment(rig_router, 1), 0);
	assert_int_equal(rig_totals().drops, 1);
	assert_int_equal(rig_buffers_in_use(), before);
}

static void what_waits_is_dropped_when_it_ends(void **state)
{
	(void)state;
	struct ws_impairment late = {.delay_ns = 5000000000, .duplicate = 1};
	uint32_t before = rig_buffers_in_use();
	assert_int_equal(ws_router_set_impairment(rig_router, 1, &late), 0);
	send_some();
	assert_int_equal(take_all(1), 0);
	assert_int_equal(counters_of(1).held, 2 * SENT);
	assert_int_equal(counters_of(1).delayed, SENT);
	assert_true(rig_router->workers[0]->is_holding);
	assert_int_equal(ws_router_clear_impairment(rig_router, 1), 0);
	assert_false(rig_router->workers[0]->is_holding);
	assert_int_equal(rig_totals().drops, 2 * SENT);
	assert_int_equal(rig_buffers_in_use(), before);
}

/* The next test's router, which replaces this one, has none of its packets. */
static void goes_with_its_router(void **state)
{
	(void)state;
	uint32_t before = rig_buffers_in_use();
	struct ws_impairment late = {.delay_ns = 5000000000};
	assert_int_equal(ws_router_set_impairment(rig_router, 0, &late), 0);
	assert_int_equal(ws_router_set_impairment(rig_router, 1, &late), 0);
	send_some();
	assert_int_equal(counters_of(1).held, SENT);
	rig_reset();
	assert_int_equal(rig_buffers_in_use(), before);
}

static void explains_what_it_refuses(void **state)
{
	(void)state;
	struct ws_impairment out;
	struct ws_impairment_counters counters;
	const struct ws_impairment bad[] = {
		{.loss = 1.5},
		{.loss = -0.5},
		{.reorder = 2},
		{.duplicate = 2},
		{.loss = 0.5, .loss_burst = 0.5},
		{.loss = 1, .loss_burst = 2},
		{.delay_ns = 20000000000},
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(ws_router_set_impairment(rig_router, 1, &bad[i]), -EINVAL);
	assert_int_equal(ws_router_impairment(rig_router, 1, &out, &counters), 0);
	int loopback = ws_router_loopback_add(rig_router, 0, NULL);
	assert_int_equal(
		ws_router_set_impairment(rig_router, (uint16_t)loopback, &(struct ws_impairment){0}),
		-EINVAL);
	assert_int_equal(ws_router_set_impairment(rig_router, 77, &(struct ws_impairment){0}), -ENODEV);
}

/* Copies count as made. */
static int made_accounted(void **state)
{
	(void)state;
	struct ws_router_totals totals = rig_totals();
	assert_int_equal(totals.rx_packets + totals.made,
					 totals.tx_packets + totals.drops + totals.punts);
	assert_int_equal(rig_buffers_in_use(), 0);
	return 0;
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, crossed, made_accounted)
	const struct CMUnitTest tests[] = {
		TEST(loses_all_or_none),
		TEST(doubles_all),
		TEST(a_packet_alone_waits_to_be_reordered),
		TEST(none_is_reordered_if_no_other_comes),
		TEST(one_that_waits_for_another_is_dropped_too),
		TEST(what_waits_is_dropped_when_it_ends),
		TEST(goes_with_its_router),
		TEST(explains_what_it_refuses),
	};
	return RIG_RUN(tests);
}
