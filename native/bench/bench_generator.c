/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a packet costs the generator to send, without a medium: TSC ticks by kind of stream.
 *
 *     bench_generator
 *
 * The real transmit path into net_null, far more asked than can be sent, so that every burst is
 * full. The driver's own share, freeing the packets, is in it. Medians of rounds, the lowest of
 * several passes: a machine that is shared has times at which all of it is slower.
 */
#include "bench/bench_setup.h"
#include "generator/generator.h"

#include <rte_cycles.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PASSES = 7, ROUNDS = 101, BURSTS_A_ROUND = 64, MAX_STREAMS = 10000, MAX_ROWS = 16 };

static const struct ws_op var2[] = {
	{.kind = WS_OP_VAR, .size = 4, .min = 0x10000004, .max = 0x100000fe, .init = 0x10000004},
	{.kind = WS_OP_WRITE, .size = 4, .big_endian = true, .offset = 26},
	{.kind = WS_OP_VAR,
	 .var = 1,
	 .size = 4,
	 .min = 0x30000004,
	 .max = 0x300000fe,
	 .init = 0x30000004},
	{.kind = WS_OP_WRITE, .var = 1, .size = 4, .big_endian = true, .offset = 30},
	{.kind = WS_OP_FIX_IP4, .offset = 14},
};
/* As the profile bench has it: 251 addresses, each with 64267 ports. */
static const struct ws_op tuple[] = {
	{.kind = WS_OP_TUPLE,
	 .var2 = 1,
	 .size = 4,
	 .min = 0x10000004,
	 .max = 0x100000fe,
	 .init = 0x10000004,
	 .min2 = 1234,
	 .max2 = 65500},
	{.kind = WS_OP_WRITE, .size = 4, .big_endian = true, .offset = 26},
	{.kind = WS_OP_WRITE, .var = 1, .size = 2, .big_endian = true, .offset = 34},
	{.kind = WS_OP_FIX_IP4, .offset = 14},
};
/* Like var2, with a period that is too long to unroll. */
static const struct ws_op counters[] = {
	{.kind = WS_OP_VAR, .size = 4, .min = 0x10000000, .max = 0x1000ffff, .init = 0x10000000},
	{.kind = WS_OP_WRITE, .size = 4, .big_endian = true, .offset = 26},
	{.kind = WS_OP_VAR,
	 .var = 1,
	 .size = 4,
	 .min = 0x30000000,
	 .max = 0x3000ffff,
	 .init = 0x30000000},
	{.kind = WS_OP_WRITE, .var = 1, .size = 4, .big_endian = true, .offset = 30},
	{.kind = WS_OP_FIX_IP4, .offset = 14},
};
static const struct ws_op any_address[] = {
	{.kind = WS_OP_VAR, .var_kind = WS_VAR_RANDOM, .size = 4, .max = UINT32_MAX},
	{.kind = WS_OP_WRITE, .size = 4, .big_endian = true, .offset = 30},
	{.kind = WS_OP_FIX_IP4, .offset = 14},
};
static const struct ws_op any_address_udp[] = {
	{.kind = WS_OP_VAR, .var_kind = WS_VAR_RANDOM, .size = 4, .max = UINT32_MAX},
	{.kind = WS_OP_WRITE, .size = 4, .big_endian = true, .offset = 30},
	{.kind = WS_OP_FIX_L4, .l2_len = 14, .l3_len = 20, .l4 = WS_L4_UDP},
};

static uint8_t packet[1514];
static struct ws_stream streams[MAX_STREAMS];

static void add(uint32_t index, uint16_t frame_len, double rate_pps, const struct ws_op *ops,
				uint16_t op_count)
{
	streams[index] = (struct ws_stream){
		.id = index,
		.packet = packet,
		.packet_len = frame_len,
		.enabled = true,
		.self_start = true,
		.rate_pps = rate_pps,
		.next_id = -1,
		.ops = ops,
		.op_count = op_count,
	};
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return (left > right) - (left < right);
}

static struct row {
	char name[64];
	double ticks;
} rows[MAX_ROWS];
static int row; /* the next one of this pass */

static void measure(struct ws_generator *generator, const char *name, uint32_t count)
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
	qsort(ticks, ROUNDS, sizeof(ticks[0]), compare);
	struct row *found = &rows[row++];
	snprintf(found->name, sizeof(found->name), "%s", name);
	if (!found->ticks || ticks[ROUNDS / 2] < found->ticks)
		found->ticks = ticks[ROUNDS / 2];
}

static void write_header(void)
{
	static const uint8_t header[] = {
		0,  0, 0, 2,  0, 0,  0, 0, 0,  1,  0, 0, 8,  0,                    /* Ethernet */
		69, 0, 0, 46, 0, 1,  0, 0, 64, 17, 0, 0, 16, 0, 0, 1, 48, 0, 0, 1, /* IPv4 */
		4,  1, 0, 12, 0, 26, 0, 0,                                         /* UDP */
	};
	memcpy(packet, header, sizeof(header));
}

#define OPS(program) program, sizeof(program) / sizeof(program[0])

static void measure_all(struct ws_generator *generator)
{
	const double flat_out = 1e9;
	row = 0;
	add(0, 60, flat_out, NULL, 0);
	measure(generator, "64b, one flow", 1);
	add(0, 60, flat_out, OPS(var2));
	measure(generator, "64b, var2 (ready)", 1);
	add(0, 60, flat_out, OPS(counters));
	measure(generator, "64b, two counters (live)", 1);
	add(0, 60, flat_out, OPS(tuple));
	measure(generator, "64b, tuple (live)", 1);
	add(0, 60, flat_out, OPS(any_address));
	measure(generator, "64b, random address (live)", 1);
	add(0, 60, flat_out, OPS(any_address_udp));
	measure(generator, "64b, the same with UDP checksum", 1);
	add(0, 1510, flat_out, OPS(any_address));
	measure(generator, "1514b, random address (live)", 1);
	add(0, 64, flat_out * 28 / 48, NULL, 0);
	add(1, 586, flat_out * 16 / 48, NULL, 0);
	add(2, 1510, flat_out * 4 / 48, NULL, 0);
	measure(generator, "imix, three streams", 3);
	for (uint32_t count = 100; count <= MAX_STREAMS; count *= 10) {
		char name[64];
		for (uint32_t i = 0; i < count; i++)
			add(i, 60, flat_out / count, NULL, 0);
		snprintf(name, sizeof(name), "64b, %u streams", count);
		measure(generator, name, count);
	}
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
	struct ws_generator *generator = ws_generator_create();
	bench_expect(generator ? 0 : -1);
	write_header();

	for (int pass = 0; pass < PASSES; pass++)
		measure_all(generator);
	for (int i = 0; i < row; i++)
		printf("%-32s %6.1f ticks a packet, %4.2f of the first one's rate\n", rows[i].name,
			   rows[i].ticks, rows[0].ticks / rows[i].ticks);
	ws_generator_destroy(generator);
	ws_runtime_close();
	return 0;
}
