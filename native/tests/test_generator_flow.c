/* SPDX-License-Identifier: Apache-2.0 */
/* Marks of flows on the wire, and the counters of packets with marks. A tick is a nanosecond. */
#include "generator/observe/flow_wire.h"
#include "generator/receive/flow_meter.h"
#include "generator/receive/sequence.h"
#include "tests/cmocka_all.h"
#include "wirespeed/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const double HZ = 1e9;
enum { FRAME = 124, ID = 5, START = 9, IP4 = 0x0800, IP6 = 0x86dd, VLAN = 0x8100 };

static struct flow_meter *meter;
static struct port_flows *port;

static int set_up(void **state)
{
	(void)state;
	meter = flow_meter_create(HZ);
	port = calloc(1, sizeof(*port));
	return !meter || !port;
}

static int tear_down(void **state)
{
	(void)state;
	flow_meter_free(meter);
	free(port);
	return 0;
}

static void put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* A UDP packet behind `tags` VLAN tags; returns where its IP header is. */
static uint16_t build(uint8_t *frame, uint16_t ether_type, int tags)
{
	uint16_t at = 12;
	memset(frame, 0, FRAME);
	for (; tags; tags--, at += 4)
		put16(frame + at, VLAN);
	put16(frame + at, ether_type);
	at += 2;
	frame[at] = ether_type == IP4 ? 0x45 : 0x60;
	frame[at + (ether_type == IP4 ? 9 : 6)] = 17;
	return at;
}

static struct ws_stream stream_of(const uint8_t *frame, uint16_t len, int kind, bool signature)
{
	return (struct ws_stream){.id = 3,
							  .packet = frame,
							  .packet_len = len,
							  .flow_kind = kind,
							  .flow_id = ID,
							  .flow_signature = signature};
}

/* Receive the packet, in a heap block of its size. */
static void receive(const uint8_t *frame, uint32_t len, uint64_t now)
{
	uint8_t *bytes = malloc(len);
	memcpy(bytes, frame, len);
	struct flow_packet packet = {
		.head = bytes, .tail = bytes + len - FLOW_TAIL_LEN, .head_len = len, .bytes = len + 4};
	flow_meter_count(meter, port, &packet, now);
	free(bytes);
}

static void receive_latency(uint8_t start, uint32_t sequence, uint64_t sent, uint64_t now)
{
	uint8_t frame[FRAME];
	build(frame, IP4, 0);
	flow_put_tail(frame + FRAME - FLOW_TAIL_LEN,
				  &(struct flow_tail){FLOW_MAGIC_LATENCY, start, ID, sequence, sent});
	receive(frame, FRAME, now);
}

static struct ws_latency read_at(uint64_t now)
{
	static struct ws_latency latency;
	flow_meter_read(meter, ID, now, &latency);
	struct flow_order order = flow_meter_order(meter, ID);
	flow_order_tell(&order, &latency);
	return latency;
}

/* `order` has sequence numbers, counted from the flow's first. */
static struct ws_latency receive_order(const int *order, size_t count)
{
	flow_meter_begin(meter, ID, START);
	for (size_t i = 0; i < count; i++)
		receive_latency(START, FLOW_FIRST_SEQUENCE + (uint32_t)order[i], 1000, 2000);
	return read_at(2000);
}

#define ORDER(...)                                                                                 \
	receive_order((const int[]){__VA_ARGS__}, sizeof((int[]){__VA_ARGS__}) / sizeof(int))

static void marked_headers_are_counted(void **state)
{
	(void)state;
	uint64_t expected = 0;
	for (int tags = 0; tags <= 5; tags++)
		for (int i = 0; i < 2; i++) {
			uint8_t frame[FRAME], marked[FRAME];
			struct flow_tail tail;
			build(frame, i ? IP6 : IP4, tags);
			memcpy(marked, frame, FRAME);
			struct ws_stream stream = stream_of(frame, FRAME, WS_FLOW_STATS, false);
			assert_int_equal(flow_mark(&stream, START, marked, FRAME, &tail), 0);
			assert_int_equal(tail.magic, 0);
			receive(marked, FRAME, 0);
			expected++;
			assert_int_equal(port->stats[ID].rx_packets, expected);
		}
	assert_int_equal(port->stats[ID].rx_bytes, expected * (FRAME + 4));
	assert_int_equal(flow_meter_faults(meter).bad_header, 0);
}

