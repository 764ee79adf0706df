/* SPDX-License-Identifier: Apache-2.0 */
/* IPv6: checks, forwarding, replies, and packets to drop. */
#include "router/interface/ip6_interface.h"
#include "router/packet/metadata.h"
#include "tests/accounted.h"
#include "tests/rig_tests.h"
#include "tests/upper_node.h"
#include "wire/ethernet.h"
#include "wire/icmp6.h"
#include "wire/udp.h"
#include "wirespeed/echo.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/ip6.h"
#include "wirespeed/router.h"
#include "wirespeed/routes.h"
#include "wirespeed/trace.h"

#include <errno.h>
#include <rte_common.h>
#include <string.h>

/* 2001:db8:N::H; the rig's interface N has H = 1, its host H = 2. */
#define IP6(n, h) ((uint8_t[16]){0x20, 1, 0xd, 0xb8, 0, (n), [15] = (h)})
#define ADDRESS6(n, h) address_of_ip6(IP6(n, h))

static int reset(void **state)
{
	(void)state;
	rig_reset();
	for (uint16_t i = 0; i < 2; i++)
		if (ws_router_address_add(rig_router, i, (struct ws_prefix){ADDRESS6((uint8_t)i, 1), 64}) ||
			ws_router_neighbor_add(rig_router, i, ADDRESS6((uint8_t)i, 2), rig_host[i]))
			return -1;
	struct ws_route route = {
		.prefix = {ADDRESS6(0x48, 0), 48},
		.path_count = 1,
		.paths = {{.next_hop = ADDRESS6(1, 2), .interface = -1}},
	};
	return ws_router_route_add(rig_router, &route, false);
}

static struct ip6_header *ip_of(struct frame *frame)
{
	return (void *)(frame->bytes + ETHERNET_LEN);
}

static struct icmp6_header *icmp_of(struct frame *frame)
{
	return (void *)(frame->bytes + ETHERNET_LEN + IP6_LEN);
}

/* From the host of e0, with `payload` bytes of UDP to port 12. */
static struct frame udp6(const uint8_t *source, const uint8_t *destination, uint16_t payload)
{
	struct frame frame = {.length = ETHERNET_LEN + IP6_LEN + UDP_LEN + payload};
	ethernet_write(frame.bytes, rig_mac[0], rig_host[0], ETHERNET_IP6);
	ip6_write(frame.bytes + ETHERNET_LEN, UDP_LEN + payload, IP6_UDP, 64, source, destination);
	struct udp_header *udp = (void *)(frame.bytes + ETHERNET_LEN + IP6_LEN);
	*udp = (struct udp_header){
		.source = htobe16(1025),
		.destination = htobe16(12),
		.length = htobe16(UDP_LEN + payload),
	};
	for (uint16_t i = 0; i < payload; i++)
		frame.bytes[frame.length - payload + i] = (uint8_t)i;
	return frame;
}

static struct frame ping6(const uint8_t *source, const uint8_t *destination, uint16_t payload)
{
	struct frame frame = udp6(source, destination, payload);
	ip_of(&frame)->next_header = IP6_ICMP;
	*icmp_of(&frame) = (struct icmp6_header){
		.type = ICMP6_ECHO_REQUEST,
		.rest = htobe32(0x12340001),
	};
	icmp6_set_checksum(frame.bytes + ETHERNET_LEN);
	return frame;
}

static void send(const struct frame *frame)
{
	rig_send(0, frame->bytes, frame->length);
}

static void assert_silent(const struct frame *frame, const char *node, const char *reason)
{
	uint64_t before = rig_counter(node, reason);
	send(frame);
	assert_int_equal(rig_take(0).length, 0);
	assert_int_equal(rig_take(1).length, 0);
	assert_int_equal(rig_counter(node, reason), before + 1);
}

static void assert_checksum(struct frame *frame)
{
	const struct ip6_header *ip = ip_of(frame);
	uint16_t length = be16toh(ip->payload_length);
	uint64_t sum = ip6_pseudo_sum(ip, length, IP6_ICMP);
	assert_int_equal(checksum_fold(checksum_add(sum, ip + 1, length)), 0xffff);
	assert_int_equal(frame->length, ETHERNET_LEN + IP6_LEN + length);
}

