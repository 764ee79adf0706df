/* SPDX-License-Identifier: Apache-2.0 */
/* Flow sets without a port: the order of tuples, frames as written and read, and their counters.
 * Each frame is in a heap block of exactly the size that may be read. */
#include "generator/flow_set/flow_share.h"
#include "tests/cmocka_all.h"
#include "wire/ip4.h"
#include "wire/ip6.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 14, FRAME4 = 60, FRAME6 = 78, FLOWS = 1000 };

static struct ws_flow_set set_of(bool ip6, uint32_t flows)
{
	struct ws_flow_set set = {
		.ip6 = ip6,
		.source = {10, 0, 0, 2},
		.destination = {198, 19, 0, 2},
		.sources = 7,
		.destinations = 3,
		.source_port = 1024,
		.source_ports = 11,
		.destination_port = 1,
		.destination_ports = 5,
		.flows = flows,
		.seed = 9,
	};
	if (ip6)
		memcpy(set.source, (uint8_t[]){0x20, 1, [15] = 0xfe}, 16);
	return set;
}

static struct flow_tuple tuple_of(const struct flow_tuples *of, uint32_t flow)
{
	return flow_tuple_of(of, flow_digits_of(of, flow), of->ip6);
}

/* ---- the order */

static void each_tuple_comes_once(void **state)
{
	(void)state;
	const uint64_t counts[] = {1, 2, 3, 5, 64, 1000, 1155, 4096, 65521, 70000};
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct tuple_order order = tuple_order_make(counts[i], 7);
		uint8_t *seen = calloc(1, counts[i]);
		for (uint64_t at = 0; at < counts[i]; at++) {
			uint64_t value = tuple_order_at(&order, at);
			assert_true(value < counts[i]);
			assert_false(seen[value]++);
		}
		free(seen);
	}
}

static void the_seed_decides_on_the_order(void **state)
{
	(void)state;
	struct tuple_order one = tuple_order_make(100000, 1), same = tuple_order_make(100000, 1),
					   other = tuple_order_make(100000, 2);
	uint32_t equal = 0, follows = 0;
	for (uint32_t at = 0; at < 10000; at++) {
		uint64_t value = tuple_order_at(&one, at);
		assert_int_equal(value, tuple_order_at(&same, at));
		equal += value == tuple_order_at(&other, at);
		follows += tuple_order_at(&one, at + 1) == value + 1;
	}
	assert_in_range(equal, 0, 5);
	assert_in_range(follows, 0, 5);
}

/* 1 000 consecutive flows are spread over all values of their ports: 20 for each. */
static void neighbours_spread_over_ports(void **state)
{
	(void)state;
	struct ws_flow_set set = set_of(false, 1 << 20);
	set.source_ports = 50000;
	set.destination_ports = 50;
	struct flow_tuples tuples;
	assert_int_equal(flow_tuples_make(&set, &tuples), 0);
	uint32_t hits[50] = {0}, low[8] = {0};
	for (uint32_t flow = 500000; flow < 501000; flow++) {
		struct flow_tuple tuple;
		tuple = tuple_of(&tuples, flow);
		const uint8_t *ports = (const uint8_t *)&tuple.ports;
		hits[(ports[2] << 8 | ports[3]) - 1]++;
		low[ports[1] % 8]++;
	}
	for (int i = 0; i < 50; i++)
		assert_in_range(hits[i], 5, 45);
	for (int i = 0; i < 8; i++)
		assert_in_range(low[i], 90, 160);
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct flow_tuple));
}

