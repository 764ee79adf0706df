/* SPDX-License-Identifier: Apache-2.0 */
/* The cross-connect, and tracing packets through it. */
#include "router/l2/l2.h"
#include "tests/accounted.h"
#include "tests/rig_tests.h"
#include "wire/ethernet.h"
#include "wirespeed/bridges.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/router.h"
#include "wirespeed/trace.h"

#include <errno.h>
#include <string.h>

/* Frames of any type, tags, address and length pass unchanged. */
static void passes_every_frame(void **state)
{
	(void)state;
	struct frame in = frame_udp(IP(1, 2, 3, 4), IP(5, 6, 7, 8), 100);
	for (size_t i = 0; i < in.length; i++)
		in.bytes[i] = (uint8_t)(i * 37);
	for (uint16_t from = 0; from < 2; from++)
		for (size_t length = ETHERNET_LEN; length <= in.length; length++) {
			in.bytes[0] = (uint8_t)length;
			in.bytes[12] = (uint8_t)(length * 5);
			rig_send(from, in.bytes, length);
			struct frame out = rig_take(!from);
			assert_int_equal(out.length, length);
			assert_memory_equal(out.bytes, in.bytes, length);
		}
	rig_send_pieces(0, in.bytes, in.length, 20);
	assert_int_equal(rig_take(1).length, in.length);
	assert_int_equal(rig_totals().drops, 0);
}

static uint32_t passes(size_t length, uint32_t tags, uint16_t inner)
{
	uint8_t frame[2048] = {2, 0xfe, [6] = 2, 0xee};
	for (uint32_t i = 0; i < tags; i++) {
		frame[12 + 4 * i] = i || tags == 1 ? 0x81 : 0x88;
		frame[13 + 4 * i] = i || tags == 1 ? 0x00 : 0xa8;
	}
	frame[12 + 4 * tags] = (uint8_t)(inner >> 8);
	frame[13 + 4 * tags] = (uint8_t)inner;
	rig_send(0, frame, length);
	return rig_take(1).length == length;
}

/* There is no error message: layer 2 has none. A port carries two tags in addition to its MTU. */
static void holds_frames_to_the_mtu(void **state)
{
	(void)state;
	assert_true(passes(1514, 0, 0x0800));
	assert_false(passes(1515, 0, 0x0800));
	assert_int_equal(rig_counter("l2-output", "L2 MTU exceeded"), 1);
	assert_true(passes(1518, 1, 0x0800));
	assert_false(passes(1519, 1, 0x0800));
	assert_true(passes(1522, 2, 0x86dd));
	assert_false(passes(1523, 2, 0x86dd));
	/* a third tag is not accounted for */
	assert_false(passes(1526, 2, 0x8100));
	assert_int_equal(rig_counter("l2-output", "L2 MTU exceeded"), 4);
	/* The MTU of routing does not apply. */
	assert_int_equal(ws_router_set_protocol_mtu(rig_router, 1, WS_MTU_L3, 1400), 0);
	assert_true(passes(1514, 0, 0x0800));
	assert_int_equal(ws_router_set_mtu(rig_router, 1, 1800), 0);
	assert_true(passes(1814, 0, 0x0800));
	assert_false(passes(1815, 0, 0x0800));
	assert_int_equal(ws_router_set_mtu(rig_router, 1, 1500), 0);
	assert_false(passes(1515, 0, 0x0800));
	assert_int_equal(rig_counter("l2-output", "L2 MTU exceeded"), 6);
	assert_int_equal(rig_totals().drops, 6);
}

/* Eight frames are checked together: a frame that is too long is dropped alone, at any position. */
static void holds_one_among_others_to_the_mtu(void **state)
{
	(void)state;
	enum { BURST = 19 };
	uint8_t frame[2048] = {2, 0xfe, [6] = 2, 0xee, [12] = 0x88, 0xb5};
	for (uint32_t at = 0; at < BURST; at++) {
		for (uint32_t i = 0; i < BURST; i++)
			rig_put(0, frame, i == at ? 1515 : 1514 - i);
		rig_walk();
		for (uint32_t i = 0; i < BURST; i++)
			if (i != at)
				assert_int_equal(rig_take(1).length, 1514 - i);
		assert_int_equal(rig_take(1).length, 0);
		assert_int_equal(rig_counter("l2-output", "L2 MTU exceeded"), at + 1);
	}
}

