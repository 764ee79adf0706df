/* SPDX-License-Identifier: Apache-2.0 */
/* Limit of learnt neighbours, replacement of old ones, and Linux's events about neighbours of a
 * pair. */
#include "router/neighbor/neighbor.h"
#include "router/neighbor/neighbor_quota.h"
#include "tests/accounted.h"
#include "tests/rig_tests.h"
#include "wire/arp.h"
#include "wire/ethernet.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/router.h"
#include "wirespeed/runtime.h"

#include <errno.h>
#include <string.h>

/* The rig has 64 entries. An eighth is reserved; an interface may learn half of the rest. */
enum { LEARNT = 56, OF_INTERFACE = 32, FLOOD = 200 };

static int reset(void **state)
{
	(void)state;
	rig_reset();
	return 0;
}

static void send_arp(uint16_t interface, uint16_t operation, uint8_t host)
{
	uint8_t bytes[ETHERNET_LEN + ARP_LEN];
	struct arp arp = {
		.operation = operation,
		.sender = IP(10, 0, interface, host),
		.target = IP(10, 0, interface, 1),
		.sender_mac = {2, 0xee, 0, 0, (uint8_t)interface, host},
	};
	ethernet_write(bytes, rig_mac[interface], arp.sender_mac, ETHERNET_ARP);
	arp_write(bytes + ETHERNET_LEN, &arp);
	rig_send(interface, bytes, sizeof(bytes));
	rig_take(interface);
}

/* Requests from as many hosts of the interface. */
static void flood(uint16_t interface, uint8_t first, int count)
{
	for (int i = 0; i < count; i++)
		send_arp(interface, ARP_REQUEST, (uint8_t)(first + i));
}

/* The router sends a request for the host of e0, which replies. */
static void meet(uint8_t host)
{
	struct frame in = frame_udp(IP(10, 0, 1, 2), IP(10, 0, 0, host), 18);
	memcpy(in.bytes, rig_mac[1], 6);
	rig_send(1, in.bytes, in.length);
	assert_int_equal(rig_take(0).length, ETHERNET_LEN + ARP_LEN);
	send_arp(0, ARP_REPLY, host);
}

static struct ws_neighbor_counters counters(void)
{
	struct ws_neighbor_counters now;
	assert_int_equal(ws_router_neighbor_counters(rig_router, &now), 0);
	return now;
}

/* -1 if there is none. */
static int state_of(uint16_t interface, uint8_t host)
{
	const struct ws_address address = ADDRESS(10, 0, interface, host);
	struct ws_neighbor all[64];
	int n = ws_router_neighbors(rig_router, 0, all, 64);
	for (int i = 0; i < n; i++)
		if (all[i].interface == interface && address_equal(&all[i].address, &address))
			return all[i].state;
	return -1;
}

static void one_link_does_not_take_all(void **state)
{
	(void)state;
	flood(0, 2, FLOOD);
	struct ws_neighbor_counters now = counters();
	assert_int_equal(now.most, 64);
	assert_int_equal(now.most_learnt, LEARNT);
	assert_int_equal(now.most_of_interface, OF_INTERFACE);
	assert_int_equal(now.learnt, OF_INTERFACE);
	assert_int_equal(now.recycled + now.refused_interface, FLOOD - OF_INTERFACE);
	assert_true(now.recycled > 0);
	assert_int_equal(now.refused_table, 0);
	/* Another link still learns neighbours, and the user can still add some. */
	flood(1, 2, 20);
	assert_int_equal(counters().learnt, OF_INTERFACE + 20);
	flood(1, 30, 50);
	assert_int_equal(counters().learnt, LEARNT);
	for (uint8_t i = 0; i < 64 - LEARNT; i++)
		assert_int_equal(
			ws_router_neighbor_add(rig_router, 0, ADDRESS(10, 0, 0, 240 + i), rig_host[0]), 0);
	assert_int_equal(ws_router_neighbor_add(rig_router, 0, ADDRESS(10, 0, 0, 250), rig_host[0]),
					 -ENOSPC);
	assert_non_null(strstr(ws_error(), "--max-neighbors"));
}