/* A router may change any header. */
static void signature_is_counted_without_headers(void **state)
{
	(void)state;
	uint8_t frame[FRAME], marked[FRAME];
	struct flow_tail tail;
	uint16_t ip = build(frame, IP4, 0);
	memcpy(marked, frame, FRAME);
	struct ws_stream stream = stream_of(frame, FRAME, WS_FLOW_STATS, true);
	assert_int_equal(flow_mark(&stream, START, marked, FRAME, &tail), 0);
	assert_int_equal(tail.magic, FLOW_MAGIC_SIGNATURE);
	assert_memory_equal(marked, frame, FRAME - FLOW_TAIL_LEN);
	memset(marked, 0xee, ip + 20);
	receive(marked, FRAME, 0);
	assert_int_equal(port->stats[ID].rx_packets, 1);
	marked[FRAME - 1] ^= 1;
	receive(marked, FRAME, 0);
	assert_int_equal(port->stats[ID].rx_packets, 1);
}

static void no_room_is_refused(void **state)
{
	(void)state;
	uint8_t frame[FRAME], marked[FRAME];
	struct flow_tail tail;
	build(frame, IP4, 0);
	frame[14] = 0x46;
	for (int i = 0; i < 2; i++) {
		struct ws_stream stream =
			stream_of(frame, 46 + 15, i ? WS_FLOW_LATENCY : WS_FLOW_STATS, !i);
		memcpy(marked, frame, sizeof(frame));
		assert_int_equal(flow_mark(&stream, START, marked, 46 + 15, &tail), -EINVAL);
		assert_non_null(strstr(ws_error(), "has 15 bytes of payload"));
		stream.packet_len = 46 + 16;
		assert_int_equal(flow_mark(&stream, START, marked, 46 + 16, &tail), 0);
		stream.flow_id = 1023;
		assert_int_equal(flow_mark(&stream, START, marked, 46 + 16, &tail), -EINVAL);
	}
	memcpy(marked, frame, sizeof(frame));
	put16(marked + 12, 0x0806);
	put16(frame + 12, 0x0806);
	struct ws_stream stream = stream_of(frame, FRAME, WS_FLOW_STATS, false);
	assert_int_equal(flow_mark(&stream, START, marked, FRAME, &tail), -EINVAL);
	assert_non_null(strstr(ws_error(), "need an IPv4 or IPv6 packet; VLAN tags may precede it"));
}

/* ARP and MPLS, with and without tag: only the last 16 bytes change, and the tail is recognised. */
static void tails_need_no_ip(void **state)
{
	(void)state;
	static const uint16_t types[] = {0x0806, 0x8847, 0x88cc};
	for (int i = 0; i < 12; i++) {
		uint8_t frame[FRAME], marked[FRAME];
		bool signature = i & 1, tagged = i >> 1 & 1;
		struct flow_tail tail;
		build(frame, types[i / 4], tagged);
		memcpy(marked, frame, FRAME);
		struct ws_stream stream =
			stream_of(frame, FRAME, signature ? WS_FLOW_STATS : WS_FLOW_LATENCY, signature);
		assert_int_equal(ws_stream_check_flow(&stream), 0);
		assert_int_equal(flow_mark(&stream, START, marked, FRAME, &tail), 0);
		assert_memory_equal(marked, frame, FRAME - FLOW_TAIL_LEN);
		flow_meter_begin(meter, ID, START);
		receive(marked, FRAME, 0);
	}
	assert_int_equal(port->stats[ID].rx_packets, 6);
	assert_int_equal(port->latency[ID].rx_packets, 6);
	uint8_t frame[FRAME];
	build(frame, 0x0806, 0);
	struct flow_tail tail;
	struct ws_stream stream = stream_of(frame, 29, WS_FLOW_LATENCY, false);
	assert_int_equal(flow_mark(&stream, START, frame, 29, &tail), -EINVAL);
	assert_non_null(strstr(ws_error(), "has 15 bytes of payload"));
}

