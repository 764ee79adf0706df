/* SPDX-License-Identifier: Apache-2.0 */
/* Flow sets over TCP without a port: two shares of a set, and frames between them in heap blocks of
 * exactly the size that may be read. */
#include "generator/flow_set/flow_share.h"
#include "tests/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

enum { INITIATOR, RESPONDER, ROLES };
enum { GENERATION = 5, MOST_FRAME = 1600, SYN = 2, PSH = 8, ACK = 16, TCP = 6 };

static bool ip6;
static uint16_t tags, data_length = 18;
static struct flow_tuples tuples;
static struct flow_share shares[ROLES];

static struct flow_table *table(void)
{
	return shares[INITIATOR].table;
}

static void begin(uint32_t phase, uint16_t generation)
{
	if (phase == WS_PHASE_LEARN)
		flow_table_begin(table(), generation);
	else if (phase == WS_PHASE_VALIDATE)
		flow_table_expect_replies(table());
	for (int role = 0; role < ROLES; role++)
		flow_share_begin(&shares[role], phase, generation, 0);
}

static void open_set(uint32_t flows)
{
	struct ws_flow_set set = {
		.ip6 = ip6,
		.tcp = true,
		.source = {10, 0, 0, 2},
		.destination = {198, 19, 0, 2},
		.sources = 3,
		.destinations = 2,
		.source_port = 1024,
		.source_ports = 50000,
		.destination_port = 1,
		.destination_ports = 5,
		.flows = flows,
		.seed = 9,
	};
	assert_int_equal(flow_tuples_make(&set, &tuples), 0);
	struct flow_table *made = flow_table_create(&tuples, flows);
	for (int role = 0; role < ROLES; role++)
		shares[role] = (struct flow_share){
			.tuples = &tuples,
			.table = made,
			.responder = role == RESPONDER,
			.senders = 1,
			.ns_per_tick = 1,
			.received = calloc(1, sizeof(struct sequence)),
			.delays = calloc(1, sizeof(struct flow_delay)),
			.answers.flows = calloc(FLOW_QUEUE, sizeof(uint32_t)),
		};
	begin(WS_PHASE_LEARN, GENERATION);
}

static void close_set(void)
{
	flow_table_free(table());
	for (int role = 0; role < ROLES; role++) {
		free(shares[role].received);
		free(shares[role].delays);
		free(shares[role].answers.flows);
	}
}

/* ---- frames */

struct sent {
	uint8_t bytes[MOST_FRAME];
	uint16_t length;
};

static uint16_t ip_at(void)
{
	return 14 + 4 * tags;
}

static uint16_t tcp_at(void)
{
	return ip_at() + (ip6 ? 40 : 20);
}

/* A SYN has an MSS option and a window scale of 14. */
static struct sent template_of(uint8_t flags)
{
	struct sent sent = {0};
	uint8_t *ip = sent.bytes + ip_at(), *tcp = sent.bytes + tcp_at();
	uint16_t segment = 20 + (flags & SYN ? 8 : 0) + (flags & PSH ? data_length : 0);
	for (int i = 0; i < tags; i++)
		memcpy(sent.bytes + 12 + 4 * i, (uint8_t[]){0x81, 0, 0, 7}, 4);
	memcpy(ip - 2, ip6 ? (uint8_t[]){0x86, 0xdd} : (uint8_t[]){8, 0}, 2);
	uint16_t length = ip6 ? segment : segment + 20;
	uint8_t high = (uint8_t)(length >> 8), low = (uint8_t)length;
	if (ip6)
		memcpy(ip, (uint8_t[]){0x60, 0, 0, 0, high, low, TCP, 64}, 8);
	else
		memcpy(ip, (uint8_t[]){0x45, 0, high, low, 1, 2, 0, 0, 64, TCP}, 10);
	memcpy(tcp + 12, (uint8_t[]){flags & SYN ? 0x70 : 0x50, flags, 0xff, 0x5d}, 4);
	if (flags & SYN)
		memcpy(tcp + 20, (uint8_t[]){2, 4, 5, 0xb4, 1, 3, 3, 14}, 8);
	sent.length = tcp_at() + segment;
	return sent;
}

