/* SPDX-License-Identifier: Apache-2.0 */
/*
 *     test_flow_set_translator [FLOWS]
 *
 * A flow set on two ports of a real generator. A translator of addresses and ports between them
 * loses, doubles, merges, moves, misdelivers and delays known numbers of flows, so that each count
 * is exact. Over TCP it follows the sequence numbers of each connection, as a firewall does. No
 * worker runs: the test calls the functions of the ports itself, and sometimes lets rings overflow.
 */
#include "dev/pool.h"
#include "dev/port.h"
#include "generator/control/generator.h"
#include "generator/flow_set/flow_segment.h"
#include "generator/receive/receive.h"
#include "generator/traffic/traffic.h"
#include "generator/traffic/transmit.h"
#include "tests/cmocka_all.h"
#include "wirespeed/flow_sets.h"
#include "wirespeed/ports.h"
#include "wirespeed/runtime.h"

#include <rte_mbuf.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The ports of the generator, and the translator's ports at their other ends. */
enum { INITIATOR, RESPONDER, INSIDE, OUTSIDE, PORTS };
enum { PORTS_AN_ADDRESS = 60000, FIRST_PORT = 1024, MOST_HELD = 4096 };
enum {
	PAYLOAD = 18,
	DATA = 33 /* of TCP */,
	OPTIONS = 8 /* of a SYN */,
	MOST_FRAME = 14 + 40 + 60
};
enum { BURST = 32, CALLS_A_ROUND = 100 /* more frames than a ring holds */ };

/* The fate of a flow, by its number modulo 100. */
enum {
	LOSE = 1,
	DOUBLE = 2,
	MERGE = 10, /* shares the tuple of the previous flow */
	REDIRECT = 20,
	KEEP_SOURCE = 30,
	HOLD = 40,   /* modulo 1000 */
	REFUSE = 50, /* with an ICMP error */
	ADD_NOISE = 60,
	MOVE_AT_ONCE = 70, /* arrives twice, the second time with another tuple */
	MOVE_LATER = 75,
	LOSE_REPLY = 81,
	DOUBLE_REPLY = 82,
	WRONG_PORT = 83,
	WRONG_HOST = 84,
	LOSE_ACK = 85,
	DOUBLE_ACK = 86,
	MOVE_ACK = 87,
	VALIDATION = 10, /* over TCP, 81 to 84 are the fates of SYN-ACKs, 91 to 94 those of data */
};

static uint32_t flows = 20000;
static struct ws_generator *generator;
static struct rte_mempool *pool;
static struct flow_tuples tuples;
static bool ip6, tcp;

static struct {
	uint32_t phase;
	struct rte_mbuf *held[MOST_HELD];
	uint32_t held_count;
	uint64_t there, back; /* frames received */
	uint64_t lost_there, doubled_there, unlearnt, moved, moved_flows;
	uint64_t lost_back, doubled_back, wrong_back;
	uint8_t *has_moved;
	struct connection *connections;
} translator;

/* The state of a connection in a firewall, by direction: initial sequence number, data so far. */
struct connection {
	uint32_t first[2], bytes[2];
};

static void expect(int result)
{
	if (result < 0)
		fail_msg("%s", ws_error());
}

/* ---- the translator */

static uint8_t *ip_of(struct rte_mbuf *packet)
{
	return rte_pktmbuf_mtod_offset(packet, uint8_t *, 14);
}

static uint8_t *source_of(struct rte_mbuf *packet)
{
	return ip_of(packet) + (ip6 ? 8 + 12 : 12);
}

static uint8_t *destination_of(struct rte_mbuf *packet)
{
	return ip_of(packet) + (ip6 ? 24 + 12 : 16);
}

/* The upper header; TCP has its ports at the same offsets. */
static uint8_t *udp_of(struct rte_mbuf *packet)
{
	return ip_of(packet) + (ip6 ? 40 : 20);
}

static uint32_t get32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

enum { PUBLIC = 0x64400000, MOVED = 0x64500000 };

static void translate(struct rte_mbuf *packet, uint32_t base, uint32_t number)
{
	put32(source_of(packet), base + number / PORTS_AN_ADDRESS);
	put16(udp_of(packet), FIRST_PORT + number % PORTS_AN_ADDRESS);
}