/* All combinations and no others; a smaller set has the first flows of the whole one. */
static void flows_have_all_tuples_of_the_ranges(void **state)
{
	(void)state;
	enum { ALL = 7 * 3 * 11 * 5 };
	for (int ip6 = 0; ip6 < 2; ip6++) {
		struct ws_flow_set set = set_of(ip6, ALL), less = set_of(ip6, 10);
		struct flow_tuples tuples, fewer;
		struct flow_tuple all[ALL], first;
		memset(all, 0, sizeof(all));
		assert_int_equal(flow_tuples_make(&set, &tuples), 0);
		assert_int_equal(flow_tuples_make(&less, &fewer), 0);
		for (uint32_t flow = 0; flow < ALL; flow++) {
			const uint8_t *at = (const uint8_t *)all[flow].addresses;
			const uint8_t *ports = (const uint8_t *)&all[flow].ports;
			all[flow] = tuple_of(&tuples, flow);
			assert_in_range(ports[0] << 8 | ports[1], 1024, 1034);
			assert_in_range(ports[2] << 8 | ports[3], 1, 5);
			if (ip6) { /* 2001::fe and the six addresses after it; the third one needs a carry */
				assert_in_range(at[14] << 8 | at[15], 0xfe, 0x104);
				assert_memory_equal(at + 16, set.destination, 15);
				assert_in_range(at[31], 0, 2);
			} else {
				assert_memory_equal(at, set.source, 3);
				assert_in_range(at[3], 2, 8);
				assert_in_range(at[7], 2, 4);
			}
		}
		for (uint32_t flow = 0; flow < 10; flow++) {
			first = tuple_of(&fewer, flow);
			assert_true(flow_tuple_equals(&first, &all[flow], ip6));
		}
		qsort(all, ALL, sizeof(all[0]), compare);
		for (int i = 1; i < ALL; i++)
			assert_false(flow_tuple_equals(&all[i - 1], &all[i], ip6));
	}
}

static void ranges_beyond_the_last_value_are_refused(void **state)
{
	(void)state;
	struct flow_tuples tuples;
	struct ws_flow_set set = set_of(false, 1156);
	assert_true(flow_tuples_make(&set, &tuples) < 0);
	set = set_of(false, 0);
	assert_true(flow_tuples_make(&set, &tuples) < 0);
	set = set_of(false, 1);
	set.source_port = 65530;
	assert_true(flow_tuples_make(&set, &tuples) < 0);
	set = set_of(false, 1);
	memset(set.source, 255, 4);
	assert_true(flow_tuples_make(&set, &tuples) < 0);
	set = set_of(false, 1);
	set.destination_ports = 0;
	assert_true(flow_tuples_make(&set, &tuples) < 0);
}

/* ---- frames */

static uint16_t make_template(uint8_t *frame, bool ip6, int tags, uint16_t length)
{
	uint16_t at = 12;
	memset(frame, 0, length);
	for (int i = 0; i < tags; i++, at += 4)
		memcpy(frame + at, (uint8_t[]){0x81, 0, 0, 7}, 4);
	memcpy(frame + at, ip6 ? (uint8_t[]){0x86, 0xdd} : (uint8_t[]){8, 0}, 2);
	uint8_t *ip = frame + at + 2, *udp = ip + (ip6 ? 40 : 20);
	uint16_t datagram = (uint16_t)(length - (udp - frame));
	if (ip6)
		memcpy(ip, (uint8_t[]){0x60, 0, 0, 0, 0, (uint8_t)datagram, 17, 64}, 8);
	else
		memcpy(ip, (uint8_t[]){0x45, 0, 0, (uint8_t)(datagram + 20), 1, 2, 0, 0, 64, 17}, 10);
	udp[5] = (uint8_t)datagram;
	return (uint16_t)(udp - frame);
}

static void assert_checksums_are_right(const uint8_t *frame, uint16_t length, uint16_t udp_at,
									   bool ip6)
{
	const uint8_t *ip = frame + udp_at - (ip6 ? 40 : 20), *udp = frame + udp_at;
	uint8_t pseudo[] = {0, 17, udp[4], udp[5]};
	uint64_t sum = checksum_add(0, ip + (ip6 ? 8 : 12), ip6 ? 32 : 8);
	sum = checksum_add(checksum_add(sum, pseudo, 4), udp, length - udp_at);
	assert_int_equal(checksum_fold(sum), 0xffff);
	if (!ip6)
		assert_int_equal(checksum(ip, 20), 0);
}

static struct flow_share share;
static struct flow_tuples tuples;

