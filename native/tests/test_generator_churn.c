/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles are started, changed and stopped, flows counted and captures read while several workers
 * send and receive: test_generator_churn WORKERS CHANGES [SEED]. Afterwards all intended packets
 * are accounted for, and each wire has delivered the packets that it took.
 */
#include "tests/churn_packets.h"
#include "tests/churn_rig.h"
#include "wire/ip4.h"
#include "wire/tcp.h"
#include "wirespeed/flow_sets.h"
#include "wirespeed/push.h"
#include "wirespeed/runtime.h"

#include "dev/pool.h"
#include "dev/port.h"
#include "generator/control/generator.h"

#include <errno.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROFILES = 3, STREAMS = 5, FLOWS = 4, CAPTURED = 16 };

static struct ws_generator *generator;
static uint64_t row;

/* ---- Traffic ---- */

static const struct ws_op *counting(uint64_t values)
{
	static struct ws_op ops[2];
	ops[0] = (struct ws_op){.kind = WS_OP_VAR, .size = 4, .max = values - 1, .step = 1};
	ops[1] = (struct ws_op){.kind = WS_OP_WRITE, .size = 4, .big_endian = true, .offset = 44};
	return ops;
}

static void draw_streams(struct ws_stream *streams, struct frame *frame, uint32_t number)
{
	*frame = frame_udp(IP(16, 0, 0, 1), IP(48, 0, 0, 1), 60);
	for (uint32_t i = 0; i < STREAMS; i++) {
		bool is_burst = i == 1 && churn_draw(&row, 2);
		streams[i] = (struct ws_stream){
			.id = i,
			.packet = frame->bytes,
			.packet_len = (uint16_t)frame->length,
			.enabled = true,
			.self_start = i != 2,
			.mode = is_burst ? WS_SINGLE_BURST : WS_CONTINUOUS,
			.rate_pps = 1000 + churn_draw(&row, 5000),
			.packets = 50,
			.next_id = is_burst ? 2 : -1,
			.flow_kind = i == 3   ? WS_FLOW_STATS
						 : i == 4 ? WS_FLOW_LATENCY
								  : WS_FLOW_NONE,
			.flow_id = i < 3 ? 0 : number % FLOWS,
			.ops = i < 3 ? counting(i ? 100 : 1000000) : NULL,
			.op_count = i < 3 ? 2 : 0,
		};
	}
}

static void start(uint16_t port, uint32_t profile)
{
	struct ws_stream streams[STREAMS];
	struct frame frame;
	draw_streams(streams, &frame, port);
	int error = ws_generator_start(generator, port, profile, streams, STREAMS, 1,
								   churn_draw(&row, 2) ? 0.05 : -1, 0, UINT64_MAX);
	churn_expect(error == -EBUSY ? 0 : error, "start");
}

static void change(uint16_t port, uint32_t profile)
{
	const double factor = 0.5 + churn_draw(&row, 4) / 2.0;
	uint32_t stream = churn_draw(&row, STREAMS);
	bool on = churn_draw(&row, 2);
	churn_expect(ws_generator_pause(generator, port, &profile, 1, on), "pause");
	churn_expect(ws_generator_set_factors(generator, port, &profile, &factor, 1), "factor");
	/* Refused if the stream does not run. */
	ws_generator_pause_stream(generator, port, profile, stream, on);
	ws_generator_set_stream_factor(generator, port, profile, stream, factor);
	churn_expect(ws_generator_pause(generator, port, &profile, 1, false), "resume");
}

static void push(uint16_t port, uint32_t profile)
{
	const struct frame frame = churn_packet(&row, profile % CHURN_WIRES);
	const struct ws_push packets[] = {
		{.packet = frame.bytes, .packet_len = (uint16_t)frame.length},
		{.packet = frame.bytes, .packet_len = (uint16_t)frame.length, .at_us = 100},
	};
	int error = ws_generator_push(generator, port, packets, 2);
	churn_expect(error == -EBUSY ? 0 : error, "push");
	churn_expect(ws_generator_push_left(generator, port), "left to push");
}

static void stop(uint16_t port, uint32_t profile)
{
	churn_expect(churn_draw(&row, 4) ? ws_generator_stop(generator, port, &profile, 1)
									 : ws_generator_stop_port(generator, port),
				 "stop");
}

/* ---- Reads ---- */

