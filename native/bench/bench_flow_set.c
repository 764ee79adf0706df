/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of the flows of a flow set, compared with stateless traffic: TSC ticks per packet.
 *
 *     bench_flow_set [FLOWS [tcp]]
 *
 * First reception without a port: frames in the cache, of FLOWS flows (default: 16 million), in the
 * order in which they were sent and in a random one. Then packets that one port sends and the other
 * receives, over a ring in the process, on the same worker: those of a stream with two counters,
 * between ports without a set, and those of the set, which are of 64 bytes, over TCP of 74. Medians
 * of rounds, the lowest of several passes; all rows take turns.
 */
#include "bench/bench_setup.h"
#include "bench/generator_loads.h"
#include "generator/control/generator.h"
#include "generator/flow_set/flow_share.h"
#include "generator/receive/receive.h"
#include "generator/traffic/traffic.h"
#include "generator/traffic/transmit.h"
#include "wirespeed/flow_sets.h"
#include "wirespeed/ports.h"

#include <rte_cycles.h>
#include <stdlib.h>
#include <string.h>

enum { PASSES = 5, ROUNDS = 101, BURSTS_A_ROUND = 64, MAX_ROWS = 20, IDLE_ROUNDS = 1000 };
enum { FRAME = 60, MOST_FRAME = 70, OPTIONS = 8, FLOWS = 16 << 20 };
enum { INITIATOR, RESPONDER, PLAIN, PORTS = 4 };
enum { HANDSHAKE = WS_FLOW_ANSWER }; /* number of the profile that answers */

static struct row {
	char name[64];
	double ticks;
} rows[MAX_ROWS];
static int row, first_wired;
static uint32_t flows = FLOWS;
static bool tcp;
static struct ws_generator *generator;

/* Ethernet, IPv4, UDP. */
static const uint8_t datagram[FRAME] = {
	[12] = 8, [14] = 0x45, 0, 0, 46, 0, 0, 0, 0, 64, 17, [39] = 26,
};

struct packet {
	uint8_t bytes[MOST_FRAME];
	uint16_t length;
};

/* A datagram, or a segment: a handshake's is without data. */
static struct packet packet_of(enum flow_kind kind)
{
	bool is_syn = kind == FLOW_SYN || kind == FLOW_SYN_ACK;
	uint8_t header = TCP_LEN + (is_syn ? OPTIONS : 0);
	uint8_t length = IP4_LEN + header + (kind == FLOW_DATA ? WS_FLOW_SET_PAYLOAD : 0);
	static const uint8_t flags[] = {
		[FLOW_SYN] = TCP_SYN,
		[FLOW_SYN_ACK] = TCP_SYN | TCP_ACK,
		[FLOW_ACK] = TCP_ACK,
		[FLOW_DATA] = TCP_PSH | TCP_ACK,
	};
	struct packet packet = {.length = FRAME};
	memcpy(packet.bytes, datagram, FRAME);
	if (kind == FLOW_DATAGRAM)
		return packet;
	packet.length = ETHERNET_LEN + length;
	packet.bytes[17] = length;
	packet.bytes[23] = IP4_TCP;
	uint8_t *segment = packet.bytes + ETHERNET_LEN + IP4_LEN;
	memset(segment, 0, MOST_FRAME - ETHERNET_LEN - IP4_LEN);
	segment[TCP_OFFSET_AT] = (uint8_t)(header / 4 << 4);
	segment[TCP_FLAGS_AT] = flags[kind];
	segment[TCP_WINDOW_AT] = FLOW_WINDOW >> 8;
	segment[TCP_WINDOW_AT + 1] = FLOW_WINDOW & 0xff;
	if (is_syn)
		memcpy(segment + TCP_LEN, (uint8_t[]){2, 4, 5, 180, 1, 3, 3, FLOW_WINDOW_SCALE}, OPTIONS);
	return packet;
}

static void note(const char *name, double *ticks)
{
	struct row *found = &rows[row++];
	double median = bench_quantile(ticks, ROUNDS, 0.5);
	snprintf(found->name, sizeof(found->name), "%s", name);
	if (!found->ticks || median < found->ticks)
		found->ticks = median;
}

/* ---- received, without a port */

static struct flow_share share = {.senders = 1, .ns_per_tick = 1};
static struct flow_tuples tuples;
static struct tuple_order shuffled;
static struct packet frames[FLOW_BURST];
static struct flow_view views[FLOW_BURST];
static uint32_t next_flow, next_number;