static void make_share_of(const struct ws_flow_set *set, bool responder)
{
	assert_int_equal(flow_tuples_make(set, &tuples), 0);
	share = (struct flow_share){
		.tuples = &tuples,
		.table = flow_table_create(&tuples, set->flows),
		.responder = responder,
		.senders = 1,
		.ns_per_tick = 1,
		.received = calloc(1, sizeof(struct sequence)),
		.delays = calloc(1, sizeof(struct flow_delay)),
	};
	flow_table_begin(share.table, 5);
	flow_share_begin(&share, WS_PHASE_LEARN, 5, 0);
}

static void make_share(bool ip6, bool responder, uint32_t flows)
{
	struct ws_flow_set set = set_of(ip6, flows);
	make_share_of(&set, responder);
}

static void free_share(void)
{
	flow_table_free(share.table);
	free(share.received);
	free(share.delays);
}

static bool read_frame(const uint8_t *frame, uint32_t length, bool ip6, struct flow_frame *out)
{
	uint8_t *block = malloc(length ? length : 1);
	memcpy(block, frame, length);
	struct flow_view view = {block, length, length};
	bool is = flow_frame_read(&view, ip6, out);
	free(block);
	return is;
}

static void frames_are_read_as_they_were_written(void **state)
{
	(void)state;
	for (int which = 0; which < 12; which++) {
		bool ip6 = which & 1;
		int tags = which / 2 % 3;
		uint16_t length = (uint16_t)((ip6 ? FRAME6 : FRAME4) + 4 * tags + (which < 6 ? 0 : 33));
		uint8_t *frame = malloc(length);
		uint16_t udp_at = make_template(frame, ip6, tags, length);
		struct flow_writing writing;
		make_share(ip6, false, FLOWS);
		assert_int_equal(
			flow_writing_make(&writing, &share, 1, WS_FLOW_EACH, WHOLE_STREAM, frame, length), 0);
		bool came[FLOWS] = {false};
		for (uint32_t number = 0; number < FLOWS; number++) {
			struct flow_frame seen;
			struct flow_tuple tuple;
			flow_writing_fill(&writing, &frame, 1);
			assert_checksums_are_right(frame, length, udp_at, ip6);
			assert_true(read_frame(frame, length, ip6, &seen));
			assert_in_range(seen.flow, 0, FLOWS - 1);
			assert_false(came[seen.flow]);
			came[seen.flow] = true;
			assert_int_equal(seen.sequence, FLOW_FIRST_SEQUENCE + number);
			assert_int_equal(flow_frame_generation(&seen), 5);
			assert_int_equal(seen.time, 0);
			tuple = tuple_of(&tuples, seen.flow);
			assert_true(flow_tuple_equals(&seen.tuple, &tuple, ip6));
			for (uint64_t tsc = 1; tsc; tsc <<= 9) { /* including a frame that was stamped before */
				flow_stamp(&writing.writer, frame, tsc * 0x9e3779b97f4a7c15u);
				assert_checksums_are_right(frame, length, udp_at, ip6);
			}
		}
		struct flow_frame seen;
		for (uint16_t less = 0; less < udp_at + 24; less++)
			assert_false(read_frame(frame, less, ip6, &seen));
		assert_false(read_frame(frame, length, !ip6, &seen));
		frame[udp_at + 8] ^= 1; /* no test frame */
		assert_false(read_frame(frame, length, ip6, &seen));
		free_share();
		free(frame);
	}
}

static void templates_without_room_are_refused(void **state)
{
	(void)state;
	uint8_t frame[FRAME6];
	struct flow_writing writing;
	make_share(false, false, FLOWS);
	make_template(frame, false, 0, FRAME4);
	for (uint16_t length = 0; length < 14 + 20 + 8 + 16; length++) {
		uint8_t *block = malloc(length ? length : 1);
		memcpy(block, frame, length);
		assert_true(flow_writing_make(&writing, &share, 1, 0, WHOLE_STREAM, block, length) < 0);
		free(block);
	}
	frame[14 + 9] = 6; /* TCP */
	assert_true(flow_writing_make(&writing, &share, 1, 0, WHOLE_STREAM, frame, FRAME4) < 0);
	make_template(frame, true, 0, FRAME6);
	assert_true(flow_writing_make(&writing, &share, 1, 0, WHOLE_STREAM, frame, FRAME6) < 0);
	free_share();
}

