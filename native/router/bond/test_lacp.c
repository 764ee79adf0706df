/* SPDX-License-Identifier: Apache-2.0 */
/* LACP without a router: PDUs in heap blocks of exact size, and two ends that exchange them in
 * memory. */
#include "cmocka_all.h"
#include "router/bond/lacp.h"

#include <stdlib.h>
#include <string.h>

enum { STEP_MS = 100, FULL = LACP_IN_SYNC | LACP_COLLECTS | LACP_DISTRIBUTES };

/* IEEE 802.1AX-2008 figure 5-7, written by hand: actor 8000,02:00:00:00:00:01,0003,0004,0005 with
 * state 3d, partner ffff,02:00:00:00:00:02,0006,0007,0008 with state c7. */
static const uint8_t golden[LACP_LEN] = {
	1, 1,  1,    20,   0x80, 0, 2, 0, 0, 0, 0, 1, 0, 3, 0, 4, 0,    5, 0x3d, 0, 0, 0,
	2, 20, 0xff, 0xff, 2,    0, 0, 0, 0, 2, 0, 6, 0, 7, 0, 8, 0xc7, 0, 0,    0, 3, 16,
};

static uint8_t *block(const uint8_t *bytes, size_t length)
{
	uint8_t *copy = malloc(length ? length : 1);
	assert_non_null(copy);
	memcpy(copy, bytes, length);
	return copy;
}

static void a_pdu_is_read_and_written(void **state)
{
	(void)state;
	struct lacp_pdu pdu;
	uint8_t *bytes = block(golden, sizeof(golden)), *written = malloc(LACP_LEN);
	assert_true(lacp_parse(bytes, LACP_LEN, &pdu));
	assert_int_equal(pdu.actor.system_priority, 0x8000);
	assert_int_equal(pdu.actor.system[5], 1);
	assert_int_equal(pdu.actor.key, 3);
	assert_int_equal(pdu.actor.port_priority, 4);
	assert_int_equal(pdu.actor.port, 5);
	assert_int_equal(pdu.actor.state, 0x3d);
	assert_int_equal(pdu.partner.system_priority, 0xffff);
	assert_int_equal(pdu.partner.port, 8);
	assert_int_equal(pdu.partner.state, 0xc7);
	lacp_write(written, &pdu);
	assert_memory_equal(written, golden, LACP_LEN);
	free(bytes);
	free(written);
}

static void what_is_no_pdu_is_refused(void **state)
{
	(void)state;
	struct lacp_pdu pdu;
	for (size_t length = 0; length < LACP_LEN; length++) {
		uint8_t *bytes = block(golden, length);
		assert_false(lacp_parse(bytes, length, &pdu));
		assert_false(marker_is(bytes, length, MARKER_QUESTION));
		free(bytes);
	}
	static const int places[] = {0, 1, 2, 3, 22, 23};
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		uint8_t *bytes = block(golden, LACP_LEN);
		bytes[places[i]] = 0;
		assert_false(lacp_parse(bytes, LACP_LEN, &pdu));
		free(bytes);
	}
}

/* Clause 5.3.3.2, written by hand: port 0005 of 02:00:00:00:00:01 sends marker 01020304. */
static void a_marker_is_asked_and_answered(void **state)
{
	(void)state;
	static const uint8_t asked[LACP_LEN] = {2, 1, 1, 16, 0, 5, 2, 0, 0, 0, 0, 1, 1, 2, 3, 4};
	const struct lacp_party asker = {.port = 5, .system = {2, 0, 0, 0, 0, 1}};
	uint8_t *bytes = malloc(LACP_LEN);
	marker_write(bytes, &asker, 0x01020304);
	assert_memory_equal(bytes, asked, LACP_LEN);
	assert_true(marker_is(bytes, LACP_LEN, MARKER_QUESTION));
	assert_false(marker_is(bytes, LACP_LEN, MARKER_ANSWER));
	bytes[MARKER_KIND_AT] = MARKER_ANSWER;
	assert_true(marker_is(bytes, LACP_LEN, MARKER_ANSWER));
	assert_int_equal(marker_number(bytes), 0x01020304);
	free(bytes);
}

/* ---- Two ends connected by up to three links ---- */

enum { ENDS = 2, WIRES = 3 };

struct line {
	struct lacp_port ports[ENDS][WIRES];
	bool is_cut[WIRES]; /* frames are lost, but no link goes down */
	uint64_t now;
	uint32_t said[ENDS][WIRES];
};