static void drops_runts_and_honours_the_state(void **state)
{
	(void)state;
	struct frame in = frame_udp(IP(1, 2, 3, 4), IP(5, 6, 7, 8), 0);
	for (size_t length = 0; length < ETHERNET_LEN; length++)
		rig_send(0, in.bytes, length);
	assert_int_equal(rig_counter("ethernet-input", "frame shorter than its header"), 14);
	ws_router_set_state(rig_router, 0, false);
	rig_send(0, in.bytes, in.length);
	rig_send(1, in.bytes, in.length);
	assert_int_equal(rig_counter("ethernet-input", "interface is down"), 1);
	assert_int_equal(rig_counter("e0-output", "interface is down"), 1);
	assert_int_equal(rig_take(0).length + rig_take(1).length, 0);
}

static void goes_one_way_and_back_to_l3(void **state)
{
	(void)state;
	struct frame in = frame_udp(IP(10, 0, 0, 2), IP(10, 0, 0, 1), 18);
	assert_int_equal(ws_router_set_l3(rig_router, 0), 0);
	rig_send(0, in.bytes, in.length);
	assert_int_equal(rig_take(1).length, 0);
	assert_int_equal(rig_counter("ip4-local", "no listener for dst port"), 1);
	rig_send(1, in.bytes, in.length);
	assert_int_equal(rig_take(0).length, 42); /* the ARP request in place of the ICMP error */
	assert_int_equal(rig_take(0).length, in.length);
	assert_int_equal(ws_router_set_xconnect(rig_router, 1, 1), -EINVAL);
	assert_int_equal(ws_router_set_xconnect(rig_router, 1, 9), -ENODEV);
}

static void traces_from_node_to_node(void **state)
{
	(void)state;
	static const char *const path[] = {
		"dpdk-input", "ethernet-input", "l2-input", "l2-output", "e1-output", "e1-tx",
	};
	struct ws_trace_step steps[32];
	struct frame in = frame_udp(IP(1, 2, 3, 4), IP(5, 6, 7, 8), 200);
	assert_int_equal(ws_router_trace_add(rig_router, "no-such-node", 1), -ENOENT);
	assert_int_equal(ws_router_trace_add(rig_router, "dpdk-input", 2), 0);
	for (int i = 0; i < 3; i++)
		rig_send(0, in.bytes, in.length);
	assert_int_equal(ws_router_trace(rig_router, 0, 0, steps, 32), 12);
	for (int i = 0; i < 12; i++) {
		assert_string_equal(steps[i].node, path[i % 6]);
		assert_int_equal(steps[i].packet, i / 6);
		assert_int_equal(steps[i].rx_interface, 0);
		assert_int_equal(steps[i].tx_interface, i % 6 < 4 ? -1 : 1);
		assert_int_equal(steps[i].packet_len, in.length);
		assert_int_equal(steps[i].byte_count, WS_TRACE_BYTES);
		assert_memory_equal(steps[i].bytes, in.bytes, WS_TRACE_BYTES);
	}
	assert_int_equal(ws_router_trace(rig_router, 0, 10, steps, 32), 2);
	ws_router_trace_clear(rig_router);
	assert_int_equal(ws_router_trace(rig_router, 0, 0, steps, 32), 0);
	/* From an inner node, with exactly the bytes of a short packet. */
	assert_int_equal(ws_router_trace_add(rig_router, "l2-output", 1), 0);
	rig_send(0, in.bytes, 20);
	assert_int_equal(ws_router_trace(rig_router, 0, 0, steps, 32), 3);
	assert_string_equal(steps[0].node, "l2-output");
	assert_int_equal(steps[0].byte_count, 20);
	while (rig_take(1).length)
		;
}

