/* SPDX-License-Identifier: Apache-2.0 */
/* Replies to IPv4 packets: pings and errors. */
#include "router/packet/metadata.h"
#include "tests/accounted.h"
#include "tests/rig_tests.h"
#include "tests/upper_node.h"
#include "wire/ethernet.h"
#include "wire/icmp4.h"
#include "wire/ip4.h"
#include "wire/mpls.h"
#include "wire/udp.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/mpls.h"
#include "wirespeed/runtime.h"

enum { QUOTE = ETHERNET_LEN + IP4_LEN + ICMP4_LEN, ANSWER_TTL = 64 };

static const uint32_t client = IP(10, 0, 0, 2), self = IP(10, 0, 0, 1);
static const uint32_t nowhere = IP(99, 0, 0, 1);

static struct ip4_header *ip_of(struct frame *frame)
{
	return (void *)(frame->bytes + ETHERNET_LEN);
}

static struct icmp4_header *icmp_of(struct frame *frame)
{
	return (void *)(frame->bytes + ETHERNET_LEN + IP4_LEN);
}

static int with_neighbor(void **state)
{
	(void)state;
	rig_reset();
	return ws_router_neighbor_add(rig_router, 0, address_of_ip4(client), rig_host[0]);
}

static struct frame ping(size_t payload)
{
	struct frame frame = frame_udp(client, self, payload);
	ip_of(&frame)->protocol = IP4_ICMP;
	*icmp_of(&frame) =
		(struct icmp4_header){.type = ICMP4_ECHO_REQUEST, .rest = {htobe16(0x1234), htobe16(1)}};
	icmp_of(&frame)->checksum = checksum(icmp_of(&frame), ICMP4_LEN + payload);
	frame_finish(&frame);
	return frame;
}

static void assert_from_router(struct frame *answer)
{
	assert_memory_equal(answer->bytes, rig_host[0], 6);
	assert_memory_equal(answer->bytes + 6, rig_mac[0], 6);
	assert_int_equal(be32toh(ip_of(answer)->source), self);
	assert_int_equal(be32toh(ip_of(answer)->destination), client);
	assert_int_equal(ip_of(answer)->ttl, ANSWER_TTL);
	assert_int_equal(be16toh(ip_of(answer)->total_length), answer->length - ETHERNET_LEN);
	assert_int_equal(checksum(ip_of(answer), IP4_LEN), 0);
	assert_int_equal(checksum(icmp_of(answer), answer->length - ETHERNET_LEN - IP4_LEN), 0);
}

static void answers_pings(void **state)
{
	(void)state;
	for (size_t payload = 0; payload <= 1472; payload += payload < 64 ? 1 : 88) {
		struct frame in = ping(payload);
		if (payload % 2)
			rig_send_pieces(0, in.bytes, in.length, 43 + payload % 7);
		else
			rig_send(0, in.bytes, in.length);
		struct frame out = rig_take(0);
		assert_int_equal(out.length, in.length);
		assert_from_router(&out);
		assert_int_equal(icmp_of(&out)->type, ICMP4_ECHO_REPLY);
		assert_memory_equal(out.bytes + QUOTE - 4, in.bytes + QUOTE - 4, in.length - QUOTE + 4);
	}
	assert_int_equal(rig_counter("icmp4-echo-request", "bad icmp4 checksum"), 0);
}

/* The other interface's address belongs to the router as well, and TTL 1 suffices. */
static void answers_pings_to_any_address(void **state)
{
	(void)state;
	struct frame in = ping(10);
	ip_of(&in)->destination = htobe32(IP(10, 0, 1, 1));
	ip_of(&in)->ttl = 1;
	frame_finish(&in);
	rig_send(0, in.bytes, in.length);
	struct frame out = rig_take(0);
	assert_int_equal(be32toh(ip_of(&out)->source), IP(10, 0, 1, 1));
	assert_int_equal(icmp_of(&out)->type, ICMP4_ECHO_REPLY);
}

static void assert_silent(struct frame *frame, const char *node, const char *reason)
{
	uint64_t before = rig_counter(node, reason);
	rig_send(0, frame->bytes, frame->length);
	assert_int_equal(rig_take(0).length, 0);
	assert_int_equal(rig_counter(node, reason), before + 1);
}