static void begin_port(struct lacp_port *port, uint8_t system, uint16_t key, uint16_t number,
					   const struct lacp_choices *choices)
{
	struct lacp_party actor = {.system_priority = 0xffff,
							   .key = key,
							   .port_priority = 0xff,
							   .port = number,
							   .system = {2, 0, 0, 0, 0, system}};
	lacp_begin(port, &actor, choices);
}

static struct line *line_make(const struct lacp_choices *one, const struct lacp_choices *other)
{
	struct line *line = calloc(1, sizeof(*line));
	assert_non_null(line);
	line->now = 1000000;
	for (int end = 0; end < ENDS; end++)
		for (uint16_t wire = 0; wire < WIRES; wire++) {
			begin_port(&line->ports[end][wire], (uint8_t)(end + 1), 1, wire + 1, end ? other : one);
			lacp_enable(&line->ports[end][wire], true, line->now);
		}
	return line;
}

static void say(struct line *line, int end, int wire)
{
	struct lacp_pdu pdu, heard;
	while (lacp_next_pdu(&line->ports[end][wire], line->now, &pdu)) {
		uint8_t *bytes = malloc(LACP_LEN);
		lacp_write(bytes, &pdu);
		line->said[end][wire]++;
		assert_true(lacp_parse(bytes, LACP_LEN, &heard));
		if (!line->is_cut[wire])
			lacp_receive(&line->ports[!end][wire], &heard, line->now);
		free(bytes);
	}
}

static void run(struct line *line, uint64_t ms)
{
	for (uint64_t end = line->now + ms; line->now < end; line->now += STEP_MS)
		for (int side = 0; side < ENDS; side++) {
			struct lacp_port *ports[WIRES];
			for (int wire = 0; wire < WIRES; wire++)
				ports[wire] = &line->ports[side][wire];
			lacp_run(ports, WIRES, line->now);
			for (int wire = 0; wire < WIRES; wire++)
				say(line, side, wire);
		}
}

static bool is_open(const struct line *line, int wire)
{
	bool open = true;
	for (int end = 0; end < ENDS; end++)
		open &= line->ports[end][wire].mux == LACP_MUX_DISTRIBUTING &&
				(line->ports[end][wire].actor.state & FULL) == FULL;
	return open;
}

static const struct lacp_choices active, passive = {.is_passive = true},
										 slow = {.is_long_timeout = true};

static void two_ends_come_together(void **state)
{
	(void)state;
	const struct lacp_choices *others[] = {&active, &passive, &slow};
	for (int i = 0; i < 3; i++) {
		struct line *line = line_make(&active, others[i]);
		run(line, LACP_AGGREGATE_WAIT_MS + 2 * LACP_FAST_MS);
		for (int wire = 0; wire < WIRES; wire++) {
			assert_true(is_open(line, wire));
			assert_int_equal(line->ports[0][wire].receive, LACP_RX_CURRENT);
			assert_int_equal(line->ports[0][wire].partner.system[5], 2);
		}
		free(line);
	}
}

static void two_passive_ends_say_nothing(void **state)
{
	(void)state;
	struct line *line = line_make(&passive, &passive);
	run(line, 2 * LACP_SHORT_MS);
	for (int wire = 0; wire < WIRES; wire++) {
		assert_int_equal(line->said[0][wire] + line->said[1][wire], 0);
		assert_int_equal(line->ports[0][wire].receive, LACP_RX_DEFAULTED);
		assert_int_equal(line->ports[0][wire].mux, LACP_MUX_DETACHED);
	}
	free(line);
}

/* Each end receives PDUs as often as it has requested. */
static void period_is_the_other_ends(void **state)
{
	(void)state;
	struct line *line = line_make(&active, &slow);
	run(line, 2 * LACP_SHORT_MS);
	memset(line->said, 0, sizeof(line->said));
	run(line, 2 * LACP_SLOW_MS);
	assert_in_range(line->said[0][0], 1, 3);
	assert_in_range(line->said[1][0], 58, 62);
	assert_true(is_open(line, 0));
	free(line);
}

static void silence_ends_a_wire_and_only_that(void **state)
{
	(void)state;
	struct line *line = line_make(&active, &active);
	run(line, 5000);
	line->is_cut[1] = true;
	run(line, LACP_SHORT_MS + LACP_FAST_MS);
	assert_false(line->ports[0][1].actor.state & (LACP_COLLECTS | LACP_DISTRIBUTES));
	assert_true(line->ports[0][1].actor.state & LACP_EXPIRED);
	assert_true(is_open(line, 0) && is_open(line, 2));
	run(line, 2 * LACP_SHORT_MS);
	assert_int_equal(line->ports[0][1].receive, LACP_RX_DEFAULTED);
	line->is_cut[1] = false;
	run(line, LACP_AGGREGATE_WAIT_MS + 3 * LACP_FAST_MS);
	for (int wire = 0; wire < WIRES; wire++)
		assert_true(is_open(line, wire));
	free(line);
}

