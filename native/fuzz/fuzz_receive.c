/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames from the wire into a generator of two workers, with a port each, that inspect all frames.
 *
 * The input is a list of steps. The first byte of a step gives its kind (the lower three bits) and
 * port (bit 3). A frame has a byte for the size of its segments (0: one segment), two for its
 * length, and its bytes; a latency mark or a signature may be put at its end, the mark from five
 * more bytes. Other steps reset flows, restart them, and take packets out of captures.
 *
 * A second parser of the same bytes checks the counters; captures must contain the bytes.
 */
#include "dev/pool.h"
#include "dev/port.h"
#include "fuzz/fuzz.h"
#include "fuzz/receive_reader.h"
#include "generator/control/generator.h"
#include "generator/receive/flow_meter.h"
#include "generator/receive/receive.h"
#include "generator/traffic/traffic.h"
#include "tests/heap_packet.h"
#include "wirespeed/ports.h"
#include "wirespeed/runtime.h"

#include <rte_cycles.h>
#include <sched.h>

enum {
	PORTS = READER_PORTS,
	LATENCY_FLOWS = READER_FLOWS,
	TAIL = READER_TAIL,
	MOST_FRAME = 2048,
	SNAP = 96,
	SLOTS = 8
};
enum step { FRAME, MARKED, SIGNED, RESET, BEGIN, READ, STEPS };
enum { PORT_BIT = 8 };

static struct ws_generator *generator;
static int32_t captures[2]; /* one of all frames, whole; one of control frames, truncated */
static uint8_t start;       /* start number of all latency flows */

/* Expected captures: the frames of the first one, the number of frames of the second one. */
static struct {
	uint16_t length, port;
	uint8_t bytes[MOST_FRAME];
} kept[SLOTS];
static uint32_t kept_count, control_count;

/* ---- A generator ---- */

static void begin_flows(void)
{
	start++;
	struct sender senders[LATENCY_FLOWS] = {0};
	for (uint16_t id = 0; id < LATENCY_FLOWS; id++)
		senders[id].tail =
			(struct flow_tail){.magic = FLOW_MAGIC_LATENCY, .start = start, .id = id};
	generator_begin_flows(generator, &(struct traffic){.count = LATENCY_FLOWS, .senders = senders});
	reader_begin(start);
}

/* Meters without state: a reset of flows does not reset the order of signatures. */
static void renew_meters(void)
{
	for (uint16_t i = 0; i < generator->worker_count; i++) {
		struct flow_meter **meter = &generator->workers[i].watch.meter;
		flow_meter_free(*meter);
		*meter = flow_meter_create((double)ws_tsc_hz());
		FUZZ_ASSERT(*meter && flow_meter_reserve(*meter, READER_SERIES * 16, 0));
	}
	reader_renew();
}

static void start_captures(void)
{
	struct ws_capture_config config = {
		.rx_ports = 3, .slots = SLOTS, .what = WS_CAPTURE_ALL, .snap_len = 0};
	captures[0] = ws_generator_capture_start(generator, &config);
	config.what = WS_CAPTURE_CONTROL;
	config.snap_len = SNAP;
	captures[1] = ws_generator_capture_start(generator, &config);
	FUZZ_ASSERT(captures[0] >= 0 && captures[1] >= 0);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct ws_runtime_config config = {
		.program = "fuzz_receive", .memory_mb = 64, .worker_count = PORTS, .shared_cpus = true};
	struct ws_port_config ports[PORTS] = {{.name = "p0", .devargs = "ring:receive0"},
										  {.name = "p1", .devargs = "ring:receive1"}};
	cpu_set_t mine;
	(void)argc, (void)argv;
	sched_getaffinity(0, sizeof(mine), &mine);
	while (!CPU_ISSET(config.worker_cpus[0], &mine))
		config.worker_cpus[0]++;
	config.worker_cpus[1] = config.worker_cpus[0];
	for (int i = 0; i < PORTS; i++) {
		ports[i].rx_queues = ports[i].tx_queues = 1;
		ports[i].mtu = MOST_FRAME;
	}
	FUZZ_ASSERT(!ws_runtime_init(&config) && !ws_ports_open(ports, PORTS));
	generator = ws_generator_create(NULL);
	FUZZ_ASSERT(generator);
	generator_set_meters(generator, true);
	return 0;
}

/* ---- Steps ---- */