/* A packet behind labels has not passed ip4-input. */
static struct frame behind_label(struct frame in)
{
	memmove(in.bytes + ETHERNET_LEN + MPLS_LEN, in.bytes + ETHERNET_LEN, in.length - ETHERNET_LEN);
	ethernet_write(in.bytes, rig_mac[0], rig_host[0], ETHERNET_MPLS);
	mpls_store(in.bytes + ETHERNET_LEN, MPLS_BOTTOM | 64); /* explicit null of IPv4 */
	in.length += MPLS_LEN;
	return in;
}

static void sends_no_error_to_nobody(void **state)
{
	(void)state;
	static const uint32_t nobodies[] = {
		0,    IP(127, 0, 0, 1),  IP(224, 0, 0, 1), IP(250, 0, 0, 1), UINT32_MAX,
		self, IP(10, 0, 0, 255), IP(10, 0, 1, 0),
	};
	assert_int_equal(ws_router_mpls_table_add(rig_router), 0);
	assert_int_equal(ws_router_set_mpls(rig_router, 0, true), 0);
	for (size_t i = 0; i < sizeof(nobodies) / sizeof(nobodies[0]); i++) {
		struct frame in = behind_label(frame_udp(nobodies[i], nowhere, 20));
		assert_silent(&in, "ip4-icmp-error", "no icmp4 error to a source that is no host");
	}
	struct frame in = behind_label(frame_udp(client, nowhere, 20));
	rig_send(0, in.bytes, in.length);
	struct frame out = rig_take(0);
	assert_int_equal(icmp_of(&out)->type, ICMP4_UNREACHABLE);
}

static void drops_bad_icmp(void **state)
{
	(void)state;
	struct frame in = ping(16);
	in.bytes[in.length - 1] ^= 0x40;
	assert_silent(&in, "icmp4-echo-request", "bad icmp4 checksum");
	in = ping(16);
	icmp_of(&in)->type = ICMP4_SOURCE_QUENCH;
	assert_silent(&in, "ip4-local", "unknown icmp4 type");
	in = ping(16);
	icmp_of(&in)->type = ICMP4_ECHO_REPLY;
	assert_silent(&in, "icmp4-echo-reply", "bad icmp checksum");
	for (size_t length = QUOTE - ICMP4_LEN; length < QUOTE; length++) {
		in = ping(0);
		in.length = length;
		frame_finish(&in);
		assert_silent(&in, "ip4-local", "icmp4 shorter than its header");
	}
	/* Ethernet padding does not make it longer. */
	in.length = QUOTE - 1;
	frame_finish(&in);
	in.length = 60;
	assert_silent(&in, "ip4-local", "icmp4 shorter than its header");
	in = ping(16);
	ip_of(&in)->fragment = htobe16(IP4_MORE_FRAGMENTS);
	frame_finish(&in);
	assert_silent(&in, "ip4-local", "ip4 fragment to us is not reassembled");
}

static void assert_error(const struct frame *about, uint8_t type, uint8_t code)
{
	rig_send(0, about->bytes, about->length);
	struct frame out = rig_take(0);
	size_t quoted = about->length - ETHERNET_LEN;
	if (quoted > 576 - IP4_LEN - ICMP4_LEN)
		quoted = 576 - IP4_LEN - ICMP4_LEN;
	assert_int_equal(out.length, QUOTE + quoted);
	assert_from_router(&out);
	assert_int_equal(ip_of(&out)->tos, 0xc0);
	assert_int_equal(icmp_of(&out)->type, type);
	assert_int_equal(icmp_of(&out)->code, code);
	assert_memory_equal(out.bytes + QUOTE, about->bytes + ETHERNET_LEN, quoted);
}