/* Without payload the tail fits into the padding. */
static void padding_is_room(void **state)
{
	(void)state;
	uint8_t frame[60] = {0}, built[FRAME];
	struct flow_tail tail;
	build(built, IP4, 0);
	memcpy(frame, built, 34);
	frame[23] = 0; /* a protocol without a known header */
	struct ws_stream stream = stream_of(frame, 34, WS_FLOW_LATENCY, false);
	assert_int_equal(ws_stream_check_flow(&stream), 0);
	assert_int_equal(flow_mark(&stream, START, frame, sizeof(frame), &tail), 0);
	assert_int_equal(flow_get_tail(frame + sizeof(frame) - FLOW_TAIL_LEN).magic,
					 FLOW_MAGIC_LATENCY);
}

static uint16_t ip4_checksum(const uint8_t *ip)
{
	uint32_t sum = 0;
	for (int i = 0; i < 20; i += 2)
		sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t) ~((sum & 0xffff) + (sum >> 16));
}

static uint16_t number_of(uint8_t *frame, uint16_t at)
{
	struct flow_tail tail;
	struct ws_stream stream = stream_of(frame, FRAME, WS_FLOW_NONE, false);
	assert_int_equal(flow_mark(&stream, START, frame, FRAME, &tail), 0);
	assert_int_equal(tail.magic, 0);
	return (uint16_t)(frame[at] << 8 | frame[at + 1]);
}

/* Packets of uncounted streams cannot be mistaken for counted ones, as in T-Rex. Checksums stay
 * right or wrong. */
static void streams_that_are_not_counted_look_like_it(void **state)
{
	(void)state;
	static const uint16_t ids[][2] = {
		{0xfbff, 0xfbff}, {0xfc00, 0xec00}, {0xffff, 0xefff}, {0xec00, 0xec00}};
	uint8_t frame[FRAME];
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		build(frame, IP4, 1);
		put16(frame + 22, ids[i][0]);
		put16(frame + 28, 0);
		put16(frame + 28, ip4_checksum(frame + 18));
		assert_int_equal(number_of(frame, 22), ids[i][1]);
		assert_int_equal(ip4_checksum(frame + 18), 0);
		put16(frame + 22, ids[i][0]);
		put16(frame + 28, 0x1234);
		uint16_t wrong = ip4_checksum(frame + 18);
		assert_int_equal(number_of(frame, 22), ids[i][1]);
		assert_int_equal(ip4_checksum(frame + 18), wrong);
	}
	build(frame, IP6, 0);
	frame[15] = 0x25;
	put16(frame + 16, 0x1234);
	assert_int_equal(number_of(frame, 16), 0x0234);
	assert_int_equal(frame[15], 0x20); /* the flow label has 20 bits, above fc00 */
	put16(frame + 16, 0xfc01);
	assert_int_equal(number_of(frame, 16), 0xec01);
}

static void flow_labels_have_four_bits_less(void **state)
{
	(void)state;
	uint8_t frame[FRAME];
	struct flow_tail tail;
	build(frame, IP6, 0);
	put16(frame + 14, 0x6abf); /* traffic class ab */
	struct ws_stream stream = stream_of(frame, FRAME, WS_FLOW_STATS, false);
	assert_int_equal(flow_mark(&stream, START, frame, FRAME, &tail), 0);
	assert_int_equal(frame[14] << 8 | frame[15], 0x6ab0);
	assert_int_equal(frame[16] << 8 | frame[17], 0xfc00 + ID);
}

