/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Refused packets, and the memory of packets. No worker runs: the test calls the port's functions
 * burst by burst, so that rings fill when it wants.
 */
#include "dev/pool.h"
#include "dev/port.h"
#include "generator/control/generator.h"
#include "generator/observe/flow_wire.h"
#include "generator/receive/receive.h"
#include "generator/traffic/push.h"
#include "generator/traffic/traffic.h"
#include "generator/traffic/transmit.h"
#include "tests/cmocka_all.h"
#include "wirespeed/ports.h"
#include "wirespeed/push.h"
#include "wirespeed/runtime.h"

#include <math.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A looped ring, /dev/null, a memif without peer, a file of FILE_PACKETS packets, both ends of a
 * memif. */
enum { RING, NOTHING, DEAD, READER, CLIENT, SERVER, PORTS };
enum { FILE_PACKETS = 20 };
enum { RING_ROOM = 4095, VALUE_AT = 50, DESCRIPTORS = 1024 };

static struct ws_generator *generator;
static uint8_t packet[60];

static void expect(int result)
{
	if (result < 0)
		fail_msg("%s", ws_error());
}

/* A variable that counts from 0; it is unrolled up to 4 096 packets. */
static const struct ws_op *counting(uint64_t values)
{
	static struct ws_op ops[2];
	ops[0] = (struct ws_op){.kind = WS_OP_VAR, .size = 4, .max = values - 1, .step = 1};
	ops[1] = (struct ws_op){.kind = WS_OP_WRITE, .size = 4, .big_endian = true, .offset = VALUE_AT};
	return ops;
}

/* A burst that takes microseconds. */
static struct ws_stream burst(uint64_t packets, const struct ws_op *ops)
{
	return (struct ws_stream){
		.id = 1,
		.packet = packet,
		.packet_len = sizeof(packet),
		.enabled = true,
		.self_start = true,
		.mode = WS_SINGLE_BURST,
		.rate_pps = 1e9,
		.packets = packets,
		.next_id = -1,
		.ops = ops,
		.op_count = ops ? 2 : 0,
	};
}

static void start(uint16_t port, const struct ws_stream *streams, uint32_t count)
{
	expect(ws_generator_start(generator, port, 0, streams, count, 1, -1, 0, UINT64_MAX));
}

static struct ws_generator_port counters(uint16_t port)
{
	struct ws_generator_port all[WS_MAX_PORTS];
	uint64_t tsc;
	assert_int_equal(ws_generator_counters(generator, all, NULL, &tsc), PORTS);
	return all[port];
}

/* Send all due packets until the program ends; returns the increase of the counters. */
static struct ws_generator_port run(uint16_t index)
{
	struct ws_generator_port before = counters(index);
	struct generator_port *port = generator->ports[index].shares;
	while (port->traffic && port->traffic->active)
		generator_transmit(port);
	struct ws_generator_port after = counters(index);
	assert_int_equal(after.intended_packets, after.tx_packets + after.refused_packets +
												 after.no_buffer_packets + after.late_packets);
	after.tx_packets -= before.tx_packets;
	after.tx_bytes -= before.tx_bytes;
	after.intended_packets -= before.intended_packets;
	return after;
}

static uint32_t value_of(const struct rte_mbuf *sent)
{
	const uint8_t *at = rte_pktmbuf_mtod_offset(sent, const uint8_t *, VALUE_AT);
	return (uint32_t)(at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3]);
}

/* Take `count` packets from the ring and check that their values count up from `first`, modulo
 * `modulo`. */
static void drain(uint32_t count, uint32_t first, uint32_t modulo)
{
	for (uint32_t i = 0; i < count; i++) {
		struct rte_mbuf *received;
		assert_int_equal(port_receive(RING, 0, &received, 1), 1);
		assert_int_equal(value_of(received), (first + i) % modulo);
		rte_pktmbuf_free(received);
	}
}

static void assert_drained(void)
{
	struct rte_mbuf *received;
	assert_int_equal(port_receive(RING, 0, &received, 1), 0);
}