/* An address belongs to the router only in the table of its interface. */
static void own_addresses_are_of_a_table(void **state)
{
	(void)state;
	const char *reason = "ip6 source is our own address";
	struct frame in = udp6(IP6(1, 1), IP6(0x48, 9), 30);
	assert_silent(&in, "ip6-input", reason);
	assert_int_equal(ws_router_address_del(rig_router, 0, (struct ws_prefix){ADDRESS6(0, 1), 64}),
					 0);
	assert_int_equal(ws_router_table_add(rig_router, WS_IP6, 7, NULL), 0);
	assert_int_equal(ws_router_set_table(rig_router, 0, WS_IP6, 7), 0);
	assert_int_equal(ws_router_address_add(rig_router, 0, (struct ws_prefix){ADDRESS6(0, 1), 64}),
					 0);
	uint64_t before = rig_counter("ip6-input", reason);
	send(&in);
	assert_int_equal(rig_counter("ip6-input", reason), before);
	in = udp6(IP6(0, 1), IP6(0x48, 9), 30);
	assert_silent(&in, "ip6-input", reason);
}

static void forwards(void **state)
{
	(void)state;
	struct frame in = udp6(IP6(0, 2), IP6(0x48, 9), 30), out;
	send(&in);
	out = rig_take(1);
	assert_int_equal(out.length, in.length);
	assert_memory_equal(out.bytes, rig_host[1], 6);
	assert_memory_equal(out.bytes + 6, rig_mac[1], 6);
	assert_int_equal(ip_of(&out)->hop_limit, 63);
	ip_of(&out)->hop_limit = 64;
	assert_memory_equal(out.bytes + 12, in.bytes + 12, in.length - 12);
	struct ws_interface_counters counters;
	ws_router_interface_counters(rig_router, 0, &counters);
	assert_int_equal(counters.ip6, 1);
	assert_int_equal(counters.ip4, 0);
	/* In segments, and with Ethernet padding. */
	rig_send_pieces(0, in.bytes, in.length, 60);
	assert_int_equal(rig_take(1).length, in.length);
	rig_send(0, in.bytes, in.length + 4);
	assert_int_equal(rig_take(1).length, in.length + 4);
	/* With unusual addresses. */
	in = udp6((uint8_t[16]){0, 0x64, 0xff, 0x9b, [15] = 1}, IP6(0x48, 9), 30);
	send(&in);
	assert_int_equal(rig_take(1).length, in.length);
}

static void drops_bad_headers(void **state)
{
	(void)state;
	struct frame in = udp6(IP6(0, 2), IP6(0x48, 9), 0);
	for (size_t length = ETHERNET_LEN; length < ETHERNET_LEN + IP6_LEN; length++) {
		in.length = length;
		assert_silent(&in, "ip6-input", "ip6 length < 40 bytes");
	}
	in.length = ETHERNET_LEN + IP6_LEN + UDP_LEN - 1;
	assert_silent(&in, "ip6-input", "ip6 length > l2 length");
	in.length++;
	in.bytes[ETHERNET_LEN] = 0x45;
	assert_silent(&in, "ip6-input", "ip6 version != 6");
}

static void drops_martians(void **state)
{
	(void)state;
	static const struct {
		uint8_t address[16];
		const char *source, *destination;
	} martians[] = {
		{{0}, "ip6 source is unspecified", "ip6 destination is unspecified"},
		{{[15] = 1}, "ip6 source is loopback", "ip6 destination is loopback"},
		{{[10] = 0xff, 0xff, 1, 2, 3, 4},
		 "ip6 source is an embedded ip4 address",
		 "ip6 destination is an embedded ip4 address"},
		{{[12] = 1, 2, 3, 4},
		 "ip6 source is an embedded ip4 address",
		 "ip6 destination is an embedded ip4 address"},
		{{0xff, 2, [15] = 1}, "ip6 source is multicast", NULL},
		{{0xff, 0x0e, [15] = 1}, "ip6 source is multicast", "ip6 multicast is not routed"},
		{{0xfe, 0x80, [15] = 9},
		 "ip6 source is link-local and destination is not ours",
		 "ip6 destination is link-local and not ours"},
	};
	for (size_t i = 0; i < sizeof(martians) / sizeof(martians[0]); i++) {
		struct frame in = udp6(martians[i].address, IP6(0x48, 9), 8);
		assert_silent(&in, "ip6-input", martians[i].source);
		in = udp6(IP6(0, 2), martians[i].address, 8);
		if (martians[i].destination)
			assert_silent(&in, "ip6-input", martians[i].destination);
	}
	for (uint8_t i = 0; i < 2; i++) {
		struct frame in = udp6(IP6(i, 1), IP6(0x48, 9), 8);
		assert_silent(&in, "ip6-input", "ip6 source is our own address");
	}
	struct frame in = udp6(rig_router->ip6[0]->link_local, IP6(0, 1), 8);
	assert_silent(&in, "ip6-input", "ip6 source is our own address");
	in = udp6(IP6(0, 2), IP6(0x48, 9), 8);
	memset(in.bytes, 0xff, 6);
	assert_silent(&in, "ethernet-input", "ip6 in a frame to a group that is none of ip6's");
}