static void sequence_errors_are_told_apart(void **state)
{
	(void)state;
	struct ws_latency seen = ORDER(0, 1, 2, 3, 4);
	assert_int_equal(seen.packets, 5);
	assert_int_equal(seen.dropped + seen.duplicate + seen.out_of_order, 0);

	flow_meter_reset(meter, ID);
	seen = ORDER(0, 1, 5, 6, 9);
	assert_int_equal(seen.dropped, 5);
	assert_int_equal(seen.seq_too_high, 2);

	flow_meter_reset(meter, ID);
	seen = ORDER(3, 4); /* the first ones are lost */
	assert_int_equal(seen.dropped, 3);

	flow_meter_reset(meter, ID);
	seen = ORDER(0, 1, 1, 2, 0, 3);
	assert_int_equal(seen.duplicate, 2);
	assert_int_equal(seen.seq_too_low, 2);
	assert_int_equal(seen.dropped + seen.out_of_order, 0);

	flow_meter_reset(meter, ID);
	seen = ORDER(0, 2, 3, 1, 1, 4);
	assert_int_equal(seen.out_of_order, 1);
	assert_int_equal(seen.duplicate, 1);
	assert_int_equal(seen.dropped, 0);
	assert_int_equal(seen.seq_too_high, 1);
	assert_int_equal(seen.seq_too_low, 2);
}

/* A gap wider than the window, and packets from inside and before it. */
static void wide_holes_are_counted(void **state)
{
	(void)state;
	struct ws_latency seen = ORDER(0, 10001, 10000, 10000, 9000);
	assert_int_equal(seen.seq_too_high, 1);
	assert_int_equal(seen.out_of_order, 2);
	assert_int_equal(seen.duplicate, 1);
	assert_int_equal(seen.dropped, 10000 - 2);
}

static void earlier_starts_are_old(void **state)
{
	(void)state;
	flow_meter_begin(meter, ID, START);
	receive_latency(START, FLOW_FIRST_SEQUENCE, 0, 10);
	flow_meter_begin(meter, ID, START + 1);
	receive_latency(START, FLOW_FIRST_SEQUENCE + 1, 0, 10);
	receive_latency(START + 1, FLOW_FIRST_SEQUENCE, 0, 10);
	receive_latency(START + 7, FLOW_FIRST_SEQUENCE + 1, 0, 10);
	assert_int_equal(flow_meter_faults(meter).old_flow, 1);
	assert_int_equal(flow_meter_faults(meter).bad_header, 1);
	assert_int_equal(read_at(10).packets, 2);
	assert_int_equal(read_at(10).dropped, 0);
	assert_int_equal(port->latency[ID].rx_packets, 2);
}

/* Packets with the mark of a latency flow and an invalid tail. */
static void spoilt_tails_are_bad_headers(void **state)
{
	(void)state;
	uint8_t frame[FRAME], marked[FRAME];
	struct flow_tail tail;
	build(frame, IP4, 1);
	memcpy(marked, frame, FRAME);
	struct ws_stream stream = stream_of(frame, FRAME, WS_FLOW_LATENCY, false);
	assert_int_equal(flow_mark(&stream, START, marked, FRAME, &tail), 0);
	flow_meter_begin(meter, ID, START);
	receive(marked, FRAME, (uint64_t)(HZ * 60)); /* its tail says that it was sent a minute ago */
	marked[FRAME - FLOW_TAIL_LEN] = 0;
	receive(marked, FRAME, 0);
	assert_int_equal(flow_meter_faults(meter).bad_header, 2);
	assert_int_equal(read_at(0).packets, 0);
}

static void times_are_summed_up(void **state)
{
	(void)state;
	const uint64_t ns[] = {500, 1500, 45000, 45000, 2000000};
	flow_meter_begin(meter, ID, START);
	uint64_t now = 0;
	for (uint32_t i = 0; i < 5; i++) {
		now = 1000000000 + i;
		receive_latency(START, FLOW_FIRST_SEQUENCE + i, now - ns[i], now);
	}
	struct ws_latency seen = read_at(now);
	assert_int_equal(seen.min_ns, 500);
	assert_int_equal(seen.max_ns, 2000000);
	assert_int_equal(seen.last_max_ns, 2000000);
	assert_int_equal(seen.sum_ns, 2092000);
	assert_int_equal(seen.histogram[0], 1);
	assert_int_equal(seen.histogram[1], 1);
	assert_int_equal(seen.histogram[9 + 4], 2);
	assert_int_equal(seen.histogram[27 + 2], 1);
	/* RFC 3550: J += (|D| - J) / 16, from 0 */
	double jitter = 0;
	for (int i = 1; i < 5; i++) {
		double change = (double)ns[i] - (double)ns[i - 1];
		jitter += ((change < 0 ? -change : change) - jitter) / 16;
	}
	assert_int_equal(seen.jitter_ns, (uint64_t)jitter);
}