static void assert_memory_is_home(void)
{
	expect(ws_generator_stop_port(generator, RING));
	expect(ws_generator_stop_port(generator, DEAD));
	assert_null(generator->stopped);
	if (generator->fresh[0])
		assert_true(rte_mempool_full(generator->fresh[0]));
}

/* At any rate a full ring takes what fits, and the values of these packets are consecutive. A burst
 * is refused if nothing is taken for longer than the port's patience. */
static void full_ring_refuses(void **state)
{
	(void)state;
	const uint32_t moduli[] = {250, 1000000}; /* ready and live */
	double patience = generator->ports[RING].shares->patience;
	generator->ports[RING].shares->patience = -1;
	for (int i = 0; i < 2; i++) {
		struct ws_stream stream = burst(20000, counting(moduli[i]));
		stream.rate_pps = 1e6;
		start(RING, &stream, 1);
		struct ws_generator_port result = run(RING);
		assert_int_equal(result.intended_packets, 20000);
		assert_in_range(result.tx_packets, 1, RING_ROOM);
		drain((uint32_t)result.tx_packets, 0, moduli[i]);
		assert_drained();
		assert_memory_is_home();
	}
	generator->ports[RING].shares->patience = patience;
}

/* A burst is sent whole although the ring takes a few packets at a time: none is refused, late or
 * left out, and the counters always add up. */
static void a_burst_is_sent_as_the_ring_takes_it(void **state)
{
	(void)state;
	const uint32_t moduli[] = {250, 1000000};
	for (int i = 0; i < 2; i++) {
		struct ws_stream stream = burst(20000, counting(moduli[i]));
		struct generator_port *port = generator->ports[RING].shares;
		struct ws_generator_port before = counters(RING), now;
		start(RING, &stream, 1);
		for (uint32_t taken = 0; taken < 20000; taken++) {
			do {
				generator_transmit(port);
				now = port->counters;
				assert_int_equal(now.intended_packets,
								 now.tx_packets + now.refused_packets + now.late_packets);
			} while (now.tx_packets - before.tx_packets < RTE_MIN(20000u, taken + RING_ROOM));
			drain(1, taken, moduli[i]);
		}
		assert_drained();
		generator_transmit(port);
		assert_false(port->traffic->active);
		assert_int_equal(now.intended_packets - before.intended_packets, 20000);
		assert_int_equal(now.tx_packets - before.tx_packets, 20000);
		assert_memory_is_home();
	}
}

/* All packets of an endless stream next to the burst are counted, sent or not. The burst's packets
 * differ in length. */
static void a_burst_is_whole_beside_others(void **state)
{
	(void)state;
	static uint8_t longer[100];
	struct ws_stream streams[] = {burst(10000, NULL), burst(1, NULL)};
	struct generator_port *port = generator->ports[RING].shares;
	struct rte_mbuf *received;
	struct ws_generator_port before = counters(RING), now;
	uint32_t of_burst = 0;
	streams[0].packet = longer;
	streams[0].packet_len = sizeof(longer);
	streams[1].id = 2;
	streams[1].mode = WS_CONTINUOUS;
	streams[1].rate_pps = 20e6;
	start(RING, streams, 2);
	while (of_burst < 10000) {
		generator_transmit(port);
		for (int i = 0; i < 20 && port_receive(RING, 0, &received, 1); i++) {
			of_burst += received->data_len == sizeof(longer);
			rte_pktmbuf_free(received);
		}
		now = port->counters;
		assert_int_equal(now.intended_packets,
						 now.tx_packets + now.refused_packets + now.late_packets);
	}
	assert_true(now.refused_packets > before.refused_packets);
	assert_int_equal(port->traffic->held_count, 0);
	expect(ws_generator_stop_port(generator, RING));
	while (port_receive(RING, 0, &received, 1)) {
		assert_int_not_equal(received->data_len, sizeof(longer));
		rte_pktmbuf_free(received);
	}
	assert_memory_is_home();
}