/* ---- reception */

static void receive(const uint8_t *frame, uint16_t length)
{
	uint8_t *block = malloc(length);
	memcpy(block, frame, length);
	struct flow_view view = {block, length, length};
	flow_share_receive(&share, &view, 1, 1000 << FLOW_FRAME_TIME_SHIFT);
	free(block);
}

/* A frame of flow `flow`, as the initiator sends it, or, with `back`, the reply to it. */
static uint16_t make_frame(uint8_t *frame, bool ip6, uint32_t flow, uint16_t generation, bool back)
{
	uint16_t length = ip6 ? FRAME6 : FRAME4;
	struct flow_writer writer;
	struct flow_tuple tuple;
	make_template(frame, ip6, 0, length);
	assert_int_equal(flow_writer_make(&writer, 1, frame, length, ip6, false,
									  flow_mark_of(back ? FLOW_OF_RESPONDER : 0, generation)),
					 0);
	tuple = tuple_of(&tuples, flow);
	if (back)
		tuple = flow_tuple_back(&tuple, ip6);
	flow_write(&writer, frame, &tuple, flow, FLOW_FIRST_SEQUENCE + flow, ip6);
	return length;
}

static void others_are_counted_for_what_they_are(void **state)
{
	(void)state;
	uint8_t frame[FRAME6];
	make_share(false, true, 10);
	uint16_t length = make_frame(frame, false, 3, 5, false);
	receive(frame, length);
	receive(frame, length);
	assert_int_equal(share.counts.flows, 1);
	assert_int_equal(share.counts.duplicates, 1);
	receive(frame, make_frame(frame, false, 3, 4, false));
	assert_int_equal(share.counts.late, 1);
	receive(frame, make_frame(frame, false, 4, 5, true)); /* sent by the receiving port itself */
	receive(frame, make_frame(frame, false, 10, 5, false));
	assert_int_equal(share.counts.bad, 2);
	make_template(frame, false, 0, FRAME4);
	receive(frame, FRAME4);
	receive(frame, 20);
	assert_int_equal(share.counts.unknown, 2);
	memcpy(frame + 12, (uint8_t[]){8, 6}, 2); /* ARP, malformed, then a right one */
	memcpy(frame + 14, (uint8_t[]){0, 1, 8, 0, 6, 4, 0, 1}, 8);
	receive(frame, FRAME4);
	assert_int_equal(share.counts.unknown, 2);
	share.phase = WS_PHASE_NONE;
	receive(frame, make_frame(frame, false, 3, 5, false));
	assert_int_equal(share.counts.late, 2);
	assert_int_equal(share.counts.flows, 1);
	free_share();
}

