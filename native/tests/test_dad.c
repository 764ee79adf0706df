/* SPDX-License-Identifier: Apache-2.0 */
/* Duplicate address detection: an address is used if no other station on the link has it. */
#include "router/interface/ip6_interface.h"
#include "router/route/dad.h"
#include "tests/accounted.h"
#include "tests/rig_tests.h"
#include "wire/ethernet.h"
#include "wire/icmp6.h"
#include "wire/nd.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/router.h"
#include "wirespeed/routes.h"

#include <errno.h>
#include <string.h>

#define IP6(h) ((uint8_t[16]){0x20, 1, 0xd, 0xb8, [15] = (uint8_t)(h)})
#define OWN ((struct ws_prefix){address_of_ip6(IP6(1)), 64})

static const uint8_t none[16], other_mac[6] = {2, 0xcc, 0, 0, 0, 9};

static int reset(void **state)
{
	(void)state;
	rig_reset();
	return 0;
}

static int state_of(const uint8_t *address)
{
	return ws_router_dad_state(rig_router, 0, address_of_ip6(address));
}

static void poll_and_walk(void)
{
	ws_router_poll(rig_router);
	rig_walk();
}

/* Let the probes become due that are due within a second. */
static void pass_a_second(void)
{
	struct dad *dad = dad_of(rig_router);
	for (uint32_t i = 0; i < dad->count; i++)
		dad->probes[i].due_tsc = 0;
	poll_and_walk();
}

static uint32_t drain(void)
{
	uint32_t count = 0;
	while (rig_take(0).length)
		count++;
	return count;
}

static void send_nd(uint8_t type, const uint8_t *target, const uint8_t *source,
					const uint8_t *from_mac)
{
	struct frame frame = {.length = ETHERNET_LEN + IP6_LEN + ND_NEIGHBOR_LEN};
	struct nd_message message = {.type = type, .is_override = true};
	uint8_t wire[ND_NEIGHBOR_MESSAGE_LEN], destination[16], mac[6];
	if (type == ICMP6_NEIGHBOR_SOLICITATION)
		ip6_solicited_node(destination, target);
	else
		ip6_all_nodes(destination);
	ip6_multicast_mac(mac, destination);
	ethernet_write(frame.bytes, mac, from_mac, ETHERNET_IP6);
	ip6_write(frame.bytes + ETHERNET_LEN, ND_NEIGHBOR_LEN, IP6_ICMP, ND_HOP_LIMIT, source,
			  destination);
	memcpy(message.target, target, sizeof(message.target));
	nd_write(wire, &message);
	memcpy(frame.bytes + ETHERNET_LEN + IP6_LEN, wire, ND_NEIGHBOR_LEN);
	icmp6_set_checksum(frame.bytes + ETHERNET_LEN);
	rig_send(0, frame.bytes, frame.length);
}

/* RFC 4862 section 5.4.2: from the unspecified address, to the solicited-node group, without a
 * link-layer address. */
static void assert_asks_for(const uint8_t *address)
{
	struct frame frame = rig_take(0);
	const struct ip6_header *ip =
		(const struct ip6_header *)(const void *)(frame.bytes + ETHERNET_LEN);
	struct nd_message message;
	uint8_t group[16], mac[6];
	ip6_solicited_node(group, address);
	ip6_multicast_mac(mac, group);
	assert_int_equal(frame.length, ETHERNET_LEN + IP6_LEN + ND_NEIGHBOR_LEN);
	assert_memory_equal(frame.bytes, mac, sizeof(mac));
	assert_memory_equal(frame.bytes + 6, rig_mac[0], 6);
	assert_memory_equal(ip->source, none, sizeof(none));
	assert_memory_equal(ip->destination, group, sizeof(group));
	assert_int_equal(nd_parse(frame.bytes + ETHERNET_LEN + IP6_LEN, ND_NEIGHBOR_LEN, &message),
					 ND_OK);
	assert_int_equal(message.type, ICMP6_NEIGHBOR_SOLICITATION);
	assert_memory_equal(message.target, address, 16);
	assert_false(message.has_mac);
	assert_int_equal(nd_check_addresses(&message, ip->source, ip->destination), ND_OK);
}

