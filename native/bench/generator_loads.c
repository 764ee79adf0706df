/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/generator_loads.h"
#include "wirespeed/flow_sets.h"
#include "wirespeed/streams.h"

#include <stdio.h>

enum { MAX_STREAMS = 10000, IMIX_LENGTHS = 3 };

static const double flat_out = 1e9;
const char STATELESS[] = "64b, two counters (live)";

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
/* The tuple of the profile `bench`: 251 addresses, each with 64267 ports. */
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

/* Ethernet, IPv4, UDP. */
static const uint8_t packet[1514] = {
	0,  0, 0, 2,  0, 0,  0, 0, 0,  1,  0, 0, 8,  0,                    /* Ethernet */
	69, 0, 0, 46, 0, 1,  0, 0, 64, 17, 0, 0, 16, 0, 0, 1, 48, 0, 0, 1, /* IPv4 */
	4,  1, 0, 12, 0, 26, 0, 0,                                         /* UDP */
};
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

#define OPS(program) program, sizeof(program) / sizeof(program[0])

static void measure_one(load_fn *measure, const char *name, uint16_t frame_len,
						const struct ws_op *ops, uint16_t op_count)
{
	add(0, frame_len, flat_out, ops, op_count);
	measure(name, streams, 1);
}

void loads_64b(load_fn *measure)
{
	measure_one(measure, "64b, one flow", 60, NULL, 0);
	measure_one(measure, "64b, var2 (ready)", 60, OPS(var2));
	measure_one(measure, STATELESS, 60, OPS(counters));
	measure_one(measure, "64b, tuple (live)", 60, OPS(tuple));
	measure_one(measure, "64b, random address (live)", 60, OPS(any_address));
	measure_one(measure, "64b, the same with UDP checksum", 60, OPS(any_address_udp));
}

static void mix(const struct ws_op *ops, uint16_t op_count)
{
	static const uint16_t frame_len[IMIX_LENGTHS] = {60, 586, 1510};
	static const double share[IMIX_LENGTHS] = {28.0 / 48, 16.0 / 48, 4.0 / 48};
	for (uint32_t i = 0; i < IMIX_LENGTHS; i++)
		add(i, frame_len[i], flat_out * share[i], ops, op_count);
}

static void measure_imix(load_fn *measure, const char *name, const struct ws_op *ops,
						 uint16_t op_count)
{
	mix(ops, op_count);
	measure(name, streams, IMIX_LENGTHS);
}

void loads_imix(load_fn *measure)
{
	measure_imix(measure, "imix, one flow", NULL, 0);
	measure_imix(measure, "imix, var2 (ready)", OPS(var2));
	measure_imix(measure, "imix, tuple (live)", OPS(tuple));
	measure_imix(measure, "imix, random address (live)", OPS(any_address));
}

static void measure_signed(load_fn *measure, const char *name, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		streams[i].flow_kind = WS_FLOW_STATS;
		streams[i].flow_signature = true;
	}
	measure(name, streams, count);
}

void loads_signed(load_fn *measure)
{
	add(0, 60, flat_out, NULL, 0);
	measure_signed(measure, "64b, signature", 1);
	add(0, 60, flat_out, OPS(var2));
	measure_signed(measure, "64b, var2 (ready), signature", 1);
	add(0, 60, flat_out, OPS(tuple));
	measure_signed(measure, "64b, tuple (live), signature", 1);
	mix(NULL, 0);
	measure_signed(measure, "imix, signature", IMIX_LENGTHS);
}

void loads_many(load_fn *measure)
{
	for (uint32_t count = 100; count <= MAX_STREAMS; count *= 10) {
		char name[64];
		for (uint32_t i = 0; i < count; i++)
			add(i, 60, flat_out / count, NULL, 0);
		snprintf(name, sizeof(name), "64b, %u streams", count);
		measure(name, streams, count);
	}
}

struct ws_flow_set flow_set_of(uint32_t flows, bool tcp)
{
	return (struct ws_flow_set){
		.tcp = tcp,
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

void load_flow_set(load_fn *measure, const char *name, uint32_t order, uint64_t packets)
{
	add(0, 60, flat_out, NULL, 0);
	streams[0].mode = packets ? WS_SINGLE_BURST : WS_CONTINUOUS;
	streams[0].packets = packets;
	streams[0].flow_kind = WS_FLOW_SET;
	streams[0].flow_id = order;
	measure(name, streams, 1);
}
