/* SPDX-License-Identifier: Apache-2.0 */
/* Packets held for their next hop: sent in order, given up, dropped with their interface. */
#include "router/interface/interface_make.h"
#include "tests/accounted.h"
#include "tests/rig_tests.h"
#include "wire/arp.h"
#include "wire/ethernet.h"
#include "wire/icmp4.h"
#include "wire/ip4.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/router.h"
#include "wirespeed/routes.h"

#include <sched.h>
#include <string.h>

enum { FAR = 2, PORT_AT = ETHERNET_LEN + IP4_LEN };

static const uint32_t sender = IP(10, 0, 0, 2);
#define ROUTED PREFIX(48, 0, 0, 0, 8)

static int reset(void **state)
{
	(void)state;
	rig_reset();
	ws_router_neighbor_add(rig_router, 0, address_of_ip4(sender), rig_host[0]);
	return 0;
}

static void route_by(struct ws_address next_hop)
{
	struct ws_route route = {
		.prefix = ROUTED,
		.path_count = 1,
		.paths = {{.next_hop = next_hop, .interface = 1}},
	};
	assert_int_equal(ws_router_route_add(rig_router, &route, true), 0);
}

static struct frame numbered(uint32_t destination, uint16_t number)
{
	struct frame frame = frame_udp(sender, destination, 18);
	uint16_t port = htobe16(number);
	memcpy(frame.bytes + PORT_AT, &port, sizeof(port));
	return frame;
}

static void send_numbered(uint32_t destination, uint16_t first, uint16_t count)
{
	for (uint16_t i = 0; i < count; i++) {
		struct frame frame = numbered(destination, first + i);
		rig_send(0, frame.bytes, frame.length);
	}
}

static uint16_t taken_number(void)
{
	struct frame out = rig_take(1);
	uint16_t port;
	assert_true(out.length > PORT_AT);
	assert_memory_equal(out.bytes, rig_host[1], 6);
	memcpy(&port, out.bytes + PORT_AT, sizeof(port));
	return be16toh(port);
}

static uint32_t questions(void)
{
	uint32_t count = 0;
	for (struct frame out; (out = rig_take(1)).length;) {
		assert_int_equal(out.length, ETHERNET_LEN + ARP_LEN);
		count++;
	}
	return count;
}

static void answer(uint32_t next_hop)
{
	assert_int_equal(ws_router_neighbor_add(rig_router, 1, address_of_ip4(next_hop), rig_host[1]),
					 0);
	rig_walk();
}

static struct hold *hold(void)
{
	return &rig_router->workers[0]->hold;
}

static void later(uint32_t seconds)
{
	uint64_t ticks = seconds * rig_router->tsc_hz + 1;
	for (int i = 0; i < HOLD_HOPS; i++) {
		hold()->hops[i].since_tsc -= hold()->hops[i].since_tsc ? ticks : 0;
		hold()->hops[i].asked_tsc -= hold()->hops[i].since_tsc ? ticks : 0;
	}
	for (int i = 0; i < GLEAN_SLOTS; i++)
		rig_router->workers[0]->glean.asked[i].asked_tsc = 0;
	for (uint32_t i = ADJACENCY_FIRST_NEIGHBOR; i < rig_router->adjacencies.end; i++)
		rig_router->adjacencies.adjacencies[i].asked_tsc = 0;
	hold()->looked_tsc = 0;
	rig_walk();
}

static uint64_t counted(const char *what)
{
	return rig_counter("recirculate", what);
}

static void assert_told_unreachable(uint16_t number)
{
	struct frame out = rig_take(0);
	const struct icmp4_header *icmp = (const void *)(out.bytes + ETHERNET_LEN + IP4_LEN);
	const uint8_t *quoted = (const uint8_t *)(icmp + 1) + IP4_LEN;
	assert_memory_equal(out.bytes, rig_host[0], 6);
	assert_int_equal(icmp->type, ICMP4_UNREACHABLE);
	assert_int_equal(icmp->code, ICMP4_HOST_UNREACHABLE);
	assert_int_equal(quoted[0] << 8 | quoted[1], number);
}