static void link_that_goes_ends_it_at_once(void **state)
{
	(void)state;
	struct line *line = line_make(&active, &active);
	run(line, 5000);
	lacp_enable(&line->ports[0][2], false, line->now);
	run(line, STEP_MS);
	assert_int_equal(line->ports[0][2].mux, LACP_MUX_DETACHED);
	assert_int_equal(line->ports[0][2].actor.state & FULL, 0);
	uint32_t said = line->said[0][2];
	run(line, 5000);
	assert_int_equal(line->said[0][2], said);
	assert_false(line->ports[1][2].actor.state & LACP_DISTRIBUTES);
	free(line);
}

/* An end restarts without state; the other end detaches and then aggregates again. */
static void end_that_restarts_comes_back(void **state)
{
	(void)state;
	struct line *line = line_make(&active, &active);
	run(line, 5000);
	begin_port(&line->ports[1][0], 2, 1, 1, &active);
	lacp_enable(&line->ports[1][0], true, line->now);
	run(line, STEP_MS * 2);
	assert_false(is_open(line, 0));
	assert_false(line->ports[0][0].actor.state & LACP_DISTRIBUTES);
	run(line, LACP_AGGREGATE_WAIT_MS + 2 * LACP_FAST_MS);
	assert_true(is_open(line, 0));
	free(line);
}

/* Two partners: the ports of the one with more links aggregate, and stay selected when the other
 * one gets more. */
static void wires_of_one_partner_aggregate(void **state)
{
	(void)state;
	struct line *line = line_make(&active, &active);
	begin_port(&line->ports[1][1], 9, 1, 2, &active);
	lacp_enable(&line->ports[1][1], true, line->now);
	run(line, 5000);
	assert_int_equal(line->ports[0][0].mux, LACP_MUX_DISTRIBUTING);
	assert_int_equal(line->ports[0][1].mux, LACP_MUX_DETACHED);
	assert_int_equal(line->ports[0][2].mux, LACP_MUX_DISTRIBUTING);
	/* Another key means another aggregator. */
	begin_port(&line->ports[1][1], 2, 7, 2, &active);
	lacp_enable(&line->ports[1][1], true, line->now);
	run(line, 5000);
	assert_int_equal(line->ports[0][1].mux, LACP_MUX_DETACHED);
	free(line);
}

static void own_pdus_are_not_taken(void **state)
{
	(void)state;
	struct lacp_port port;
	begin_port(&port, 1, 1, 1, &active);
	lacp_enable(&port, true, 0);
	struct lacp_pdu pdu = {.actor = port.actor};
	assert_false(lacp_receive(&port, &pdu, 0));
	assert_int_equal(port.receive, LACP_RX_EXPIRED);
	pdu.actor.system[5] = 2;
	assert_true(lacp_receive(&port, &pdu, 0));
	lacp_enable(&port, false, 0);
	assert_false(lacp_receive(&port, &pdu, 0));
}

/* In no state of the other end does a port send more PDUs than the standard allows. */
static void no_more_than_three_in_a_second(void **state)
{
	(void)state;
	struct lacp_port port, *ports[] = {&port};
	struct lacp_pdu pdu, own;
	uint32_t said = 0;
	begin_port(&port, 1, 1, 1, &active);
	lacp_enable(&port, true, 1000);
	for (uint64_t now = 1000; now < 2000; now += 10) {
		pdu = (struct lacp_pdu){.actor = {.system = {2, 0, 0, 0, 0, 2}, .state = (uint8_t)now}};
		lacp_receive(&port, &pdu, now);
		lacp_run(ports, 1, now);
		said += lacp_next_pdu(&port, now, &own);
	}
	assert_in_range(said, 1, LACP_MOST_PDUS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pdu_is_read_and_written),
		cmocka_unit_test(what_is_no_pdu_is_refused),
		cmocka_unit_test(a_marker_is_asked_and_answered),
		cmocka_unit_test(two_ends_come_together),
		cmocka_unit_test(two_passive_ends_say_nothing),
		cmocka_unit_test(period_is_the_other_ends),
		cmocka_unit_test(silence_ends_a_wire_and_only_that),
		cmocka_unit_test(link_that_goes_ends_it_at_once),
		cmocka_unit_test(end_that_restarts_comes_back),
		cmocka_unit_test(wires_of_one_partner_aggregate),
		cmocka_unit_test(own_pdus_are_not_taken),
		cmocka_unit_test(no_more_than_three_in_a_second),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