static void takes_ip6_only_where_it_is_enabled(void **state)
{
	(void)state;
	struct frame in = ping6(IP6(0, 2), IP6(0, 1), 8);
	struct ws_ip6_interface interface;
	assert_int_equal(ws_router_address_del(rig_router, 0, (struct ws_prefix){ADDRESS6(0, 1), 64}),
					 0);
	assert_silent(&in, "ip6-not-enabled", "ip6 is not enabled on the interface");
	assert_int_equal(ws_router_ip6(rig_router, 0, &interface), 0);
	assert_false(interface.enabled);
	assert_int_equal(ws_router_set_ip6(rig_router, 0, true), 0);
	ws_router_ip6(rig_router, 0, &interface);
	assert_true(interface.enabled);
	/* fe80::ff:fe00:0 of 02:00:00:00:00:00. */
	assert_memory_equal(interface.link_local.bytes, ((uint8_t[16]){0xfe, 0x80, [11] = 0xff, 0xfe}),
						16);
	in = ping6((uint8_t[16]){0xfe, 0x80, [15] = 9}, interface.link_local.bytes, 8);
	send(&in);
	struct frame out = rig_take(0);
	assert_int_equal(icmp_of(&out)->type, ICMP6_ECHO_REPLY);
	assert_memory_equal(out.bytes, rig_host[0], 6);
	assert_int_equal(ip_of(&out)->hop_limit, 64);
	assert_memory_equal(ip_of(&out)->source, interface.link_local.bytes, 16);

	struct ws_prefix given = {address_of_ip6((uint8_t[16]){0xfe, 0x80, [15] = 1}), 64};
	assert_int_equal(ws_router_address_add(rig_router, 0, given), 0);
	ws_router_ip6(rig_router, 0, &interface);
	assert_memory_equal(interface.link_local.bytes, given.address.bytes, 16);
	assert_int_equal(ws_router_address_del(rig_router, 0, given), 0);
	ws_router_ip6(rig_router, 0, &interface);
	assert_int_equal(interface.link_local.bytes[11], 0xff);
	assert_int_equal(ws_router_set_link_local(rig_router, 0, ADDRESS6(0, 1)), -EINVAL);
	assert_int_equal(ws_router_set_ip6(rig_router, 0, false), 0);
	assert_null(rig_router->ip6[0]);
	assert_int_equal(ws_router_set_ip6(rig_router, 9, true), -ENODEV);
}