/* T-Rex keeps the maximum of the last half second with packets until the flow begins again. */
static void last_max_stays_without_packets(void **state)
{
	(void)state;
	static const uint64_t HALF = 500000000;
	flow_meter_begin(meter, ID, START);
	receive_latency(START, FLOW_FIRST_SEQUENCE, 10 * HALF - 9000, 10 * HALF);
	receive_latency(START, FLOW_FIRST_SEQUENCE + 1, 11 * HALF - 3000, 11 * HALF);
	assert_int_equal(read_at(11 * HALF).last_max_ns, 9000);
	assert_int_equal(read_at(12 * HALF).last_max_ns, 3000);
	assert_int_equal(read_at(1000 * HALF).last_max_ns, 3000);
	receive_latency(START, FLOW_FIRST_SEQUENCE + 2, 1000 * HALF - 2000, 1000 * HALF);
	assert_int_equal(read_at(1000 * HALF).last_max_ns, 3000);
	assert_int_equal(read_at(1001 * HALF).last_max_ns, 2000);
	flow_meter_begin(meter, ID, START + 1);
	assert_int_equal(read_at(1001 * HALF).last_max_ns, 0);
	assert_int_equal(read_at(1001 * HALF).max_ns, 9000);
}

/* Values of one count differ by less than a hundredth, and counts increase with values. */
static void hdr_keeps_two_digits(void **state)
{
	(void)state;
	uint32_t before = 0;
	for (uint64_t ns = 1; ns < 10000000000; ns += 1 + ns / 50) {
		flow_meter_reset(meter, ID);
		flow_meter_begin(meter, ID, START);
		receive_latency(START, FLOW_FIRST_SEQUENCE, 20000000000 - ns, 20000000000);
		struct ws_latency seen = read_at(0);
		uint32_t at = 0;
		while (!seen.hdr[at])
			at++;
		/* Convert back to the value, like HdrHistogram. */
		uint32_t bucket = at < 256 ? 0 : (at >> 7) - 1, sub = at < 256 ? at : (at & 127) + 128;
		uint64_t value = (uint64_t)sub << bucket;
		assert_true(value <= ns && (double)(ns - value) < 0.01 * (double)ns);
		assert_true(at >= before);
		before = at;
	}
}

static void readings_of_workers_add_up(void **state)
{
	(void)state;
	static struct ws_latency sum, other;
	flow_meter_begin(meter, ID, START);
	receive_latency(START, FLOW_FIRST_SEQUENCE, 0, 3000);
	receive_latency(START, FLOW_FIRST_SEQUENCE + 2, 0, 1000);
	flow_meter_read(meter, ID, 3000, &other);
	flow_latency_add(&sum, &other);
	flow_latency_add(&sum, &(struct ws_latency){0});
	assert_memory_equal(&sum, &other, sizeof(sum));
	flow_latency_add(
		&sum, &(struct ws_latency){.packets = 1, .min_ns = 500, .max_ns = 500, .sum_ns = 500});
	assert_int_equal(sum.min_ns, 500);
	assert_int_equal(sum.max_ns, 3000);
	assert_int_equal(sum.packets, 3);
	assert_int_equal(sum.jitter_ns, other.jitter_ns);
}

static void receive_by(uint8_t by, uint16_t series, int number)
{
	uint8_t frame[FRAME];
	uint32_t sequence = FLOW_FIRST_SEQUENCE + (uint32_t)number;
	build(frame, IP4, 0);
	flow_put_tail(frame + FRAME - FLOW_TAIL_LEN,
				  &(struct flow_tail){FLOW_MAGIC_SIGNATURE, by, ID, sequence,
									  flow_signature(series, sequence)});
	receive(frame, FRAME, 0);
}

static void receive_numbered(uint16_t series, int number)
{
	receive_by(START, series, number);
}

