/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary frames at both ports of a flow set, in all phases.
 *
 * The first byte of the input gives the family (bit 0) and the protocol (bit 1). Steps follow: a
 * byte with the kind (the lower two bits) and the port (bit 2). A phase has a byte with its number.
 * An arbitrary frame has a byte with its length, and its bytes. A test frame has a byte each for
 * its flow and phase (0: the current one), over TCP one for its kind, and a byte each for an offset
 * and for the change there. Each frame must be counted once, the counts of flows must not exceed
 * their number, and the table must agree with a second look at the entries.
 */
#include "fuzz/fuzz.h"
#include "generator/flow_set/flow_share.h"
#include "wire/frame_kind.h"

#include <rte_common.h>

enum { FLOWS = 50, PAYLOAD = 18, OPTIONS = 8, MOST_FRAME = 14 + 40 + 20 + PAYLOAD, MOST = 256 };
enum step { PHASE, OTHER, TEST, TEST_AGAIN };
enum { INITIATOR, RESPONDER, ROLES, RESPONDER_BIT = 4 };

static struct flow_tuples tuples;
static struct flow_share shares[ROLES];
static struct sequence received[ROLES];
static struct flow_delay delays[ROLES];
static uint32_t answers[ROLES][FLOW_QUEUE];
static uint16_t generation;
static const uint8_t *input, *end;

static uint8_t take(void)
{
	return input < end ? *input++ : 0;
}

static void open_set(bool ip6, bool tcp)
{
	const struct ws_flow_set set = {
		.ip6 = ip6,
		.tcp = tcp,
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
			.answers.flows = answers[role],
		};
}

struct found {
	uint32_t known, to_send, confirmed;
};

static struct found look_at(const struct flow_table *table)
{
	struct found found = {0};
	for (uint32_t flow = 0; flow < FLOWS; flow++) {
		struct flow_tuple tuple;
		const uint64_t *entry = flow_entry(table, flow, table->ip6);
		uint32_t marks = flow_entry_read(entry, &tuple, table->ip6);
		bool has = flow_table_has(table, marks);
		found.known += flow_table_knows(table, marks);
		found.to_send += has;
		found.confirmed += has && table->tcp && !(marks & FLOW_REMAPPED);
	}
	return found;
}

static void begin(uint32_t phase)
{
	struct flow_table *table = shares[0].table;
	if (shares[RESPONDER].phase == WS_PHASE_LEARN) {
		flow_table_settle(table, &tuples);
		const struct ws_flow_counts *counts = &shares[RESPONDER].counts;
		struct found found = look_at(table);
		FUZZ_ASSERT(counts->flows == found.known);
		FUZZ_ASSERT(counts->confirmed == found.confirmed);
		FUZZ_ASSERT(counts->to_answer == (table->tcp ? counts->flows : 0));
		FUZZ_ASSERT(table->told.flows == found.to_send);
		FUZZ_ASSERT(table->told.distinct <= found.known);
		FUZZ_ASSERT(!found.known == !table->told.distinct);
	}
	generation++;
	if (phase == WS_PHASE_LEARN)
		flow_table_begin(table, generation);
	else if (phase == WS_PHASE_VALIDATE && table->tcp)
		flow_table_expect_replies(table);
	for (int role = 0; role < ROLES; role++)
		flow_share_begin(&shares[role], phase, generation, 1);
}

/* Number of counters in which frames were counted. */
static uint64_t counted(const struct flow_share *share)
{
	const struct ws_flow_counts *counts = &share->counts;
	uint64_t others = counts->late + counts->bad + counts->unknown + counts->icmp_errors;
	bool learns = share->phase == WS_PHASE_LEARN, tcp = share->table->tcp;
	if (share->responder && learns && tcp)
		return others + counts->flows + counts->duplicates + counts->unlearnt +
			   look_at(share->table).to_send;
	if (share->responder && learns)
		return others + counts->flows + counts->duplicates;
	if (!share->responder && (share->phase == WS_PHASE_VALIDATE || (learns && tcp)))
		return others + counts->flows + counts->wrong_flows + counts->duplicates;
	return others + counts->received + counts->duplicates + counts->unplaced;
}