static void send(uint16_t port, struct rte_mbuf *packet)
{
	assert_int_equal(port_transmit(port, 0, &packet, 1), 1);
}

static struct rte_mbuf *copy_of(const struct rte_mbuf *packet)
{
	struct rte_mbuf *copy = rte_pktmbuf_copy(packet, pool, 0, UINT32_MAX);
	assert_non_null(copy);
	return copy;
}

static void assert_checksums_are_right(struct rte_mbuf *packet)
{
	uint8_t *ip = ip_of(packet), *udp = udp_of(packet);
	uint32_t length = ip6 ? get32(ip + 2) & 0xffff : (get32(ip) & 0xffff) - 20;
	uint8_t pseudo[] = {0, tcp ? 6 : 17, (uint8_t)(length >> 8), (uint8_t)length};
	uint64_t sum = checksum_add(0, ip + (ip6 ? 8 : 12), ip6 ? 32 : 8);
	sum = checksum_add(checksum_add(sum, pseudo, 4), udp, length);
	assert_int_equal(checksum_fold(sum), 0xffff);
	if (!ip6)
		assert_int_equal(checksum(ip, 20), 0);
}

/* A "port unreachable" from the translator, which quotes the packet. */
static void send_error(const struct rte_mbuf *about)
{
	struct rte_mbuf *packet = copy_of(about);
	uint32_t head = ip6 ? 40 : 20, quoted = packet->pkt_len - 14;
	assert_non_null(rte_pktmbuf_append(packet, (uint16_t)(head + 8)));
	uint8_t *ip = ip_of(packet);
	memmove(ip + head + 8, ip, quoted);
	memset(ip + head, 0, 8);
	if (ip6) {
		put16(ip + 4, 8 + quoted);
		ip[6] = 58;
		ip[head] = 1;
	} else {
		put16(ip + 2, head + 8 + quoted);
		ip[9] = 1;
		ip[head] = 3;
		memset(ip + 10, 0, 2);
		uint16_t sum = checksum(ip, head);
		memcpy(ip + 10, &sum, 2);
	}
	send(INSIDE, packet);
}

/* ---- TCP */

enum { SYN = 2, ACK = 16, PSH = 8 };

static uint8_t flags_of(struct rte_mbuf *packet)
{
	return udp_of(packet)[13];
}

/* Check that each frame continues its direction, and acknowledges no more than was sent in the
 * other direction. */
static void follow(struct rte_mbuf *packet, uint32_t flow, int way)
{
	struct connection *connection = &translator.connections[flow];
	const uint8_t *at = udp_of(packet);
	uint32_t seq = get32(at + 4), ack = get32(at + 8);
	switch (flags_of(packet)) {
	case SYN:
		assert_int_equal(at[12], (20 + OPTIONS) / 4 << 4);
		*connection = (struct connection){.first = {seq}};
		return;
	case SYN | ACK:
		assert_int_equal(ack, connection->first[0] + 1);
		connection->first[1] = seq;
		return;
	case ACK:
		assert_int_equal(seq, connection->first[0] + 1);
		assert_int_equal(ack, connection->first[1] + 1);
		return;
	default:
		assert_int_equal(flags_of(packet), PSH | ACK);
		assert_int_equal(seq, connection->first[way] + 1 + connection->bytes[way]);
		assert_in_range(ack - connection->first[!way] - 1, 0, connection->bytes[!way]);
		connection->bytes[way] += DATA;
	}
}

static void pass_ack(struct rte_mbuf *packet, uint32_t flow)
{
	struct rte_mbuf *copy;
	if (flow % 100 == LOSE_ACK) {
		rte_pktmbuf_free(packet);
		return;
	}
	if (flow % 100 == REDIRECT)
		udp_of(packet)[2] ^= 0x40;
	if (flow % 100 != KEEP_SOURCE)
		translate(packet, flow % 100 == MOVE_AT_ONCE || flow % 100 == MOVE_ACK ? MOVED : PUBLIC,
				  flow);
	copy = flow % 100 == DOUBLE_ACK ? copy_of(packet) : NULL;
	send(OUTSIDE, packet);
	if (copy)
		send(OUTSIDE, copy);
}

