/* SPDX-License-Identifier: Apache-2.0 */
/* The IPv4 path from ethernet-input to the wire, one packet at a time. */
#include "router/interface/interface_settings.h"
#include "tests/rig_tests.h"
#include "wire/ethernet.h"
#include "wire/icmp4.h"
#include "wire/ip4.h"
#include "wirespeed/routes.h"
#include "wirespeed/trace.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint32_t client = IP(10, 0, 0, 2), server = IP(48, 0, 0, 1);

static struct ip4_header *ip_of(struct frame *frame)
{
	return (void *)(frame->bytes + ETHERNET_LEN);
}

/* e1's host is known, and 48.0.0.0/8 is behind it. */
static int with_route(void **state)
{
	(void)state;
	struct ws_route route = {
		.prefix = PREFIX(48, 0, 0, 0, 8),
		.path_count = 1,
		.paths = {{.kind = WS_PATH_NEXT_HOP, .next_hop = ADDRESS(10, 0, 1, 2), .interface = -1}},
	};
	rig_reset();
	ws_router_neighbor_add(rig_router, 0, address_of_ip4(client), rig_host[0]);
	ws_router_neighbor_add(rig_router, 1, ADDRESS(10, 0, 1, 2), rig_host[1]);
	return ws_router_route_add(rig_router, &route, false);
}

/* After each test all buffers are free and all packets are accounted for. */
static int all_accounted(void **state)
{
	(void)state;
	struct ws_router_totals totals = rig_totals();
	while (rig_take(0).length || rig_take(1).length)
		;
	assert_int_equal(totals.rx_packets + totals.made,
					 totals.tx_packets + totals.drops + totals.punts);
	assert_int_equal(rig_buffers_in_use(), 0);
	return 0;
}

/* No packet is sent, and exactly this counter has the reason. */
static void assert_dropped(const struct frame *frame, const char *node, const char *reason)
{
	uint64_t before = rig_counter(node, reason), drops = rig_totals().drops;
	rig_send(0, frame->bytes, frame->length);
	assert_int_equal(rig_take(0).length, 0);
	assert_int_equal(rig_take(1).length, 0);
	assert_int_equal(rig_counter(node, reason), before + 1);
	assert_int_equal(rig_totals().drops, drops + 1);
}

static void forwards(void **state)
{
	(void)state;
	for (size_t payload = 0; payload <= 1472; payload += 184) {
		struct frame in = frame_udp(client, server, payload), expected = in;
		ethernet_write(expected.bytes, rig_host[1], rig_mac[1], ETHERNET_IP4);
		ip_of(&expected)->ttl = 63;
		ip4_set_checksum(ip_of(&expected));
		rig_send(0, in.bytes, in.length);
		struct frame out = rig_take(1);
		assert_int_equal(out.length, expected.length);
		assert_memory_equal(out.bytes, expected.bytes, expected.length);
	}
}

static void forwards_every_checksum(void **state)
{
	(void)state;
	for (uint32_t id = 0; id < 0x10000; id += 5) {
		struct frame in = frame_udp(client, server, 0);
		ip_of(&in)->id = htobe16((uint16_t)id);
		frame_finish(&in);
		rig_send(0, in.bytes, in.length);
		struct frame out = rig_take(1);
		uint16_t incremental = ip_of(&out)->checksum;
		ip4_set_checksum(ip_of(&out));
		assert_int_equal(ip_of(&out)->checksum, incremental);
	}
}

static void forwards_padding_options_fragments_and_pieces(void **state)
{
	(void)state;
	struct frame in = frame_udp(client, server, 2);
	in.length = 60; /* Ethernet padding after the packet */
	rig_send(0, in.bytes, in.length);
	assert_int_equal(rig_take(1).length, 60);

	in = frame_udp(client, server, 40);
	ip_of(&in)->version_ihl = 0x4f; /* the first 40 bytes behind are options: end of options */
	memset(ip_of(&in) + 1, 0, 40);
	frame_finish(&in);
	rig_send(0, in.bytes, in.length);
	struct frame out = rig_take(1);
	assert_int_equal(out.length, in.length);
	assert_int_equal(checksum(ip_of(&out), IP4_MAX_LEN), 0);
	assert_int_equal(rig_counter("ip4-input", "ip4 options present"), 1);

	in = frame_udp(client, server, 64);
	ip_of(&in)->fragment = htobe16(IP4_MORE_FRAGMENTS | 100);
	frame_finish(&in);
	rig_send(0, in.bytes, in.length);
	assert_int_equal(rig_take(1).length, in.length);

	in = frame_udp(client, server, 1000);
	rig_send_pieces(0, in.bytes, in.length, 200);
	out = rig_take(1);
	assert_int_equal(out.length, in.length);
	assert_memory_equal(out.bytes + 34, in.bytes + 34, in.length - 34);
}