/* A new generation invalidates all entries without clearing them. */
static void tuples_are_compared(void **state)
{
	(void)state;
	uint8_t frame[FRAME6];
	for (int ip6 = 0; ip6 < 2; ip6++) {
		uint16_t source_at = ip6 ? 14 + 8 : 14 + 12, port_at = ip6 ? 14 + 40 : 14 + 20;
		make_share(ip6, true, FLOWS);
		for (uint32_t flow = 0; flow < FLOWS; flow++) {
			uint16_t length = make_frame(frame, ip6, flow, 5, false);
			if (flow % 10 == 9)
				continue;         /* lost */
			if (flow % 10 == 1) { /* merged in pairs */
				memset(frame + source_at, 77, 4);
				frame[port_at] = 0;
				frame[port_at + 1] = (uint8_t)(flow / 20);
				memset(frame + port_at + 2, 0, 2);
				memset(frame + source_at + 4, 0, ip6 ? 28 : 4);
			}
			if (flow % 10 == 2)
				frame[port_at + 2] ^= 0x80; /* destination port */
			if (flow % 10 == 3)
				frame[source_at] ^= 0x80;
			receive(frame, length);
		}
		assert_int_equal(share.counts.flows, 900);
		flow_table_settle(share.table, &tuples);
		assert_int_equal(share.table->told.flows, 900);
		assert_int_equal(share.table->told.distinct, 850);
		assert_int_equal(share.table->told.same_source, 700);
		assert_int_equal(share.table->told.changed_destination, 200);
		for (uint32_t i = 0, flow = 0; flow < FLOWS; flow++)
			if (flow % 10 != 9)
				assert_int_equal(share.table->list[i++], flow);
		/* The responder sends over each of these flows once. */
		uint8_t *out = malloc(sizeof(frame)), seen[FLOWS] = {0};
		uint16_t length = ip6 ? FRAME6 : FRAME4;
		struct flow_writing writing;
		make_template(out, ip6, 0, length);
		assert_int_equal(
			flow_writing_make(&writing, &share, 1, WS_FLOW_EACH, WHOLE_STREAM, out, length), 0);
		for (uint32_t i = 0; i < 900; i++) {
			struct flow_frame back;
			flow_writing_fill(&writing, &out, 1);
			assert_true(read_frame(out, length, ip6, &back));
			assert_int_not_equal(back.flow % 10, 9);
			assert_false(seen[back.flow]++);
		}
		free(out);
		flow_table_begin(share.table, 6);
		flow_table_settle(share.table, &tuples);
		assert_int_equal(share.table->told.flows, 0);
		free_share();
	}
}

static void replies_are_judged_by_where_they_arrive(void **state)
{
	(void)state;
	uint8_t frame[FRAME6];
	for (int ip6 = 0; ip6 < 2; ip6++) {
		uint16_t port_at = ip6 ? 14 + 40 : 14 + 20, length;
		make_share(ip6, false, 10);
		flow_share_begin(&share, WS_PHASE_VALIDATE, 5, 0);
		receive(frame, make_frame(frame, ip6, 1, 5, true));
		for (uint32_t flow = 2; flow < 4; flow++) {
			length = make_frame(frame, ip6, flow, 5, true);
			frame[port_at + 3] ^= 1;
			receive(frame, length);
		}
		assert_int_equal(share.counts.flows, 1);
		assert_int_equal(share.counts.wrong_flows, 2);
		receive(frame, make_frame(frame, ip6, 3, 5, true)); /* late, but right */
		assert_int_equal(share.counts.flows, 2);
		assert_int_equal(share.counts.wrong_flows, 1);
		length = make_frame(frame, ip6, 1, 5, true);
		frame[port_at + 1] ^= 1; /* from a wrong port, too late to matter */
		receive(frame, length);
		assert_int_equal(share.counts.flows, 2);
		assert_int_equal(share.counts.wrong_flows, 1);
		assert_int_equal(share.counts.wrong, 3);
		assert_int_equal(share.counts.duplicates, 2);
		free_share();
	}
}

/* A frame with this number, sent `ticks` before it arrives. */
static void receive_late(uint32_t number, uint32_t ticks)
{
	uint8_t frame[FRAME6], *block = malloc(FRAME4);
	struct flow_writer writer;
	make_template(frame, false, 0, FRAME4);
	assert_int_equal(flow_writer_make(&writer, 1, frame, FRAME4, false, false, flow_mark_of(0, 5)),
					 0);
	struct flow_tuple tuple = tuple_of(&tuples, 1);
	flow_write(&writer, frame, &tuple, 1, FLOW_FIRST_SEQUENCE + number, false);
	uint64_t now = 1ULL << 40;
	flow_stamp(&writer, frame, now - ticks);
	memcpy(block, frame, FRAME4);
	struct flow_view view = {block, FRAME4, FRAME4};
	flow_share_receive(&share, &view, 1, now);
	free(block);
}

static uint64_t sum_of(const uint64_t *counts)
{
	uint64_t sum = 0;
	for (int i = 0; i < WS_HDR_COUNTS; i++)
		sum += counts[i];
	return sum;
}

