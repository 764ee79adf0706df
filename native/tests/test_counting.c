/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of routes and adjacencies: each has its own, even with shared paths, and starts at 0. */
#include "tests/rig_tests.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wirespeed/counters.h"
#include "wirespeed/routes.h"

#include <errno.h>
#include <string.h>

enum { PAYLOAD = 20, IP_BYTES = 20 + 8 + PAYLOAD, FRAME_BYTES = 14 + IP_BYTES };

static int reset(void **state)
{
	(void)state;
	rig_reset();
	assert_int_equal(ws_router_neighbor_add(rig_router, 1, ADDRESS(10, 0, 1, 2), rig_host[1]), 0);
	return 0;
}

/* Drop the frames in the outputs; held packets are freed with the router. */
static int drain(void **state)
{
	(void)state;
	for (uint16_t interface = 0; interface < 2; interface++)
		while (rig_take(interface).length)
			;
	return 0;
}

static struct ws_route via(struct ws_prefix prefix, struct ws_address next_hop)
{
	return (struct ws_route){
		.prefix = prefix,
		.path_count = 1,
		.paths = {{.next_hop = next_hop, .interface = -1}},
	};
}

static void add(struct ws_prefix prefix, struct ws_address next_hop)
{
	struct ws_route route = via(prefix, next_hop);
	assert_int_equal(ws_router_route_add(rig_router, &route, true), 0);
}

static void delete_route(struct ws_prefix prefix)
{
	assert_int_equal(ws_router_route_del_many(rig_router, 0, prefix, WS_SOURCE_STATIC, 1), 1);
}

static uint32_t index_of(struct ws_prefix prefix)
{
	struct ws_route route;
	assert_int_equal(ws_router_route_get(rig_router, 0, prefix, &route), 0);
	return route.index;
}

static void assert_counts(struct ws_prefix prefix, uint64_t to, uint64_t via_it)
{
	struct ws_counts counts[2];
	assert_int_equal(ws_router_route_counts(rig_router, index_of(prefix), &counts[0], &counts[1]),
					 0);
	assert_int_equal(counts[0].packets, to);
	assert_int_equal(counts[0].bytes, to * IP_BYTES);
	assert_int_equal(counts[1].packets, via_it);
	assert_int_equal(counts[1].bytes, via_it * IP_BYTES);
}

static void send_to(uint32_t destination, int packets)
{
	struct frame frame = frame_udp(IP(10, 0, 0, 2), destination, PAYLOAD);
	for (int i = 0; i < packets; i++)
		rig_send(0, frame.bytes, frame.length);
}

static void count_routes(bool on)
{
	assert_int_equal(ws_router_set_counting(rig_router, WS_COUNT_ROUTES, on), 0);
}