static void answers_pings(void **state)
{
	(void)state;
	for (uint16_t length = 0; length < 70; length++) {
		struct frame in = ping6(IP6(0, 2), IP6(0, 1), length), out;
		rig_send_pieces(0, in.bytes, in.length, length % 2 ? in.length : 63);
		out = rig_take(0);
		assert_int_equal(out.length, in.length);
		assert_int_equal(icmp_of(&out)->type, ICMP6_ECHO_REPLY);
		assert_int_equal(ip_of(&out)->hop_limit, 64);
		assert_memory_equal(ip_of(&out)->source, IP6(0, 1), 16);
		assert_memory_equal(ip_of(&out)->destination, IP6(0, 2), 16);
		assert_memory_equal(out.bytes, rig_host[0], 6);
		assert_checksum(&out);
		assert_memory_equal(icmp_of(&out) + 1, icmp_of(&in) + 1, length);
	}
	/* To all nodes: the reply's source matches the sender. */
	struct frame in = ping6(IP6(0, 2), (uint8_t[16]){0xff, 2, [15] = 1}, 8), out;
	memcpy(in.bytes, ((uint8_t[6]){0x33, 0x33, 0, 0, 0, 1}), 6);
	send(&in);
	out = rig_take(0);
	assert_memory_equal(ip_of(&out)->source, IP6(0, 1), 16);
	assert_checksum(&out);
	/* The other interface's address, hop limit 0. */
	in = ping6(IP6(0, 2), IP6(1, 1), 8);
	ip_of(&in)->hop_limit = 0;
	send(&in);
	out = rig_take(0);
	assert_memory_equal(ip_of(&out)->source, IP6(1, 1), 16);
	/* Spoilt on the way. */
	in = ping6(IP6(0, 2), IP6(0, 1), 16);
	in.bytes[in.length - 1] ^= 4;
	assert_silent(&in, "ip6-local", "bad icmp6 checksum");
	in = ping6((uint8_t[16]){0}, (uint8_t[16]){0xff, 2, [15] = 1}, 16);
	assert_silent(&in, "icmp6-echo-request", "echo request from nobody");
	in = ping6(IP6(0, 2), IP6(0, 1), 0);
	icmp_of(&in)->type = ICMP6_ECHO_REPLY;
	icmp6_set_checksum(in.bytes + ETHERNET_LEN);
	assert_silent(&in, "icmp6-echo-reply", "echo reply that nobody asked for");
	icmp_of(&in)->type = ICMP6_LISTENER_QUERY;
	icmp6_set_checksum(in.bytes + ETHERNET_LEN);
	assert_silent(&in, "icmp6-multicast-listener-query", "payload length too small for type");
	icmp_of(&in)->type = ICMP6_LISTENER_QUERY + 1;
	icmp6_set_checksum(in.bytes + ETHERNET_LEN);
	assert_silent(&in, "ip6-local", "unknown icmp6 type");
	in.length = ETHERNET_LEN + IP6_LEN + 7;
	ip_of(&in)->payload_length = htobe16(7);
	assert_silent(&in, "ip6-local", "icmp6 shorter than its header");
}

/* Insert `length` bytes of extension headers, the first of type `first`, behind the IPv6 header. */
static void extend(struct frame *frame, const uint8_t *headers, size_t length, uint8_t first)
{
	uint8_t *payload = frame->bytes + ETHERNET_LEN + IP6_LEN;
	memmove(payload + length, payload, frame->length - ETHERNET_LEN - IP6_LEN);
	memcpy(payload, headers, length);
	frame->length += length;
	ip_of(frame)->next_header = first;
	ip_of(frame)->payload_length = htobe16((uint16_t)(frame->length - ETHERNET_LEN - IP6_LEN));
}

static void looks_behind_extension_headers(void **state)
{
	(void)state;
	uint8_t headers[9 * 8] = {0};
	for (int i = 0; i < 9; i++)
		headers[8 * i] = IP6_DESTINATION_OPTIONS;
	struct frame in = ping6(IP6(0, 2), IP6(0, 1), 20), out, plain = in;
	headers[8] = IP6_ICMP;
	extend(&in, headers, 16, IP6_HOP_BY_HOP);
	send(&in);
	out = rig_take(0);
	assert_int_equal(out.length, plain.length);
	assert_checksum(&out);
	assert_int_equal(rig_counter("ip6-local", "ip6 extension headers present"), 1);
	/* Forwarded packets keep theirs. */
	in = udp6(IP6(0, 2), IP6(0x48, 1), 20);
	extend(&in, headers, 64, IP6_HOP_BY_HOP);
	send(&in);
	out = rig_take(1);
	assert_memory_equal(out.bytes + ETHERNET_LEN + IP6_LEN, headers, 64);

	headers[8] = IP6_DESTINATION_OPTIONS;
	headers[64] = IP6_ICMP;
	in = plain;
	extend(&in, headers, sizeof(headers), IP6_DESTINATION_OPTIONS);
	assert_silent(&in, "ip6-local", "too many ip6 extension headers");
	in = plain;
	headers[1] = 200;
	extend(&in, headers, 8, IP6_DESTINATION_OPTIONS);
	assert_silent(&in, "ip6-local", "ip6 extension header cut short");
	in = plain;
	extend(&in, (uint8_t[8]){IP6_ICMP, 0, 0, 1}, 8, IP6_FRAGMENT);
	assert_silent(&in, "ip6-local", "ip6 fragment to us is not reassembled");
	in = plain;
	ip_of(&in)->next_header = IP6_NO_NEXT_HEADER;
	assert_silent(&in, "ip6-local", "no next header");
}