static void a_few_wait_and_are_sent_in_order(uint32_t destination, uint32_t next_hop)
{
	send_numbered(destination, 1, 10);
	assert_int_equal(questions(), 1);
	assert_int_equal(rig_totals().held, HOLD_PACKETS);
	assert_int_equal(rig_counter("ip4-arp", "packets held for an ARP reply"), HOLD_PACKETS);
	assert_int_equal(rig_counter("ip4-arp", "ARP requests throttled"), 10 - HOLD_PACKETS);
	struct ws_held held[2];
	assert_int_equal(ws_router_held(rig_router, held, 2), 1);
	assert_int_equal(held[0].packets, HOLD_PACKETS);
	assert_int_equal(address_ip4(&held[0].next_hop), next_hop);
	/* After two more requests the packets are still held and were counted once. */
	later(1);
	later(1);
	assert_int_equal(questions(), 2);
	assert_int_equal(rig_totals().held, HOLD_PACKETS);
	assert_int_equal(rig_counter("ip4-arp", "packets held for an ARP reply"), HOLD_PACKETS);
	answer(next_hop);
	for (uint16_t i = 1; i <= HOLD_PACKETS; i++)
		assert_int_equal(taken_number(), i);
	assert_int_equal(rig_take(1).length, 0);
	assert_int_equal(rig_totals().held, 0);
	assert_int_equal(counted("held packets sent to their next hop"), HOLD_PACKETS);
	assert_int_equal(ws_router_held(rig_router, held, 2), 0);
}

static void those_to_a_next_hop(void **state)
{
	(void)state;
	route_by(ADDRESS(10, 0, 1, 2));
	a_few_wait_and_are_sent_in_order(IP(48, 0, 0, 1), IP(10, 0, 1, 2));
}

static void those_to_a_host(void **state)
{
	(void)state;
	a_few_wait_and_are_sent_in_order(IP(10, 0, 1, 2), IP(10, 0, 1, 2));
}

/* In as many segments as it came in, whole. */
static void a_packet_in_pieces(void **state)
{
	(void)state;
	struct frame in = frame_udp(sender, IP(10, 0, 1, 2), 1400);
	rig_send_pieces(0, in.bytes, in.length, 100);
	assert_int_equal(questions(), 1);
	answer(IP(10, 0, 1, 2));
	struct frame out = rig_take(1);
	assert_int_equal(out.length, in.length);
	assert_memory_equal(out.bytes + PORT_AT, in.bytes + PORT_AT, in.length - PORT_AT);
	assert_int_equal(out.bytes[ETHERNET_LEN + 8], 63); /* TTL, decremented once */
}

static void senders_are_told_when_nobody_answers(void **state)
{
	(void)state;
	send_numbered(IP(10, 0, 1, 2), 1, 3);
	later(2);
	assert_int_equal(rig_take(0).length, 0);
	later(2);
	for (uint16_t i = 1; i <= 3; i++)
		assert_told_unreachable(i);
	assert_int_equal(rig_take(0).length, 0);
	assert_int_equal(rig_totals().held, 0);
	assert_int_equal(counted("held packets whose next hop did not answer"), 3);
	/* From the beginning again. */
	later(1);
	send_numbered(IP(10, 0, 1, 2), 7, 1);
	assert_int_equal(rig_totals().held, 1);
	assert_int_equal(questions(), 3);
	answer(IP(10, 0, 1, 2));
	assert_int_equal(taken_number(), 7);
}

static void errors_stay_within_their_rate(void **state)
{
	(void)state;
	rig_router->workers[0]->icmp = (struct token_bucket){.ticks_per_token = UINT64_MAX / 4};
	send_numbered(IP(10, 0, 1, 2), 1, 3);
	assert_int_equal(questions(), 1);
	later(4);
	assert_int_equal(rig_take(0).length, 0);
	assert_int_equal(rig_counter("ip4-icmp-error", "icmp4 error rate limited"), 3);
	assert_int_equal(counted("held packets whose next hop did not answer"), 3);
}

/* Also if its adjacency's index now belongs to another, resolved next hop. */
static void a_next_hop_without_a_route_is_given_up(void **state)
{
	(void)state;
	route_by(ADDRESS(10, 0, 1, 2));
	send_numbered(IP(48, 0, 0, 1), 1, 2);
	assert_int_equal(questions(), 1);
	assert_int_equal(ws_router_route_del_many(rig_router, 0, ROUTED, WS_SOURCE_STATIC, 1), 1);
	const struct ws_address other = ADDRESS(10, 0, 1, 99);
	uint32_t place = rig_router->adjacencies.first_free;
	assert_int_equal(ws_router_neighbor_add(rig_router, 1, other, rig_host[1]), 0);
	assert_int_equal(adjacency_find(&rig_router->adjacencies, 1, &other), place);
	rig_walk();
	assert_int_equal(rig_take(1).length, 0);
	assert_told_unreachable(1);
	assert_told_unreachable(2);
	assert_int_equal(rig_totals().held, 0);
}