/* Ticks are nanoseconds here; each latency is a multiple of 32. */
static void latencies_and_their_variation(void **state)
{
	(void)state;
	make_share(false, true, 10);
	flow_share_begin(&share, WS_PHASE_EXCHANGE, 5, 1);
	const uint32_t ticks[] = {3200, 6400, 6400, 3200, 320000};
	for (uint32_t i = 0; i < 5; i++)
		receive_late(i, ticks[i]);
	receive_late(3, 9600); /* again */
	receive_late(9, 32);   /* not the next one */
	const struct ws_flow_counts *counts = &share.counts;
	assert_int_equal(counts->latency_packets, 6);
	assert_int_equal(counts->latency_min_ns, 32);
	assert_int_equal(counts->latency_max_ns, 320000);
	assert_int_equal(counts->latency_sum_ns, 3200 + 2 * 6400 + 3200 + 320000 + 32);
	assert_int_equal(sum_of(counts->hdr), 6);
	assert_int_equal(sum_of(counts->more), 3);
	assert_int_equal(sum_of(counts->less), 1);
	assert_int_equal(counts->more_max_ns, 316800);
	assert_int_equal(counts->less_max_ns, 3200);
	flow_share_begin(&share, WS_PHASE_EXCHANGE, 5, 4);
	for (uint32_t i = 0; i < 16; i++)
		receive_late(i, 3200);
	assert_int_equal(share.counts.latency_packets, 4);
	assert_int_equal(sum_of(share.counts.more) + sum_of(share.counts.less), 0);
	flow_share_begin(&share, WS_PHASE_EXCHANGE, 5, 0);
	receive_late(0, 3200);
	assert_int_equal(share.counts.latency_packets, 0);
	free_share();
}

/* Each part of a stream has its own flows. */
static void a_flow_has_one_worker(void **state)
{
	(void)state;
	uint8_t *frame = malloc(FRAME4);
	make_template(frame, false, 0, FRAME4);
	make_share(false, false, 100);
	for (uint16_t part = 0; part < 3; part++) {
		struct flow_writing writing;
		uint8_t seen[100] = {0};
		uint32_t count = 0;
		assert_int_equal(flow_writing_make(&writing, &share, 1, WS_FLOW_RANDOM,
										   (struct stream_part){part, 3}, frame, FRAME4),
						 0);
		for (int i = 0; i < 2000; i++) {
			struct flow_frame out;
			flow_writing_fill(&writing, &frame, 1);
			assert_true(read_frame(frame, FRAME4, false, &out));
			assert_int_equal(out.flow % 3, part);
			count += !seen[out.flow]++;
		}
		assert_int_equal(count, part == 0 ? 34 : 33);
	}
	free_share();
	free(frame);
}

/* Flows that are drawn together are far apart in phase 1, in which each is sent once. */
static void those_drawn_together_were_opened_far_apart(void **state)
{
	const uint32_t counts[] = {1, 7, 8, 9, 15, 16, 17, 100, 1000};
	(void)state;
	uint8_t *frame = malloc(FRAME4);
	make_template(frame, false, 0, FRAME4);
	for (size_t which = 0; which < sizeof(counts) / sizeof(*counts); which++) {
		uint32_t flows = counts[which], opened[1000], drawn[1000] = {0};
		struct flow_frame seen;
		struct flow_writing writing;
		make_share(false, false, flows);
		assert_int_equal(
			flow_writing_make(&writing, &share, 1, WS_FLOW_EACH, WHOLE_STREAM, frame, FRAME4), 0);
		for (uint32_t i = 0; i < 2 * flows; i++) { /* and the same again */
			flow_writing_fill(&writing, &frame, 1);
			assert_true(read_frame(frame, FRAME4, false, &seen));
			if (i >= flows)
				assert_int_equal(opened[seen.flow], i - flows);
			opened[seen.flow] = i % flows;
		}
		assert_int_equal(
			flow_writing_make(&writing, &share, 1, WS_FLOW_RANDOM, WHOLE_STREAM, frame, FRAME4), 0);
		for (uint32_t i = 0, before = 0; i < 800 * flows; i++, before = seen.flow) {
			flow_writing_fill(&writing, &frame, 1);
			assert_true(read_frame(frame, FRAME4, false, &seen));
			drawn[seen.flow]++;
			if (i && seen.flow == before + 1 && seen.flow % FLOW_GROUP)
				assert_true(abs((int)opened[seen.flow] - (int)opened[before]) >=
							(int)flows / FLOW_GROUP);
		}
		for (uint32_t flow = 0; flow < flows; flow++)
			assert_in_range(drawn[flow], 600, 1000);
		free_share();
	}
	free(frame);
}