/* Take the error about `in` and check it; it quotes all of it if that fits. */
static struct frame expect_error(const struct frame *in, uint8_t type, uint8_t code, uint32_t rest)
{
	send(in);
	struct frame out = rig_take(0);
	assert_int_equal(rig_take(1).length, 0);
	assert_checksum(&out);
	assert_memory_equal(out.bytes, rig_host[0], 6);
	assert_int_equal(icmp_of(&out)->type, type);
	assert_int_equal(icmp_of(&out)->code, code);
	assert_int_equal(be32toh(icmp_of(&out)->rest), rest);
	assert_int_equal(ip_of(&out)->hop_limit, 64);
	assert_memory_equal(ip_of(&out)->destination, ip_of((struct frame *)in)->source, 16);
	size_t quoted = RTE_MIN(in->length - ETHERNET_LEN, (size_t)IP6_MIN_MTU - IP6_LEN - ICMP6_LEN);
	assert_int_equal(out.length, ETHERNET_LEN + IP6_LEN + ICMP6_LEN + quoted);
	assert_memory_equal(icmp_of(&out) + 1, in->bytes + ETHERNET_LEN, quoted);
	return out;
}

static void answers_with_errors(void **state)
{
	(void)state;
	struct frame in = udp6(IP6(0, 2), IP6(0x48, 9), 30);
	for (uint8_t hops = 0; hops < 2; hops++) {
		ip_of(&in)->hop_limit = hops;
		struct frame out = expect_error(&in, ICMP6_TIME_EXCEEDED, 0, 0);
		assert_memory_equal(ip_of(&out)->source, IP6(0, 1), 16);
	}
	in = udp6(IP6(0, 2), IP6(0x99, 9), 30);
	expect_error(&in, ICMP6_UNREACHABLE, ICMP6_NO_ROUTE, 0);
	in = udp6(IP6(0, 2), IP6(0, 1), 30);
	expect_error(&in, ICMP6_UNREACHABLE, ICMP6_PORT_UNREACHABLE, 0);
	ip_of(&in)->next_header = 200;
	expect_error(&in, ICMP6_PARAMETER_PROBLEM, ICMP6_UNKNOWN_NEXT_HEADER, 6);
	in = udp6(IP6(0, 2), IP6(0x48, 9), 1400);
	assert_int_equal(ws_router_set_mtu(rig_router, 1, 1300), 0);
	expect_error(&in, ICMP6_TOO_BIG, 0, 1300);
	in = udp6(IP6(0, 2), IP6(0x48, 9), 1300 - IP6_LEN - UDP_LEN);
	send(&in);
	assert_int_equal(rig_take(1).length, in.length);
	/* A neighbour without a global address gets its error, too. */
	in = udp6((uint8_t[16]){0xfe, 0x80, [15] = 9}, IP6(0, 1), 30);
	struct frame out = expect_error(&in, ICMP6_UNREACHABLE, ICMP6_PORT_UNREACHABLE, 0);
	assert_memory_equal(ip_of(&out)->source, rig_router->ip6[0]->link_local, 16);
}

static void sends_no_error_about(const struct frame *in, const char *reason)
{
	assert_silent(in, "ip6-icmp-error", reason);
}

