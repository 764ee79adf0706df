/* SPDX-License-Identifier: Apache-2.0 */
/* Sampled packets: their number, their gaps and their ports. */
#include "router/sflow/sflow.h"
#include "tests/rig_tests.h"
#include "wirespeed/interfaces.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RATE = 50, PACKETS = 10000000 };

static struct ws_sflow_sample taken[SFLOW_SLOTS];

static void set(uint32_t rate, int direction)
{
	struct ws_sflow_settings settings = {rate, 64, direction};
	assert_int_equal(ws_router_sflow_set(rig_router, &settings), 0);
}

static uint32_t count_samples(uint16_t input)
{
	uint32_t count = 0, found;
	while ((found = ws_router_sflow_take(rig_router, taken, SFLOW_SLOTS)))
		for (uint32_t i = 0; i < found; i++)
			count += taken[i].input == input;
	return count;
}

/* Ten million packets: the rate is within one percent of the setting, and so is the probability of
 * a gap longer than each of several lengths. */
static void gaps_are_geometric(void **state)
{
	(void)state;
	static const uint64_t lengths[] = {0, 1, 5, 20, 50, 100, 200};
	enum { LENGTHS = sizeof(lengths) / sizeof(lengths[0]) };
	uint64_t longer[LENGTHS] = {0}, packets = 0, samples = 0;
	struct sflow_lane *lane = calloc(1, sizeof(*lane));
	double log_of_rest = log1p(-1.0 / RATE);
	lane->random = 7;
	for (; packets < PACKETS; samples++) {
		uint64_t gap = sflow_gap(lane, log_of_rest);
		packets += gap + 1;
		for (int i = 0; i < LENGTHS; i++)
			longer[i] += gap > lengths[i];
	}
	double expected = (double)packets / RATE;
	assert_true(fabs((double)samples - expected) < expected / 100);
	for (int i = 0; i < LENGTHS; i++) {
		double share = pow(1 - 1.0 / RATE, (double)lengths[i] + 1);
		double deviation = sqrt((double)samples * share * (1 - share));
		assert_true(fabs((double)longer[i] - (double)samples * share) < 5 * deviation);
	}
	free(lane);
}

/* Sampling in the node, with vectors of any size: one in fifty packets within five standard
 * deviations. */
static void a_share_of_what_comes_is_taken(void **state)
{
	(void)state;
	enum { SENT = 50000 };
	struct frame in = frame_udp(IP(1, 2, 3, 4), IP(5, 6, 7, 8), 20);
	uint32_t count = 0;
	set(RATE, WS_SFLOW_RX);
	assert_int_equal(ws_router_sflow_enable(rig_router, 0, true), 0);
	for (int i = 0; i < SENT; i++) {
		rig_put(0, in.bytes, in.length);
		if (i % 7 == 0 || i % 11 == 0) {
			rig_walk();
			while (rig_take(1).length)
				;
			count += count_samples(0);
		}
	}
	rig_walk();
	while (rig_take(1).length)
		;
	count += count_samples(0);
	double mean = (double)SENT / RATE;
	assert_true(fabs(count - mean) < 5 * sqrt(mean));
	assert_int_equal(rig_counter("sflow", "sflow packets processed"), SENT);
	assert_int_equal(rig_counter("sflow", "sflow packets sampled"), count);
	assert_int_equal(rig_buffers_in_use(), 0);
}

static void only_enabled_ports_and_directions_are_sampled(void **state)
{
	(void)state;
	struct frame in = frame_udp(IP(1, 2, 3, 4), IP(5, 6, 7, 8), 20);
	set(1, WS_SFLOW_RX);
	assert_int_equal(ws_router_sflow_enable(rig_router, 0, true), 0);
	assert_int_equal(ws_router_sflow_enable(rig_router, 0, true), -EEXIST);
	for (uint16_t from = 0; from < 2; from++) {
		rig_send(from, in.bytes, in.length);
		rig_take(!from);
	}
	assert_int_equal(ws_router_sflow_take(rig_router, taken, SFLOW_SLOTS), 1);
	assert_int_equal(taken[0].input, 0);
	assert_int_equal(taken[0].output, UINT16_MAX);
	assert_int_equal(taken[0].header_bytes, in.length < 64 ? in.length : 64);
	assert_memory_equal(taken[0].header, in.bytes, taken[0].header_bytes);
	set(1, WS_SFLOW_TX);
	for (uint16_t from = 0; from < 2; from++) {
		rig_send(from, in.bytes, in.length);
		rig_take(!from);
	}
	assert_int_equal(ws_router_sflow_take(rig_router, taken, SFLOW_SLOTS), 1);
	assert_true(taken[0].is_output && taken[0].output == 0 && taken[0].input == 1);
	assert_int_equal(ws_router_sflow_enable(rig_router, 0, false), 0);
	rig_send(1, in.bytes, in.length);
	rig_take(0);
	assert_int_equal(count_samples(1), 0);
}

/* Without a reader the oldest samples stay, and the others are counted. */
static void what_nobody_takes_is_dropped(void **state)
{
	(void)state;
	struct frame in = frame_udp(IP(1, 2, 3, 4), IP(5, 6, 7, 8), 20);
	struct ws_sflow_settings settings;
	struct ws_sflow_counters counters;
	set(1, WS_SFLOW_RX);
	assert_int_equal(ws_router_sflow_enable(rig_router, 0, true), 0);
	for (uint32_t i = 0; i < SFLOW_SLOTS + 3; i++) {
		in.bytes[0] = (uint8_t)(i & 0xfe);
		rig_send(0, in.bytes, in.length);
		rig_take(1);
	}
	ws_router_sflow(rig_router, &settings, &counters);
	assert_int_equal(counters.sampled, SFLOW_SLOTS);
	assert_int_equal(counters.dropped, 3);
	assert_int_equal(rig_counter("sflow", "sflow packets dropped"), 3);
	assert_int_equal(ws_router_sflow_take(rig_router, taken, SFLOW_SLOTS), SFLOW_SLOTS);
	for (uint32_t i = 0; i < SFLOW_SLOTS; i++)
		assert_int_equal(taken[i].header[0], (uint8_t)(i & 0xfe));
}

/* Samples of a packet in several segments only have bytes of the first one. */
static void pieces_are_not_read_beyond(void **state)
{
	(void)state;
	struct frame in = frame_udp(IP(1, 2, 3, 4), IP(5, 6, 7, 8), 200);
	set(1, WS_SFLOW_BOTH);
	assert_int_equal(ws_router_sflow_enable(rig_router, 0, true), 0);
	assert_int_equal(ws_router_sflow_enable(rig_router, 1, true), 0);
	rig_send_pieces(0, in.bytes, in.length, 20);
	rig_take(1);
	assert_int_equal(ws_router_sflow_take(rig_router, taken, SFLOW_SLOTS), 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(taken[i].header_bytes, 20);
		assert_int_equal(taken[i].packet_bytes, in.length);
		assert_memory_equal(taken[i].header, in.bytes, 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_are_geometric),
		cmocka_unit_test_setup(a_share_of_what_comes_is_taken, crossed),
		cmocka_unit_test_setup(only_enabled_ports_and_directions_are_sampled, crossed),
		cmocka_unit_test_setup(what_nobody_takes_is_dropped, crossed),
		cmocka_unit_test_setup(pieces_are_not_read_beyond, crossed),
	};
	return RIG_RUN(tests);
}