/* ---- each phase */

static void learn_phase_there(struct rte_mbuf *packet, uint32_t flow)
{
	struct rte_mbuf *copy;
	if (tcp && flags_of(packet) == ACK) {
		pass_ack(packet, flow);
		return;
	}
	switch (flow % 100) {
	case LOSE:
		rte_pktmbuf_free(packet);
		return;
	case REFUSE:
		send_error(packet);
		rte_pktmbuf_free(packet);
		return;
	case KEEP_SOURCE:
		send(OUTSIDE, packet);
		return;
	case MERGE:
		translate(packet, PUBLIC, flow - 1);
		send(OUTSIDE, packet);
		return;
	case HOLD:
		if (flow % 1000 != HOLD)
			break;
		translator.held[translator.held_count++] = copy_of(packet);
		rte_pktmbuf_free(packet);
		return;
	case ADD_NOISE:
		copy = copy_of(packet);
		udp_of(copy)[tcp ? 15 : 8] ^= 0xff; /* the window, or the mark */
		send(OUTSIDE, copy);
		break;
	case REDIRECT:
		udp_of(packet)[2] ^= 0x40;
		break;
	default:
		break;
	}
	translate(packet, PUBLIC, flow);
	copy = flow % 100 == DOUBLE || flow % 100 == MOVE_AT_ONCE ? copy_of(packet) : NULL;
	send(OUTSIDE, packet);
	if (copy && flow % 100 == MOVE_AT_ONCE)
		translate(copy, MOVED, flow);
	if (copy)
		send(OUTSIDE, copy);
}

static bool was_learnt(uint32_t flow)
{
	if (tcp) /* no data is sent over other flows */
		return true;
	return flow % 100 != LOSE && flow % 100 != REFUSE && flow % 1000 != HOLD;
}

/* Translate as in LEARN, except for the flows that move. Of 50 frames one is lost and one is
 * duplicated. */
static void exchange_there(struct rte_mbuf *packet, uint32_t flow)
{
	uint64_t number = translator.there;
	if (number % 50 == 10) {
		translator.lost_there++;
		rte_pktmbuf_free(packet);
		return;
	}
	bool moves = flow % 100 == MOVE_LATER;
	bool first = moves && !translator.has_moved[flow];
	bool was_moved = flow % 100 == MOVE_AT_ONCE || (tcp && flow % 100 == MOVE_ACK);
	if (first) {
		translator.has_moved[flow] = 1;
		translator.moved_flows++;
	}
	translator.unlearnt += !was_learnt(flow);
	if (flow % 100 == REDIRECT)
		udp_of(packet)[2] ^= 0x40;
	if (flow % 100 != KEEP_SOURCE)
		translate(packet, moves || was_moved ? MOVED : PUBLIC,
				  flow % 100 == MERGE ? flow - 1 : flow);
	if (number % 50 == 20) {
		translator.doubled_there++;
		send(OUTSIDE, copy_of(packet));
	}
	send(OUTSIDE, packet);
}

/* Deliver to the owner of the public tuple, with the tuple that it sent. */
static void translate_back(struct rte_mbuf *packet, uint32_t flow)
{
	uint32_t address = get32(destination_of(packet));
	const uint8_t *ports = udp_of(packet);
	uint32_t base = address >= MOVED && address < MOVED + 0x100000 ? MOVED : PUBLIC;
	struct flow_tuple owner;
	if (flow % 100 == REDIRECT)
		udp_of(packet)[0] ^= 0x40;
	if (flow % 100 == KEEP_SOURCE)
		return;
	uint32_t number =
		(address - base) * PORTS_AN_ADDRESS + (uint32_t)(ports[2] << 8 | ports[3]) - FIRST_PORT;
	assert_true(number < flows);
	owner = flow_tuple_of(&tuples, flow_digits_of(&tuples, number), ip6);
	memcpy(destination_of(packet), (const uint8_t *)owner.addresses + (ip6 ? 12 : 0), 4);
	memcpy(udp_of(packet) + 2, &owner.ports, 2);
}

static bool has_fate(uint32_t flow, uint32_t fate)
{
	return flow % 100 == fate + (tcp && translator.phase != WS_PHASE_LEARN ? VALIDATION : 0);
}