static void without_it_an_address_is_used_at_once(void **state)
{
	(void)state;
	assert_int_equal(ws_router_dad(rig_router, 0), 0);
	assert_int_equal(ws_router_address_add(rig_router, 0, OWN), 0);
	assert_int_equal(state_of(IP6(1)), WS_DAD_USED);
	poll_and_walk();
	assert_int_equal(drain(), 0);
	send_nd(ICMP6_NEIGHBOR_SOLICITATION, IP6(1), none, other_mac);
	assert_int_equal(rig_counter("icmp6-neighbor-solicitation", "neighbor advertisements sent"), 1);
	assert_null(dad_of(rig_router));
}

static bool has_route(void)
{
	struct ws_route route;
	return ws_router_route_get(rig_router, 0, prefix_of_host(OWN.address), &route) >= 0;
}

static void an_address_waits_until_nobody_answered(void **state)
{
	(void)state;
	uint8_t link_local[16];
	ip6_link_local(link_local, rig_mac[0]);
	assert_int_equal(ws_router_set_dad(rig_router, 0, 2), 0);
	assert_int_equal(ws_router_address_add(rig_router, 0, OWN), 0);
	for (int asked = 0; asked < 2; asked++) {
		assert_int_equal(state_of(IP6(1)), WS_DAD_TENTATIVE);
		assert_int_equal(state_of(link_local), WS_DAD_TENTATIVE);
		assert_false(has_route());
		if (asked)
			pass_a_second();
		else
			poll_and_walk();
		assert_asks_for(link_local);
		assert_asks_for(IP6(1));
		poll_and_walk();
		assert_int_equal(drain(), 0);
	}
	/* Solicitations are not answered in the meantime; a solicitation with a source address is not a
	 * conflict. */
	send_nd(ICMP6_NEIGHBOR_SOLICITATION, IP6(1), IP6(2), other_mac);
	assert_int_equal(state_of(IP6(1)), WS_DAD_TENTATIVE);
	/* A solicitation of the router that comes back is not another station's. */
	send_nd(ICMP6_NEIGHBOR_SOLICITATION, IP6(1), none, rig_mac[0]);
	assert_int_equal(state_of(IP6(1)), WS_DAD_TENTATIVE);
	assert_int_equal(drain(), 0);
	pass_a_second();
	assert_int_equal(state_of(IP6(1)), WS_DAD_USED);
	assert_int_equal(state_of(link_local), WS_DAD_USED);
	assert_true(has_route());
	assert_int_equal(dad_of(rig_router)->count, 0);
	drain();
	send_nd(ICMP6_NEIGHBOR_SOLICITATION, IP6(1), none, other_mac);
	assert_int_equal(drain(), 1);
	struct ws_dad_conflict conflict;
	assert_int_equal(ws_router_dad_conflicts(rig_router, &conflict, 1), 0);
}

static void assert_duplicate(void)
{
	struct ws_dad_conflict conflicts[2];
	assert_int_equal(state_of(IP6(1)), WS_DAD_DUPLICATE);
	assert_false(has_route());
	assert_int_equal(ws_router_dad_conflicts(rig_router, conflicts, 2), 1);
	assert_int_equal(conflicts[0].interface, 0);
	assert_memory_equal(conflicts[0].address.bytes, IP6(1), 16);
	assert_memory_equal(conflicts[0].mac, other_mac, 6);
	for (int i = 0; i < 4; i++)
		pass_a_second();
	assert_int_equal(state_of(IP6(1)), WS_DAD_DUPLICATE);
	assert_int_equal(ws_router_dad_conflicts(rig_router, conflicts, 2), 0);
	drain();
	send_nd(ICMP6_NEIGHBOR_SOLICITATION, IP6(1), none, other_mac);
	assert_int_equal(drain(), 0);
}

static void who_has_the_address_keeps_it(void **state)
{
	(void)state;
	ws_router_set_dad(rig_router, WS_DAD_ALL_INTERFACES, 1);
	ws_router_address_add(rig_router, 0, OWN);
	poll_and_walk();
	send_nd(ICMP6_NEIGHBOR_ADVERTISEMENT, IP6(1), IP6(1), other_mac);
	assert_duplicate();
	/* It can still be deleted, and overlaps others. */
	struct ws_interface shown;
	ws_router_interface(rig_router, 0, &shown);
	assert_int_equal(shown.address_count, 2);
	assert_true(ws_router_address_add(rig_router, 1, OWN) < 0);
	assert_int_equal(ws_router_address_del(rig_router, 0, OWN), 0);
	ws_router_interface(rig_router, 0, &shown);
	assert_int_equal(shown.address_count, 1);
	assert_int_equal(state_of(IP6(1)), WS_DAD_USED);
}

