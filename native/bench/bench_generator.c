/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a packet costs the generator to send, without a medium: TSC ticks by kind of stream.
 *
 *     bench_generator
 *
 * The real transmit path into net_null. The driver's own share, freeing the packets, is in it.
 * Medians of rounds, the lowest of several passes: a machine that is shared has times at which all
 * of it is slower.
 */
#include "bench/bench_setup.h"
#include "bench/generator_loads.h"
#include "generator/generator.h"

#include <rte_cycles.h>
#include <string.h>

enum { PASSES = 7, ROUNDS = 101, BURSTS_A_ROUND = 64, MAX_ROWS = 16 };

static struct row {
	char name[64];
	double ticks;
} rows[MAX_ROWS];
static int row; /* the next one of this pass */
static struct ws_generator *generator;

static void measure(const char *name, const struct ws_stream *streams, uint32_t count)
{
	double ticks[ROUNDS];
	bench_expect(ws_generator_start(generator, 0, 0, streams, count, 1, -1, 0));
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t sent = 0, start = rte_rdtsc();
		for (int i = 0; i < BURSTS_A_ROUND; i++)
			sent += generator_transmit(&generator->ports[0]);
		ticks[round] = (double)(rte_rdtsc() - start) / (double)(sent ? sent : 1);
	}
	ws_generator_stop_port(generator, 0);
	struct row *found = &rows[row++];
	double median = bench_quantile(ticks, ROUNDS, 0.5);
	snprintf(found->name, sizeof(found->name), "%s", name);
	if (!found->ticks || median < found->ticks)
		found->ticks = median;
}

int main(void)
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
	bench_start(0, 128);
	bench_expect(ws_ports_open(&port, 1));
	generator = ws_generator_create();
	bench_expect(generator ? 0 : -1);

	for (int pass = 0; pass < PASSES; pass++) {
		row = 0;
		loads_64b(measure);
		loads_imix(measure);
		loads_many(measure);
	}
	for (int i = 0; i < row; i++)
		printf("%-32s %6.1f ticks a packet, %4.2f of the first one's rate\n", rows[i].name,
			   rows[i].ticks, rows[0].ticks / rows[i].ticks);
	ws_generator_destroy(generator);
	ws_runtime_close();
	return 0;
}