static void tells_that_ttl_expired(void **state)
{
	(void)state;
	struct ws_route route = {
		.prefix = PREFIX(48, 0, 0, 0, 8),
		.path_count = 1,
		.paths = {{.next_hop = ADDRESS(10, 0, 1, 2), .interface = -1}},
	};
	ws_router_neighbor_add(rig_router, 1, ADDRESS(10, 0, 1, 2), rig_host[1]);
	ws_router_route_add(rig_router, &route, false);
	for (uint8_t ttl = 0; ttl < 2; ttl++) {
		struct frame in = frame_udp(client, IP(48, 0, 0, 1), 18 + ttl);
		ip_of(&in)->ttl = ttl;
		frame_finish(&in);
		assert_error(&in, ICMP4_TIME_EXCEEDED, 0);
	}
	assert_int_equal(rig_take(1).length, 0);
	assert_int_equal(rig_counter("ip4-rewrite", "ip4 ttl <= 1"), 2);
	assert_int_equal(rig_counter("ip4-icmp-error", "hop limit exceeded response sent"), 2);
}

static void tells_that_there_is_no_route(void **state)
{
	(void)state;
	for (size_t payload = 0; payload <= 1472; payload += 92) {
		struct frame in = frame_udp(client, nowhere, payload);
		assert_error(&in, ICMP4_UNREACHABLE, ICMP4_NET_UNREACHABLE);
	}
	assert_int_equal(rig_counter("ip4-lookup", "no route"), 17);
	/* Only the first segment of a packet is quoted. */
	struct frame pieces = frame_udp(client, nowhere, 1400);
	rig_send_pieces(0, pieces.bytes, pieces.length, 300);
	struct frame out = rig_take(0);
	assert_int_equal(out.length, QUOTE + 300 - ETHERNET_LEN);
	assert_from_router(&out);
	/* Ethernet padding is no part of the packet. */
	struct frame in = frame_udp(client, nowhere, 2);
	rig_send_pieces(0, in.bytes, 60, 100);
	assert_int_equal(rig_take(0).length, QUOTE + IP4_LEN + UDP_LEN + 2);
}

static void tells_that_nobody_listens(void **state)
{
	(void)state;
	struct frame in = frame_udp(client, self, 18);
	assert_error(&in, ICMP4_UNREACHABLE, ICMP4_PORT_UNREACHABLE);
	ip_of(&in)->protocol = IP4_TCP;
	frame_finish(&in);
	assert_error(&in, ICMP4_UNREACHABLE, ICMP4_PROTOCOL_UNREACHABLE);
	in = frame_udp(client, self, 18);
	in.bytes[ETHERNET_LEN + IP4_LEN + 5] = 7; /* UDP length */
	assert_silent(&in, "ip4-local", "bad udp length");
}

static void stays_silent(void **state)
{
	(void)state;
	static const uint8_t errors[] = {3, 4, 5, 11, 12};
	struct frame in;
	for (size_t i = 0; i < sizeof(errors); i++) {
		in = ping(28);
		icmp_of(&in)->type = errors[i];
		ip_of(&in)->destination = htobe32(nowhere);
		frame_finish(&in);
		assert_silent(&in, "ip4-icmp-error", "no icmp4 error about an icmp4 error");
	}
	in.length = ETHERNET_LEN + IP4_LEN;
	frame_finish(&in);
	assert_silent(&in, "ip4-icmp-error", "no icmp4 error about an icmp4 error");
	in = frame_udp(client, nowhere, 18);
	ip_of(&in)->fragment = htobe16(1);
	frame_finish(&in);
	assert_silent(&in, "ip4-icmp-error", "no icmp4 error about a later fragment");
	ip_of(&in)->fragment = htobe16(IP4_MORE_FRAGMENTS);
	frame_finish(&in);
	assert_error(&in, ICMP4_UNREACHABLE, ICMP4_NET_UNREACHABLE);
	ws_router_address_del(rig_router, 0, PREFIX(10, 0, 0, 1, 24));
	assert_silent(&in, "ip4-icmp-error", "interface has no address to send an icmp4 error from");
}

/* A ping to an address without a route back: the reply has no route and is dropped. */
static void does_not_answer_itself(void **state)
{
	(void)state;
	struct frame in = ping(10);
	ip_of(&in)->source = htobe32(nowhere);
	frame_finish(&in);
	rig_send(0, in.bytes, in.length);
	assert_int_equal(rig_take(0).length, 0);
	assert_int_equal(rig_counter("icmp4-echo-request", "echo replies sent"), 1);
	in = frame_udp(nowhere, IP(99, 0, 0, 2), 18);
	assert_silent(&in, "ip4-icmp-error", "no icmp4 error about an icmp4 error");
}