static void who_answered_stays(void **state)
{
	(void)state;
	send_arp(0, ARP_REPLY, 250); /* an unsolicited reply */
	assert_int_equal(state_of(0, 250), WS_NEIGHBOR_REACHABLE);
	meet(251);
	assert_int_equal(state_of(0, 251), WS_NEIGHBOR_REACHABLE);
	flood(0, 2, FLOOD);
	assert_int_equal(state_of(0, 251), WS_NEIGHBOR_REACHABLE);
	assert_int_equal(state_of(0, 250), -1);
	/* The newest one is there, or was refused by the rate limit. */
	assert_true(state_of(0, 1 + FLOOD) >= 0 || counters().refused_interface);
}

static void room_comes_back(void **state)
{
	(void)state;
	flood(0, 2, OF_INTERFACE);
	assert_int_equal(counters().learnt, OF_INTERFACE);
	assert_int_equal(ws_router_neighbor_del(rig_router, 0, ADDRESS(10, 0, 0, 2)), 0);
	/* An entry in the middle of the list becomes static, another gets a new MAC address. */
	assert_int_equal(ws_router_neighbor_add(rig_router, 0, ADDRESS(10, 0, 0, 9), rig_host[0]), 0);
	assert_int_equal(counters().learnt, OF_INTERFACE - 2);
	flood(0, 100, 2);
	assert_int_equal(counters().recycled, 0);
	assert_int_equal(counters().learnt, OF_INTERFACE);
	assert_int_equal(ws_router_address_del(rig_router, 0, PREFIX(10, 0, 0, 1, 24)), 0);
	assert_int_equal(counters().learnt, 0);
	assert_int_equal(neighbor_quota_of(rig_router)->interfaces[0].oldest, 0);
	assert_int_equal(neighbor_quota_of(rig_router)->interfaces[0].newest, 0);
}

/* ---- Silence */

static struct neighbor *find(uint8_t host)
{
	const struct ws_address address = ADDRESS(10, 0, 0, host);
	int64_t index = adjacency_find(&rig_router->adjacencies, 0, &address);
	assert_true(index >= 0);
	return &rig_router->adjacencies.neighbors[index];
}

static void later(uint8_t host, uint64_t seconds)
{
	find(host)->state_tsc -= seconds * rig_router->tsc_hz;
	router_neighbor_look_again(rig_router);
	ws_router_poll(rig_router);
	rig_walk();
}

/* Take the next frame; true if it is a request for the host. */
static bool is_asked(uint8_t host)
{
	struct frame frame = rig_take(0);
	struct arp arp;
	return frame.length && arp_parse(frame.bytes + ETHERNET_LEN, ARP_LEN, &arp) == ARP_OK &&
		   arp.operation == ARP_REQUEST && arp.target == IP(10, 0, 0, host);
}

static void assert_forgotten_after_questions(uint8_t host, int questions)
{
	for (int i = 0; i < questions; i++) {
		later(host, 6);
		assert_true(is_asked(host));
	}
	later(host, 2);
	assert_int_equal(state_of(0, host), -1);
}

static void who_never_answered_is_asked_soon(void **state)
{
	(void)state;
	send_arp(0, ARP_REPLY, 250);
	assert_int_equal(state_of(0, 250), WS_NEIGHBOR_REACHABLE);
	assert_forgotten_after_questions(250, 3);
	assert_int_equal(counters().unanswered, 1);
	/* After a reply it has the full reachable time. */
	send_arp(0, ARP_REQUEST, 250);
	later(250, 6);
	assert_true(is_asked(250));
	send_arp(0, ARP_REPLY, 250);
	later(250, 6);
	assert_false(is_asked(250));
	assert_int_equal(state_of(0, 250), WS_NEIGHBOR_REACHABLE);
}