static void assert_checksums_are_right(const struct sent *sent)
{
	const uint8_t *ip = sent->bytes + ip_at(), *tcp = sent->bytes + tcp_at();
	uint16_t segment = sent->length - tcp_at();
	uint8_t pseudo[] = {0, TCP, (uint8_t)(segment >> 8), (uint8_t)segment};
	uint64_t sum = checksum_add(0, ip + (ip6 ? 8 : 12), ip6 ? 32 : 8);
	assert_int_equal(checksum_fold(checksum_add(checksum_add(sum, pseudo, 4), tcp, segment)),
					 0xffff);
	if (!ip6)
		assert_int_equal(checksum(ip, 20), 0);
}

static struct flow_writing writing_of(int role, uint32_t order, uint8_t flags)
{
	struct sent template = template_of(flags);
	struct flow_writing writing;
	assert_int_equal(flow_writing_make(&writing, &shares[role], 1, order, WHOLE_STREAM,
									   template.bytes, template.length),
					 0);
	return writing;
}

static struct sent next_of(struct flow_writing *writing, uint8_t flags)
{
	struct sent sent = template_of(flags);
	uint8_t *at = sent.bytes;
	flow_writing_fill(writing, &at, 1);
	assert_checksums_are_right(&sent);
	return sent;
}

static struct sent one_of(int role, uint32_t order, uint8_t flags)
{
	struct flow_writing writing = writing_of(role, order, flags);
	return next_of(&writing, flags);
}