static void knows_when_to_be_silent(void **state)
{
	(void)state;
	uint8_t header[8] = {IP6_ICMP};
	struct frame in = ping6(IP6(0, 2), IP6(0x99, 9), 30);
	icmp_of(&in)->type = ICMP6_TOO_BIG;
	sends_no_error_about(&in, "no icmp6 error about an icmp6 error");
	extend(&in, header, 8, IP6_DESTINATION_OPTIONS);
	sends_no_error_about(&in, "no icmp6 error about an icmp6 error");
	/* A packet without a readable ICMP header might be an error itself. */
	in = ping6(IP6(0, 2), IP6(0x99, 9), 0);
	in.length = ETHERNET_LEN + IP6_LEN;
	ip_of(&in)->payload_length = 0;
	sends_no_error_about(&in, "no icmp6 error about an icmp6 error");
	in = udp6(IP6(0, 2), (uint8_t[16]){0xff, 2, [15] = 1}, 30);
	sends_no_error_about(&in, "no icmp6 error about a packet to a group");
	in = udp6((uint8_t[16]){0}, (uint8_t[16]){0xff, 2, [15] = 1}, 30);
	ip_of(&in)->next_header = 200;
	sends_no_error_about(&in, "no icmp6 error about a packet to a group");
	in = udp6(IP6(0, 2), IP6(0x99, 9), 30);
	rig_router->workers[0]->icmp.ticks_per_token = rig_router->tsc_hz;
	rig_router->workers[0]->icmp.capacity_ticks = rig_router->tsc_hz;
	send(&in);
	assert_true(rig_take(0).length > 0);
	sends_no_error_about(&in, "icmp6 error rate limited");
}

static void follows_routes(void **state)
{
	(void)state;
	struct ws_route route = {
		.prefix = {ADDRESS6(0x50, 0), 48},
		.path_count = 1,
		.paths = {{.kind = WS_PATH_DROP}},
	};
	struct frame in = udp6(IP6(0, 2), IP6(0x50, 9), 30);
	assert_int_equal(ws_router_route_add(rig_router, &route, false), 0);
	assert_silent(&in, "ip6-lookup", "route says drop");
	/* Two paths: each flow uses one of them, and both are used. */
	route.path_count = 2;
	route.paths[0] = (struct ws_path){.next_hop = ADDRESS6(1, 2), .interface = -1};
	route.paths[1] = (struct ws_path){.next_hop = ADDRESS6(0, 2), .interface = -1};
	assert_int_equal(ws_router_route_add(rig_router, &route, true), 0);
	int by_path[2] = {0};
	for (uint32_t flow = 0; flow < 400; flow++) {
		int first = -1;
		in = udp6(IP6(0, 2), IP6(0x50, 9), 30);
		if (flow % 3 == 0)
			in.bytes[ETHERNET_LEN + IP6_LEN + 1] = (uint8_t)flow; /* port */
		if (flow % 3 == 1)
			in.bytes[ETHERNET_LEN + 3] = (uint8_t)flow; /* flow label */
		if (flow % 3 == 2)
			ip_of(&in)->destination[14] = (uint8_t)flow;
		for (int repeat = 0; repeat < 2; repeat++) {
			send(&in);
			int path = rig_take(1).length ? 1 : 0;
			assert_int_equal(rig_take(0).length > 0, !path);
			assert_true(first < 0 || first == path);
			first = path;
		}
		by_path[first]++;
	}
	assert_true(by_path[0] > 120 && by_path[1] > 120);
	/* Too short to have ports. */
	in = udp6(IP6(0, 2), IP6(0x50, 9), 0);
	for (uint16_t length = 0; length < 4; length++) {
		in.length = ETHERNET_LEN + IP6_LEN + length;
		ip_of(&in)->payload_length = htobe16(length);
		send(&in);
		assert_int_equal((rig_take(0).length > 0) + (rig_take(1).length > 0), 1);
	}
}

