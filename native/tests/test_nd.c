/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbour discovery: who becomes a neighbour, who stays one, and who is asked. */
#include "cmocka_all.h"
#include "router/ip6_interface.h"
#include "tests/router_rig.h"
#include "wire/ethernet.h"
#include "wire/nd.h"

#include <errno.h>
#include <string.h>

/* On e0, whose own address is H = 1. */
#define IP6(h) ((uint8_t[16]){0x20, 1, 0xd, 0xb8, [14] = (uint8_t)((h) >> 8), (uint8_t)(h)})

enum { SOLICITED = 2, OVERRIDE = 1 };

static const uint8_t other_mac[6] = {2, 0xcc, 0, 0, 0, 9};

static int reset(void **state)
{
	(void)state;
	rig_reset();
	return ws_router_address_add(rig_router, 0, (struct ws_prefix){address_of_ip6(IP6(1)), 64});
}

static int all_accounted(void **state)
{
	(void)state;
	struct ws_router_totals totals = rig_totals();
	while (rig_take(0).length || rig_take(1).length)
		;
	assert_int_equal(totals.rx_packets, totals.tx_packets + totals.drops + totals.punts);
	assert_int_equal(rig_buffers_in_use(), 0);
	return 0;
}

static void send(const struct nd_message *message, const uint8_t *source,
				 const uint8_t *destination, bool with_option)
{
	struct frame frame = {.length = ETHERNET_LEN + IP6_LEN + ND_NEIGHBOR_MESSAGE_LEN};
	uint8_t to[6];
	memcpy(to, rig_mac[0], sizeof(to));
	if (ip6_is_multicast(destination))
		ip6_multicast_mac(to, destination);
	if (!with_option)
		frame.length -= ND_ADDRESS_OPTION_LEN;
	ethernet_write(frame.bytes, to, rig_host[0], ETHERNET_IP6);
	ip6_write(frame.bytes + ETHERNET_LEN, (uint16_t)(frame.length - ETHERNET_LEN - IP6_LEN),
			  IP6_ICMP, ND_HOP_LIMIT, source, destination);
	uint8_t wire[ND_NEIGHBOR_MESSAGE_LEN];
	nd_write(wire, message);
	memcpy(frame.bytes + ETHERNET_LEN + IP6_LEN, wire, frame.length - ETHERNET_LEN - IP6_LEN);
	icmp6_set_checksum(frame.bytes + ETHERNET_LEN);
	rig_send(0, frame.bytes, frame.length);
}

static void solicit(uint16_t host, const uint8_t *mac)
{
	struct nd_message message = {.type = ICMP6_NEIGHBOR_SOLICITATION, .has_mac = true};
	uint8_t group[16];
	memcpy(message.target, IP6(1), 16);
	memcpy(message.mac, mac, 6);
	ip6_solicited_node(group, IP6(1));
	send(&message, IP6(host), group, true);
}

static void advertise(uint16_t host, const uint8_t *mac, int flags)
{
	struct nd_message message = {
		.type = ICMP6_NEIGHBOR_ADVERTISEMENT,
		.is_solicited = flags & SOLICITED,
		.is_override = flags & OVERRIDE,
	};
	memcpy(message.target, IP6(host), 16);
	if (mac)
		memcpy(message.mac, mac, 6);
	send(&message, IP6(host), IP6(1), mac);
}

static int neighbor_count(void)
{
	struct ws_neighbor neighbors[64];
	return ws_router_neighbors(rig_router, 0, neighbors, 64);
}

static void expect(int32_t state, const uint8_t *mac)
{
	struct ws_neighbor neighbors[2];
	assert_int_equal(ws_router_neighbors(rig_router, 0, neighbors, 2), 1);
	assert_int_equal(neighbors[0].state, state);
	assert_memory_equal(neighbors[0].mac, mac, 6);
}