/* Frames of the next flows; answers to them if they go to the initiator. */
static void write_frames(const struct flow_writer *writer, bool in_order)
{
	uint32_t numbers[FLOW_BURST];
	for (int i = 0; i < FLOW_BURST; i++) {
		numbers[i] = in_order ? next_flow : (uint32_t)tuple_order_at(&shuffled, next_flow);
		next_flow = next_flow + 1 == flows ? 0 : next_flow + 1;
	}
	for (int i = 0; i < FLOW_BURST; i++) {
		struct flow_digits digits = flow_table_digits(share.table, &tuples, numbers[i]);
		struct flow_tuple sent = flow_tuple_of(&tuples, digits, false);
		struct flow_tuple tuple = share.responder ? sent : flow_tuple_back(&sent, false);
		uint8_t *bytes = frames[i].bytes;
		if (tcp) {
			uint32_t seq = flow_first_number(share.table, numbers[i], !share.responder);
			uint32_t ack = flow_first_number(share.table, numbers[i], share.responder) + 1;
			seq += writer->kind == FLOW_ACK || writer->kind == FLOW_DATA;
			flow_segment_write(writer, bytes, &tuple, seq, ack, numbers[i], next_number++, false);
		} else {
			flow_write(writer, bytes, &tuple, numbers[i], next_number++, false);
		}
		views[i] = (struct flow_view){bytes, frames[i].length, frames[i].length};
	}
}

/* ACKs are of the flows whose SYNs the row before had. */
static void measure_received(const char *name, uint32_t phase, bool responder, bool in_order,
							 enum flow_kind kind)
{
	static uint16_t generation;
	double ticks[ROUNDS];
	struct flow_writer writer;
	struct packet packet = packet_of(kind);
	share.responder = responder;
	generation += kind != FLOW_ACK;
	flow_share_begin(&share, phase, generation, 0);
	if (phase == WS_PHASE_LEARN && kind != FLOW_ACK)
		flow_table_begin(share.table, generation);
	bench_expect(flow_writer_make(&writer, 1, packet.bytes, packet.length, false, tcp,
								  flow_mark_of(responder ? 0 : FLOW_OF_RESPONDER, generation)));
	for (int i = 0; i < FLOW_BURST; i++)
		frames[i] = packet;
	next_number = FLOW_FIRST_SEQUENCE;
	next_flow = flows / 3;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t spent = 0;
		for (int i = 0; i < BURSTS_A_ROUND; i++) {
			write_frames(&writer, in_order);
			uint64_t start = rte_rdtsc();
			flow_share_receive(&share, views, FLOW_BURST, 0);
			spent += rte_rdtsc() - start;
			share.answers.head = share.answers.tail;
		}
		ticks[round] = (double)spent / (FLOW_BURST * BURSTS_A_ROUND);
	}
	note(name, ticks);
}

static void all_received(void)
{
	enum flow_kind first = tcp ? FLOW_SYN : FLOW_DATAGRAM, data = tcp ? FLOW_DATA : FLOW_DATAGRAM;
	measure_received("learnt, in the order sent", WS_PHASE_LEARN, true, true, first);
	if (tcp)
		measure_received("SYN-ACK, in a random order", WS_PHASE_LEARN, false, false, FLOW_SYN_ACK);
	measure_received("learnt, in a random order", WS_PHASE_LEARN, true, false, first);
	if (tcp)
		measure_received("ACK, in a random order", WS_PHASE_LEARN, true, false, FLOW_ACK);
	measure_received("validated, in a random order", WS_PHASE_VALIDATE, false, false, data);
	measure_received("exchange, at the responder", WS_PHASE_EXCHANGE, true, false, data);
	measure_received("exchange, at the initiator", WS_PHASE_EXCHANGE, false, false, data);
}

/* ---- sent by one port, received by the other */

/* Its streams have been started. */
static void measure_wired(const char *name, uint16_t from)
{
	double ticks[ROUNDS];
	struct generator_port *sender = generator->ports[from].shares;
	struct generator_port *receiver = generator->ports[from ^ 1].shares;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t sent = 0, start = rte_rdtsc();
		for (int i = 0; i < BURSTS_A_ROUND; i++) {
			sent += generator_transmit(sender);
			generator_receive(receiver);
		}
		ticks[round] = (double)(rte_rdtsc() - start) / (double)(sent ? sent : 1);
	}
	ws_generator_stop_port(generator, from);
	while (generator_receive(receiver))
		;
	note(name, ticks);
}

static void start_set(uint16_t port, uint32_t profile, uint32_t order, enum flow_kind kind,
					  uint64_t packets)
{
	struct packet packet = packet_of(kind);
	struct ws_stream stream = {
		.id = 1,
		.packet = packet.bytes,
		.packet_len = packet.length,
		.enabled = true,
		.self_start = true,
		.mode = packets ? WS_SINGLE_BURST : WS_CONTINUOUS,
		.packets = packets,
		.rate_pps = 1e9,
		.next_id = -1,
		.flow_kind = WS_FLOW_SET,
		.flow_id = order,
	};
	bench_expect(ws_generator_start(generator, port, profile, &stream, 1, 1, -1, 0, UINT64_MAX));
}

static void measure_stateless(const char *name, const struct ws_stream *streams, uint32_t count)
{
	if (strcmp(name, STATELESS) != 0)
		return;
	bench_expect(ws_generator_start(generator, PLAIN, 0, streams, count, 1, -1, 0, UINT64_MAX));
	measure_wired(name, PLAIN);
}