/* Nothing is taken: the burst waits for the port's patience, then is refused. */
static void a_burst_to_nobody_ends(void **state)
{
	(void)state;
	struct ws_stream stream = burst(1000, NULL);
	struct generator_port *port = generator->ports[DEAD].shares;
	double patience = port->patience;
	uint64_t asked = port->counters.intended_packets, refused = port->counters.refused_packets;
	start(DEAD, &stream, 1);
	for (int i = 0; i < 100; i++)
		generator_transmit(port);
	assert_true(port->traffic->active);
	assert_int_equal(port->counters.intended_packets, asked);
	port->patience = -1;
	while (port->traffic->active)
		generator_transmit(port);
	port->patience = patience;
	assert_int_equal(port->counters.intended_packets - asked, 1000);
	assert_int_equal(port->counters.refused_packets - refused, 1000);
	assert_memory_is_home();
}

/* A packet that was built and refused is sent next, so that no value is left out. */
static void refused_packets_leave_no_hole(void **state)
{
	(void)state;
	const uint32_t moduli[] = {250, 1000000};
	for (int i = 0; i < 2; i++) {
		struct ws_stream stream = burst(1, counting(moduli[i]));
		stream.mode = WS_CONTINUOUS;
		stream.rate_pps = 2e6;
		start(RING, &stream, 1);
		struct generator_port *port = generator->ports[RING].shares;
		uint64_t taken_before = port->counters.tx_packets;
		uint32_t drained = 0;
		for (int round = 0; round < 20; round++) {
			uint64_t refused = port->counters.refused_packets;
			while (port->counters.tx_packets - taken_before < drained + RING_ROOM ||
				   port->counters.refused_packets == refused)
				generator_transmit(port);
			drain(1000, drained, moduli[i]);
			drained += 1000;
		}
		drain(RING_ROOM - 1000, drained, moduli[i]);
		assert_drained();
		assert_memory_is_home();
	}
}

/* Many live streams on a port that takes nothing: the number of stored packets is bounded, and they
 * are freed. */
static void refused_packets_do_not_pile_up(void **state)
{
	(void)state;
	enum { STREAMS = 2000 };
	static struct ws_stream streams[STREAMS];
	for (uint32_t i = 0; i < STREAMS; i++) {
		streams[i] = burst(1, counting(1000000));
		streams[i].id = i;
		streams[i].mode = WS_CONTINUOUS;
		streams[i].rate_pps = 1000;
	}
	start(DEAD, streams, STREAMS);
	struct generator_port *port = generator->ports[DEAD].shares;
	uint64_t asked_before = port->counters.intended_packets;
	uint32_t most = 0;
	for (; port->counters.intended_packets - asked_before < 5 * STREAMS;
		 most = RTE_MAX(most, port->traffic->stashed))
		generator_transmit(port);
	assert_in_range(most, 1, 256);
	assert_int_equal(port->counters.tx_packets, 0);
	assert_memory_is_home();
}

/* Packets sent by reference stay in place, so only their order could go wrong. */
static void refused_references_are_taken_back(void **state)
{
	(void)state;
	struct ws_stream stream = burst(1, counting(100));
	stream.mode = WS_CONTINUOUS;
	start(DEAD, &stream, 1);
	struct generator_port *port = generator->ports[DEAD].shares;
	uint64_t before = port->counters.refused_packets;
	while (port->counters.refused_packets - before < 1000)
		generator_transmit(port);
	assert_int_equal(port->traffic->senders[0].position, 0);
	assert_int_equal(port->traffic->handed, 0);
	assert_memory_is_home();
}

/* A driver that takes any part of a burst and, like NICs, holds packets until a thousand later ones
 * have come; held packets must not change. */
static struct {
	bool keeps;
	uint32_t next[3];           /* values, of the three lengths */
	struct rte_mempool *others; /* what the real driver gets instead */
	struct {
		struct rte_mbuf *packet;
		uint32_t value;
	} kept[DESCRIPTORS];
	uint32_t at;
} nic;

static void let_go_of(uint32_t slot)
{
	if (!nic.kept[slot].packet)
		return;
	assert_int_equal(value_of(nic.kept[slot].packet), nic.kept[slot].value);
	rte_pktmbuf_free(nic.kept[slot].packet);
	nic.kept[slot].packet = NULL;
}

static void let_go_of_all(void)
{
	for (uint32_t slot = 0; slot < DESCRIPTORS; slot++)
		let_go_of(slot);
}