static uint32_t number_of(const struct sent *sent, uint16_t at)
{
	const uint8_t *bytes = sent->bytes + tcp_at() + at;
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void assert_numbers(const struct sent *sent, uint32_t seq, uint32_t ack)
{
	assert_int_equal(number_of(sent, 4), seq);
	assert_int_equal(number_of(sent, 8), ack);
}

static void receive_part(int role, const struct sent *sent, uint32_t length)
{
	uint8_t *block = malloc(length ? length : 1);
	memcpy(block, sent->bytes, length);
	struct flow_view view = {block, length, length};
	flow_share_receive(&shares[role], &view, 1, 0);
	free(block);
}

static void receive(int role, const struct sent *sent)
{
	receive_part(role, sent, sent->length);
}

/* Open all flows; all frames arrive unchanged. */
static void open_all(uint32_t flows)
{
	struct flow_writing syn = writing_of(INITIATOR, WS_FLOW_EACH, SYN);
	struct flow_writing syn_ack = writing_of(RESPONDER, WS_FLOW_ANSWER, SYN | ACK);
	struct flow_writing ack = writing_of(INITIATOR, WS_FLOW_ANSWER, ACK);
	for (uint32_t flow = 0; flow < flows; flow++) {
		struct sent first = next_of(&syn, SYN);
		assert_int_equal(flow_writing_available(&syn_ack), 0);
		receive(RESPONDER, &first);
		assert_int_equal(flow_writing_available(&syn_ack), 1);
		struct sent second = next_of(&syn_ack, SYN | ACK);
		receive(INITIATOR, &second);
		assert_int_equal(flow_writing_available(&ack), 1);
		struct sent third = next_of(&ack, ACK);
		receive(RESPONDER, &third);
		/* RFC 9293 section 3.5 */
		uint32_t initial = number_of(&first, 4), other = number_of(&second, 4);
		assert_numbers(&first, initial, 0);
		assert_numbers(&second, other, initial + 1);
		assert_numbers(&third, initial + 1, other + 1);
		assert_int_not_equal(initial, other);
	}
	assert_int_equal(shares[RESPONDER].counts.flows, flows);
	assert_int_equal(shares[INITIATOR].counts.flows, flows);
	assert_int_equal(shares[RESPONDER].counts.confirmed, flows);
	flow_table_settle(table(), &tuples);
	assert_int_equal(table()->told.flows, flows);
	assert_int_equal(table()->told.distinct, flows);
}

static void connections_have_right_numbers(void **state)
{
	(void)state;
	enum { FLOWS = 200, ROUNDS = 3 };
	for (int which = 0; which < 6; which++) {
		ip6 = which & 1;
		tags = (uint16_t)(which / 2);
		open_set(FLOWS);
		for (uint16_t trial = 0; trial < 2; trial++) {
			begin(WS_PHASE_LEARN, GENERATION + 3 * trial);
			open_all(FLOWS);
			begin(WS_PHASE_VALIDATE, GENERATION + 3 * trial + 1);
			uint32_t first[ROLES][FLOWS];
			struct flow_writing writing = writing_of(RESPONDER, WS_FLOW_EACH, PSH | ACK);
			for (uint32_t i = 0; i < FLOWS; i++) {
				struct sent sent = next_of(&writing, PSH | ACK);
				uint32_t flow = sent.bytes[tcp_at() + 24];
				first[RESPONDER][flow] = number_of(&sent, 4);
				first[INITIATOR][flow] = number_of(&sent, 8);
				assert_int_equal(number_of(&sent, 4) ^ number_of(&sent, 8), 1u << 31);
				receive(INITIATOR, &sent);
			}
			assert_int_equal(shares[INITIATOR].counts.flows, FLOWS);
			assert_int_equal(shares[INITIATOR].counts.duplicates, 0);
			begin(WS_PHASE_EXCHANGE, GENERATION + 3 * trial + 2);
			for (int role = 0; role < ROLES; role++) {
				writing = writing_of(role, WS_FLOW_EACH, PSH | ACK);
				for (uint32_t i = 0; i < FLOWS * ROUNDS; i++) {
					struct sent sent = next_of(&writing, PSH | ACK);
					uint32_t flow = sent.bytes[tcp_at() + 24];
					uint32_t before = i / FLOWS + (role == RESPONDER);
					assert_numbers(&sent, first[role][flow] + before * data_length,
								   first[!role][flow]);
					receive(!role, &sent);
				}
				assert_int_equal(shares[!role].counts.received, FLOWS * ROUNDS);
				assert_int_equal(shares[!role].counts.wrong + shares[!role].counts.unlearnt, 0);
			}
		}
		close_set();
	}
	ip6 = false;
	tags = 0;
}

/* Acknowledgements advance by 16 MB of received data, so the window never closes. */
static void acknowledgements_follow_the_data(void **state)
{
	(void)state;
	enum { UNIT = 1 << 24, SENT = 3 * UNIT };
	data_length = 1400;
	open_set(1);
	open_all(1);
	begin(WS_PHASE_EXCHANGE, GENERATION + 1);
	struct flow_writing there = writing_of(INITIATOR, WS_FLOW_RANDOM, PSH | ACK);
	struct flow_writing back = writing_of(RESPONDER, WS_FLOW_RANDOM, PSH | ACK);
	struct sent lost = next_of(&there, PSH | ACK);
	uint32_t from_there = number_of(&lost, 4), from_back = number_of(&lost, 8);
	for (uint32_t bytes = data_length; bytes < SENT; bytes += data_length) {
		struct sent sent = next_of(&there, PSH | ACK);
		assert_numbers(&sent, from_there + bytes, from_back + (bytes - data_length) / UNIT * UNIT);
		receive(RESPONDER, &sent);
		receive(RESPONDER, &lost); /* late; the acknowledged units stay */
		sent = next_of(&back, PSH | ACK);
		assert_numbers(&sent, from_back + bytes - data_length,
					   from_there + (bytes + data_length) / UNIT * UNIT);
		receive(INITIATOR, &sent);
	}
	close_set();
	data_length = 18;
}

static void others_are_counted_for_what_they_are(void **state)
{
	(void)state;
	struct ws_flow_counts *there = &shares[RESPONDER].counts, *back = &shares[INITIATOR].counts;
	open_set(100);
	struct sent syn = one_of(INITIATOR, WS_FLOW_EACH, SYN), other = syn;
	for (uint16_t less = 0; less < tcp_at() + 20; less++)
		receive_part(RESPONDER, &syn, less);
	assert_int_equal(there->unknown, tcp_at() + 20);
	other.bytes[tcp_at() + 13] = 4; /* RST */
	receive(RESPONDER, &other);
	other = syn;
	other.bytes[tcp_at() + 15] ^= 1; /* window */
	receive(RESPONDER, &other);
	assert_int_equal(there->unknown, tcp_at() + 22);
	other = syn;
	other.bytes[tcp_at() + 7] = 100; /* flow */
	receive(RESPONDER, &other);
	receive(INITIATOR, &syn); /* sent by the receiving port itself */
	assert_int_equal(there->bad + back->bad, 2);
	other = syn;
	other.bytes[tcp_at() + 5]--; /* generation */
	receive(RESPONDER, &other);
	assert_int_equal(there->late, 1);
	struct sent early = template_of(ACK);
	receive(RESPONDER, &early);
	assert_int_equal(there->flows + there->confirmed + there->to_answer, 0);

	receive(RESPONDER, &syn);
	receive(RESPONDER, &syn);
	assert_int_equal(there->duplicates, 1);
	assert_int_equal(there->to_answer, 1);
	struct sent syn_ack = one_of(RESPONDER, WS_FLOW_ANSWER, SYN | ACK), wrong = syn_ack;
	wrong.bytes[tcp_at() + 7] ^= 1; /* a rewritten sequence number */
	receive(INITIATOR, &wrong);
	assert_int_equal(back->bad, 2);
	wrong = syn_ack;
	wrong.bytes[tcp_at() + 3] ^= 1; /* port */
	receive(INITIATOR, &wrong);
	assert_int_equal(back->wrong_flows, 1);
	assert_int_equal(back->to_answer, 0);
	receive(INITIATOR, &syn_ack);
	receive(INITIATOR, &syn_ack);
	assert_int_equal(back->duplicates, 2);
	assert_int_equal(back->flows, 1);
	assert_int_equal(back->wrong_flows, 0);
	assert_int_equal(back->to_answer, 1);
	struct sent ack = one_of(INITIATOR, WS_FLOW_ANSWER, ACK);
	receive(RESPONDER, &ack);
	receive(RESPONDER, &ack);
	assert_int_equal(there->confirmed, 1);
	assert_int_equal(there->duplicates, 2);
	ack.bytes[ip_at() + 12] ^= 1; /* again, from another source */
	receive(RESPONDER, &ack);
	assert_int_equal(there->confirmed, 0);
	assert_int_equal(there->remapped_flows, 1);
	flow_table_settle(table(), &tuples);
	begin(WS_PHASE_EXCHANGE, GENERATION + 1);
	receive(RESPONDER, &syn);
	receive(INITIATOR, &syn_ack);
	assert_int_equal(there->late + back->late, 2);
	struct sent data = one_of(INITIATOR, WS_FLOW_EACH, PSH | ACK);
	for (uint16_t less = tcp_at() + 20; less < tcp_at() + 36; less++)
		receive_part(RESPONDER, &data, less);
	assert_int_equal(there->unknown, 16);
	data.bytes[tcp_at() + 24]++; /* a flow without handshake */
	receive(RESPONDER, &data);
	assert_int_equal(there->unlearnt, 1);
	close_set();
}

/* No data is sent over flows whose ACK never arrived. */
static void half_open_flows_are_not_used(void **state)
{
	(void)state;
	enum { FLOWS = 90 };
	open_set(FLOWS);
	struct flow_writing syn = writing_of(INITIATOR, WS_FLOW_EACH, SYN);
	for (int i = 0; i < FLOWS; i++) {
		struct sent sent = next_of(&syn, SYN);
		uint8_t flow = sent.bytes[tcp_at() + 7]; /* the low byte of the sequence number */
		receive(RESPONDER, &sent);
		sent = one_of(RESPONDER, WS_FLOW_ANSWER, SYN | ACK);
		receive(INITIATOR, &sent);
		sent = one_of(INITIATOR, WS_FLOW_ANSWER, ACK);
		if (flow % 3)
			receive(RESPONDER, &sent);
	}
	flow_table_settle(table(), &tuples);
	assert_int_equal(table()->learnt, FLOWS / 3 * 2);
	assert_int_equal(table()->told.distinct, FLOWS);
	begin(WS_PHASE_EXCHANGE, GENERATION + 1);
	for (int role = 0; role < ROLES; role++)
		for (uint32_t order = WS_FLOW_EACH; order <= WS_FLOW_RANDOM; order++) {
			struct flow_writing data = writing_of(role, order, PSH | ACK);
			for (int i = 0; i < 200; i++)
				assert_true(next_of(&data, PSH | ACK).bytes[tcp_at() + 24] % 3);
		}
	close_set();
}

static void answers_that_have_no_room_are_the_testers(void **state)
{
	(void)state;
	enum { MORE = 100 };
	open_set(FLOW_QUEUE + MORE);
	struct flow_writing syn = writing_of(INITIATOR, WS_FLOW_EACH, SYN);
	struct flow_writing syn_ack = writing_of(RESPONDER, WS_FLOW_ANSWER, SYN | ACK);
	for (uint32_t flow = 0; flow < FLOW_QUEUE + MORE; flow++) {
		struct sent sent = next_of(&syn, SYN);
		receive(RESPONDER, &sent);
	}
	assert_int_equal(shares[RESPONDER].counts.to_answer, FLOW_QUEUE + MORE);
	assert_int_equal(flow_writing_available(&syn_ack), FLOW_QUEUE);
	close_set();
}

static void segments_of_another_step_are_refused(void **state)
{
	(void)state;
	const uint8_t flags[] = {SYN, SYN | ACK, ACK, PSH | ACK, PSH, 0};
	open_set(10);
	for (int phase = 0; phase < 2; phase++) {
		for (int which = 0; which < ROLES * 2 * 6; which++) {
			int role = which % 2;
			bool answers = which / 2 % 2;
			uint8_t given = flags[which / 4];
			uint8_t due = phase               ? answers ? 0 : PSH | ACK
						  : answers           ? role == RESPONDER ? SYN | ACK : ACK
						  : role == RESPONDER ? 0
											  : SYN;
			struct flow_writing writing;
			struct sent template = template_of(given);
			int error = flow_writing_make(&writing, &shares[role], 1,
										  answers ? WS_FLOW_ANSWER : WS_FLOW_EACH, WHOLE_STREAM,
										  template.bytes, template.length);
			assert_int_equal(!error, given && given == due);
			for (uint16_t less = 0; less < template.length; less++) {
				uint8_t *block = malloc(less ? less : 1);
				memcpy(block, template.bytes, less);
				assert_true(flow_writing_make(&writing, &shares[role], 1, answers, WHOLE_STREAM,
											  block, less) < 0);
				free(block);
			}
		}
		if (!phase) {
			open_all(10);
			begin(WS_PHASE_EXCHANGE, GENERATION + 1);
		}
	}
	close_set();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connections_have_right_numbers),
		cmocka_unit_test(acknowledgements_follow_the_data),
		cmocka_unit_test(others_are_counted_for_what_they_are),
		cmocka_unit_test(half_open_flows_are_not_used),
		cmocka_unit_test(answers_that_have_no_room_are_the_testers),
		cmocka_unit_test(segments_of_another_step_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
