/* SPDX-License-Identifier: Apache-2.0 */
/* ARP: replies, learning, requests; and the aging of neighbours. */
#include "router/neighbor/neighbor.h"
#include "tests/accounted.h"
#include "tests/rig_tests.h"
#include "wire/arp.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/router.h"
#include "wirespeed/routes.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

static const uint32_t client = IP(10, 0, 0, 2), self = IP(10, 0, 0, 1);
static const uint8_t all[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

static int reset(void **state)
{
	(void)state;
	rig_reset();
	return 0;
}

static struct frame arp_frame(uint16_t operation, uint32_t sender, uint32_t target)
{
	struct frame frame = {.length = ETHERNET_LEN + ARP_LEN};
	struct arp arp = {.operation = operation, .sender = sender, .target = target};
	memcpy(arp.sender_mac, rig_host[0], 6);
	ethernet_write(frame.bytes, operation == ARP_REQUEST ? all : rig_mac[0], rig_host[0],
				   ETHERNET_ARP);
	arp_write(frame.bytes + ETHERNET_LEN, &arp);
	return frame;
}

static void send(const struct frame *frame)
{
	rig_send(0, frame->bytes, frame->length);
}

static int neighbor_count(void)
{
	struct ws_neighbor neighbors[64];
	return ws_router_neighbors(rig_router, 0, neighbors, 64);
}

static struct ws_neighbor only_neighbor(void)
{
	struct ws_neighbor neighbors[2];
	assert_int_equal(ws_router_neighbors(rig_router, 0, neighbors, 2), 1);
	return neighbors[0];
}

/* Byte by byte as in RFC 826. */
static void answers_requests(void **state)
{
	(void)state;
	static const uint8_t request[] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2,  0xaa, 0, 0, 0, 2, 8, 6, /* Ethernet */
		0,    1,    8,    0,    6,    4,    0,  1,                      /* request */
		2,    0xaa, 0,    0,    0,    2,    10, 0,    0, 2,             /* sender */
		0,    0,    0,    0,    0,    0,    10, 0,    0, 1,             /* target */
	};
	static const uint8_t reply[] = {
		2, 0xaa, 0, 0, 0, 2, 2, 0,  0, 0, 0, 0, 8,    6, 0, 1, 8, 0,  6, 4, 0,
		2, 2,    0, 0, 0, 0, 0, 10, 0, 0, 1, 2, 0xaa, 0, 0, 0, 2, 10, 0, 0, 2,
	};
	rig_send(0, request, sizeof(request));
	struct frame out = rig_take(0);
	assert_int_equal(out.length, sizeof(reply));
	assert_memory_equal(out.bytes, reply, sizeof(reply));
	struct ws_neighbor neighbor = only_neighbor();
	assert_int_equal(address_ip4(&neighbor.address), client);
	assert_int_equal(neighbor.interface, 0);
	assert_int_equal(neighbor.state, WS_NEIGHBOR_STALE); /* it has not replied to a request */
	assert_memory_equal(neighbor.mac, rig_host[0], 6);
}

static void answers_a_probe_and_learns_nothing(void **state)
{
	(void)state;
	struct frame frame = arp_frame(ARP_REQUEST, 0, self);
	send(&frame);
	assert_int_equal(rig_take(0).length, frame.length);
	assert_int_equal(neighbor_count(), 0);
}

static void learns_only_what_concerns_it(void **state)
{
	(void)state;
	/* For another address, from an unknown sender. */
	struct frame frame = arp_frame(ARP_REQUEST, client, IP(10, 0, 0, 9));
	send(&frame);
	assert_int_equal(rig_take(0).length, 0);
	assert_int_equal(neighbor_count(), 0);
	/* The neighbour is learnt from a reply; a later announcement changes its MAC address. */
	frame = arp_frame(ARP_REPLY, client, self);
	send(&frame);
	assert_int_equal(only_neighbor().state, WS_NEIGHBOR_REACHABLE);
	frame = arp_frame(ARP_REQUEST, client, client);
	frame.bytes[11] = frame.bytes[ETHERNET_LEN + 13] = 0x77;
	send(&frame);
	assert_int_equal(only_neighbor().mac[5], 0x77);
	assert_int_equal(rig_counter("arp-input", "ARP replies received"), 1);
	assert_int_equal(rig_totals().punts, 3);
}