static void assert_placed(uint64_t packets, uint64_t duplicates, uint64_t reordered,
						  uint64_t unplaced)
{
	const struct ws_flow *flow = &port->stats[ID];
	assert_int_equal(flow->rx_packets, packets);
	assert_int_equal(flow->rx_duplicates, duplicates);
	assert_int_equal(flow->rx_reordered, reordered);
	assert_int_equal(flow->rx_unplaced, unplaced);
}

/* Each series has numbers of its own. */
static void signatures_are_placed_in_their_series(void **state)
{
	(void)state;
	static const int order[] = {0, 1, 1, 4, 2, 4, 2, 3, 5};
	assert_true(flow_meter_reserve(meter, 18, START));
	for (uint16_t series = 0; series < 18; series += 17)
		for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
			receive_numbered(series, order[i]);
	assert_placed(18, 6, 4, 0);
	receive_numbered(0, -1); /* before the first number */
	assert_placed(19, 7, 4, 0);
	receive_numbered(40, 0); /* from an unknown generator */
	assert_placed(20, 7, 4, 1);
}

/* The first packet of another generator's series begins it, and earlier ones may still arrive. */
static void series_of_others_begin_where_they_are_seen(void **state)
{
	(void)state;
	static const int order[] = {-2000000000, -2000000001, -1999999999, -2000000000, -2000000001};
	assert_true(flow_meter_reserve(meter, 1, START));
	receive_numbered(0, 7);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		receive_by(START + 1, 0, order[i]);
	assert_placed(6, 2, 1, 0);
}

/* Exact up to the window's last packet, with any gaps, and when numbers wrap. */
static void the_window_is_exact(void **state)
{
	(void)state;
	static const int jumps[] = {1, 2, 63, 64, 65, 1000, SEQUENCE_WINDOW - 1};
	int at = 0, holes = 0, again = 0;
	assert_true(flow_meter_reserve(meter, 1, START));
	receive_numbered(0, at);
	for (size_t i = 0; i < sizeof(jumps) / sizeof(jumps[0]); i++) {
		int next = at + jumps[i];
		receive_numbered(0, next);
		for (int j = at; j <= next; j++, again++) {
			receive_numbered(0, j);
			holes += j > at && j < next;
		}
		at = next;
	}
	uint64_t packets = 1 + sizeof(jumps) / sizeof(jumps[0]) + (uint64_t)again;
	assert_placed(packets, (uint64_t)(again - holes), (uint64_t)holes, 0);
	receive_numbered(0, at + 1 - SEQUENCE_WINDOW);
	receive_numbered(0, at - SEQUENCE_WINDOW);
	assert_placed(packets + 2, (uint64_t)(again - holes) + 1, (uint64_t)holes, 1);
	at += SEQUENCE_WINDOW;
	receive_numbered(0, at);
	receive_numbered(0, at - 1);
	receive_numbered(0, at + 1 - SEQUENCE_WINDOW);
	assert_placed(packets + 5, (uint64_t)(again - holes) + 1, (uint64_t)holes + 2, 1);
}

/* A checksum over the tail is the same for all numbers. */
static void numbers_leave_checksums_alone(void **state)
{
	(void)state;
	uint8_t tail[FLOW_TAIL_LEN];
	uint32_t first = 0;
	for (uint32_t number = 0; number < 70000; number += 997) {
		uint32_t sequence = FLOW_FIRST_SEQUENCE + number, sum = 0;
		flow_put_tail(tail, &(struct flow_tail){FLOW_MAGIC_SIGNATURE, 0, ID, sequence,
												flow_signature(5, sequence)});
		for (int i = 0; i < FLOW_TAIL_LEN; i += 2)
			sum += (uint32_t)(tail[i] << 8 | tail[i + 1]);
		sum = sum % 0xffff;
		first = number ? first : sum;
		assert_int_equal(sum, first);
	}
}

/* `came` has a character per packet of a flow: the worker that received it ('1' or '2'), both in
 * turn ('b'), or none ('-'). */
static struct flow_order merge_of(const char *came, uint64_t base)
{
	struct flow_order seen[2];
	for (int worker = 0; worker < 2; worker++) {
		flow_meter_reset(meter, ID);
		flow_meter_begin(meter, ID, START);
		for (uint32_t i = 0; came[i]; i++)
			if (came[i] == 'b' || came[i] == '1' + worker)
				receive_latency(START, FLOW_FIRST_SEQUENCE + i, 0, 10);
		seen[worker] = flow_meter_order(meter, ID);
	}
	return flow_order_merge(seen, 2, base);
}