static void of_two_that_ask_at_once_neither_has_it(void **state)
{
	(void)state;
	ws_router_set_dad(rig_router, 0, 1);
	ws_router_address_add(rig_router, 0, OWN);
	poll_and_walk();
	send_nd(ICMP6_NEIGHBOR_SOLICITATION, IP6(1), none, other_mac);
	assert_duplicate();
}

static void an_interface_that_comes_up_asks_again(void **state)
{
	(void)state;
	ws_router_address_add(rig_router, 0, OWN);
	ws_router_set_dad(rig_router, 0, 1);
	poll_and_walk();
	assert_int_equal(state_of(IP6(1)), WS_DAD_USED); /* addresses in use stay in use … */
	ws_router_set_state(rig_router, 0, false);
	ws_router_set_state(rig_router, 0, true); /* … until the interface goes down */
	poll_and_walk();
	assert_int_equal(state_of(IP6(1)), WS_DAD_TENTATIVE);
	assert_false(has_route());
	assert_int_equal(drain(), 2);
	pass_a_second();
	assert_int_equal(state_of(IP6(1)), WS_DAD_USED);
	assert_true(has_route());
}

static void while_it_is_down_nobody_is_asked(void **state)
{
	(void)state;
	ws_router_set_state(rig_router, 0, false);
	ws_router_set_dad(rig_router, 0, 1);
	ws_router_address_add(rig_router, 0, OWN);
	for (int i = 0; i < 3; i++)
		pass_a_second();
	assert_int_equal(state_of(IP6(1)), WS_DAD_TENTATIVE);
	ws_router_set_dad(rig_router, 0, 0); /* without detection the address is used */
	poll_and_walk();
	assert_int_equal(state_of(IP6(1)), WS_DAD_USED);
	assert_int_equal(drain(), 0);
}

static void addresses_in_doubt_go_with_their_interface(void **state)
{
	(void)state;
	ws_router_set_dad(rig_router, WS_DAD_ALL_INTERFACES, 1);
	const struct ws_subinterface vlan = {.id = 7, .outer = 7, .exact = true};
	int made = ws_router_subinterface_add(rig_router, 0, &vlan);
	assert_true(made > 0);
	assert_int_equal(ws_router_dad(rig_router, (uint16_t)made), 1);
	ws_router_address_add(rig_router, (uint16_t)made, OWN);
	assert_int_equal(dad_of(rig_router)->count, 2);
	assert_int_equal(ws_router_interface_delete(rig_router, (uint16_t)made), 0);
	assert_int_equal(dad_of(rig_router)->count, 0);
	ws_router_address_add(rig_router, 0, OWN);
	assert_int_equal(state_of(IP6(1)), WS_DAD_TENTATIVE);
}

/* There is no other station on it. */
static void a_loopback_asks_nobody(void **state)
{
	(void)state;
	ws_router_set_dad(rig_router, WS_DAD_ALL_INTERFACES, 1);
	int loop = ws_router_loopback_add(rig_router, 3, other_mac);
	assert_true(loop >= 0);
	assert_int_equal(ws_router_address_add(rig_router, (uint16_t)loop, OWN), 0);
	assert_int_equal(ws_router_dad_state(rig_router, (uint16_t)loop, OWN.address), WS_DAD_USED);
	assert_true(has_route());
}

static void what_cannot_be_is_refused(void **state)
{
	(void)state;
	assert_int_equal(ws_router_set_dad(rig_router, 0, WS_DAD_MOST_TRANSMITS + 1), -EINVAL);
	assert_int_equal(ws_router_set_dad(rig_router, 99, 1), -ENODEV);
	assert_int_equal(ws_router_set_dad(rig_router, -2, 1), -ENODEV);
	assert_int_equal(ws_router_dad(rig_router, 0), 0);
	assert_int_equal(ws_router_dad(rig_router, 99), -ENODEV);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, reset, rest_accounted)
	const struct CMUnitTest tests[] = {
		TEST(without_it_an_address_is_used_at_once),
		TEST(an_address_waits_until_nobody_answered),
		TEST(who_has_the_address_keeps_it),
		TEST(of_two_that_ask_at_once_neither_has_it),
		TEST(an_interface_that_comes_up_asks_again),
		TEST(while_it_is_down_nobody_is_asked),
		TEST(addresses_in_doubt_go_with_their_interface),
		TEST(a_loopback_asks_nobody),
		TEST(what_cannot_be_is_refused),
	};
	return RIG_RUN(tests);
}