/* Their addresses are computed once per burst. */
static void flows_of_one_pair_of_addresses(void **state)
{
	enum { ALL = 11 * 5 };
	(void)state;
	for (int ip6 = 0; ip6 < 2; ip6++) {
		uint16_t length = ip6 ? FRAME6 : FRAME4;
		uint8_t *frames[ALL], frame[FRAME6];
		struct ws_flow_set set = set_of(ip6, ALL);
		struct flow_writing writing;
		set.sources = set.destinations = 1;
		make_share_of(&set, false);
		for (int i = 0; i < ALL; i++) {
			frames[i] = malloc(length);
			make_template(frames[i], ip6, 0, length);
		}
		assert_int_equal(
			flow_writing_make(&writing, &share, 1, WS_FLOW_EACH, WHOLE_STREAM, frames[0], length),
			0);
		flow_writing_fill(&writing, frames, ALL);
		for (int i = 0; i < ALL; i++) {
			struct flow_frame seen;
			assert_true(read_frame(frames[i], length, ip6, &seen));
			assert_checksums_are_right(frames[i], length, ip6 ? 14 + 40 : 14 + 20, ip6);
			struct flow_tuple tuple = tuple_of(&tuples, seen.flow);
			assert_true(flow_tuple_equals(&seen.tuple, &tuple, ip6));
			free(frames[i]);
		}
		flow_share_begin(&share, WS_PHASE_VALIDATE, 5, 0);
		for (uint32_t flow = 0; flow < ALL; flow++)
			receive(frame, make_frame(frame, ip6, flow, 5, true));
		assert_int_equal(share.counts.flows, ALL);
		assert_int_equal(share.counts.wrong, 0);
		free_share();
	}
}

/* ---- bursts */

struct numbered {
	uint8_t sender;
	uint32_t number;
};

/* Frames of phase 2 from two senders, in runs of one of them. Some are lost, some arrive again,
 * late or long after. */
static void make_arrivals(struct numbered *arrivals, int count)
{
	uint64_t seed = 3;
	uint32_t next[2] = {0}, left = 0;
	uint8_t sender = 0;
	for (int i = 0; i < count; i++) {
		uint64_t draw = splitmix_draw(&seed);
		if (!left--) {
			sender = draw & 1;
			left = draw >> 8 & 0x1ff;
		}
		uint32_t number = next[sender]++, back = (uint32_t)(draw >> 32) % (number + 1);
		switch ((draw >> 20) % 512) {
		case 0:
			number = next[sender]++;
			break;
		case 1:
			number = number > 3 ? number - 3 : 0;
			break;
		case 2:
			number = back;
			break;
		case 3:
			if (i + 1 < count)
				arrivals[i++] = (struct numbered){sender, next[sender]++};
			break;
		default:
			break;
		}
		arrivals[i] = (struct numbered){sender, number};
	}
}

static void put_numbered(uint8_t *frame, const struct numbered *one, bool ip6)
{
	struct flow_writer writer;
	uint32_t flow = one->number % (FLOWS + 1); /* one in 1 001 is of no flow */
	uint16_t length = ip6 ? FRAME6 : FRAME4;
	uint8_t sender = (uint8_t)(one->sender | (share.responder ? 0 : FLOW_OF_RESPONDER));
	make_template(frame, ip6, 0, length);
	assert_int_equal(
		flow_writer_make(&writer, 1, frame, length, ip6, false, flow_mark_of(sender, 5)), 0);
	struct flow_tuple tuple = tuple_of(&tuples, flow);
	if (!share.responder)
		tuple = flow_tuple_back(&tuple, ip6);
	tuple.ports ^= flow % 97 == 5; /* another port */
	flow_write(&writer, frame, &tuple, flow, FLOW_FIRST_SEQUENCE + one->number, ip6);
}