static void order_is_merged_over_workers(void **state)
{
	(void)state;
	struct flow_order seen = merge_of("12121212", 0);
	assert_int_equal(seen.packets, 8);
	assert_int_equal(seen.dropped + seen.duplicate + seen.out_of_order, 0);
	assert_int_equal(seen.seq_too_high + seen.seq_too_low, 0);

	seen = merge_of("-1-21--2", 0);
	assert_int_equal(seen.dropped, 4);
	assert_in_range(seen.seq_too_high, 3, 4);
	assert_int_equal(seen.duplicate, 0);

	seen = merge_of("b1bb22", 0); /* flooded: both workers received it */
	assert_int_equal(seen.packets, 9);
	assert_int_equal(seen.duplicate, 3);
	assert_int_equal(seen.seq_too_low, 3);
	assert_int_equal(seen.dropped, 0);

	seen = merge_of("111--1", 0); /* one worker received the flow and knows everything */
	assert_int_equal(seen.dropped, 2);
	assert_int_equal(seen.seq_too_high, 1);
}

/* Packets before the reset do not count, on any worker. */
static void merged_order_starts_over(void **state)
{
	(void)state;
	struct flow_order seen[2];
	flow_meter_begin(meter, ID, START);
	for (uint32_t i = 0; i < 6; i += 2)
		receive_latency(START, FLOW_FIRST_SEQUENCE + i, 0, 10);
	flow_meter_reset(meter, ID);
	assert_int_equal(flow_meter_order(meter, ID).reached, 5);
	receive_latency(START, FLOW_FIRST_SEQUENCE + 5, 0, 10);
	seen[0] = flow_meter_order(meter, ID);
	seen[1] = (struct flow_order){.reached = 8, .packets = 1}; /* the eighth packet */
	struct flow_order merged = flow_order_merge(seen, 2, 5);
	assert_int_equal(merged.packets, 2);
	assert_int_equal(merged.dropped, 1);
	/* Another start adds to the counters. */
	flow_order_add(&merged, &(struct flow_order){.packets = 4, .dropped = 2, .duplicate = 1});
	assert_int_equal(merged.dropped, 3);
	assert_int_equal(merged.duplicate, 1);
}

/* Short and odd frames are not read beyond their end (address sanitizer). */
static void short_frames_are_survived(void **state)
{
	(void)state;
	uint8_t frame[FRAME];
	for (int tags = 0; tags <= 5; tags++)
		for (uint32_t len = FLOW_TAIL_LEN; len < FRAME; len++) {
			build(frame, len % 2 ? IP4 : IP6, tags);
			receive(frame, len, 0);
		}
	assert_int_equal(port->stats[ID].rx_packets, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(marked_headers_are_counted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(signature_is_counted_without_headers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_room_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tails_need_no_ip, set_up, tear_down),
		cmocka_unit_test_setup_teardown(padding_is_room, set_up, tear_down),
		cmocka_unit_test_setup_teardown(streams_that_are_not_counted_look_like_it, set_up,
										tear_down),
		cmocka_unit_test_setup_teardown(flow_labels_have_four_bits_less, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sequence_errors_are_told_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(wide_holes_are_counted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(earlier_starts_are_old, set_up, tear_down),
		cmocka_unit_test_setup_teardown(spoilt_tails_are_bad_headers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(times_are_summed_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(last_max_stays_without_packets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(hdr_keeps_two_digits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(readings_of_workers_add_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(order_is_merged_over_workers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(merged_order_starts_over, set_up, tear_down),
		cmocka_unit_test_setup_teardown(signatures_are_placed_in_their_series, set_up, tear_down),
		cmocka_unit_test_setup_teardown(series_of_others_begin_where_they_are_seen, set_up,
										tear_down),
		cmocka_unit_test_setup_teardown(the_window_is_exact, set_up, tear_down),
		cmocka_unit_test_setup_teardown(numbers_leave_checksums_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(short_frames_are_survived, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