static void drops_every_short_frame(void **state)
{
	(void)state;
	struct frame whole = frame_udp(client, server, 22);
	for (size_t length = 0; length < whole.length; length++) {
		struct frame cut = whole;
		cut.length = length;
		if (length < ETHERNET_LEN)
			assert_dropped(&cut, "ethernet-input", "frame shorter than its header");
		else if (length < ETHERNET_LEN + IP4_LEN)
			assert_dropped(&cut, "ip4-input", "ip4 length < 20 bytes");
		else
			assert_dropped(&cut, "ip4-input", "ip4 length > l2 length");
	}
	rig_send(0, whole.bytes, whole.length);
	assert_int_equal(rig_take(1).length, whole.length);
}

/* A packet whose first buffer ends within the header counts as too short. */
static void drops_header_in_pieces(void **state)
{
	(void)state;
	struct frame frame = frame_udp(client, server, 100);
	rig_send_pieces(0, frame.bytes, frame.length, 30);
	assert_int_equal(rig_counter("ip4-input", "ip4 length < 20 bytes"), 1);
	ip_of(&frame)->version_ihl = 0x46;
	frame_finish(&frame);
	rig_send_pieces(0, frame.bytes, frame.length, 34);
	assert_int_equal(rig_counter("ip4-input", "bad ip4 header length"), 1);
}

static void drops_bad_headers(void **state)
{
	(void)state;
	struct frame frame;
	for (uint8_t version = 0; version < 16; version++) {
		frame = frame_udp(client, server, 60);
		ip_of(&frame)->version_ihl = (uint8_t)(version << 4 | 5);
		frame_finish(&frame);
		if (version != 4)
			assert_dropped(&frame, "ip4-input", "ip4 version != 4");
	}
	for (uint8_t ihl = 0; ihl < 5; ihl++) {
		frame = frame_udp(client, server, 60);
		ip_of(&frame)->version_ihl = 0x40 | ihl;
		assert_dropped(&frame, "ip4-input", "bad ip4 header length");
	}
	frame = frame_udp(client, server, 8);
	ip_of(&frame)->version_ihl = 0x4f;
	assert_dropped(&frame, "ip4-input", "bad ip4 header length");
	for (int bit = 0; bit < 16; bit++) {
		frame = frame_udp(client, server, 20);
		ip_of(&frame)->checksum ^= (uint16_t)(1 << bit);
		assert_dropped(&frame, "ip4-input", "bad ip4 checksum");
	}
	for (uint16_t total = 0; total < IP4_LEN; total++) {
		frame = frame_udp(client, server, 20);
		ip_of(&frame)->total_length = htobe16(total);
		ip4_set_checksum(ip_of(&frame));
		assert_dropped(&frame, "ip4-input", "ip4 length > l2 length");
	}
	frame = frame_udp(client, server, 20);
	ip_of(&frame)->total_length = htobe16((uint16_t)(frame.length - ETHERNET_LEN + 1));
	ip4_set_checksum(ip_of(&frame));
	assert_dropped(&frame, "ip4-input", "ip4 length > l2 length");
}