static void keep(const uint8_t *frame, size_t length, uint16_t port)
{
	kept[kept_count].length = (uint16_t)length;
	kept[kept_count].port = port;
	memcpy(kept[kept_count++].bytes, frame, length);
}

static void read_captures(void)
{
	struct ws_captured out[SLOTS];
	static uint8_t bytes[SLOTS * MOST_FRAME];
	int n = ws_generator_capture_read(generator, captures[0], out, SLOTS, bytes, sizeof(bytes));
	const uint8_t *at = bytes;
	FUZZ_ASSERT(n == (int)kept_count);
	for (int i = 0; i < n; i++) {
		FUZZ_ASSERT(out[i].packet_len == kept[i].length && out[i].byte_count == kept[i].length);
		FUZZ_ASSERT(out[i].port == kept[i].port && !out[i].is_tx);
		FUZZ_ASSERT(!memcmp(at, kept[i].bytes, kept[i].length));
		at += out[i].byte_count;
	}
	n = ws_generator_capture_read(generator, captures[1], out, SLOTS, bytes, SLOTS * SNAP);
	FUZZ_ASSERT(n == (int)control_count);
	for (int i = 0; i < n; i++)
		FUZZ_ASSERT(out[i].byte_count == RTE_MIN(out[i].packet_len, (uint16_t)SNAP));
	for (int i = 0; i < 2; i++)
		FUZZ_ASSERT(!ws_generator_capture_missed(generator, captures[i]));
	kept_count = control_count = 0;
}

static void receive(const uint8_t *frame, size_t length, size_t piece, uint16_t port)
{
	struct generator_port *share = generator->ports[port].shares;
	uint64_t packets = share->counters.rx_packets, bytes = share->counters.rx_bytes;
	size_t head = RTE_MIN(length, piece);
	if (kept_count == SLOTS)
		read_captures();
	reader_take(frame, length, head, port);
	control_count += reader_is_control(frame, head);
	struct rte_mbuf *packet = heap_packet(frame, length, piece, 0);
	FUZZ_ASSERT(port_transmit(port, 0, &packet, 1) == 1);
	FUZZ_ASSERT(generator_receive(share) == 1);
	FUZZ_ASSERT(share->counters.rx_packets == packets + 1);
	FUZZ_ASSERT(share->counters.rx_bytes == bytes + length + 4);
	FUZZ_ASSERT(!rte_mempool_in_use_count(ports_pool()));
	keep(frame, length, port);
}

/* Put a mark at the end, with the 5 bytes of `data`: flow, start, sequence, age. */
static void mark(uint8_t *tail, const uint8_t *data)
{
	uint64_t tsc = rte_rdtsc() - ((uint64_t)data[4] << 12);
	uint32_t sequence = READER_FIRST_SEQUENCE + (uint32_t)(int16_t)(data[2] | data[3] << 8);
	const uint8_t head[] = {0xab, (uint8_t)(start - data[1] % 3), data[0] % 5, 0};
	memcpy(tail, head, sizeof(head));
	memcpy(tail + 4, &sequence, sizeof(sequence));
	memcpy(tail + 8, &tsc, sizeof(tsc));
}

/* Write a signature: flow, series, sequence. */
static void put_signature(uint8_t *tail, const uint8_t *data)
{
	uint32_t sequence = READER_FIRST_SEQUENCE + (uint32_t)(int16_t)(data[2] | data[3] << 8);
	uint32_t complement = ~sequence;
	uint16_t series = data[1] / 4 % (READER_SERIES + 1) * 16, rare = 0x6a09;
	const uint8_t head[] = {0xac, 0, data[0], data[1] & 3};
	memcpy(tail, head, sizeof(head));
	memcpy(tail + 4, &sequence, sizeof(sequence));
	memcpy(tail + 8, &complement, sizeof(complement));
	memcpy(tail + 12, &series, sizeof(series));
	memcpy(tail + 14, &rare, sizeof(rare));
}