static void pass_back(struct rte_mbuf *packet, uint32_t flow)
{
	uint64_t number = translator.back;
	bool each = translator.phase != WS_PHASE_EXCHANGE;
	translate_back(packet, flow);
	if (each ? has_fate(flow, LOSE_REPLY) : number % 50 == 10) {
		translator.lost_back++;
		rte_pktmbuf_free(packet);
		return;
	}
	if (has_fate(flow, WRONG_PORT))
		udp_of(packet)[3] ^= 1;
	if (has_fate(flow, WRONG_HOST))
		destination_of(packet)[3] ^= 1;
	bool wrong = has_fate(flow, WRONG_PORT) || has_fate(flow, WRONG_HOST) || flow % 100 == MERGE;
	translator.wrong_back += wrong;
	if (each ? has_fate(flow, DOUBLE_REPLY) : number % 50 == 20) {
		translator.doubled_back++;
		send(INSIDE, copy_of(packet));
	}
	send(INSIDE, packet);
}

static uint32_t flow_of(struct rte_mbuf *packet)
{
	struct flow_view view = {rte_pktmbuf_mtod(packet, uint8_t *), packet->data_len,
							 packet->pkt_len};
	struct flow_frame frame;
	const uint8_t *at = udp_of(packet);
	uint32_t mask = 0xffff;
	if (tcp && flags_of(packet) != (PSH | ACK)) {
		uint8_t flags = flags_of(packet);
		uint32_t first =
			flags & SYN ? get32(at + (flags & ACK ? 8 : 4)) - (flags >> 4) : get32(at + 4) - 1;
		while (mask < flows - 1)
			mask = mask << 1 | 1;
		frame.flow = first & mask;
	} else {
		assert_true(tcp ? flow_segment_read(&view, ip6, &frame)
						: flow_frame_read(&view, ip6, &frame));
	}
	assert_true(frame.flow < flows);
	return frame.flow;
}

static uint32_t run_translator(void)
{
	struct rte_mbuf *packets[BURST];
	uint32_t passed = 0;
	for (uint16_t n; (n = port_receive(INSIDE, 0, packets, BURST)); passed += n)
		for (uint16_t i = 0; i < n; i++, translator.there++) {
			uint32_t flow = flow_of(packets[i]);
			assert_checksums_are_right(packets[i]);
			if (tcp)
				follow(packets[i], flow, INITIATOR);
			if (translator.phase == WS_PHASE_LEARN)
				learn_phase_there(packets[i], flow);
			else
				exchange_there(packets[i], flow);
			generator_receive(generator->ports[RESPONDER].shares);
			generator_receive(generator->ports[INITIATOR].shares);
		}
	for (uint16_t n; (n = port_receive(OUTSIDE, 0, packets, BURST)); passed += n)
		for (uint16_t i = 0; i < n; i++, translator.back++) {
			uint32_t flow = flow_of(packets[i]);
			assert_checksums_are_right(packets[i]);
			if (tcp)
				follow(packets[i], flow, RESPONDER);
			pass_back(packets[i], flow);
			generator_receive(generator->ports[INITIATOR].shares);
		}
	return passed;
}

/* ---- phases */

static void begin(uint32_t phase, uint32_t latency_every)
{
	translator.phase = phase;
	translator.there = translator.back = 0;
	expect(ws_flow_set_begin(generator, INITIATOR, phase, latency_every));
}

/* Write the upper header; returns the number of bytes behind the IP header. */
static uint8_t put_upper(uint8_t *at, uint16_t port, uint32_t order)
{
	if (!tcp) {
		at[5] = 8 + PAYLOAD;
		return 8 + PAYLOAD;
	}
	bool opens = translator.phase == WS_PHASE_LEARN, answers = order == WS_FLOW_ANSWER;
	bool is_syn = opens && (!answers || port == RESPONDER);
	at[12] = (uint8_t)((is_syn ? 20 + OPTIONS : 20) / 4 << 4);
	at[13] = !opens ? PSH | ACK : (is_syn ? SYN : 0) | (answers ? ACK : 0);
	at[14] = 0xff;
	at[15] = 0x5d;
	if (is_syn)
		memcpy(at + 20, (uint8_t[]){2, 4, 5, 0xb4, 1, 3, 3, 14}, OPTIONS);
	return is_syn ? 20 + OPTIONS : opens ? 20 : 20 + DATA;
}