static void routes_that_share_paths_count_apart(void **state)
{
	(void)state;
	struct ws_counts unused;
	add(PREFIX(48, 0, 0, 0, 16), ADDRESS(10, 0, 1, 2));
	add(PREFIX(48, 1, 0, 0, 16), ADDRESS(10, 0, 1, 2));
	uint32_t sets = rig_router->load_balances.used;
	assert_int_equal(index_of(PREFIX(48, 0, 0, 0, 16)), index_of(PREFIX(48, 1, 0, 0, 16)));
	assert_int_equal(ws_router_route_counts(rig_router, 1, &unused, &unused), -ENOENT);
	count_routes(true);
	assert_int_equal(ws_router_counting(rig_router), WS_COUNT_ROUTES);
	assert_int_not_equal(index_of(PREFIX(48, 0, 0, 0, 16)), index_of(PREFIX(48, 1, 0, 0, 16)));
	send_to(IP(48, 0, 9, 9), 3);
	send_to(IP(48, 1, 9, 9), 2);
	send_to(IP(10, 0, 0, 1), 1);
	assert_counts(PREFIX(48, 0, 0, 0, 16), 3, 0);
	assert_counts(PREFIX(48, 1, 0, 0, 16), 2, 0);
	assert_counts(PREFIX(10, 0, 0, 1, 32), 1, 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(rig_take(1).length, FRAME_BYTES);
	/* Paths are shared as before; counting that is off leaves nothing behind. */
	assert_int_equal(rig_router->load_balances.used, sets);
	count_routes(false);
	assert_int_equal(index_of(PREFIX(48, 0, 0, 0, 16)), index_of(PREFIX(48, 1, 0, 0, 16)));
	send_to(IP(48, 0, 9, 9), 1);
	assert_int_equal(rig_take(1).length, FRAME_BYTES);
	count_routes(true);
	assert_counts(PREFIX(48, 0, 0, 0, 16), 0, 0);
	send_to(IP(48, 0, 9, 9), 1);
	assert_counts(PREFIX(48, 0, 0, 0, 16), 1, 0);
}

static void a_route_counts_on_when_it_is_replaced_and_from_0_when_it_is_new(void **state)
{
	(void)state;
	count_routes(true);
	add(PREFIX(48, 0, 0, 0, 16), ADDRESS(10, 0, 1, 2));
	uint32_t index = index_of(PREFIX(48, 0, 0, 0, 16));
	send_to(IP(48, 0, 9, 9), 2);
	add(PREFIX(48, 0, 0, 0, 16), ADDRESS(10, 0, 1, 3));
	assert_int_equal(ws_router_neighbor_add(rig_router, 1, ADDRESS(10, 0, 1, 3), rig_host[0]), 0);
	send_to(IP(48, 0, 9, 9), 3);
	assert_int_equal(index_of(PREFIX(48, 0, 0, 0, 16)), index);
	assert_counts(PREFIX(48, 0, 0, 0, 16), 5, 0);
	for (int i = 0; i < 5; i++)
		assert_memory_equal(rig_take(1).bytes, rig_host[i < 2], 6);
	/* Its index is used again later, by routes with counters at 0. */
	delete_route(PREFIX(48, 0, 0, 0, 16));
	bool is_taken = false;
	for (int i = 0; i < 5000 && !is_taken; i++) {
		add(PREFIX(49, 0, 0, 0, 16), ADDRESS(10, 0, 1, 2));
		is_taken = index_of(PREFIX(49, 0, 0, 0, 16)) == index;
		if (!is_taken)
			delete_route(PREFIX(49, 0, 0, 0, 16));
	}
	assert_true(is_taken);
	assert_counts(PREFIX(49, 0, 0, 0, 16), 0, 0);
	send_to(IP(49, 0, 9, 9), 1);
	assert_counts(PREFIX(49, 0, 0, 0, 16), 1, 0);
}

static void a_route_counts_what_other_ones_lead_by_it(void **state)
{
	(void)state;
	/* 48/16 via 50.0.0.1, that via 51.0.0.1, that via a neighbour. */
	add(PREFIX(51, 0, 0, 0, 16), ADDRESS(10, 0, 1, 2));
	add(PREFIX(50, 0, 0, 0, 16), ADDRESS(51, 0, 0, 1));
	add(PREFIX(48, 0, 0, 0, 16), ADDRESS(50, 0, 0, 1));
	count_routes(true);
	send_to(IP(48, 0, 9, 9), 3);
	send_to(IP(50, 0, 9, 9), 2);
	send_to(IP(51, 0, 9, 9), 1);
	assert_counts(PREFIX(48, 0, 0, 0, 16), 3, 0);
	assert_counts(PREFIX(50, 0, 0, 0, 16), 2, 3);
	assert_counts(PREFIX(51, 0, 0, 0, 16), 1, 5);
	/* Through another route from now on. */
	add(PREFIX(50, 0, 0, 0, 24), ADDRESS(10, 0, 1, 2));
	send_to(IP(48, 0, 9, 9), 4);
	assert_counts(PREFIX(50, 0, 0, 0, 24), 0, 4);
	assert_counts(PREFIX(50, 0, 0, 0, 16), 2, 3);
}

static void paths_count_the_routes_that_they_are_found_by(void **state)
{
	(void)state;
	struct ws_route both = via(PREFIX(48, 0, 0, 0, 16), ADDRESS(50, 0, 0, 1));
	both.path_count = 2;
	both.paths[1] = both.paths[0];
	both.paths[1].next_hop = ADDRESS(51, 0, 0, 1);
	add(PREFIX(50, 0, 0, 0, 16), ADDRESS(10, 0, 1, 2));
	add(PREFIX(51, 0, 0, 0, 16), ADDRESS(10, 0, 1, 2));
	count_routes(true);
	assert_int_equal(ws_router_route_add(rig_router, &both, true), 0);
	enum { FLOWS = 64 };
	for (uint32_t i = 0; i < FLOWS; i++)
		send_to(IP(48, 0, 9, 0) + i, 1);
	struct ws_counts to[2], by[2];
	assert_counts(PREFIX(48, 0, 0, 0, 16), FLOWS, 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(ws_router_route_counts(rig_router,
												index_of(PREFIX(50u + (uint32_t)i, 0, 0, 0, 16)),
												&to[i], &by[i]),
						 0);
	assert_int_equal(by[0].packets + by[1].packets, FLOWS);
	assert_true(by[0].packets > 0 && by[1].packets > 0);
}

static void there_is_room_for_as_many_as_come(void **state)
{
	(void)state;
	enum { MANY = 4000 };
	struct ws_route first = via(PREFIX(60, 0, 0, 0, 24), ADDRESS(10, 0, 1, 2));
	count_routes(true);
	assert_int_equal(ws_router_route_add_many(rig_router, &first, MANY, false), MANY);
	struct ws_route six = {
		.prefix = {.address = {.family = WS_IP6, .bytes = {0x20, 1}}, .length = 64},
		.path_count = 1,
		.paths = {{.kind = WS_PATH_DROP, .interface = -1}},
	};
	assert_int_equal(ws_router_route_add_many(rig_router, &six, MANY, false), MANY);
	assert_true(rig_router->load_balances.end > 2 * MANY);
	send_to(IP(60, 15, 150, 9), 2);
	assert_counts(PREFIX(60, 15, 150, 0, 24), 2, 0);
	assert_counts(PREFIX(60, 15, 149, 0, 24), 0, 0);
	assert_int_equal(ws_router_route_del_many(rig_router, 0, first.prefix, WS_SOURCE_STATIC, MANY),
					 MANY);
	assert_int_equal(ws_router_route_add_many(rig_router, &first, MANY, false), MANY);
	assert_counts(PREFIX(60, 15, 150, 0, 24), 0, 0);
	count_routes(false);
	assert_int_equal(ws_router_route_add_many(rig_router, &first, MANY, true), MANY);
	count_routes(true);
}

static struct ws_adjacency adjacency(const struct ws_address *next_hop, uint8_t link)
{
	struct ws_adjacency found[16];
	int count = ws_router_adjacencies(rig_router, 0, found, 16);
	for (int i = 0; i < count; i++)
		if (address_equal(&found[i].next_hop, next_hop) && found[i].link == link)
			return found[i];
	fail();
	return found[0];
}

static void adjacencies_count_frames_that_go_there(void **state)
{
	(void)state;
	struct ws_address host = ADDRESS(10, 0, 1, 2);
	struct ws_route labelled = via(PREFIX(49, 0, 0, 0, 16), host);
	labelled.paths[0].label_count = 1;
	labelled.paths[0].labels[0] = 100;
	add(PREFIX(48, 0, 0, 0, 16), host);
	assert_int_equal(ws_router_route_add(rig_router, &labelled, false), 0);
	send_to(IP(48, 0, 9, 9), 1);
	assert_int_equal(ws_router_set_counting(rig_router, WS_COUNT_ADJACENCIES, true), 0);
	send_to(IP(48, 0, 9, 9), 3);
	send_to(IP(49, 0, 9, 9), 2);
	struct frame expiring = frame_udp(IP(10, 0, 0, 2), IP(48, 0, 9, 9), PAYLOAD);
	((struct ip4_header *)(void *)(expiring.bytes + ETHERNET_LEN))->ttl = 1;
	frame_finish(&expiring);
	rig_send(0, expiring.bytes, expiring.length);
	struct ws_adjacency found = adjacency(&host, WS_LINK_IP4);
	assert_true(found.is_resolved);
	assert_int_equal(found.interface, 1);
	assert_memory_equal(found.rewrite, rig_host[1], 6);
	assert_int_equal(found.counts.packets, 3);
	assert_int_equal(found.counts.bytes, 3 * FRAME_BYTES);
	found = adjacency(&host, WS_LINK_MPLS);
	assert_int_equal(found.counts.packets, 2);
	assert_int_equal(found.counts.bytes, 2 * (FRAME_BYTES + 4));
	/* A new adjacency starts at 0; a new MAC address does not reset its counters. */
	assert_int_equal(ws_router_neighbor_add(rig_router, 1, host, rig_host[0]), 0);
	assert_int_equal(ws_router_neighbor_add(rig_router, 1, ADDRESS(10, 0, 1, 9), rig_host[0]), 0);
	send_to(IP(10, 0, 1, 9), 1);
	send_to(IP(48, 0, 9, 9), 1);
	struct ws_address other = ADDRESS(10, 0, 1, 9);
	assert_int_equal(adjacency(&other, WS_LINK_IP4).counts.packets, 1);
	assert_int_equal(adjacency(&host, WS_LINK_IP4).counts.packets, 4);
	assert_int_equal(ws_router_set_counting(rig_router, WS_COUNT_ADJACENCIES, false), 0);
	assert_int_equal(adjacency(&host, WS_LINK_IP4).counts.packets, 0);
	assert_int_equal(ws_router_set_counting(rig_router, 3, true), -EINVAL);
}

static void put(uint32_t destination, uint8_t ttl, size_t payload)
{
	struct frame frame = frame_udp(IP(10, 0, 0, 2), destination, payload);
	((struct ip4_header *)(void *)(frame.bytes + ETHERNET_LEN))->ttl = ttl;
	frame_finish(&frame);
	rig_put(0, frame.bytes, frame.length);
}

/* Packets of two routes to one next hop, and one between them with another next hop or none. */
static void packets_of_one_frame_count_by_themselves(void **state)
{
	enum { BURST = 19 };
	struct ws_address hosts[] = {ADDRESS(10, 0, 1, 2), ADDRESS(10, 0, 1, 3)};
	uint64_t packets[2] = {0}, bytes[2] = {0}, to[3] = {0};
	(void)state;
	assert_int_equal(ws_router_neighbor_add(rig_router, 1, hosts[1], rig_host[0]), 0);
	add(PREFIX(48, 0, 0, 0, 16), hosts[0]);
	add(PREFIX(48, 1, 0, 0, 16), hosts[0]);
	add(PREFIX(48, 2, 0, 0, 16), hosts[1]);
	count_routes(true);
	assert_int_equal(ws_router_set_counting(rig_router, WS_COUNT_ADJACENCIES, true), 0);
	for (int odd = 0; odd < 2 * BURST; odd++) {
		for (int i = 0; i < BURST; i++) {
			bool is_odd = i == odd / 2, expires = is_odd && odd % 2;
			uint32_t route = is_odd && !expires ? 2 : (uint32_t)i % 2;
			put(IP(48, route, 9, 9), expires ? 1 : 64, PAYLOAD + (size_t)i);
			to[route]++;
			packets[route / 2] += !expires;
			bytes[route / 2] += expires ? 0 : FRAME_BYTES + (uint64_t)i;
		}
		rig_walk();
	}
	for (int i = 0; i < 2; i++) {
		struct ws_counts counts = adjacency(&hosts[i], WS_LINK_IP4).counts;
		assert_int_equal(counts.packets, packets[i]);
		assert_int_equal(counts.bytes, bytes[i]);
	}
	for (uint32_t route = 0; route < 3; route++) {
		struct ws_counts counts, by;
		uint32_t index = index_of(PREFIX(48, route, 0, 0, 16));
		assert_int_equal(ws_router_route_counts(rig_router, index, &counts, &by), 0);
		assert_int_equal(counts.packets, to[route]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(routes_that_share_paths_count_apart, reset, drain),
		cmocka_unit_test_setup_teardown(
			a_route_counts_on_when_it_is_replaced_and_from_0_when_it_is_new, reset, drain),
		cmocka_unit_test_setup_teardown(a_route_counts_what_other_ones_lead_by_it, reset, drain),
		cmocka_unit_test_setup_teardown(paths_count_the_routes_that_they_are_found_by, reset,
										drain),
		cmocka_unit_test_setup_teardown(there_is_room_for_as_many_as_come, reset, drain),
		cmocka_unit_test_setup_teardown(adjacencies_count_frames_that_go_there, reset, drain),
		cmocka_unit_test_setup_teardown(packets_of_one_frame_count_by_themselves, reset, drain),
	};
	return RIG_RUN(tests);
}
