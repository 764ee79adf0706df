/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of sending a packet with the generator, without a medium: TSC ticks by kind of stream.
 *
 *     bench_generator
 *     bench_generator --once PACKETS --load NAME
 *
 * The real transmit path into net_null, including the driver's work of freeing the packets. Medians
 * of rounds, the lowest of several passes, since a shared machine has slow phases. --once sends
 * PACKETS of one kind, or receives them, and measures nothing: for counts of instructions.
 */
#include "bench/bench_setup.h"
#include "bench/generator_loads.h"
#include "generator/control/generator.h"
#include "generator/observe/flow_wire.h"
#include "generator/receive/flow_meter.h"
#include "generator/traffic/transmit.h"
#include "wirespeed/ports.h"

#include <getopt.h>
#include <rte_cycles.h>
#include <stdlib.h>
#include <string.h>

enum { RX_BURST = 64 };
enum { PASSES = 7, ROUNDS = 101, BURSTS_A_ROUND = 64, MAX_ROWS = 20 };
enum { ONCE_MARCH = 3 /* the highest level that valgrind emulates */ };

static const char RECEIVED[] = "64b, signature, received";

static struct row {
	char name[64];
	double ticks;
} rows[MAX_ROWS];
static int row; /* the next one of this pass */
static struct ws_generator *generator;
static const char *only_load; /* the stream of --once */
static uint64_t once;

/* A function of its own, so that callgrind can be told to count only its calls. */
static __attribute__((noinline)) uint64_t bench_send(uint64_t packets)
{
	uint64_t sent = 0;
	while (sent < packets)
		sent += generator_transmit(generator->ports[0].shares);
	return sent;
}

/* The first packets are not counted: they fill caches and circles. */
static void send_once(const char *name, const struct ws_stream *streams, uint32_t count)
{
	if (strcmp(name, only_load) != 0)
		return;
	bench_expect(ws_generator_start(generator, 0, 0, streams, count, 1, -1, 0, UINT64_MAX));
	for (int i = 0; i < BURSTS_A_ROUND; i++)
		generator_transmit(generator->ports[0].shares);
	CALLGRIND_START_INSTRUMENTATION;
	row = bench_send(once) > 0;
	CALLGRIND_STOP_INSTRUMENTATION;
	ws_generator_stop_port(generator, 0);
}

/* A function of its own, like bench_send. */
static __attribute__((noinline)) void bench_take(struct flow_packet *seen)
{
	const struct generator_port *share = generator->ports[0].shares;
	for (int i = 0; i < RX_BURST; i++)
		flow_meter_count(generator->workers[0].watch.meter, share->flows, &seen[i], 1000);
}

/* Inspect packets with a signature as a receiver does, one after the other. */
static void take_once(void)
{
	static uint8_t frames[RX_BURST][60];
	struct flow_packet seen[RX_BURST];
	struct flow_meter *meter = generator->workers[0].watch.meter;
	bench_expect(flow_meter_reserve(meter, 1, 0) ? 0 : -1);
	CALLGRIND_START_INSTRUMENTATION;
	for (uint64_t number = 0; number < once; number += RX_BURST) {
		for (uint32_t i = 0; i < RX_BURST; i++) {
			uint32_t sequence = FLOW_FIRST_SEQUENCE + (uint32_t)number + i;
			struct flow_tail tail = {FLOW_MAGIC_SIGNATURE, 0, 0, sequence,
									 flow_signature(0, sequence)};
			flow_put_tail(frames[i] + sizeof(frames[i]) - FLOW_TAIL_LEN, &tail);
			seen[i] = (struct flow_packet){
				.head = frames[i],
				.tail = frames[i] + sizeof(frames[i]) - FLOW_TAIL_LEN,
				.head_len = sizeof(frames[i]),
				.bytes = 64,
			};
		}
		bench_take(seen);
	}
	CALLGRIND_STOP_INSTRUMENTATION;
	row = 1;
}

static void all_loads(load_fn *measure)
{
	loads_64b(measure);
	loads_imix(measure);
	loads_signed(measure);
	loads_many(measure);
}

static void parse_options(int argc, char **argv)
{
	static const struct option known[] = {
		{"once", required_argument, NULL, 'o'}, {"load", required_argument, NULL, 'l'}, {0}};
	for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
		if (option == 'o')
			once = strtoull(optarg, NULL, 10);
		else if (option == 'l')
			only_load = optarg;
		else
			exit(2);
	}
	if (!once == !only_load)
		return;
	fprintf(stderr, "--once and --load go together\n");
	exit(2);
}

static void measure(const char *name, const struct ws_stream *streams, uint32_t count)
{
	double ticks[ROUNDS];
	bench_expect(ws_generator_start(generator, 0, 0, streams, count, 1, -1, 0, UINT64_MAX));
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t sent = 0, start = rte_rdtsc();
		for (int i = 0; i < BURSTS_A_ROUND; i++)
			sent += generator_transmit(generator->ports[0].shares);
		ticks[round] = (double)(rte_rdtsc() - start) / (double)(sent ? sent : 1);
	}
	ws_generator_stop_port(generator, 0);
	struct row *found = &rows[row++];
	double median = bench_quantile(ticks, ROUNDS, 0.5);
	snprintf(found->name, sizeof(found->name), "%s", name);
	if (!found->ticks || median < found->ticks)
		found->ticks = median;
}

int main(int argc, char **argv)
{
	struct ws_port_config port = {
		.name = "p0",
		.devargs = "net_null0,no-rx=1",
		.rx_queues = 1,
		.tx_queues = 1,
		.rx_descriptors = 1024,
		.tx_descriptors = 1024,
		.mtu = 1500,
	};
	parse_options(argc, argv);
	bench_start(once ? ONCE_MARCH : 0, 128);
	bench_expect(ws_ports_open(&port, 1));
	generator = ws_generator_create(NULL);
	bench_expect(generator ? 0 : -1);

	if (once) {
		if (strcmp(only_load, RECEIVED) == 0)
			take_once();
		else
			all_loads(send_once);
		if (!row)
			fprintf(stderr, "there is no load '%s'\n", only_load);
		return row ? 0 : 2;
	}
	for (int pass = 0; pass < PASSES; pass++) {
		row = 0;
		all_loads(measure);
	}
	for (int i = 0; i < row; i++)
		printf("%-32s %6.1f ticks per packet, %4.2f of the first one's rate\n", rows[i].name,
			   rows[i].ticks, rows[0].ticks / rows[i].ticks);
	ws_generator_destroy(generator);
	ws_runtime_close();
	return 0;
}