static void start(uint16_t port, uint32_t order, uint64_t packets)
{
	uint8_t frame[MOST_FRAME] = {[12] = ip6 ? 0x86 : 8, [13] = ip6 ? 0xdd : 0};
	uint8_t *ip = frame + 14, header = ip6 ? 40 : 20;
	uint8_t length = put_upper(ip + header, port, order);
	if (ip6)
		memcpy(ip, (uint8_t[]){0x60, 0, 0, 0, 0, length, tcp ? 6 : 17, 64}, 8);
	else
		memcpy(ip, (uint8_t[]){0x45, 0, 0, 20 + length, 0, 0, 0, 0, 64, tcp ? 6 : 17}, 10);
	struct ws_stream stream = {
		.id = 1,
		.packet = frame,
		.packet_len = 14 + header + length,
		.enabled = true,
		.self_start = true,
		.mode = WS_SINGLE_BURST,
		.rate_pps = 1e9,
		.packets = packets,
		.next_id = -1,
		.flow_kind = WS_FLOW_SET,
		.flow_id = order,
	};
	expect(ws_generator_start(generator, port, order, &stream, 1, 1, -1, 0, UINT64_MAX));
}

static struct ws_flow_counts counts(bool responder)
{
	struct ws_flow_counts out;
	expect(ws_flow_set_counts(generator, INITIATOR, responder, &out));
	return out;
}

/* Streams of answers stay active, so the answers sent are compared with those due. */
static bool is_active(uint16_t port)
{
	bool active = false;
	for (const struct traffic *one = generator->ports[port].shares->traffic; one;
		 one = one->next_on_port)
		active |= one->active && one->profile != WS_FLOW_ANSWER;
	struct ws_flow_counts now = counts(port == RESPONDER);
	return active || now.answered < now.to_answer;
}

/* Run until both ports have sent everything and all of it has arrived. */
static void run(void)
{
	for (bool active = true; active;) {
		active = false;
		for (uint16_t port = INITIATOR; port <= RESPONDER; port++)
			for (int i = 0; i < CALLS_A_ROUND; i++)
				generator_transmit(generator->ports[port].shares);
		active = run_translator() || is_active(INITIATOR) || is_active(RESPONDER);
	}
	expect(ws_generator_stop_port(generator, INITIATOR));
	expect(ws_generator_stop_port(generator, RESPONDER));
	expect(ws_flow_set_end(generator, INITIATOR));
}

/* Run LEARN; returns the number of flows to send over. */
static uint64_t learn(void)
{
	struct ws_flow_learnt learnt;
	uint64_t part = flows / 100, established = flows - 2 * part - flows / 1000;
	uint64_t answered = tcp ? established : 0, confirmed = tcp ? established - 4 * part : 0;
	begin(WS_PHASE_LEARN, 0);
	if (tcp) {
		start(RESPONDER, WS_FLOW_ANSWER, flows);
		start(INITIATOR, WS_FLOW_ANSWER, flows);
	}
	start(INITIATOR, WS_FLOW_EACH, flows);
	run();
	struct ws_flow_counts there = counts(true), sent = counts(false);
	expect(ws_flow_set_learnt(generator, INITIATOR, &learnt));
	assert_int_equal(sent.sent, flows);
	assert_int_equal(translator.there, flows + confirmed);
	assert_int_equal(translator.back, answered);
	assert_int_equal(there.flows, established);
	assert_int_equal(there.to_answer, answered);
	assert_int_equal(there.answered, answered);
	assert_int_equal(sent.flows, confirmed);
	assert_int_equal(sent.to_answer, confirmed);
	assert_int_equal(sent.answered, confirmed);
	assert_int_equal(sent.duplicates, tcp ? part : 0);
	assert_int_equal(sent.wrong_flows, tcp ? 3 * part : 0);
	/* One in a hundred lost its ACK, one was retransmitted with another tuple, and one arrived with
	 * another tuple at first. */
	assert_int_equal(there.confirmed, tcp ? confirmed - 3 * part : 0);
	assert_int_equal(there.duplicates, (tcp ? 3 : 2) * part);
	assert_int_equal(there.remapped_flows, (tcp ? 2 : 1) * part);
	assert_int_equal(there.bad + sent.bad + there.unlearnt, 0);
	assert_int_equal(there.unknown, part);
	assert_int_equal(there.late, 0);
	assert_int_equal(sent.icmp_errors, part);
	assert_int_equal(sent.unknown, 0);
	assert_int_equal(learnt.flows, tcp ? confirmed - part : established);
	assert_int_equal(learnt.distinct, established - part);
	assert_int_equal(learnt.same_source, part);
	assert_int_equal(learnt.changed_destination, part);
	return learnt.flows;
}