static void pings_others(void **state)
{
	(void)state;
	struct ws_echo echo = {.destination = ADDRESS6(0x48, 7), .interface = -1, .payload_len = 56};
	struct ws_echo_reply reply;
	int sequence = ws_router_echo(rig_router, &echo);
	assert_true(sequence > 0);
	rig_walk();
	struct frame out = rig_take(1);
	assert_memory_equal(out.bytes, rig_host[1], 6);
	assert_checksum(&out);
	assert_int_equal(icmp_of(&out)->type, ICMP6_ECHO_REQUEST);
	assert_memory_equal(ip_of(&out)->source, IP6(1, 1), 16);
	assert_int_equal(ip_of(&out)->hop_limit, 64);
	struct frame in = ping6(IP6(0x48, 7), IP6(1, 1), 56);
	icmp_of(&in)->type = ICMP6_ECHO_REPLY;
	icmp_of(&in)->rest = icmp_of(&out)->rest;
	ip_of(&in)->hop_limit = 61;
	icmp6_set_checksum(in.bytes + ETHERNET_LEN);
	memcpy(in.bytes, rig_mac[1], 6);
	rig_send(1, in.bytes, in.length);
	assert_int_equal(ws_router_echo_replies(rig_router, &reply, 1), 1);
	assert_int_equal(reply.sequence, sequence);
	assert_int_equal(reply.ttl, 61);
	assert_int_equal(reply.length, 64);
	assert_memory_equal(reply.source.bytes, IP6(0x48, 7), 16);
	assert_int_equal(ws_router_echo_replies(rig_router, &reply, 1), 0);
	/* To the router itself. */
	echo.destination = ADDRESS6(0, 1);
	sequence = ws_router_echo(rig_router, &echo);
	rig_walk();
	ws_router_poll(rig_router);
	assert_int_equal(ws_router_echo_replies(rig_router, &reply, 1), 1);
	assert_int_equal(reply.sequence, sequence);
	/* IPv4. */
	echo.destination = ADDRESS(10, 0, 0, 1);
	sequence = ws_router_echo(rig_router, &echo);
	rig_walk();
	ws_router_poll(rig_router);
	assert_int_equal(ws_router_echo_replies(rig_router, &reply, 1), 1);
	assert_int_equal(reply.sequence, sequence);
	assert_int_equal(reply.source.family, WS_IP4);

	echo.destination = ADDRESS6(0x99, 1);
	assert_int_equal(ws_router_echo(rig_router, &echo), -ENOENT);
	echo.destination = address_of_ip6((uint8_t[16]){0xfe, 0x80, [15] = 9});
	assert_int_equal(ws_router_echo(rig_router, &echo), -EINVAL);
	echo.destination = address_of_ip6((uint8_t[16]){0xff, 2, [15] = 1});
	assert_int_equal(ws_router_echo(rig_router, &echo), -EINVAL);
}

static void ping_keeps_the_last_answers(void **state)
{
	(void)state;
	struct ws_echo echo = {.destination = ADDRESS6(0, 1), .interface = -1};
	struct ws_echo_reply replies[100];
	int last = 0;
	for (int i = 0; i < 70; i++) {
		last = ws_router_echo(rig_router, &echo);
		rig_walk();
		ws_router_poll(rig_router);
	}
	assert_int_equal(ws_router_echo_replies(rig_router, replies, 100), 64);
	assert_int_equal(replies[63].sequence, last);
	assert_int_equal(replies[0].sequence, last - 63);
}

/* From any node on, with the frame at that node, and the adjacency once it is known. */
static void traces_from_any_node(void **state)
{
	(void)state;
	static const struct {
		const char *node;
		int steps;
	} starts[] = {{"dpdk-input", 7},  {"ethernet-input", 6}, {"ip6-input", 5}, {"ip6-lookup", 4},
				  {"ip6-rewrite", 3}, {"e1-output", 2},      {"e1-tx", 1}};
	struct ws_trace_step steps[16];
	for (size_t i = 0; i < RTE_DIM(starts); i++) {
		struct frame in = udp6(IP6(0, 2), IP6(0x48, 9), 30);
		assert_int_equal(ws_router_trace_add(rig_router, starts[i].node, 1), 0);
		send(&in);
		struct frame out = rig_take(1);
		int n = ws_router_trace(rig_router, 0, 0, steps, 16);
		assert_int_equal(n, starts[i].steps);
		for (int s = 0; s < n; s++) {
			bool is_out = strstr(steps[s].node, "e1-");
			bool is_decided = is_out || !strcmp(steps[s].node, "ip6-rewrite");
			assert_int_equal(steps[s].byte_count, in.length);
			assert_memory_equal(steps[s].bytes, is_out ? out.bytes : in.bytes, in.length);
			assert_int_equal(steps[s].tx_interface, is_decided ? 1 : -1);
			bool begins_behind = i >= 5; /* from here on the adjacency is not used any more */
			assert_true((steps[s].adjacency != UINT32_MAX) == (is_decided && !begins_behind));
		}
		ws_router_trace_clear(rig_router);
	}
}