/* RFC 4861 section 7.2.5 */
static void believes_advertisements_as_far_as_it_should(void **state)
{
	(void)state;
	advertise(2, rig_host[0], OVERRIDE);
	assert_int_equal(neighbor_count(), 0);
	advertise(2, NULL, SOLICITED);
	assert_int_equal(neighbor_count(), 0);
	advertise(2, rig_host[0], SOLICITED | OVERRIDE);
	expect(WS_NEIGHBOR_REACHABLE, rig_host[0]);
	/* Another MAC address, without the flag that it replaces the one before: doubt, no more. */
	advertise(2, other_mac, SOLICITED);
	expect(WS_NEIGHBOR_STALE, rig_host[0]);
	advertise(2, NULL, SOLICITED);
	expect(WS_NEIGHBOR_REACHABLE, rig_host[0]);
	/* Unasked, with the flag: taken over, but not proven. */
	advertise(2, other_mac, OVERRIDE);
	expect(WS_NEIGHBOR_STALE, other_mac);
	advertise(2, other_mac, SOLICITED | OVERRIDE);
	expect(WS_NEIGHBOR_REACHABLE, other_mac);
	/* A static one believes nobody. */
	ws_router_neighbor_add(rig_router, 0, address_of_ip6(IP6(2)), rig_host[0]);
	advertise(2, other_mac, SOLICITED | OVERRIDE);
	expect(WS_NEIGHBOR_STATIC, rig_host[0]);
}

static void asks_before_it_believes_a_solicitor(void **state)
{
	(void)state;
	solicit(2, rig_host[0]);
	assert_true(rig_take(0).length > 0);
	expect(WS_NEIGHBOR_STALE, rig_host[0]);
	struct neighbor *neighbor = &rig_router->adjacencies.neighbors[ADJACENCY_FIRST_NEIGHBOR];
	while (!neighbor->used)
		neighbor++;
	neighbor->state_tsc -= 6 * rig_router->tsc_hz;
	ws_router_poll(rig_router);
	rig_walk();
	struct frame asked = rig_take(0);
	struct nd_message message;
	assert_int_equal(asked.length, ETHERNET_LEN + IP6_LEN + ND_NEIGHBOR_MESSAGE_LEN);
	assert_memory_equal(asked.bytes, rig_host[0], 6);
	assert_int_equal(
		nd_parse(asked.bytes + ETHERNET_LEN + IP6_LEN, ND_NEIGHBOR_MESSAGE_LEN, &message), ND_OK);
	assert_int_equal(message.type, ICMP6_NEIGHBOR_SOLICITATION);
	assert_memory_equal(message.target, IP6(2), 16);
	expect(WS_NEIGHBOR_PROBE, rig_host[0]);
	advertise(2, NULL, SOLICITED);
	expect(WS_NEIGHBOR_REACHABLE, rig_host[0]);
}

static void a_flood_fills_no_more_than_the_table(void **state)
{
	(void)state;
	for (uint16_t host = 2; host < 202; host++) {
		solicit(host, rig_host[0]);
		assert_true(rig_take(0).length > 0);
	}
	assert_int_equal(neighbor_count(), 64);
	/* None of them answers when asked: all go. */
	for (int round = 0; round < 8; round++) {
		struct neighbor *neighbors = rig_router->adjacencies.neighbors;
		for (uint32_t i = 0; i < rig_router->adjacencies.size; i++)
			neighbors[i].state_tsc -= 6 * rig_router->tsc_hz;
		ws_router_poll(rig_router);
		rig_walk();
		while (rig_take(0).length)
			;
	}
	assert_int_equal(neighbor_count(), 0);
}

static void forgets_neighbors_with_the_address(void **state)
{
	(void)state;
	solicit(2, rig_host[0]);
	rig_take(0);
	assert_int_equal(neighbor_count(), 1);
	assert_int_equal(
		ws_router_address_del(rig_router, 0, (struct ws_prefix){address_of_ip6(IP6(1)), 64}), 0);
	assert_int_equal(neighbor_count(), 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, reset, all_accounted)
	const struct CMUnitTest tests[] = {
		TEST(believes_advertisements_as_far_as_it_should),
		TEST(asks_before_it_believes_a_solicitor),
		TEST(a_flood_fills_no_more_than_the_table),
		TEST(forgets_neighbors_with_the_address),
	};
	int skip = rig_start();
	if (skip)
		return skip;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	rig_stop();
	return failed;
}