static uint16_t take_some(uint16_t port, uint16_t queue, struct rte_mbuf **packets, uint16_t n,
						  void *unused)
{
	(void)port, (void)queue, (void)unused;
	n = (uint16_t)((uint32_t)rand() % (n + 1u));
	for (uint16_t i = 0; i < n; i++) {
		uint32_t value = value_of(packets[i]);
		assert_int_equal(value, nic.next[(packets[i]->data_len - sizeof(packet)) / 10]++);
		if (!nic.keeps)
			continue;
		uint32_t slot = nic.at++ % DESCRIPTORS;
		let_go_of(slot);
		nic.kept[slot].packet = packets[i];
		nic.kept[slot].value = value;
		packets[i] = rte_pktmbuf_alloc(nic.others);
		assert_non_null(packets[i]);
	}
	return n;
}

/* Alternating streams, each with its own values: none is left out or repeated, whether the driver
 * frees a packet at once or holds it. */
static void live_streams_take_turns(void **state)
{
	(void)state;
	static uint8_t longer[80];
	struct ws_stream streams[3];
	for (uint32_t i = 0; i < 3; i++) {
		streams[i] = burst(1, counting(1000000));
		streams[i].id = i;
		streams[i].packet = longer;
		streams[i].packet_len = (uint16_t)(sizeof(packet) + 10 * i);
		streams[i].mode = WS_CONTINUOUS;
		streams[i].rate_pps = 3e6 / (i + 1);
	}
	nic.others = rte_pktmbuf_pool_create("others", 255, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	uint16_t id;
	expect(rte_eth_dev_get_port_by_name("net_null0", &id));
	const struct rte_eth_rxtx_callback *callback = rte_eth_add_tx_callback(id, 0, take_some, NULL);
	assert_non_null(callback);
	for (int keeps = 0; keeps < 2; keeps++) {
		nic.keeps = keeps;
		memset(nic.next, 0, sizeof(nic.next));
		start(NOTHING, streams, 3);
		struct generator_port *port = generator->ports[NOTHING].shares;
		for (int i = 0; i < 3; i++)
			assert_true(port->traffic->senders[i].renewed);
		while (nic.next[2] < 100000)
			if (!generator_transmit(port) && rand() % 16 == 0)
				let_go_of_all();
		let_go_of_all();
		assert_true(traffic_is_home(port->traffic));
		expect(ws_generator_stop_port(generator, NOTHING));
		assert_null(generator->stopped);
	}
	expect(rte_eth_remove_tx_callback(id, 0, callback));
	rte_mempool_free(nic.others);
}

static void references_come_home(void **state)
{
	(void)state;
	struct ws_stream streams[] = {burst(3000, counting(100)), burst(3000, NULL)};
	streams[1].id = 2;
	start(NOTHING, streams, 2);
	assert_null(generator->ports[NOTHING].shares->traffic->senders[0].program);
	struct ws_generator_port result = run(NOTHING);
	assert_int_equal(result.intended_packets, 6000);
	assert_int_equal(result.tx_bytes, result.tx_packets * 64);
	assert_null(generator->ports[NOTHING].shares->traffic); /* reading the counters cleaned up */
	assert_null(generator->stopped);
}

/* Preempted for longer than most_owed: packets beyond that are late at once. */
static void backlog_is_late(void **state)
{
	(void)state;
	struct ws_stream stream = burst(1, NULL);
	stream.mode = WS_CONTINUOUS;
	stream.rate_pps = 10e6;
	struct ws_generator_port before = counters(NOTHING);
	start(NOTHING, &stream, 1);
	usleep(45000);
	generator_transmit(generator->ports[NOTHING].shares);
	expect(ws_generator_stop_port(generator, NOTHING));
	struct ws_generator_port after = counters(NOTHING);
	assert_true(after.late_packets - before.late_packets >= 250000 - 64);
	assert_in_range(after.tx_packets - before.tx_packets, 0, 64);
	assert_int_equal(after.refused_packets, before.refused_packets);
}

/* Preempted for a few milliseconds: no packet is late, no burst follows, and in the end none is
 * missing. */
static void a_moment_away_is_made_up_for(void **state)
{
	(void)state;
	struct ws_stream stream = burst(1, NULL);
	stream.mode = WS_CONTINUOUS;
	stream.rate_pps = 10e3; /* the packets that may be caught up take 100 ms */
	struct generator_port *port = generator->ports[NOTHING].shares;
	struct ws_generator_port before = counters(NOTHING);
	start(NOTHING, &stream, 1);
	struct traffic *traffic = port->traffic;
	double away = (double)ws_tsc_hz() / 500, real_away = port->away;
	traffic->origin = port->looked = rte_rdtsc() - (uint64_t)away;
	assert_in_range(generator_transmit(port), 0, 1);
	assert_true(traffic->owed >= 0.9 * away); /* after two checks some was caught up */
	double owed = traffic->owed, looked = traffic->looked;
	generator_transmit(port);
	double since = traffic->looked - looked;
	assert_true(traffic->owed == (since > port->away ? owed + since : owed - since / 8));
	/* Real preemptions by other processes must not count. */
	port->away = INFINITY;
	while (traffic->owed > 0 || generator_transmit(port))
		generator_transmit(port);
	uint64_t due = (uint64_t)(traffic->looked / (double)ws_tsc_hz() * stream.rate_pps);
	port->away = real_away;
	expect(ws_generator_stop_port(generator, NOTHING));
	struct ws_generator_port after = counters(NOTHING);
	assert_in_range(after.intended_packets - before.intended_packets, due, due + 1);
	assert_int_equal(after.late_packets, before.late_packets);
}

/* Overdue packets that find the ring full are the tester's fault; punctual ones are not. */
static void overdue_packets_are_late_not_refused(void **state)
{
	(void)state;
	struct ws_stream stream = burst(1, NULL);
	stream.mode = WS_CONTINUOUS;
	stream.rate_pps = 1e6;
	struct generator_port *port = generator->ports[DEAD].shares;
	struct ws_generator_port before = counters(DEAD);
	start(DEAD, &stream, 1);
	port->traffic->looked =
		(double)ws_tsc_hz() / 2000; /* half a millisecond late, but not preempted */
	port->traffic->origin = rte_rdtsc() - ws_tsc_hz() / 2000;
	generator_transmit(port);
	struct ws_generator_port after = counters(DEAD);
	assert_in_range(after.late_packets - before.late_packets, 400, 100000);
	assert_in_range(after.refused_packets - before.refused_packets, 1, 101);
	expect(ws_generator_stop_port(generator, DEAD));
}

static void paused_port_sends_nothing(void **state)
{
	(void)state;
	struct ws_stream stream = burst(1, NULL);
	stream.mode = WS_CONTINUOUS;
	stream.rate_pps = 1e6;
	start(NOTHING, &stream, 1);
	const uint32_t profile = 0;
	assert_int_equal(ws_generator_pause(generator, NOTHING, &profile, 1, true), 1);
	uint64_t asked = counters(NOTHING).intended_packets;
	usleep(30000);
	assert_int_equal(generator_transmit(generator->ports[NOTHING].shares), 0);
	assert_int_equal(counters(NOTHING).intended_packets, asked);
	assert_true(counters(NOTHING).paused);
	assert_int_equal(ws_generator_pause(generator, NOTHING, &profile, 1, false), 1);
	generator_transmit(generator->ports[NOTHING].shares);
	assert_in_range(counters(NOTHING).intended_packets - asked, 1, 20000);
	expect(ws_generator_stop_port(generator, NOTHING));
}

/* Take all buffers but `left` out of the pool; returns their number. */
static uint32_t take_buffers(struct rte_mempool *pool, struct rte_mbuf **taken, uint32_t left)
{
	uint32_t count = 0;
	while (!rte_mempool_get(pool, (void **)&taken[count]))
		count++;
	assert_in_range(count, left, pool->size);
	for (; left; left--)
		rte_mempool_put(pool, taken[--count]);
	return count;
}

/* The ring is emptied now and then, so that a few buffers are freed. */
static void without_a_buffer_is_neither_refused_nor_late(void **state)
{
	(void)state;
	enum { LEFT = 200, BURSTS = 40 };
	struct generator_port *port = generator->ports[RING].shares;
	struct ws_stream stream = burst(0, counting(1000000));
	const struct ws_generator_port before = counters(RING);
	struct ws_generator_port now;
	stream.mode = WS_CONTINUOUS;
	stream.rate_pps = 1e7;
	start(RING, &stream, 1);
	struct rte_mbuf **taken = calloc(generator->fresh[0]->size, sizeof(*taken));
	uint32_t count = take_buffers(generator->fresh[0], taken, LEFT);
	uint64_t sent = 0;
	for (int i = 0; i < BURSTS; i++) {
		generator_transmit(port);
		now = counters(RING);
		assert_int_equal(now.intended_packets, now.tx_packets + now.refused_packets +
												   now.no_buffer_packets + now.late_packets);
		if (i % 10 == 9)
			for (struct rte_mbuf *received; port_receive(RING, 0, &received, 1);
				 rte_pktmbuf_free(received))
				sent++;
	}
	assert_int_equal(now.tx_packets - before.tx_packets, sent);
	assert_in_range(sent, LEFT / 2, 5 * LEFT);
	assert_true(now.no_buffer_packets > before.no_buffer_packets);
	assert_int_equal(now.refused_packets, before.refused_packets);
	rte_pktmbuf_free_bulk(taken, count);
	free(taken);
	assert_memory_is_home();
}

static void a_pushed_packet_without_a_buffer_is_counted_so(void **state)
{
	(void)state;
	struct generator_port *port = generator->ports[RING].shares;
	const struct ws_push push = {.packet = packet, .packet_len = sizeof(packet)};
	const struct ws_generator_port before = counters(RING);
	double patience = port->patience;
	expect(ws_generator_push(generator, RING, &push, 1));
	struct rte_mbuf **taken = calloc(generator->fresh[0]->size, sizeof(*taken));
	uint32_t count = take_buffers(generator->fresh[0], taken, 0);
	port->patience = -1;
	generator_transmit_pushed(port);
	port->patience = patience;
	const struct ws_generator_port now = counters(RING);
	assert_int_equal(now.no_buffer_packets - before.no_buffer_packets, 1);
	assert_int_equal(now.intended_packets - before.intended_packets, 1);
	assert_int_equal(now.refused_packets, before.refused_packets);
	rte_pktmbuf_free_bulk(taken, count);
	free(taken);
}

/* The driver reads a packet from the file and then finds no buffer for it. */
static void what_arrives_without_a_buffer_is_missed(void **state)
{
	(void)state;
	struct rte_mbuf **taken = calloc(ports_pool()->size, sizeof(*taken));
	uint32_t count = take_buffers(ports_pool(), taken, 5);
	for (int i = 0; i < 2 * FILE_PACKETS; i++)
		generator_receive(generator->ports[READER].shares);
	const struct ws_generator_port now = counters(READER);
	assert_int_equal(now.rx_missed + now.rx_packets, FILE_PACKETS);
	assert_in_range(now.rx_missed, 1, FILE_PACKETS - 5);
	rte_pktmbuf_free_bulk(taken, count);
	free(taken);
}

/* A memif takes packets that have no buffer out of the ring. */
static void what_a_memif_has_no_buffer_for_is_missed(void **state)
{
	(void)state;
	struct rte_mbuf *packets[FILE_PACKETS], **taken = calloc(ports_pool()->size, sizeof(*taken));
	for (int i = 0; i < 30000 && !(port_link_is_up(CLIENT) && port_link_is_up(SERVER)); i++)
		usleep(1000);
	expect(rte_pktmbuf_alloc_bulk(ports_pool(), packets, FILE_PACKETS));
	for (int i = 0; i < FILE_PACKETS; i++)
		memset(rte_pktmbuf_append(packets[i], sizeof(packet)), 0, sizeof(packet));
	assert_int_equal(port_transmit(CLIENT, 0, packets, FILE_PACKETS), FILE_PACKETS);
	uint32_t count = take_buffers(ports_pool(), taken, 0);
	generator_receive(generator->ports[SERVER].shares);
	assert_int_equal(counters(SERVER).rx_packets, 0);
	assert_int_equal(counters(SERVER).rx_missed, FILE_PACKETS);
	rte_pktmbuf_free_bulk(taken, count);
	free(taken);
}

static void pause_frames_are_unknown_where_none_are_counted(void **state)
{
	(void)state;
	assert_true(counters(RING).rx_pause_frames == UINT64_MAX);
	assert_true(counters(NOTHING).tx_pause_frames == UINT64_MAX);
}

static void write_packets(const char *path)
{
	const uint32_t header[] = {0xa1b2c3d4, 4 << 16 | 2, 0, 0, 65535, 1};
	const uint32_t record[] = {0, 0, sizeof(packet), sizeof(packet)};
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fwrite(header, sizeof(header), 1, file);
	for (int i = 0; i < FILE_PACKETS; i++) {
		fwrite(record, sizeof(record), 1, file);
		fwrite(packet, sizeof(packet), 1, file);
	}
	fclose(file);
}

static int open_rig(void **state)
{
	(void)state;
	cpu_set_t mine;
	struct ws_runtime_config config = {.memory_mb = 128, .worker_count = 1};
	struct ws_port_config ports[PORTS] = {0};
	char path[64];
	snprintf(config.program, sizeof(config.program), "transmit");
	sched_getaffinity(0, sizeof(mine), &mine);
	while (!CPU_ISSET(config.worker_cpus[0], &mine))
		config.worker_cpus[0]++;
	snprintf(ports[RING].devargs, WS_DEVARGS_LEN, "ring:loop");
	snprintf(ports[NOTHING].devargs, WS_DEVARGS_LEN, "net_null0,no-rx=1");
	snprintf(ports[DEAD].devargs, WS_DEVARGS_LEN, "memif:/tmp/wirespeed-test-%d.sock,role=server",
			 getpid());
	for (int i = CLIENT; i <= SERVER; i++)
		snprintf(ports[i].devargs, WS_DEVARGS_LEN,
				 "memif:/tmp/wirespeed-test-%d-pair.sock,role=%s,zero-copy=no", getpid(),
				 i == CLIENT ? "client" : "server");
	snprintf(path, sizeof(path), "/tmp/wirespeed-test-%d.pcap", getpid());
	write_packets(path);
	snprintf(ports[READER].devargs, WS_DEVARGS_LEN, "net_pcap0,rx_pcap=%s", path);
	for (int i = 0; i < PORTS; i++) {
		snprintf(ports[i].name, WS_NAME_LEN, "p%d", i);
		ports[i].rx_queues = ports[i].tx_queues = 1;
		ports[i].rx_descriptors = ports[i].tx_descriptors = DESCRIPTORS;
		ports[i].mtu = 1500;
	}
	expect(ws_runtime_init(&config));
	expect(ws_ports_open(ports, PORTS));
	unlink(path);
	generator = ws_generator_create(NULL);
	expect(generator ? 0 : -1);
	return 0;
}

static int close_rig(void **state)
{
	(void)state;
	ws_generator_destroy(generator);
	ws_runtime_close();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_ring_refuses),
		cmocka_unit_test(a_burst_is_sent_as_the_ring_takes_it),
		cmocka_unit_test(a_burst_is_whole_beside_others),
		cmocka_unit_test(a_burst_to_nobody_ends),
		cmocka_unit_test(refused_packets_leave_no_hole),
		cmocka_unit_test(refused_packets_do_not_pile_up),
		cmocka_unit_test(refused_references_are_taken_back),
		cmocka_unit_test(live_streams_take_turns),
		cmocka_unit_test(references_come_home),
		cmocka_unit_test(backlog_is_late),
		cmocka_unit_test(a_moment_away_is_made_up_for),
		cmocka_unit_test(overdue_packets_are_late_not_refused),
		cmocka_unit_test(paused_port_sends_nothing),
		cmocka_unit_test(without_a_buffer_is_neither_refused_nor_late),
		cmocka_unit_test(a_pushed_packet_without_a_buffer_is_counted_so),
		cmocka_unit_test(what_arrives_without_a_buffer_is_missed),
		cmocka_unit_test(what_a_memif_has_no_buffer_for_is_missed),
		cmocka_unit_test(pause_frames_are_unknown_where_none_are_counted),
	};
	return cmocka_run_group_tests(tests, open_rig, close_rig);
}