/* Some of 60 hosts have the same place; the second of two is held in the next one. */
static void next_hops_of_one_place_are_held(void **state)
{
	enum { HOSTS = 60 };
	(void)state;
	uint32_t beside = 0;
	assert_int_equal(ws_router_address_add(rig_router, 1, PREFIX(172, 16, 0, 1, 16)), 0);
	for (uint32_t i = 0; i < HOSTS; i++)
		send_numbered(IP(172, 16, 1, 0) + i, 1, 1);
	for (uint32_t i = 0; i < HOLD_HOPS; i++) {
		const struct held_hop *hop = &hold()->hops[i];
		if (!hop->count || hop->to.key % HOLD_HOPS == i)
			continue;
		assert_int_equal(hop->to.key % HOLD_HOPS, i ^ 1);
		assert_true(hold()->hops[i ^ 1].count);
		beside++;
	}
	assert_true(beside);
	later(4);
	assert_int_equal(rig_totals().held, 0);
	while (rig_take(0).length || rig_take(1).length)
		;
}

/* A scan fills the table only for a while; later next hops get its places. */
static void a_scan_fills_the_places(void **state)
{
	(void)state;
	assert_int_equal(ws_router_address_add(rig_router, 1, PREFIX(172, 16, 0, 1, 16)), 0);
	for (uint32_t i = 2; i < 250; i++)
		send_numbered(IP(172, 16, 1, 0) + i, 1, 1);
	assert_int_equal(questions(), 248);
	assert_true(rig_totals().held <= HOLD_HOPS && rig_totals().held > HOLD_HOPS / 4);
	struct ws_held held[WS_MOST_HELD];
	assert_int_equal(ws_router_held(rig_router, held, WS_MOST_HELD), rig_totals().held);
	later(4);
	assert_int_equal(rig_totals().held, 0);
	while (rig_take(0).length || rig_take(1).length)
		;
}

static void what_waits_goes_with_its_interface(void **state)
{
	(void)state;
	const struct ws_subinterface vlan = {.id = 7, .outer = 7, .exact = true};
	int made = ws_router_subinterface_add(rig_router, 1, &vlan);
	assert_true(made > 0);
	uint16_t sub = (uint16_t)made;
	assert_int_equal(ws_router_set_state(rig_router, sub, true), 0);
	assert_int_equal(ws_router_address_add(rig_router, sub, PREFIX(172, 16, 0, 1, 24)), 0);
	send_numbered(IP(172, 16, 0, 2), 1, 2);
	send_numbered(IP(10, 0, 1, 2), 3, 1);
	assert_int_equal(rig_take(1).length, ETHERNET_LEN + 4 + ARP_LEN);
	assert_int_equal(questions(), 1);
	uint64_t drops = rig_totals().drops;
	assert_int_equal(ws_router_interface_delete(rig_router, sub), 0);
	assert_int_equal(rig_totals().drops, drops + 2);
	assert_int_equal(rig_totals().held, 1);
	answer(IP(10, 0, 1, 2));
	assert_int_equal(taken_number(), 3);
}

/* No requests are sent through it, and packets stay held; senders get their errors in time. */
static void what_waits_outlasts_an_interface_that_is_down(void **state)
{
	(void)state;
	send_numbered(IP(10, 0, 1, 2), 1, 3);
	assert_int_equal(questions(), 1);
	assert_int_equal(ws_router_set_state(rig_router, 1, false), 0);
	assert_int_equal(rig_totals().held, 3);
	later(1);
	assert_int_equal(questions(), 0);
	assert_int_equal(rig_totals().held, 3);
	assert_int_equal(ws_router_set_state(rig_router, 1, true), 0);
	later(1);
	assert_int_equal(questions(), 1);
	answer(IP(10, 0, 1, 2));
	for (uint16_t i = 1; i <= 3; i++)
		assert_int_equal(taken_number(), i);
}

static void senders_are_told_when_their_next_hops_interface_stays_down(void **state)
{
	(void)state;
	send_numbered(IP(10, 0, 1, 2), 1, 2);
	assert_int_equal(questions(), 1);
	assert_int_equal(ws_router_set_state(rig_router, 1, false), 0);
	later(4);
	assert_told_unreachable(1);
	assert_told_unreachable(2);
	assert_int_equal(questions(), 0);
	assert_int_equal(rig_totals().held, 0);
}

/* ---- A neighbour that becomes known during a walk */