/* A tagged frame that is traced from a node behind ethernet-input is shown without tags; a path
 * with labels shows its interface. */
static void traces_tags_and_labels(void **state)
{
	(void)state;
	struct ws_trace_step steps[16];
	const struct ws_subinterface tagged = {.id = 100, .outer = 100, .exact = true};
	int sub = ws_router_subinterface_add(rig_router, 0, &tagged);
	assert_true(sub > 0);
	assert_int_equal(ws_router_set_state(rig_router, (uint16_t)sub, true), 0);
	assert_int_equal(
		ws_router_address_add(rig_router, (uint16_t)sub, (struct ws_prefix){ADDRESS6(7, 1), 64}),
		0);
	struct ws_route route = {
		.prefix = {ADDRESS6(0x49, 0), 48},
		.path_count = 1,
		.paths = {{.next_hop = ADDRESS6(1, 2), .interface = -1, .label_count = 1, .labels = {500}}},
	};
	assert_int_equal(ws_router_route_add(rig_router, &route, false), 0);
	struct frame plain = udp6(IP6(7, 2), IP6(0x49, 9), 30), in = plain;
	memmove(in.bytes + 16, plain.bytes + 12, plain.length - 12);
	memcpy(in.bytes + 12, (uint8_t[]){0x81, 0, 0, 100}, 4);
	in.length += 4;
	assert_int_equal(ws_router_trace_add(rig_router, "ip6-lookup", 1), 0);
	send(&in);
	int n = ws_router_trace(rig_router, 0, 0, steps, 16);
	assert_true(n >= 3);
	assert_int_equal(steps[0].byte_count, plain.length);
	assert_memory_equal(steps[0].bytes, plain.bytes, plain.length);
	assert_string_equal(steps[1].node, "ip6-mpls-label-imposition-uniform");
	assert_int_equal(steps[1].tx_interface, 1);
	assert_true(steps[1].adjacency != UINT32_MAX);
	ws_router_trace_clear(rig_router);
}

/* ---- Upper layers ---- */

enum { TEST_PROTOCOL = 253, TEST_PORT = 4000, TEST_ICMP = 200 };
UPPER_NODE(protocol, ABOVE_IP6, TEST_PROTOCOL, "test-upper")
UPPER_NODE(port, ABOVE_IP6, UPPER_UDP(TEST_PORT), "test-upper")
UPPER_NODE(icmp, ABOVE_IP6, UPPER_ICMP6(TEST_ICMP), "test-upper")

static void hands_over_to_upper_layers(void **state)
{
	(void)state;
	struct frame in = udp6(IP6(0, 2), IP6(0, 1), 30);
	struct udp_header *udp = (void *)(in.bytes + ETHERNET_LEN + IP6_LEN);
	udp->destination = htobe16(TEST_PORT);
	send(&in);
	ip_of(&in)->next_header = TEST_PROTOCOL;
	send(&in);
	in = ping6(IP6(0, 2), IP6(0, 1), 30);
	icmp_of(&in)->type = TEST_ICMP;
	icmp6_set_checksum(in.bytes + ETHERNET_LEN);
	send(&in);
	assert_int_equal(rig_counter("test-upper", "taken"), 3);
	assert_int_equal(taken_begins, 0x60);
	icmp_of(&in)->type = TEST_ICMP + 1;
	icmp6_set_checksum(in.bytes + ETHERNET_LEN);
	send(&in);
	assert_int_equal(rig_counter("ip6-local", "unknown icmp6 type"), 1);
	assert_int_equal(rig_counter("test-upper", "taken"), 3);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, reset, rest_accounted)
	const struct CMUnitTest tests[] = {
		TEST(own_addresses_are_of_a_table),
		TEST(forwards),
		TEST(traces_from_any_node),
		TEST(traces_tags_and_labels),
		TEST(drops_bad_headers),
		TEST(drops_martians),
		TEST(takes_ip6_only_where_it_is_enabled),
		TEST(answers_pings),
		TEST(looks_behind_extension_headers),
		TEST(answers_with_errors),
		TEST(knows_when_to_be_silent),
		TEST(follows_routes),
		TEST(hands_over_to_upper_layers),
		TEST(pings_others),
		TEST(ping_keeps_the_last_answers),
	};
	return RIG_RUN(tests);
}