/* Frames of network protocols are counted elsewhere. */
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

/* Write the upper header and payload of a frame of that kind; returns their length. */
static uint16_t put_upper(uint8_t *at, enum flow_kind kind)
{
	const uint8_t flags[] = {
		[FLOW_SYN] = TCP_SYN,
		[FLOW_SYN_ACK] = TCP_SYN | TCP_ACK,
		[FLOW_ACK] = TCP_ACK,
		[FLOW_DATA] = TCP_PSH | TCP_ACK,
	};
	uint16_t options = flags[kind] & TCP_SYN ? OPTIONS : 0;
	if (kind == FLOW_DATAGRAM) {
		at[5] = UDP_LEN + PAYLOAD;
		return UDP_LEN + PAYLOAD;
	}
	at[TCP_OFFSET_AT] = (uint8_t)((TCP_LEN + options) / 4 << 4);
	at[TCP_FLAGS_AT] = flags[kind];
	at[TCP_WINDOW_AT] = FLOW_WINDOW >> 8;
	at[TCP_WINDOW_AT + 1] = FLOW_WINDOW & 0xff;
	return TCP_LEN + options + (kind == FLOW_DATA ? PAYLOAD : 0);
}

static void receive_test_frame(struct flow_share *share, bool again)
{
	uint8_t frame[MOST_FRAME] = {0};
	bool ip6 = share->table->ip6, tcp = share->table->tcp;
	uint16_t ip_at = 14, upper_at = (uint16_t)(ip6 ? 54 : 34);
	struct flow_writer writer;
	uint32_t flow = take() % (FLOWS + 1);
	uint16_t phase = (uint16_t)(generation - take() % 4);
	enum flow_kind kind = tcp ? FLOW_SYN + take() % 4 : FLOW_DATAGRAM;
	uint16_t upper = put_upper(frame + upper_at, kind), length = upper_at + upper;
	memcpy(frame + 12, ip6 ? (uint8_t[]){0x86, 0xdd} : (uint8_t[]){8, 0}, 2);
	frame[ip_at] = ip6 ? 0x60 : 0x45;
	frame[ip_at + (ip6 ? 6 : 9)] = tcp ? 6 : 17;
	frame[ip_at + (ip6 ? 5 : 3)] = (uint8_t)(ip6 ? upper : 20 + upper);
	uint8_t sender = share->responder ? 0 : FLOW_OF_RESPONDER;
	FUZZ_ASSERT(
		!flow_writer_make(&writer, 1, frame, length, ip6, tcp, flow_mark_of(sender, phase)));
	struct flow_tuple tuple = flow_tuple_of(&tuples, flow_digits_of(&tuples, flow % FLOWS), ip6);
	if (!share->responder)
		tuple = flow_tuple_back(&tuple, ip6);
	if (tcp) {
		uint32_t first = flow_first_number(share->table, flow, !share->responder);
		uint32_t other = flow_first_number(share->table, flow, share->responder);
		uint32_t back = (uint32_t)(generation - phase) << share->table->number_bits;
		flow_segment_write(&writer, frame, &tuple, first - back + (kind >= FLOW_ACK),
						   other - back + 1, flow, FLOW_FIRST_SEQUENCE + flow, ip6);
	} else {
		flow_write(&writer, frame, &tuple, flow, FLOW_FIRST_SEQUENCE + flow, ip6);
	}
	if (writer.words_at)
		flow_stamp(&writer, frame, (uint64_t)generation << 19);
	size_t place = take() % length;
	frame[place] ^= take();
	receive(share, frame, length);
	if (again)
		receive(share, frame, length);
}

static void receive_other(struct flow_share *share)
{
	uint8_t frame[MOST] = {0};
	size_t length = take(), there = RTE_MIN(length, (size_t)(end - input));
	memcpy(frame, input, there);
	input += there;
	receive(share, frame, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	input = data;
	end = data + size;
	generation = 0;
	uint8_t first = take();
	open_set(first & 1, first & 2);
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