static bool is_in_walk;
static uint32_t settled_before;

/* On the worker, before the lookup: continue once the neighbour is known, or a pause is requested.
 */
static void wait_in_walk(struct graph *graph, struct graph_node *node, void **packets, uint16_t n)
{
	(void)packets, (void)n;
	if (strcmp(node->name, "ethernet-input") != 0)
		return;
	__atomic_store_n(&is_in_walk, true, __ATOMIC_RELEASE);
	while (!router_is_paused(rig_router) &&
		   __atomic_load_n(&rig_router->neighbors_settled, __ATOMIC_ACQUIRE) == settled_before)
		sched_yield();
	graph_set_trace(graph, NULL);
}

/* The neighbour gets this MAC address while the packet is in a walk of the running worker. */
static void settle_during_the_walk_of(const struct frame *frame, const uint8_t *mac)
{
	settled_before = rig_router->neighbors_settled;
	is_in_walk = false;
	graph_set_trace(rig_router->workers[0]->graph, wait_in_walk);
	for (uint16_t far = FAR; far < 2 * FAR; far++)
		interface_free(rig_router, far); /* the far ends belong to the test */
	assert_int_equal(ws_router_start(rig_router), 0);
	rig_put(0, frame->bytes, frame->length);
	while (!__atomic_load_n(&is_in_walk, __ATOMIC_ACQUIRE))
		sched_yield();
	assert_int_equal(ws_router_neighbor_add(rig_router, 1, ADDRESS(10, 0, 1, 2), mac), 0);
	ws_router_stop(rig_router);
	rig_walk();
}

static void none_overtakes_them(uint32_t destination)
{
	send_numbered(destination, 1, 3);
	assert_int_equal(questions(), 1);
	struct frame fourth = numbered(destination, 4);
	settle_during_the_walk_of(&fourth, rig_host[1]);
	for (uint16_t i = 1; i <= 4; i++)
		assert_int_equal(taken_number(), i);
	assert_int_equal(rig_take(1).length, 0);
}

static void none_overtakes_those_to_a_next_hop(void **state)
{
	(void)state;
	route_by(ADDRESS(10, 0, 1, 2));
	none_overtakes_them(IP(48, 0, 0, 1));
}

static void none_overtakes_those_to_a_host(void **state)
{
	(void)state;
	none_overtakes_them(IP(10, 0, 1, 2));
}

/* Packets go to the old address until the walk has ended. */
static void none_waits_while_a_mac_changes(void **state)
{
	(void)state;
	static const uint8_t other[ETHERNET_ADDRESS_LEN] = {2, 9, 9, 9, 9, 9};
	assert_int_equal(ws_router_neighbor_add(rig_router, 1, ADDRESS(10, 0, 1, 2), rig_host[1]), 0);
	struct frame first = numbered(IP(10, 0, 1, 2), 1), second = numbered(IP(10, 0, 1, 2), 2);
	settle_during_the_walk_of(&first, other);
	assert_int_equal(taken_number(), 1);
	rig_send(0, second.bytes, second.length);
	assert_memory_equal(rig_take(1).bytes, other, sizeof(other));
	assert_int_equal(rig_counter("ip4-arp", "packets held for an ARP reply"), 0);
}

static void nothing_stays_when_the_router_goes(void **state)
{
	(void)state;
	send_numbered(IP(10, 0, 1, 2), 1, 4);
	assert_int_equal(questions(), 1);
	assert_int_equal(rig_buffers_in_use(), 4);
	rig_reset();
	assert_int_equal(rig_buffers_in_use(), 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, reset, all_accounted)
	const struct CMUnitTest tests[] = {
		TEST(those_to_a_next_hop),
		TEST(those_to_a_host),
		TEST(a_packet_in_pieces),
		TEST(senders_are_told_when_nobody_answers),
		TEST(errors_stay_within_their_rate),
		TEST(a_next_hop_without_a_route_is_given_up),
		TEST(next_hops_of_one_place_are_held),
		TEST(a_scan_fills_the_places),
		TEST(what_waits_goes_with_its_interface),
		TEST(what_waits_outlasts_an_interface_that_is_down),
		TEST(senders_are_told_when_their_next_hops_interface_stays_down),
		TEST(none_overtakes_those_to_a_next_hop),
		TEST(none_overtakes_those_to_a_host),
		TEST(none_waits_while_a_mac_changes),
		TEST(nothing_stays_when_the_router_goes),
	};
	return RIG_RUN(tests);
}