static void drops_martians(void **state)
{
	(void)state;
	static const struct {
		uint32_t source, destination;
		const char *reason;
	} cases[] = {
		{IP(0, 0, 0, 0), IP(48, 0, 0, 1), "ip4 source in 0.0.0.0/8"},
		{IP(0, 255, 255, 255), IP(48, 0, 0, 1), "ip4 source in 0.0.0.0/8"},
		{IP(127, 0, 0, 1), IP(48, 0, 0, 1), "ip4 source in 127.0.0.0/8"},
		{IP(224, 0, 0, 1), IP(48, 0, 0, 1), "ip4 source is multicast"},
		{IP(239, 255, 255, 255), IP(48, 0, 0, 1), "ip4 source is multicast"},
		{IP(240, 0, 0, 1), IP(48, 0, 0, 1), "ip4 source in 240.0.0.0/4"},
		{IP(255, 255, 255, 255), IP(48, 0, 0, 1), "ip4 source is broadcast"},
		{IP(10, 0, 0, 1), IP(48, 0, 0, 1), "ip4 source is our own address or network"},
		{IP(10, 0, 1, 1), IP(48, 0, 0, 1), "ip4 source is our own address or network"},
		{IP(10, 0, 0, 255), IP(48, 0, 0, 1), "ip4 source is our own address or network"},
		{IP(10, 0, 0, 0), IP(48, 0, 0, 1), "ip4 source is our own address or network"},
		{IP(10, 0, 0, 2), IP(0, 0, 0, 0), "ip4 destination in 0.0.0.0/8"},
		{IP(10, 0, 0, 2), IP(127, 0, 0, 1), "ip4 destination in 127.0.0.0/8"},
		{IP(10, 0, 0, 2), IP(224, 0, 0, 5), "ip4 multicast is not routed"},
		{IP(10, 0, 0, 2), IP(250, 0, 0, 1), "ip4 destination in 240.0.0.0/4"},
		{IP(10, 0, 0, 2), IP(255, 255, 255, 255), "ip4 destination is broadcast"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct frame frame = frame_udp(cases[i].source, cases[i].destination, 18);
		assert_dropped(&frame, "ip4-input", cases[i].reason);
	}
	struct frame frame = frame_udp(client, IP(10, 0, 1, 255), 18);
	assert_dropped(&frame, "ip4-lookup", "route says drop");
}

static void drops_foreign_frames(void **state)
{
	(void)state;
	struct frame frame = frame_udp(client, server, 18);
	frame.bytes[5] ^= 1;
	assert_dropped(&frame, "ethernet-input", "l3 mac mismatch");
	memset(frame.bytes, 0xff, 6);
	assert_dropped(&frame, "ethernet-input", "ip4 in a multicast or broadcast frame");
	memcpy(frame.bytes, (uint8_t[]){1, 0, 0x5e, 0, 0, 5}, 6);
	assert_dropped(&frame, "ethernet-input", "ip4 in a multicast or broadcast frame");
	memcpy(frame.bytes, rig_mac[0], 6);
	frame.bytes[12] = 0x81;
	assert_dropped(&frame, "ethernet-input", "unknown vlan");
	frame.bytes[12] = 0x88;
	frame.bytes[13] = 0xdd;
	assert_dropped(&frame, "ethernet-input", "unknown ethernet type");
}

/* Without MPLS (test_ip4_without_mpls) the Ethernet type is unknown. */
static void drops_labels_that_nobody_takes(void **state)
{
	(void)state;
	struct frame in = frame_udp(IP(10, 0, 0, 2), IP(48, 0, 0, 9), 20);
	struct ethernet_header *ethernet = (void *)in.bytes;
	bool has_mpls = graph_node(rig_router->workers[0]->graph, "mpls-input");
	ethernet->type = htobe16(ETHERNET_MPLS);
	assert_dropped(&in, has_mpls ? "mpls-input" : "ethernet-input",
				   has_mpls ? "mpls not enabled" : "unknown ethernet type");
}

/* Some drivers accept packets without a link, and count them as sent. */
static void drops_what_goes_out_without_a_link(void **state)
{
	(void)state;
	struct frame frame = frame_udp(client, server, 18);
	rig_router->settings[1].link_up = false;
	router_update_usable(rig_router, 1);
	assert_dropped(&frame, "e1-output", "interface has no link");
	rig_router->settings[1].link_up = true;
	router_update_usable(rig_router, 1);
	rig_send(0, frame.bytes, frame.length);
	assert_int_equal(rig_take(1).length, frame.length);
}

static void drops_while_an_interface_is_down(void **state)
{
	(void)state;
	struct frame frame = frame_udp(client, server, 18);
	ws_router_set_state(rig_router, 0, false);
	assert_dropped(&frame, "ethernet-input", "interface is down");
	ws_router_set_state(rig_router, 0, true);
	ws_router_set_state(rig_router, 1, false);
	assert_dropped(&frame, "e1-output", "interface is down");
	ws_router_set_state(rig_router, 1, true);
	rig_send(0, frame.bytes, frame.length);
	assert_int_equal(rig_take(1).length, frame.length);
	struct ws_interface_counters counters;
	ws_router_interface_counters(rig_router, 0, &counters);
	assert_int_equal(counters.drops, 2);
	assert_int_equal(counters.ip4, 2);
}

static void keeps_to_the_mtu(void **state)
{
	(void)state;
	struct frame frame = frame_udp(client, server, 1000);
	assert_int_equal(ws_router_set_mtu(rig_router, 1, 1028), 0);
	rig_send(0, frame.bytes, frame.length);
	assert_int_equal(rig_take(1).length, frame.length);
	assert_int_equal(ws_router_set_mtu(rig_router, 1, 1027), 0);
	rig_send(0, frame.bytes, frame.length);
	assert_int_equal(rig_take(1).length, ETHERNET_LEN + IP4_LEN + 1000);
	assert_int_equal(rig_take(1).length, ETHERNET_LEN + IP4_LEN + 8);
	ip_of(&frame)->fragment = htobe16(IP4_DONT_FRAGMENT);
	frame_finish(&frame);
	rig_send(0, frame.bytes, frame.length);
	struct frame answer = rig_take(0);
	const struct icmp4_header *icmp = (void *)(ip_of(&answer) + 1);
	assert_int_equal(icmp->type, ICMP4_UNREACHABLE);
	assert_int_equal(icmp->code, ICMP4_FRAGMENTATION_NEEDED);
	assert_int_equal(be16toh(icmp->rest[1]), 1027);
}

/* From any node on, with the frame at that node, and without effect on the packet. */
static void traces_from_any_node(void **state)
{
	(void)state;
	static const struct {
		const char *node;
		int steps;
	} starts[] = {{"dpdk-input", 7},  {"ethernet-input", 6}, {"ip4-input", 5}, {"ip4-lookup", 4},
				  {"ip4-rewrite", 3}, {"e1-output", 2},      {"e1-tx", 1}};
	struct ws_trace_step steps[16];
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		struct frame in = frame_udp(client, server, 18);
		assert_int_equal(ws_router_trace_add(rig_router, starts[i].node, 1), 0);
		rig_send(0, in.bytes, in.length);
		struct frame out = rig_take(1);
		assert_int_equal(out.length, in.length);
		int n = ws_router_trace(rig_router, 0, 0, steps, 16);
		assert_int_equal(n, starts[i].steps);
		for (int s = 0; s < n; s++) {
			bool is_out = strstr(steps[s].node, "e1-");
			bool is_decided = is_out || !strcmp(steps[s].node, "ip4-rewrite");
			assert_int_equal(steps[s].byte_count, in.length);
			assert_memory_equal(steps[s].bytes, is_out ? out.bytes : in.bytes, in.length);
			assert_int_equal(steps[s].tx_interface, is_decided ? 1 : -1);
			if (!is_decided)
				assert_int_equal(steps[s].adjacency, UINT32_MAX);
		}
		ws_router_trace_clear(rig_router);
	}
}