/* A burst of 100, which is 100 ms at 1 000 per second; then only as time passes. */
static void keeps_to_the_rate(void **state)
{
	(void)state;
	struct frame in = frame_udp(client, nowhere, 18);
	struct token_bucket *bucket = &rig_router->workers[0]->icmp;
	int answered = 0;
	uint64_t ticks_per_token = bucket->ticks_per_token;
	assert_int_equal(ticks_per_token, ws_tsc_hz() / 1000);
	bucket->ticks_per_token = ws_tsc_hz() * 3600;
	bucket->capacity_ticks = 100 * bucket->ticks_per_token;
	for (int i = 0; i < 150; i++) {
		rig_send(0, in.bytes, in.length);
		answered += rig_take(0).length > 0;
	}
	assert_int_equal(answered, 100);
	assert_int_equal(rig_counter("ip4-icmp-error", "icmp4 error rate limited"), 50);
	bucket->full_at -= 3 * bucket->ticks_per_token;
	for (int i = 0; i < 10; i++) {
		rig_send(0, in.bytes, in.length);
		answered += rig_take(0).length > 0;
	}
	assert_int_equal(answered, 103);
}

/* ---- Upper layers ---- */

enum { TEST_TYPE = 0x88b5, TEST_PROTOCOL = 253, TEST_PORT = 4000 };
UPPER_NODE(type, ABOVE_ETHERNET, TEST_TYPE, "test-upper")
UPPER_NODE(protocol, ABOVE_IP4, TEST_PROTOCOL, "test-upper")
UPPER_NODE(port, ABOVE_IP4, UPPER_UDP(TEST_PORT), "test-upper")

static void assert_taken(const struct frame *in, uint64_t count, uint8_t begins)
{
	rig_send(0, in->bytes, in->length);
	assert_int_equal(rig_counter("test-upper", "taken"), count);
	assert_int_equal(taken_begins, begins);
	assert_int_equal(rig_take(0).length, 0);
}

/* Unregistered numbers stay unknown. */
static void hands_over_to_upper_layers(void **state)
{
	(void)state;
	struct frame in = frame_udp(client, self, 20);
	struct udp_header *udp = (void *)(in.bytes + ETHERNET_LEN + IP4_LEN);
	udp->destination = htobe16(TEST_PORT);
	assert_taken(&in, 1, 0x45);
	udp->destination = htobe16(TEST_PORT + 1);
	rig_send(0, in.bytes, in.length);
	struct frame answer = rig_take(0);
	assert_int_equal(icmp_of(&answer)->code, ICMP4_PORT_UNREACHABLE);
	ip_of(&in)->protocol = TEST_PROTOCOL;
	frame_finish(&in);
	assert_taken(&in, 2, 0x45);
	struct ethernet_header *ethernet = (void *)in.bytes;
	ethernet->type = htobe16(TEST_TYPE);
	in.bytes[ETHERNET_LEN] = 0xab;
	assert_taken(&in, 3, 0xab);
	ethernet->type = htobe16(TEST_TYPE + 1);
	rig_send(0, in.bytes, in.length);
	assert_int_equal(rig_counter("ethernet-input", "unknown ethernet type"), 1);
	assert_int_equal(rig_counter("test-upper", "taken"), 3);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, with_neighbor, rest_accounted)
	const struct CMUnitTest tests[] = {
		TEST(answers_pings),
		TEST(answers_pings_to_any_address),
		TEST(sends_no_error_to_nobody),
		TEST(drops_bad_icmp),
		TEST(tells_that_ttl_expired),
		TEST(tells_that_there_is_no_route),
		TEST(tells_that_nobody_listens),
		TEST(stays_silent),
		TEST(does_not_answer_itself),
		TEST(keeps_to_the_rate),
		TEST(hands_over_to_upper_layers),
	};
	return RIG_RUN(tests);
}