/* Receive the arrivals in bursts of `most` frames or fewer; returns what was counted. */
static struct ws_flow_counts received_in_bursts(const struct numbered *arrivals, int count,
												uint16_t most, bool ip6)
{
	uint16_t length = ip6 ? FRAME6 : FRAME4;
	uint64_t seed = 4;
	uint8_t *blocks[FLOW_BURST];
	struct flow_view views[FLOW_BURST];
	for (int i = 0; i < FLOW_BURST; i++) {
		blocks[i] = malloc(length);
		views[i] = (struct flow_view){blocks[i], length, length};
	}
	flow_share_begin(&share, WS_PHASE_EXCHANGE, 5, 0);
	for (int i = 0; i < count;) {
		uint16_t n = (uint16_t)(1 + splitmix_draw(&seed) % most);
		n = i + n > count ? (uint16_t)(count - i) : n;
		for (uint16_t j = 0; j < n; j++)
			put_numbered(blocks[j], &arrivals[i + j], ip6);
		flow_share_receive(&share, views, n, 0);
		i += n;
	}
	for (int i = 0; i < FLOW_BURST; i++)
		free(blocks[i]);
	return share.counts;
}

static void learn_all(bool ip6)
{
	uint8_t frame[FRAME6];
	for (uint32_t flow = 0; flow < FLOWS; flow++)
		receive(frame, make_frame(frame, ip6, flow, 5, false));
	flow_table_settle(share.table, &tuples);
}

static void bursts_count_as_their_frames_one_by_one(void **state)
{
	enum { COUNT = 60000 };
	static struct numbered arrivals[COUNT];
	(void)state;
	make_arrivals(arrivals, COUNT);
	for (int which = 0; which < 4; which++) {
		bool ip6 = which & 1, responder = which & 2;
		struct ws_flow_counts expected, counts;
		struct sequence *arrived = malloc(2 * sizeof(struct sequence));
		make_share(ip6, responder, FLOWS);
		free(share.received);
		share.senders = 2;
		share.received = calloc(2, sizeof(struct sequence));
		free(share.delays);
		share.delays = calloc(2, sizeof(struct flow_delay));
		if (responder)
			learn_all(ip6);
		expected = received_in_bursts(arrivals, COUNT, 1, ip6);
		assert_true(expected.received > COUNT * 9 / 10);
		assert_true(expected.duplicates && expected.reordered && expected.unplaced);
		assert_true(expected.bad && (responder ? expected.remapped : expected.wrong));
		memcpy(arrived, share.received, 2 * sizeof(struct sequence));
		if (responder) { /* the tuples as they were at first */
			flow_share_begin(&share, WS_PHASE_LEARN, 5, 0);
			flow_table_begin(share.table, 5);
			flow_table_clear_entries(share.table);
			learn_all(ip6);
		}
		counts = received_in_bursts(arrivals, COUNT, FLOW_BURST, ip6);
		assert_memory_equal(&counts, &expected, sizeof(counts));
		assert_memory_equal(share.received, arrived, 2 * sizeof(struct sequence));
		free(arrived);
		free_share();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_tuple_comes_once),
		cmocka_unit_test(the_seed_decides_on_the_order),
		cmocka_unit_test(neighbours_spread_over_ports),
		cmocka_unit_test(flows_have_all_tuples_of_the_ranges),
		cmocka_unit_test(ranges_beyond_the_last_value_are_refused),
		cmocka_unit_test(frames_are_read_as_they_were_written),
		cmocka_unit_test(templates_without_room_are_refused),
		cmocka_unit_test(others_are_counted_for_what_they_are),
		cmocka_unit_test(tuples_are_compared),
		cmocka_unit_test(replies_are_judged_by_where_they_arrive),
		cmocka_unit_test(latencies_and_their_variation),
		cmocka_unit_test(a_flow_has_one_worker),
		cmocka_unit_test(those_drawn_together_were_opened_far_apart),
		cmocka_unit_test(flows_of_one_pair_of_addresses),
		cmocka_unit_test(bursts_count_as_their_frames_one_by_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