static void capture(uint16_t port, uint32_t profile)
{
	static int32_t number = -1;
	static uint8_t bytes[CAPTURED * 2048];
	struct ws_captured captured[CAPTURED];
	const struct ws_capture_config config = {
		.tx_ports = 1u << port,
		.rx_ports = UINT32_MAX >> (32 - CHURN_PORTS),
		.slots = 64,
		.snap_len = profile ? 0 : 80,
		.what = profile == 1 ? WS_CAPTURE_CONTROL : WS_CAPTURE_ALL,
	};
	if (number < 0) {
		number = ws_generator_capture_start(generator, &config);
		churn_expect(number, "capture");
		return;
	}
	for (int i = 0; i < 8; i++)
		churn_expect(
			ws_generator_capture_read(generator, number, captured, CAPTURED, bytes, sizeof(bytes)),
			"captured");
	churn_expect(ws_generator_capture_missed(generator, number), "missed");
	if (churn_draw(&row, 2))
		return;
	churn_expect(ws_generator_capture_stop(generator, number), "end of a capture");
	number = -1;
}

static void flows(uint16_t port, uint32_t profile)
{
	static struct ws_latency latency[FLOWS];
	static struct ws_flow seen[FLOWS * CHURN_PORTS];
	const uint32_t ids[FLOWS] = {0, 1, 2, 3};
	struct ws_flow_faults faults;
	uint64_t tsc;
	churn_expect(ws_generator_flows(generator, WS_FLOW_STATS, ids, FLOWS, seen, &tsc), "flows");
	churn_expect(ws_generator_flows(generator, WS_FLOW_LATENCY, ids, FLOWS, seen, &tsc), "flows");
	churn_expect(ws_generator_latency(generator, ids, FLOWS, latency), "latency");
	churn_expect(ws_generator_flow_faults(generator, &faults), "faults");
	if (port % 4 == 0)
		churn_expect(ws_generator_reset_flows(generator, profile ? WS_FLOW_LATENCY : WS_FLOW_STATS,
											  ids, FLOWS),
					 "reset");
}

/* Turn a datagram into a segment of any kind; those of a handshake have no data. */
static void draw_segment(struct frame *frame)
{
	static const uint8_t flags[] = {TCP_SYN, TCP_SYN | TCP_ACK, TCP_ACK, TCP_PSH | TCP_ACK};
	uint8_t *ip = frame->bytes + 14, *tcp = ip + 20, kind = flags[churn_draw(&row, 4)];
	ip[IP4_PROTOCOL_AT] = IP4_TCP;
	if (!(kind & TCP_PSH))
		ip[IP4_TOTAL_LENGTH_AT + 1] = 20 + TCP_LEN;
	memset(tcp, 0, TCP_LEN);
	tcp[TCP_OFFSET_AT] = TCP_LEN / 4 << 4;
	tcp[TCP_FLAGS_AT] = kind;
	memcpy(tcp + TCP_WINDOW_AT, (uint8_t[]){0xff, 0x5d}, 2);
}

/* Steps come in any order: those that need another one first are refused. */
static void flow_set(uint16_t port, uint32_t profile)
{
	static struct ws_flow_counts counts;
	struct frame frame = frame_udp(IP(10, 0, 0, 2), IP(198, 19, 0, 2), 80);
	uint16_t initiator = port % CHURN_FAR, responder = (uint16_t)(initiator + CHURN_FAR);
	struct ws_flow_learnt learnt;
	uint8_t sent[36], seen[36];
	if (port == CHURN_SHM || port == CHURN_SHM_FAR) {
		initiator = CHURN_SHM;
		responder = CHURN_SHM_FAR;
	}
	bool tcp = churn_draw(&row, 2);
	if (tcp)
		draw_segment(&frame);
	const struct ws_flow_set set = {
		.tcp = tcp,
		.source = {10, 0, 0, 2},
		.destination = {198, 19, 0, 2},
		.sources = 2,
		.destinations = 2,
		.source_port = 1024,
		.source_ports = 100,
		.destination_port = 1,
		.destination_ports = 3,
		.flows = 1000,
	};
	const struct ws_stream stream = {
		.packet = frame.bytes,
		.packet_len = (uint16_t)frame.length,
		.enabled = true,
		.self_start = true,
		.mode = churn_draw(&row, 2) ? WS_SINGLE_BURST : WS_CONTINUOUS,
		.rate_pps = 20000,
		.packets = 1000,
		.next_id = -1,
		.flow_kind = WS_FLOW_SET,
		.flow_id = churn_draw(&row, 3),
	};
	switch (churn_draw(&row, 10)) {
	case 0:
		ws_flow_set_open(generator, initiator, responder, &set);
		break;
	case 1:
		ws_flow_set_close(generator, initiator);
		break;
	case 2:
	case 3:
		ws_flow_set_begin(generator, initiator, 1 + churn_draw(&row, 3), profile);
		break;
	case 4:
	case 5:
		ws_generator_start(generator, initiator, PROFILES, &stream, 1, 1, -1, 0, UINT64_MAX);
		break;
	case 6:
		ws_generator_start(generator, responder, PROFILES, &stream, 1, 1, -1, 0, UINT64_MAX);
		break;
	case 7:
		ws_generator_stop_port(generator, initiator);
		ws_generator_stop_port(generator, responder);
		break;
	case 8:
		ws_flow_set_end(generator, initiator);
		break;
	default:
		ws_flow_set_counts(generator, initiator, profile, &counts);
		ws_flow_set_learnt(generator, initiator, &learnt);
		ws_flow_set_tuple(generator, initiator, churn_draw(&row, 1000), sent, seen);
	}
}