#ifndef NDEBUG
/* Exit code of a process that forwards a packet after the node's kind was declared as `takes`.
 * Counters and ports are in memory shared with this process, so nothing is accounted for
 * afterwards. */
static int end_with(const char *name, uint8_t takes)
{
	int status;
	struct frame in = frame_udp(client, server, 18);
	pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		struct graph_node *node = graph_node(rig_router->workers[0]->graph, name);
		((struct graph_registration *)(uintptr_t)node->registration)->takes = takes;
		signal(SIGABRT, SIG_DFL);
		rig_send(0, in.bytes, in.length);
		_exit(rig_take(1).length == in.length ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
}

static void debug_builds_check_what_nodes_take(void **state)
{
	(void)state;
	assert_int_equal(end_with("ip4-lookup", TAKES_PACKET), 0);
	assert_int_equal(end_with("ip4-lookup", TAKES_FRAME), SIGABRT);
	assert_int_equal(end_with("e1-output", TAKES_PACKET), SIGABRT);
	assert_int_equal(end_with("ip4-input", 0), SIGABRT);
}
#endif

/* A reply moves the start of the frame; its steps still begin at the Ethernet header. */
static void traces_answers(void **state)
{
	(void)state;
	struct ws_trace_step steps[16];
	struct frame in = frame_udp(client, IP(99, 0, 0, 1), 18);
	ws_router_trace_add(rig_router, "dpdk-input", 1);
	rig_send(0, in.bytes, in.length);
	struct frame out = rig_take(0);
	int n = ws_router_trace(rig_router, 0, 0, steps, 16);
	assert_int_equal(n, 9);
	assert_string_equal(steps[4].node, "ip4-icmp-error");
	assert_memory_equal(steps[4].bytes, in.bytes, in.length);
	assert_string_equal(steps[5].node, "ip4-lookup");
	assert_int_equal(steps[5].adjacency, UINT32_MAX);
	assert_int_equal(steps[5].packet_len, out.length);
	assert_memory_equal(steps[5].bytes, in.bytes, ETHERNET_LEN);
	assert_int_equal(steps[5].bytes[ETHERNET_LEN + 9], IP4_ICMP);
	assert_string_equal(steps[8].node, "e0-tx");
	assert_memory_equal(steps[8].bytes, out.bytes, out.length);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, with_route, all_accounted)
	const struct CMUnitTest tests[] = {
		TEST(forwards),
		TEST(forwards_every_checksum),
		TEST(forwards_padding_options_fragments_and_pieces),
		TEST(drops_every_short_frame),
		TEST(drops_header_in_pieces),
		TEST(drops_bad_headers),
		TEST(drops_martians),
		TEST(drops_foreign_frames),
		TEST(drops_labels_that_nobody_takes),
		TEST(drops_while_an_interface_is_down),
		TEST(drops_what_goes_out_without_a_link),
		TEST(keeps_to_the_mtu),
		TEST(traces_from_any_node),
		TEST(traces_answers),
#ifndef NDEBUG
		/* The last test, since its processes keep buffers. */
		cmocka_unit_test_setup(debug_builds_check_what_nodes_take, with_route),
#endif
	};
	return RIG_RUN(tests);
}
