/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No worker of a generator stores to a cache line that another worker uses. Both send the same
 * stream, whose packets are counted as a flow, at one end of a memif, and receive at the other end,
 * with separate queues.
 */
#include "tests/cmocka_all.h"
#include "tests/lines_rig.h"

#include "generator/control/generator.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/own_count.h"
#include "wirespeed/generator.h"
#include "wirespeed/streams.h"

#include <unistd.h>

enum { SERVER, CLIENT }; /* ports */
enum { FRAME = 80, LOOPS = 6 };
static const double rate_pps = 400;

static struct ws_generator *generator;

static void start_stream(void)
{
	static uint8_t bytes[FRAME];
	struct ip4_header *ip = (void *)(bytes + ETHERNET_LEN);
	const struct ws_op ops[] = {
		{.kind = WS_OP_VAR, .size = 4, .max = 65535, .step = 1},
		{.kind = WS_OP_WRITE, .size = 4, .big_endian = true, .offset = ETHERNET_LEN + 12},
	};
	const struct ws_stream stream = {
		.packet = bytes,
		.packet_len = FRAME,
		.enabled = true,
		.self_start = true,
		.mode = WS_CONTINUOUS,
		.rate_pps = rate_pps,
		.next_id = -1,
		.flow_kind = WS_FLOW_STATS,
		.ops = ops,
		.op_count = 2,
	};
	ethernet_write(bytes, (const uint8_t[6]){2, 1}, (const uint8_t[6]){2}, ETHERNET_IP4);
	*ip = (struct ip4_header){
		.version_ihl = 0x45,
		.total_length = htobe16(FRAME - ETHERNET_LEN),
		.ttl = 64,
		.protocol = IP4_UDP,
		.destination = htobe32(48u << 24 | 1),
	};
	lines_expect(ws_generator_start(generator, SERVER, 0, &stream, 1, 1, -1, 0, UINT64_MAX),
				 "stream");
}

static uint64_t loops(int worker)
{
	return own_count_read(&generator->workers[worker].stats.loops);
}

static void wait_for_loops(void)
{
	uint64_t before[LINES_WORKERS];
	for (int i = 0; i < LINES_WORKERS; i++)
		before[i] = loops(i);
	for (int i = 0; i < LINES_WORKERS; i++)
		while (loops(i) < before[i] + LOOPS)
			usleep(10000);
}

static uint64_t received(void)
{
	struct ws_generator_port ports[WS_MAX_GENERATOR_PORTS];
	uint64_t tsc;
	lines_expect(ws_generator_counters(generator, ports, NULL, &tsc), "counters");
	return ports[CLIENT].rx_packets;
}

static void workers_store_to_no_line_that_another_one_uses(void **state)
{
	struct shared_line found[LINES_SHOWN];
	pid_t threads[LINES_WORKERS];
	(void)state;
	start_stream();
	lines_threads(threads);
	while (!received())
		usleep(10000);
	wait_for_loops();
	line_watch_begin(threads, LINES_WORKERS);
	wait_for_loops();
	line_watch_end();
	assert_int_equal(lines_shared(found, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workers_store_to_no_line_that_another_one_uses),
	};
	uint64_t workers[WS_MAX_GENERATOR_PORTS] = {3, 3};
	lines_open(1);
	generator = ws_generator_create(workers);
	lines_expect(generator ? 0 : -1, "generator");
	lines_expect(ws_generator_start_workers(generator), "workers");
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	ws_generator_destroy(generator);
	lines_close();
	return failed;
}