static void counters(uint16_t port, uint32_t profile)
{
	struct ws_generator_port ports[CHURN_PORTS];
	struct ws_generator_worker workers[WS_MAX_WORKERS];
	struct ws_profile_state profiles[PROFILES];
	struct ws_worker_info info;
	struct ws_pool_info pool;
	uint64_t tsc;
	(void)profile;
	churn_expect(ws_generator_counters(generator, ports, workers, &tsc), "counters");
	churn_expect(ws_generator_profiles(generator, port, profiles, PROFILES), "profiles");
	churn_expect(ws_worker_info(0, &info), "worker");
	churn_expect(ws_pool_info(0, &pool), "pool");
	ws_generator_follow_links(generator);
}

/* ---- */

static void make(uint16_t workers)
{
	uint64_t of_ports[CHURN_PORTS];
	for (uint16_t i = 0; i < CHURN_PORTS; i++) {
		of_ports[i] = 1ULL << i % workers;
		if (i >= CHURN_SHM)
			of_ports[i] |= 1ULL << (i + 1) % workers;
	}
	generator = ws_generator_create(of_ports);
	churn_expect(generator ? 0 : -1, "generator");
	churn_expect(ws_generator_start_workers(generator), "workers");
}

static void churn(uint32_t count)
{
	static void (*const changes[])(uint16_t port, uint32_t profile) = {
		start, start, start, change, push, stop, capture, flows, flow_set, flow_set, counters,
	};
	for (uint32_t i = 0; i < count; i++) {
		uint16_t port = (uint16_t)churn_draw(&row, CHURN_PORTS);
		changes[churn_draw(&row, RTE_DIM(changes))](port, churn_draw(&row, PROFILES));
		if (i % 8 == 0)
			usleep(1000);
	}
}

/* Wait until packets in flight have arrived. */
static void read_at_rest(struct ws_generator_port *ports)
{
	struct ws_generator_port before[CHURN_PORTS];
	uint64_t tsc;
	do {
		ws_generator_counters(generator, before, NULL, &tsc);
		usleep(50000);
		ws_generator_counters(generator, ports, NULL, &tsc);
	} while (memcmp(before, ports, sizeof(before)) != 0);
}

static int check(void)
{
	struct ws_generator_port ports[CHURN_PORTS];
	int failed = 0;
	for (uint16_t i = 0; i < CHURN_PORTS; i++) {
		churn_expect(ws_generator_stop_port(generator, i), "stop");
		while (ws_generator_push_left(generator, i) > 0)
			usleep(1000);
	}
	read_at_rest(ports);
	for (uint16_t i = 0; i < CHURN_PORTS; i++) {
		const struct ws_generator_port *port = &ports[i];
		uint16_t other = i < CHURN_FAR    ? i + CHURN_FAR
						 : i < CHURN_NONE ? i - CHURN_FAR
						 : i == CHURN_SHM ? CHURN_SHM_FAR
										  : CHURN_SHM;
		uint64_t out =
			port->tx_packets + port->refused_packets + port->no_buffer_packets + port->late_packets;
		bool is_lost =
			i != CHURN_NONE && ports[other].rx_packets + ports[other].rx_missed != port->tx_packets;
		printf("%s: %lu sent, %lu received\n", port_name(i), port->tx_packets, port->rx_packets);
		if (port->intended_packets != out || is_lost || !port->tx_packets) {
			fprintf(stderr, "%s: %lu asked, %lu accounted for, %lu sent, %lu came\n", port_name(i),
					port->intended_packets, out, port->tx_packets, ports[other].rx_packets);
			failed = 1;
		}
	}
	return failed;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: %s WORKERS CHANGES [SEED]\n", argv[0]);
		return 2;
	}
	row = argc > 3 ? (uint64_t)atoll(argv[3]) : 1;
	churn_open((uint16_t)atoi(argv[1]), false);
	make((uint16_t)atoi(argv[1]));
	for (uint16_t port = 0; port < CHURN_PORTS; port++)
		start(port, 0);
	churn((uint32_t)atoi(argv[2]));
	int failed = check();
	ws_generator_destroy(generator);
	uint32_t left = rte_mempool_in_use_count(ports_pool());
	if (left)
		fprintf(stderr, "%u buffers stay behind\n", left);
	churn_close();
	return failed || left;
}