/* ---- Events from Linux */

static int follow(uint8_t host, enum ws_neighbor_news_kind kind)
{
	struct ws_neighbor_news news = {.kind = (int32_t)kind, .address = ADDRESS(10, 0, 0, host)};
	memcpy(news.mac, rig_host[0], sizeof(news.mac));
	int result = ws_router_neighbor_follow(rig_router, 0, &news);
	rig_walk();
	return result;
}

static void those_of_linux_are_asked_as_well(void **state)
{
	(void)state;
	assert_int_equal(follow(5, WS_NEIGHBOR_NEWS_HEARD), 0);
	assert_int_equal(state_of(0, 5), WS_NEIGHBOR_REACHABLE);
	/* A stale entry in Linux does not change the router's state. */
	assert_int_equal(follow(5, WS_NEIGHBOR_NEWS_SILENT), 0);
	assert_int_equal(state_of(0, 5), WS_NEIGHBOR_REACHABLE);
	later(5, 31);
	assert_int_equal(state_of(0, 5), WS_NEIGHBOR_STALE);
	assert_forgotten_after_questions(5, 3);
	assert_int_equal(follow(6, WS_NEIGHBOR_NEWS_SILENT), 0);
	assert_int_equal(state_of(0, 6), WS_NEIGHBOR_STALE);
}

static void one_that_linux_forgets_is_asked_at_once(void **state)
{
	(void)state;
	follow(5, WS_NEIGHBOR_NEWS_HEARD);
	assert_int_equal(follow(5, WS_NEIGHBOR_NEWS_FORGOTTEN), 0);
	assert_true(is_asked(5));
	assert_int_equal(state_of(0, 5), WS_NEIGHBOR_PROBE);
	follow(5, WS_NEIGHBOR_NEWS_HEARD);
	assert_int_equal(state_of(0, 5), WS_NEIGHBOR_REACHABLE);
	follow(5, WS_NEIGHBOR_NEWS_FORGOTTEN);
	assert_true(is_asked(5));
	assert_forgotten_after_questions(5, 2);
	follow(5, WS_NEIGHBOR_NEWS_HEARD);
	follow(5, WS_NEIGHBOR_NEWS_FAILED);
	assert_int_equal(state_of(0, 5), -1);
	assert_int_equal(follow(5, WS_NEIGHBOR_NEWS_FORGOTTEN), 0);
}

static void permanent_ones_are_of_who_set_them(void **state)
{
	(void)state;
	follow(5, WS_NEIGHBOR_NEWS_PERMANENT);
	assert_int_equal(state_of(0, 5), WS_NEIGHBOR_STATIC);
	follow(5, WS_NEIGHBOR_NEWS_FORGOTTEN);
	assert_int_equal(state_of(0, 5), -1);
	assert_int_equal(ws_router_neighbor_add(rig_router, 0, ADDRESS(10, 0, 0, 5), rig_host[1]), 0);
	for (int kind = WS_NEIGHBOR_NEWS_HEARD; kind <= WS_NEIGHBOR_NEWS_FORGOTTEN; kind++)
		assert_int_equal(follow(5, (enum ws_neighbor_news_kind)kind), 0);
	assert_int_equal(state_of(0, 5), WS_NEIGHBOR_STATIC);
	assert_int_equal(counters().learnt, 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, reset, rest_accounted)
	const struct CMUnitTest tests[] = {
		TEST(one_link_does_not_take_all),
		TEST(who_answered_stays),
		TEST(room_comes_back),
		TEST(who_never_answered_is_asked_soon),
		TEST(those_of_linux_are_asked_as_well),
		TEST(one_that_linux_forgets_is_asked_at_once),
		TEST(permanent_ones_are_of_who_set_them),
	};
	return RIG_RUN(tests);
}