static void measure_set(const char *name, uint16_t from)
{
	start_set(from, 0, WS_FLOW_RANDOM, tcp ? FLOW_DATA : FLOW_DATAGRAM, 0);
	measure_wired(name, from);
}

/* All flows are learnt, over TCP by their handshakes, as fast as that goes. */
static void learn_all(void)
{
	struct generator_port *initiator = generator->ports[INITIATOR].shares;
	struct generator_port *responder = generator->ports[RESPONDER].shares;
	bench_expect(ws_flow_set_begin(generator, INITIATOR, WS_PHASE_LEARN, 0));
	if (tcp) {
		start_set(RESPONDER, HANDSHAKE, WS_FLOW_ANSWER, FLOW_SYN_ACK, flows);
		start_set(INITIATOR, HANDSHAKE, WS_FLOW_ANSWER, FLOW_ACK, flows);
	}
	start_set(INITIATOR, 0, WS_FLOW_EACH, tcp ? FLOW_SYN : FLOW_DATAGRAM, flows);
	uint64_t start = rte_rdtsc();
	for (int idle = 0; idle < IDLE_ROUNDS; idle++) {
		uint32_t passed = generator_transmit(initiator) + generator_receive(responder);
		if (tcp) /* an ACK beside each SYN */
			passed += generator_receive(responder) + generator_transmit(responder) +
					  generator_receive(initiator);
		if (passed)
			idle = 0;
	}
	double learnt_s = (double)(rte_rdtsc() - start) / (double)rte_get_tsc_hz();
	ws_generator_stop_port(generator, INITIATOR);
	ws_generator_stop_port(generator, RESPONDER);
	start = rte_rdtsc();
	bench_expect(ws_flow_set_end(generator, INITIATOR));
	double compared_s = (double)(rte_rdtsc() - start) / (double)rte_get_tsc_hz();
	struct ws_flow_learnt learnt;
	bench_expect(ws_flow_set_learnt(generator, INITIATOR, &learnt));
	printf("%lu flows sent and learnt in %.2f s by one worker: %.2f million a second; compared in "
		   "%.2f s\n",
		   (unsigned long)learnt.flows, learnt_s, (double)learnt.flows / learnt_s / 1e6,
		   compared_s);
}

static void all_wired(void)
{
	first_wired = row;
	loads_64b(measure_stateless);
	bench_expect(ws_flow_set_begin(generator, INITIATOR, WS_PHASE_EXCHANGE, 0));
	measure_set("flow set, to the responder", INITIATOR);
	measure_set("flow set, to the initiator", RESPONDER);
	bench_expect(ws_flow_set_begin(generator, INITIATOR, WS_PHASE_EXCHANGE, 1));
	measure_set("the same, all latencies", RESPONDER);
}

int main(int argc, char **argv)
{
	struct ws_port_config ports[PORTS] = {0};
	flows = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : FLOWS;
	tcp = argc > 2 && strcmp(argv[2], "tcp") == 0;
	for (int i = 0; i < PORTS; i++) {
		snprintf(ports[i].name, sizeof(ports[i].name), "p%d", i);
		snprintf(ports[i].devargs, sizeof(ports[i].devargs), "ring:wire%d", i / 2);
		ports[i].rx_queues = ports[i].tx_queues = 1;
		ports[i].rx_descriptors = ports[i].tx_descriptors = 1024;
		ports[i].mtu = 1500;
	}
	bench_start(0, 128);
	bench_expect(ws_ports_open(ports, PORTS));
	generator = ws_generator_create(NULL);
	bench_expect(generator ? 0 : -1);

	struct ws_flow_set set = flow_set_of(flows, tcp);
	bench_expect(flow_tuples_make(&set, &tuples));
	shuffled = tuple_order_make(flows, 2);
	share.tuples = &tuples;
	share.table = flow_table_create(&tuples, flows);
	share.received = calloc(1, sizeof(*share.received));
	share.delays = calloc(1, sizeof(*share.delays));
	share.answers.flows = calloc(FLOW_QUEUE, sizeof(uint32_t));
	bench_expect(share.table && share.received && share.delays && share.answers.flows ? 0 : -1);
	bench_expect(ws_flow_set_open(generator, INITIATOR, RESPONDER, &set));
	learn_all();
	for (int pass = 0; pass < PASSES; pass++) {
		row = 0;
		all_received();
		all_wired();
	}
	for (int i = 0; i < first_wired; i++)
		printf("%-32s %6.1f ticks per packet, %5.1f million a second\n", rows[i].name,
			   rows[i].ticks, (double)rte_get_tsc_hz() / rows[i].ticks / 1e6);
	for (int i = first_wired; i < row; i++)
		printf("%-32s %6.1f ticks per packet, %4.2f of the stateless rate\n", rows[i].name,
			   rows[i].ticks, rows[first_wired].ticks / rows[i].ticks);
	flow_table_free(share.table);
	free(share.received);
	free(share.delays);
	free(share.answers.flows);
	ws_generator_destroy(generator);
	ws_runtime_close();
	return 0;
}
