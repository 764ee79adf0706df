/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of anybody at both ports of a flow set, in all phases.
 *
 * The first byte of the input is the family (bit 0). Steps follow: a byte for what it is (the lower
 * two bits) and the port (bit 2). A phase has a byte for which one. Another frame has a byte for
 * its length, and its bytes. A test frame has a byte each for its flow and phase (0: this one), and
 * for a place and what is changed there.
 *
 * Each frame is counted once, flows are counted no more than there are, and the table has what a
 * second look at the entries finds.
 */
#include "fuzz/fuzz.h"
#include "generator/flow_set/flow_share.h"
#include "wire/frame_kind.h"

enum { FLOWS = 50, FRAME4 = 60, FRAME6 = 78, MOST = 256 };
enum step { PHASE, OTHER, TEST, TEST_AGAIN };
enum { INITIATOR, RESPONDER, ROLES, RESPONDER_BIT = 4 };

static struct flow_tuples tuples;
static struct flow_share shares[ROLES];
static struct sequence received[ROLES];
static struct flow_delay delays[ROLES];
static uint16_t generation;
static const uint8_t *input, *end;

static uint8_t take(void)
{
	return input < end ? *input++ : 0;
}

static void open_set(bool ip6)
{
	const struct ws_flow_set set = {
		.ip6 = ip6,
		.source = {10, 0, 0, 2},
		.destination = {11},
		.sources = 3,
		.destinations = 2,
		.source_port = 5,
		.source_ports = 5,
		.destination_port = 1,
		.destination_ports = 3,
		.flows = FLOWS,
	};
	FUZZ_ASSERT(!flow_tuples_make(&set, &tuples));
	struct flow_table *table = flow_table_create(&tuples, FLOWS);
	FUZZ_ASSERT(table);
	for (int role = 0; role < ROLES; role++)
		shares[role] = (struct flow_share){
			.tuples = &tuples,
			.table = table,
			.responder = role == RESPONDER,
			.senders = 1,
			.ns_per_tick = 1,
			.received = &received[role],
			.delays = &delays[role],
		};
}

static uint32_t count_known(const struct flow_table *table)
{
	uint32_t known = 0;
	for (uint32_t flow = 0; flow < FLOWS; flow++) {
		struct flow_tuple tuple;
		const uint64_t *entry = flow_entry(table, flow, table->ip6);
		known += flow_table_knows(table, flow_entry_read(entry, &tuple, table->ip6));
	}
	return known;
}

static void begin(uint32_t phase)
{
	struct flow_table *table = shares[0].table;
	if (shares[RESPONDER].phase == WS_PHASE_LEARN) {
		flow_table_settle(table, &tuples);
		FUZZ_ASSERT(table->told.flows == shares[RESPONDER].counts.flows);
		FUZZ_ASSERT(table->told.flows == count_known(table));
		FUZZ_ASSERT(table->told.distinct <= table->told.flows);
		FUZZ_ASSERT(!table->told.flows == !table->told.distinct);
	}
	generation++;
	if (phase == WS_PHASE_LEARN)
		flow_table_begin(table, generation);
	for (int role = 0; role < ROLES; role++)
		flow_share_begin(&shares[role], phase, generation, 1);
}

/* In how many ways frames were counted. */
static uint64_t counted(const struct flow_share *share)
{
	const struct ws_flow_counts *counts = &share->counts;
	uint64_t others = counts->late + counts->bad + counts->unknown + counts->icmp_errors;
	if (share->responder && share->phase == WS_PHASE_LEARN)
		return others + counts->flows + counts->duplicates;
	if (!share->responder && share->phase == WS_PHASE_VALIDATE)
		return others + counts->flows + counts->wrong_flows + counts->duplicates;
	return others + counts->received + counts->duplicates + counts->unplaced;
}

/* Frames of the network itself are counted elsewhere. */
static bool is_of_network(const struct flow_view *view)
{
	enum frame_kind kind = frame_kind(view->head, view->head_len, view->length);
	return kind != FRAME_ORDINARY && kind != FRAME_ICMP_ERROR && kind != FRAME_ICMP6_ERROR;
}

static void receive(struct flow_share *share, const uint8_t *frame, size_t length)
{
	uint8_t *block = malloc(length ? length : 1);
	memcpy(block, frame, length);
	struct flow_view view = {block, (uint32_t)length, (uint32_t)length};
	uint64_t before = counted(share);
	flow_share_receive(share, &view, 1, (uint64_t)generation << 20);
	FUZZ_ASSERT(counted(share) - before == !is_of_network(&view));
	FUZZ_ASSERT(share->counts.flows + share->counts.wrong_flows <= FLOWS);
	FUZZ_ASSERT(share->counts.remapped_flows <= share->counts.remapped);
	free(block);
}

static void receive_test_frame(struct flow_share *share, bool again)
{
	uint8_t frame[FRAME6] = {0};
	bool ip6 = share->table->ip6;
	uint16_t length = ip6 ? FRAME6 : FRAME4, ip_at = 14, udp_at = (uint16_t)(ip6 ? 54 : 34);
	struct flow_writer writer;
	uint32_t flow = take() % (FLOWS + 1);
	uint16_t phase = (uint16_t)(generation - take() % 4);
	memcpy(frame + 12, ip6 ? (uint8_t[]){0x86, 0xdd} : (uint8_t[]){8, 0}, 2);
	frame[ip_at] = ip6 ? 0x60 : 0x45;
	frame[ip_at + (ip6 ? 6 : 9)] = 17;
	frame[udp_at + 5] = (uint8_t)(length - udp_at);
	uint8_t sender = share->responder ? 0 : FLOW_OF_RESPONDER;
	FUZZ_ASSERT(
		!flow_writer_make(&writer, 1, frame, length, ip6, false, flow_mark_of(sender, phase)));
	struct flow_tuple tuple = flow_tuple_of(&tuples, flow_digits_of(&tuples, flow % FLOWS), ip6);
	if (!share->responder)
		tuple = flow_tuple_back(&tuple, ip6);
	flow_write(&writer, frame, &tuple, flow, FLOW_FIRST_SEQUENCE + flow, ip6);
	flow_stamp(&writer, frame, (uint64_t)generation << 19);
	size_t place = take() % length;
	frame[place] ^= take();
	receive(share, frame, length);
	if (again)
		receive(share, frame, length);
}

static void receive_other(struct flow_share *share)
{
	uint8_t frame[MOST];
	size_t length = take();
	for (size_t i = 0; i < length; i++)
		frame[i] = take();
	receive(share, frame, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	input = data;
	end = data + size;
	generation = 0;
	open_set(take() & 1);
	begin(WS_PHASE_LEARN);
	while (input < end) {
		uint8_t what = take();
		struct flow_share *share = &shares[what & RESPONDER_BIT ? RESPONDER : INITIATOR];
		switch (what & 3) {
		case PHASE:
			begin(WS_PHASE_LEARN + take() % 3);
			break;
		case OTHER:
			receive_other(share);
			break;
		default:
			receive_test_frame(share, (what & 3) == TEST_AGAIN);
		}
	}
	begin(WS_PHASE_EXCHANGE);
	flow_table_free(shares[0].table);
	return 0;
}
