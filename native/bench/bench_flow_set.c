/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of the flows of a flow set, compared with stateless traffic: TSC ticks per packet.
 *
 *     bench_flow_set [FLOWS]
 *
 * First reception without a port: frames in the cache, of FLOWS flows (default: 16 million), in the
 * order in which they were sent and in a random one. Then packets that one port sends and the other
 * receives, over a ring in the process, on the same worker: those of a stream with two counters,
 * and those of the set. Medians of rounds, the lowest of several passes; all rows take turns.
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

enum { PASSES = 5, ROUNDS = 101, BURSTS_A_ROUND = 64, MAX_ROWS = 20 };
enum { FRAME = 60, FLOWS = 16 << 20 };
enum { INITIATOR, RESPONDER };

static const char STATELESS[] = "64b, two counters (live)";

static struct row {
	char name[64];
	double ticks;
} rows[MAX_ROWS];
static int row, first_wired;
static uint32_t flows = FLOWS;
static struct ws_generator *generator;

/* Ethernet, IPv4, UDP. */
static const uint8_t template[FRAME] = {
	[12] = 8, [14] = 0x45, 0, 0, 46, 0, 0, 0, 0, 64, 17, [39] = 26,
};

static void note(const char *name, double *ticks)
{
	struct row *found = &rows[row++];
	double median = bench_quantile(ticks, ROUNDS, 0.5);
	snprintf(found->name, sizeof(found->name), "%s", name);
	if (!found->ticks || median < found->ticks)
		found->ticks = median;
}

static struct ws_flow_set wanted(void)
{
	return (struct ws_flow_set){
		.source = {10, 0, 0, 2},
		.destination = {198, 19, 0, 2},
		.sources = 1 + flows / (50000 * 100),
		.destinations = 1,
		.source_port = 1024,
		.source_ports = 50000,
		.destination_port = 1,
		.destination_ports = 100,
		.flows = flows,
		.seed = 1,
	};
}

/* ---- received, without a port */

static struct flow_share share = {.senders = 1, .ns_per_tick = 1};
static struct flow_tuples tuples;
static struct tuple_order shuffled;
static uint8_t frames[FLOW_BURST][FRAME];
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
		struct flow_tuple sent = flow_tuple_of(&tuples, share.table->sent[numbers[i]], false);
		struct flow_tuple tuple = share.responder ? sent : flow_tuple_back(&sent, false);
		flow_write(writer, frames[i], &tuple, numbers[i], next_number++, false);
		views[i] = (struct flow_view){frames[i], FRAME, FRAME};
	}
}

static void measure_received(const char *name, uint32_t phase, bool responder, bool in_order)
{
	static uint16_t generation;
	double ticks[ROUNDS];
	struct flow_writer writer;
	share.responder = responder;
	flow_share_begin(&share, phase, ++generation, 0);
	if (phase == WS_PHASE_LEARN)
		flow_table_begin(share.table, generation);
	bench_expect(flow_writer_make(&writer, 1, template, FRAME, false, false,
								  flow_mark_of(responder ? 0 : FLOW_OF_RESPONDER, generation)));
	for (int i = 0; i < FLOW_BURST; i++)
		memcpy(frames[i], template, FRAME);
	next_number = FLOW_FIRST_SEQUENCE;
	next_flow = flows / 3;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t spent = 0;
		for (int i = 0; i < BURSTS_A_ROUND; i++) {
			write_frames(&writer, in_order);
			uint64_t start = rte_rdtsc();
			flow_share_receive(&share, views, FLOW_BURST, 0);
			spent += rte_rdtsc() - start;
		}
		ticks[round] = (double)spent / (FLOW_BURST * BURSTS_A_ROUND);
	}
	note(name, ticks);
}

static void all_received(void)
{
	measure_received("learnt, in the order sent", WS_PHASE_LEARN, true, true);
	measure_received("learnt, in a random order", WS_PHASE_LEARN, true, false);
	measure_received("validated, in a random order", WS_PHASE_VALIDATE, false, false);
	measure_received("exchange, at the responder", WS_PHASE_EXCHANGE, true, false);
	measure_received("exchange, at the initiator", WS_PHASE_EXCHANGE, false, false);
}