static void validate(uint64_t learnt)
{
	uint64_t part = flows / 100, wrong = (tcp ? 2 : 3) * part;
	begin(WS_PHASE_VALIDATE, 0);
	for (; translator.held_count; generator_receive(generator->ports[RESPONDER].shares))
		send(OUTSIDE, translator.held[--translator.held_count]);
	start(RESPONDER, WS_FLOW_EACH, learnt);
	run();
	struct ws_flow_counts back = counts(false), sent = counts(true);
	assert_int_equal(sent.sent, learnt);
	assert_int_equal(translator.back, learnt);
	assert_int_equal(sent.late, flows / 1000);
	assert_int_equal(back.flows, learnt - part - wrong);
	assert_int_equal(back.wrong_flows, wrong);
	assert_int_equal(back.wrong, wrong);
	assert_int_equal(back.duplicates, part);
	assert_int_equal(back.unknown + back.bad + back.late, 0);
}

static void exchange(void)
{
	uint64_t frames = 2 * (uint64_t)flows;
	translator.wrong_back = translator.lost_back = translator.doubled_back = 0;
	translator.has_moved = calloc(1, flows);
	begin(WS_PHASE_EXCHANGE, 1);
	start(INITIATOR, WS_FLOW_RANDOM, frames);
	start(RESPONDER, WS_FLOW_RANDOM, frames);
	run();
	struct ws_flow_counts at_initiator = counts(false), at_responder = counts(true);
	assert_int_equal(at_initiator.sent, frames);
	assert_int_equal(at_responder.sent, frames);
	assert_int_equal(translator.lost_there, frames / 50);
	assert_int_equal(translator.doubled_there, frames / 50);
	assert_int_equal(at_responder.received, frames - translator.lost_there);
	assert_int_equal(at_responder.duplicates, translator.doubled_there);
	assert_int_equal(at_responder.remapped_flows, translator.moved_flows);
	assert_true(translator.moved_flows > flows / 200);
	assert_int_equal(at_responder.remapped, translator.moved_flows);
	assert_int_equal(at_responder.unlearnt, translator.unlearnt);
	assert_int_equal(at_responder.latency_packets, at_responder.received);
	assert_int_equal(at_initiator.received, frames - translator.lost_back);
	assert_int_equal(at_initiator.duplicates, translator.doubled_back);
	assert_int_equal(at_initiator.wrong, translator.wrong_back);
	assert_int_equal(at_initiator.unplaced + at_responder.unplaced, 0);
	free(translator.has_moved);
	translator.has_moved = NULL;
	translator.lost_there = translator.doubled_there = translator.unlearnt = 0;
	translator.moved_flows = 0;
}

static void run_all_phases(bool v6, bool over_tcp)
{
	ip6 = v6;
	tcp = over_tcp;
	struct ws_flow_set set = {
		.ip6 = v6,
		.tcp = over_tcp,
		.source = {10, 0, 0, 2},
		.destination = {198, 19, 0, 2},
		.sources = 25, /* one endpoint: merged flows share a tuple */
		.destinations = 1,
		.source_port = 1024,
		.source_ports = 50000,
		.destination_port = 1,
		.destination_ports = 1,
		.flows = flows,
		.seed = 5,
	};
	expect(flow_tuples_make(&set, &tuples));
	expect(ws_flow_set_open(generator, INITIATOR, RESPONDER, &set));
	translator.connections = calloc(flows, sizeof(struct connection));
	for (int trial = 0; trial < 2; trial++) { /* the second one meets the entries of the first */
		validate(learn());
		exchange();
	}
	free(translator.connections);
	ws_flow_set_close(generator, INITIATOR);
}