/* Returns the number of bytes used. */
static size_t take_frame(int kind, uint16_t port, const uint8_t *data, size_t size)
{
	enum { HEAD = 3, MARK = 5 };
	uint8_t frame[MOST_FRAME];
	if (size < HEAD + MARK)
		return size;
	size_t length =
		RTE_MIN((size_t)(data[1] | data[2] << 8) % (MOST_FRAME + 1), size - HEAD - MARK);
	memcpy(frame, data + HEAD + MARK, length);
	if (length >= TAIL && kind == MARKED)
		mark(frame + length - TAIL, data + HEAD);
	if (length >= TAIL && kind == SIGNED)
		put_signature(frame + length - TAIL, data + HEAD);
	if (length)
		receive(frame, length, data[0] ? data[0] : MOST_FRAME, port);
	return HEAD + MARK + length;
}

static void reset(void)
{
	static uint32_t ids[WS_FLOWS];
	for (uint32_t i = 0; i < WS_FLOWS; i++)
		ids[i] = i;
	FUZZ_ASSERT(!ws_generator_reset_flows(generator, WS_FLOW_STATS, ids, WS_FLOWS));
	FUZZ_ASSERT(!ws_generator_reset_flows(generator, WS_FLOW_LATENCY, ids, LATENCY_FLOWS));
	reader_reset();
}

/* ---- Results ---- */

static void check_latency(uint32_t id)
{
	static struct ws_latency latency;
	uint64_t packets = 0, in_bins = 0, in_counts = 0;
	FUZZ_ASSERT(!ws_generator_latency(generator, &id, 1, &latency));
	for (int port = 0; port < PORTS; port++)
		packets += reader.latency[id][port];
	for (int i = 0; i < WS_LATENCY_BINS; i++)
		in_bins += latency.histogram[i];
	for (uint32_t i = 0; i < WS_HDR_COUNTS; i++) {
		FUZZ_ASSERT(!latency.hdr[i] || (i >= latency.hdr_first && i < latency.hdr_end));
		in_counts += latency.hdr[i];
	}
	FUZZ_ASSERT(latency.packets == packets && in_bins == packets && in_counts == packets);
	FUZZ_ASSERT(latency.min_ns <= latency.max_ns && latency.last_max_ns <= latency.max_ns);
	FUZZ_ASSERT(latency.sum_ns >= packets * latency.min_ns &&
				latency.sum_ns <= packets * latency.max_ns);
	const struct reader_order order = reader_order(id);
	if (order.is_unsure)
		return;
	FUZZ_ASSERT(latency.dropped == order.dropped && latency.duplicate == order.duplicate);
	FUZZ_ASSERT(latency.out_of_order == order.out_of_order);
}

static void check_flow(const struct ws_flow *flow, const struct reader_flow *read)
{
	FUZZ_ASSERT(flow->rx_packets == read->packets);
	if (read->is_unsure)
		return;
	FUZZ_ASSERT(flow->rx_duplicates == read->duplicates);
	FUZZ_ASSERT(flow->rx_reordered == read->reordered && flow->rx_unplaced == read->unplaced);
}

static void check_flows(void)
{
	static struct ws_flow flows[WS_FLOWS * PORTS];
	static uint32_t ids[WS_FLOWS];
	struct ws_flow_faults faults;
	uint64_t tsc;
	for (uint32_t i = 0; i < WS_FLOWS; i++)
		ids[i] = i;
	FUZZ_ASSERT(ws_generator_flows(generator, WS_FLOW_STATS, ids, WS_FLOWS, flows, &tsc) == PORTS);
	for (uint32_t i = 0; i < WS_FLOWS; i++)
		for (uint16_t port = 0; port < PORTS; port++)
			check_flow(&flows[i * PORTS + port], &reader.stats[i][port]);
	FUZZ_ASSERT(!ws_generator_flow_faults(generator, &faults));
	FUZZ_ASSERT(faults.bad_header + faults.old_flow == reader.faults);
	for (uint32_t id = 0; id < LATENCY_FLOWS; id++)
		check_latency(id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	renew_meters();
	reset();
	begin_flows();
	start_captures();
	kept_count = 0;
	while (size) {
		uint8_t what = *data & 7;
		uint16_t port = *data / PORT_BIT & 1;
		size_t taken = 1;
		if (what <= SIGNED)
			taken += take_frame(what, port, data + 1, size - 1);
		else if (what == RESET)
			reset();
		else if (what == BEGIN)
			begin_flows();
		else if (what == READ)
			read_captures();
		data += taken;
		size -= taken;
	}
	read_captures();
	check_flows();
	for (int i = 0; i < 2; i++)
		FUZZ_ASSERT(!ws_generator_capture_stop(generator, captures[i]));
	return 0;
}