/* ---- sent by one port, received by the other */

static void measure_wired(const char *name, uint16_t from, const struct ws_stream *streams,
						  uint32_t count)
{
	double ticks[ROUNDS];
	struct generator_port *sender = generator->ports[from].shares;
	struct generator_port *receiver = generator->ports[!from].shares;
	bench_expect(ws_generator_start(generator, from, 0, streams, count, 1, -1, 0, UINT64_MAX));
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

static void measure_stateless(const char *name, const struct ws_stream *streams, uint32_t count)
{
	if (strcmp(name, STATELESS) == 0)
		measure_wired(name, INITIATOR, streams, count);
}

static void measure_set(const char *name, uint16_t from, uint32_t order, double rate_pps)
{
	struct ws_stream stream = {
		.id = 1,
		.packet = template,
		.packet_len = FRAME,
		.enabled = true,
		.self_start = true,
		.rate_pps = rate_pps,
		.next_id = -1,
		.flow_kind = WS_FLOW_SET,
		.flow_id = order,
	};
	measure_wired(name, from, &stream, 1);
}

/* All flows are learnt, as fast as that goes. */
static void learn_all(void)
{
	struct generator_port *sender = generator->ports[INITIATOR].shares;
	struct generator_port *receiver = generator->ports[RESPONDER].shares;
	struct ws_stream stream = {
		.id = 1,
		.packet = template,
		.packet_len = FRAME,
		.enabled = true,
		.self_start = true,
		.mode = WS_SINGLE_BURST,
		.packets = flows,
		.rate_pps = 1e9,
		.next_id = -1,
		.flow_kind = WS_FLOW_SET,
	};
	bench_expect(ws_flow_set_begin(generator, INITIATOR, WS_PHASE_LEARN, 0));
	bench_expect(ws_generator_start(generator, INITIATOR, 0, &stream, 1, 1, -1, 0, UINT64_MAX));
	uint64_t start = rte_rdtsc();
	while (sender->traffic->active) {
		generator_transmit(sender);
		generator_receive(receiver);
	}
	while (generator_receive(receiver))
		;
	double learnt_s = (double)(rte_rdtsc() - start) / (double)rte_get_tsc_hz();
	ws_generator_stop_port(generator, INITIATOR);
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
	measure_set("64b, flow set, to the responder", INITIATOR, WS_FLOW_RANDOM, 1e9);
	measure_set("64b, flow set, to the initiator", RESPONDER, WS_FLOW_RANDOM, 1e9);
	bench_expect(ws_flow_set_begin(generator, INITIATOR, WS_PHASE_EXCHANGE, 1));
	measure_set("64b, the same, all latencies", RESPONDER, WS_FLOW_RANDOM, 1e9);
}

int main(int argc, char **argv)
{
	struct ws_port_config ports[2] = {0};
	flows = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : FLOWS;
	for (int i = 0; i < 2; i++) {
		snprintf(ports[i].name, sizeof(ports[i].name), "p%d", i);
		snprintf(ports[i].devargs, sizeof(ports[i].devargs), "ring:wire");
		ports[i].rx_queues = ports[i].tx_queues = 1;
		ports[i].rx_descriptors = ports[i].tx_descriptors = 1024;
		ports[i].mtu = 1500;
	}
	bench_start(0, 128);
	bench_expect(ws_ports_open(ports, 2));
	generator = ws_generator_create(NULL);
	bench_expect(generator ? 0 : -1);

	struct ws_flow_set set = wanted();
	bench_expect(flow_tuples_make(&set, &tuples));
	shuffled = tuple_order_make(flows, 2);
	share.tuples = &tuples;
	share.table = flow_table_create(&tuples, flows);
	share.received = calloc(1, sizeof(*share.received));
	share.delays = calloc(1, sizeof(*share.delays));
	bench_expect(share.table && share.received && share.delays ? 0 : -1);
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
	ws_generator_destroy(generator);
	ws_runtime_close();
	return 0;
}