static void each_fault_has_its_count(void **state)
{
	(void)state;
	run_all_phases(false, false);
}

static void each_fault_has_its_count_over_ip6(void **state)
{
	(void)state;
	run_all_phases(true, false);
}

static void each_fault_has_its_count_over_tcp(void **state)
{
	(void)state;
	run_all_phases(false, true);
	run_all_phases(true, true);
}

static void what_is_out_of_order_is_refused(void **state)
{
	(void)state;
	struct ws_flow_set set = {.source = {10},
							  .destination = {11},
							  .sources = 1,
							  .destinations = 1,
							  .source_port = 1,
							  .source_ports = 10,
							  .destination_port = 1,
							  .destination_ports = 1,
							  .flows = 10};
	struct ws_flow_counts out;
	ip6 = tcp = false;
	assert_true(ws_flow_set_begin(generator, INITIATOR, WS_PHASE_LEARN, 0) < 0);
	assert_true(ws_flow_set_open(generator, INITIATOR, INITIATOR, &set) < 0);
	assert_true(ws_flow_set_open(generator, INITIATOR, PORTS, &set) < 0);
	expect(ws_flow_set_open(generator, INITIATOR, RESPONDER, &set));
	assert_true(ws_flow_set_open(generator, RESPONDER, INITIATOR, &set) < 0);
	assert_true(ws_flow_set_counts(generator, RESPONDER, false, &out) < 0);
	assert_true(ws_flow_set_begin(generator, INITIATOR, WS_PHASE_VALIDATE, 0) < 0);
	assert_true(ws_flow_set_begin(generator, INITIATOR, WS_PHASE_LEARN, 3) < 0);
	expect(ws_flow_set_begin(generator, INITIATOR, WS_PHASE_LEARN, 0));
	start(INITIATOR, WS_FLOW_RANDOM, UINT32_MAX);
	assert_true(ws_flow_set_begin(generator, INITIATOR, WS_PHASE_LEARN, 0) < 0);
	/* A sending port keeps the set alive after its close. */
	ws_flow_set_close(generator, INITIATOR);
	generator_transmit(generator->ports[INITIATOR].shares);
	expect(ws_generator_stop_port(generator, INITIATOR));
	for (struct rte_mbuf *packet; port_receive(INSIDE, 0, &packet, 1);)
		rte_pktmbuf_free(packet);
	expect(ws_flow_set_open(generator, INITIATOR, RESPONDER,
							&set)); /* the end of the generator frees it */
}

static int open_rig(void **state)
{
	(void)state;
	cpu_set_t mine;
	struct ws_runtime_config config = {.memory_mb = 128, .worker_count = 1};
	struct ws_port_config ports[PORTS] = {0};
	snprintf(config.program, sizeof(config.program), "flows");
	sched_getaffinity(0, sizeof(mine), &mine);
	while (!CPU_ISSET(config.worker_cpus[0], &mine))
		config.worker_cpus[0]++;
	for (int i = 0; i < PORTS; i++) {
		snprintf(ports[i].name, WS_NAME_LEN, "p%d", i);
		snprintf(ports[i].devargs, WS_DEVARGS_LEN, i % 2 ? "ring:out" : "ring:in");
		ports[i].rx_queues = ports[i].tx_queues = 1;
		ports[i].rx_descriptors = ports[i].tx_descriptors = 1024;
		ports[i].mtu = 1500;
	}
	expect(ws_runtime_init(&config));
	expect(ws_ports_open(ports, PORTS));
	pool = pool_create("copies", 8192, 1518);
	generator = ws_generator_create(NULL);
	return generator && pool ? 0 : -1;
}

static int close_rig(void **state)
{
	(void)state;
	ws_generator_destroy(generator);
	ws_runtime_close();
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_fault_has_its_count),
		cmocka_unit_test(each_fault_has_its_count_over_ip6),
		cmocka_unit_test(each_fault_has_its_count_over_tcp),
		cmocka_unit_test(what_is_out_of_order_is_refused),
	};
	if (argc > 1)
		flows = (uint32_t)strtoul(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, open_rig, close_rig);
}