static void leaves_static_neighbors_alone(void **state)
{
	(void)state;
	ws_router_neighbor_add(rig_router, 0, address_of_ip4(client), rig_host[1]);
	struct frame frame = arp_frame(ARP_REQUEST, client, self);
	send(&frame);
	assert_memory_equal(only_neighbor().mac, rig_host[1], 6);
	assert_int_equal(only_neighbor().state, WS_NEIGHBOR_STATIC);
}

static void assert_refused(const struct frame *frame, const char *reason)
{
	uint64_t before = rig_counter("arp-input", reason);
	send(frame);
	assert_int_equal(rig_take(0).length, 0);
	assert_int_equal(rig_counter("arp-input", reason), before + 1);
	assert_int_equal(neighbor_count(), 0);
}

static void drops_bad_arp(void **state)
{
	(void)state;
	const struct frame good = arp_frame(ARP_REQUEST, client, self);
	struct frame frame;
	for (size_t length = ETHERNET_LEN; length < good.length; length++) {
		frame = good;
		frame.length = length;
		assert_refused(&frame, "ARP shorter than its header");
	}
	static const struct {
		size_t offset;
		uint8_t value;
		const char *reason;
	} cases[] = {
		{1, 6, "ARP hw type not ethernet"},
		{4, 8, "ARP hw type not ethernet"},
		{2, 0x86, "ARP protocol type not IP4"},
		{5, 16, "ARP protocol type not IP4"},
		{7, 3, "ARP opcode neither request nor reply"},
		{7, 0, "ARP opcode neither request nor reply"},
		{8, 1, "ARP hw addr does not match L2 frame src addr"},
		{14, 11, "IP4 source address not local to subnet"},
		{17, 1, "IP4 source address matches local interface"},
		{17, 255, "IP4 source address not local to subnet"},
		{17, 0, "IP4 source address not local to subnet"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		frame = good;
		frame.bytes[ETHERNET_LEN + cases[i].offset] = cases[i].value;
		assert_refused(&frame, cases[i].reason);
	}
	frame = good;
	frame.bytes[6] = frame.bytes[ETHERNET_LEN + 8] = 3; /* a group address as the sender */
	assert_refused(&frame, "ARP hw addr does not match L2 frame src addr");
}

/* The packet is replaced by an ARP request for its destination, at most once per second and
 * destination. */
static void asks_for_attached_hosts(void **state)
{
	(void)state;
	struct frame in = frame_udp(client, IP(10, 0, 1, 7), 0);
	struct arp arp;
	rig_send(0, in.bytes, in.length);
	struct frame out = rig_take(1);
	assert_int_equal(out.length, ETHERNET_LEN + ARP_LEN);
	assert_memory_equal(out.bytes, all, 6);
	assert_memory_equal(out.bytes + 6, rig_mac[1], 6);
	assert_int_equal(arp_parse(out.bytes + ETHERNET_LEN, ARP_LEN, &arp), ARP_OK);
	assert_int_equal(arp.operation, ARP_REQUEST);
	assert_int_equal(arp.sender, IP(10, 0, 1, 1));
	assert_int_equal(arp.target, IP(10, 0, 1, 7));
	assert_memory_equal(arp.sender_mac, rig_mac[1], 6);
	assert_true(ethernet_is_zero(arp.target_mac));
	rig_send(0, in.bytes, in.length);
	assert_int_equal(rig_take(1).length, 0);
	assert_int_equal(rig_counter("ip4-arp", "packets held for an ARP reply"), 2);
	in = frame_udp(client, IP(10, 0, 1, 8), 1400);
	rig_send_pieces(0, in.bytes, in.length, 100);
	assert_int_equal(rig_take(1).length, ETHERNET_LEN + ARP_LEN);
	/* A second later. */
	for (int i = 0; i < GLEAN_SLOTS; i++)
		rig_router->workers[0]->glean.asked[i].asked_tsc = 0;
	rig_send(0, in.bytes, in.length);
	assert_int_equal(rig_take(1).length, ETHERNET_LEN + ARP_LEN);
}

static void asks_for_next_hops_and_then_forwards(void **state)
{
	(void)state;
	struct ws_route route = {
		.prefix = PREFIX(48, 0, 0, 0, 8),
		.path_count = 1,
		.paths = {{.next_hop = address_of_ip4(client), .interface = -1}},
	};
	struct frame in = frame_udp(IP(10, 0, 1, 2), IP(48, 0, 0, 1), 18);
	struct arp arp;
	memcpy(in.bytes, rig_mac[1], 6);
	assert_int_equal(ws_router_route_add(rig_router, &route, false), 0);
	assert_int_equal(only_neighbor().state, WS_NEIGHBOR_INCOMPLETE);
	for (int i = 0; i < 3; i++)
		rig_send(1, in.bytes, in.length);
	struct frame out = rig_take(0);
	assert_int_equal(arp_parse(out.bytes + ETHERNET_LEN, ARP_LEN, &arp), ARP_OK);
	assert_int_equal(arp.target, client);
	assert_int_equal(rig_take(0).length, 0);
	assert_int_equal(rig_counter("ip4-arp", "packets held for an ARP reply"), 3);

	struct frame reply = arp_frame(ARP_REPLY, client, self);
	send(&reply);
	rig_send(1, in.bytes, in.length);
	for (int i = 0; i < 4; i++) {
		out = rig_take(0);
		assert_int_equal(out.length, in.length);
		assert_memory_equal(out.bytes, rig_host[0], 6);
	}

	/* After its removal the route sends a request again; the host's own route is gone. */
	assert_int_equal(ws_router_neighbor_del(rig_router, 0, address_of_ip4(client)), 0);
	assert_int_equal(only_neighbor().state, WS_NEIGHBOR_INCOMPLETE);
	rig_router->adjacencies.adjacencies[ADJACENCY_FIRST_NEIGHBOR].asked_tsc = 0;
	rig_send(1, in.bytes, in.length);
	assert_int_equal(rig_take(0).length, ETHERNET_LEN + ARP_LEN);
	assert_int_equal(ws_router_neighbor_del(rig_router, 0, address_of_ip4(client)), -ENOENT);
}

static void sends_no_request_without_an_address(void **state)
{
	(void)state;
	struct ws_route route = {
		.prefix = PREFIX(48, 0, 0, 0, 8),
		.path_count = 1,
		.paths = {{.next_hop = ADDRESS(10, 9, 9, 9), .interface = 1}},
	};
	ws_router_address_del(rig_router, 1, PREFIX(10, 0, 1, 1, 24));
	ws_router_route_add(rig_router, &route, false);
	struct frame in = frame_udp(client, IP(48, 0, 0, 1), 18);
	send(&in);
	assert_int_equal(rig_take(1).length, 0);
	assert_int_equal(rig_counter("ip4-arp", "no source address for ARP request"), 1);
}

/* Make the neighbour's state `seconds` older and let the main thread check it. */
static void later(struct neighbor *neighbor, uint64_t seconds)
{
	neighbor->state_tsc -= seconds * rig_router->tsc_hz;
	neighbor->updated_tsc -= seconds * rig_router->tsc_hz;
	router_neighbor_look_again(rig_router);
	ws_router_poll(rig_router);
	rig_walk();
}

static struct arp probe(void)
{
	struct frame frame = rig_take(0);
	struct arp arp;
	assert_int_equal(frame.length, ETHERNET_LEN + ARP_LEN);
	assert_memory_equal(frame.bytes, rig_host[0], 6);
	assert_memory_equal(frame.bytes + 6, rig_mac[0], 6);
	assert_int_equal(arp_parse(frame.bytes + ETHERNET_LEN, ARP_LEN, &arp), ARP_OK);
	return arp;
}

/* The router sends a request for the client, which replies. */
static void meet_client(void)
{
	struct frame in = frame_udp(IP(10, 0, 1, 2), client, 18);
	struct frame reply = arp_frame(ARP_REPLY, client, self);
	memcpy(in.bytes, rig_mac[1], 6);
	for (int i = 0; i < GLEAN_SLOTS; i++)
		rig_router->workers[0]->glean.asked[i].asked_tsc = 0;
	rig_send(1, in.bytes, in.length);
	assert_int_equal(rig_take(0).length, ETHERNET_LEN + ARP_LEN);
	send(&reply);
	assert_int_equal(rig_take(0).length, in.length);
}

static void asks_silent_neighbors_before_it_forgets_them(void **state)
{
	(void)state;
	struct frame frame;
	meet_client();
	struct neighbor *neighbor = &rig_router->adjacencies.neighbors[ADJACENCY_FIRST_NEIGHBOR];
	later(neighbor, 29);
	assert_int_equal(only_neighbor().state, WS_NEIGHBOR_REACHABLE);
	assert_true(only_neighbor().age_s > 28 && only_neighbor().age_s < 60);
	later(neighbor, 2);
	assert_int_equal(only_neighbor().state, WS_NEIGHBOR_STALE);
	later(neighbor, 4);
	assert_int_equal(rig_take(0).length, 0);
	for (int i = 0; i < 3; i++) {
		later(neighbor, 2);
		assert_int_equal(only_neighbor().state, WS_NEIGHBOR_PROBE);
		struct arp arp = probe();
		assert_int_equal(arp.operation, ARP_REQUEST);
		assert_int_equal(arp.target, client);
		assert_int_equal(arp.sender, self);
	}
	later(neighbor, 0);
	assert_int_equal(rig_take(0).length, 0);

	/* A reply at the last moment. */
	frame = arp_frame(ARP_REPLY, client, self);
	send(&frame);
	assert_int_equal(only_neighbor().state, WS_NEIGHBOR_REACHABLE);
	assert_true(only_neighbor().age_s < 20);
	later(neighbor, 31);
	for (int i = 0; i < 3; i++) {
		later(neighbor, 6);
		probe();
	}
	later(neighbor, 2);
	assert_int_equal(neighbor_count(), 0);

	assert_int_equal(ws_router_set_reachable_time(rig_router, WS_IP4, 0), 0);
	meet_client();
	later(neighbor, 60);
	assert_int_equal(only_neighbor().state, WS_NEIGHBOR_REACHABLE);
	ws_router_set_reachable_time(rig_router, WS_IP4, 30);
	ws_router_neighbor_add(rig_router, 0, address_of_ip4(client), rig_host[0]);
	later(neighbor, 60);
	assert_int_equal(only_neighbor().state, WS_NEIGHBOR_STATIC);
}

/* Requests are rate-limited per sender, so a scan of a subnet delays no other sender. */
static void a_scan_holds_up_nobody_else(void **state)
{
	(void)state;
	enum { SCANNED = 1000, OTHERS = 8 };
	int asked = 0, others = 0;
	assert_int_equal(ws_router_address_add(rig_router, 1, PREFIX(172, 16, 0, 1, 16)), 0);
	for (uint32_t i = 0; i < SCANNED; i++) {
		struct frame in = frame_udp(client, IP(172, 16, 1, 0) + i, 18);
		rig_send(0, in.bytes, in.length);
		asked += rig_take(1).length != 0;
	}
	assert_true(asked >= GLEAN_BURST && asked < SCANNED);
	/* Some of them may share the scanner's bucket now and then, but not all. */
	for (uint32_t i = 0; i < OTHERS; i++) {
		struct frame in = frame_udp(IP(10, 0, 0, 10) + i, IP(172, 16, 200, 1) + i, 18);
		rig_send(0, in.bytes, in.length);
		others += rig_take(1).length != 0;
	}
	assert_true(others > OTHERS / 2);
}

static bool is_readable(void)
{
	struct pollfd poller = {.fd = ws_router_event_fd(rig_router), .events = POLLIN};
	return poll(&poller, 1, 0) == 1;
}

static void wakes_the_main_thread_once_a_round(void **state)
{
	(void)state;
	struct router_event event = {
		.address = address_of_ip4(client),
		.flags = NEIGHBOR_MAY_CREATE | NEIGHBOR_HAS_MAC,
	};
	uint64_t writes;
	memcpy(event.mac, rig_host[0], 6);
	assert_false(is_readable());
	for (int i = 0; i < 1023; i++)
		assert_true(event_ring_put(&rig_router->events, &event));
	assert_false(event_ring_put(&rig_router->events, &event));
	assert_true(is_readable());
	assert_int_equal(read(ws_router_event_fd(rig_router), &writes, sizeof(writes)), 8);
	assert_int_equal(writes, 1);
	assert_int_equal(ws_router_poll(rig_router), 1023);
	assert_false(is_readable());
	event_ring_put(&rig_router->events, &event);
	assert_true(is_readable());
	assert_int_equal(ws_router_poll(rig_router), 1);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, reset, rest_accounted)
	const struct CMUnitTest tests[] = {
		TEST(answers_requests),
		TEST(answers_a_probe_and_learns_nothing),
		TEST(learns_only_what_concerns_it),
		TEST(leaves_static_neighbors_alone),
		TEST(drops_bad_arp),
		TEST(asks_for_attached_hosts),
		TEST(asks_for_next_hops_and_then_forwards),
		TEST(sends_no_request_without_an_address),
		TEST(asks_silent_neighbors_before_it_forgets_them),
		TEST(a_scan_holds_up_nobody_else),
		TEST(wakes_the_main_thread_once_a_round),
	};
	return RIG_RUN(tests);
}