/* Number of stations in the domain with that id. */
static uint32_t stations(uint32_t domain)
{
	struct ws_l2fib_entry entries[8];
	uint32_t cursor = 0, count = 0;
	int found = ws_router_l2fib(rig_router, &cursor, entries, 8);
	for (int i = 0; i < found; i++)
		count += entries[i].domain == domain;
	return count;
}

static void grow_older(uint32_t seconds)
{
	struct l2fib *fib = l2_table(rig_router)->fib;
	for (uint32_t i = 0; i < L2FIB_SIZE; i++)
		if (fib->entries[i].key)
			fib->entries[i].value -= (uint64_t)seconds << 32;
	l2_table(rig_router)->next_age_tsc = 0;
	ws_router_poll(rig_router);
}

static void forgets_stations_that_are_silent_for_too_long(void **state)
{
	(void)state;
	const struct ws_l2fib_entry fixed = {.domain = 10, .mac = {2, 0xdd, 0, 0, 0, 1}};
	struct frame in = frame_udp(IP(1, 2, 3, 4), IP(5, 6, 7, 8), 20);
	struct ws_bridge_domain domain = {
		.id = 10, .learn = true, .forward = true, .flood = true, .uu_flood = true, .age_min = 2};
	assert_int_equal(ws_router_bridge_domain_set(rig_router, &domain), 0);
	domain = (struct ws_bridge_domain){.id = 20, .learn = true};
	assert_int_equal(ws_router_bridge_domain_set(rig_router, &domain), 0);
	assert_int_equal(ws_router_set_bridge(rig_router, 0, 10, false, 0), 0);
	assert_int_equal(ws_router_set_bridge(rig_router, 1, 20, false, 0), 0);
	assert_int_equal(ws_router_l2fib_add(rig_router, &fixed), 0);
	rig_send(0, in.bytes, in.length);
	rig_send(1, in.bytes, in.length);
	assert_int_equal(stations(10), 2);
	assert_int_equal(stations(20), 1);
	grow_older(119);
	assert_int_equal(stations(10), 2);
	/* A new frame resets its age. */
	rig_send(0, in.bytes, in.length);
	grow_older(119);
	assert_int_equal(stations(10), 2);
	grow_older(3);
	assert_int_equal(stations(10), 1); /* the user's entry */
	assert_int_equal(stations(20), 1); /* a domain without aging */
	rig_send(0, in.bytes, in.length);
	assert_int_equal(stations(10), 2);
}

static void the_domain_knows_its_own_interface_by_its_present_address(void **state)
{
	(void)state;
	const uint8_t other[6] = {2, 0xdd, 0, 0, 0, 2};
	struct ws_l2fib_entry entries[8];
	uint32_t cursor = 0;
	int bvi = ws_router_loopback_add(rig_router, 0, NULL);
	assert_true(bvi > 0);
	assert_int_equal(ws_router_set_bridge(rig_router, (uint16_t)bvi, 10, true, 0), 0);
	assert_int_equal(stations(10), 1);
	assert_int_equal(ws_router_set_mac(rig_router, (uint16_t)bvi, other), 0);
	assert_int_equal(ws_router_l2fib(rig_router, &cursor, entries, 8), 1);
	assert_memory_equal(entries[0].mac, other, sizeof(other));
	assert_int_equal(entries[0].interface, bvi);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, crossed, all_accounted)
	const struct CMUnitTest tests[] = {
		TEST(passes_every_frame),
		TEST(holds_frames_to_the_mtu),
		TEST(holds_one_among_others_to_the_mtu),
		TEST(drops_runts_and_honours_the_state),
		TEST(goes_one_way_and_back_to_l3),
		TEST(traces_from_node_to_node),
		TEST(forgets_stations_that_are_silent_for_too_long),
		TEST(the_domain_knows_its_own_interface_by_its_present_address),
	};
	return RIG_RUN(tests);
}
