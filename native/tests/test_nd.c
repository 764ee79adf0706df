/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbour discovery: learning, aging and probing of neighbours. */
#include "router/interface/interface_due.h"
#include "router/interface/ip6_interface.h"
#include "router/interface/ip6_settings.h"
#include "router/local/local.h"
#include "router/neighbor/neighbor.h"
#include "tests/accounted.h"
#include "tests/rig_tests.h"
#include "wire/ethernet.h"
#include "wire/mld.h"
#include "wire/nd.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/router.h"

#include <errno.h>
#include <string.h>

/* An address on e0, whose own address has H = 1. */
#define IP6(h) ((uint8_t[16]){0x20, 1, 0xd, 0xb8, [14] = (uint8_t)((h) >> 8), (uint8_t)(h)})

enum { SOLICITED = 2, OVERRIDE = 1 };

static const uint8_t other_mac[6] = {2, 0xcc, 0, 0, 0, 9};

static int reset(void **state)
{
	(void)state;
	rig_reset();
	return ws_router_address_add(rig_router, 0, (struct ws_prefix){address_of_ip6(IP6(1)), 64});
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
		.has_mac = mac,
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
	/* Another MAC address without the override flag: the neighbour becomes stale. */
	advertise(2, other_mac, SOLICITED);
	expect(WS_NEIGHBOR_STALE, rig_host[0]);
	advertise(2, NULL, SOLICITED);
	expect(WS_NEIGHBOR_REACHABLE, rig_host[0]);
	/* Unsolicited, with the override flag: accepted, but not proven. */
	advertise(2, other_mac, OVERRIDE);
	expect(WS_NEIGHBOR_STALE, other_mac);
	advertise(2, other_mac, SOLICITED | OVERRIDE);
	expect(WS_NEIGHBOR_REACHABLE, other_mac);
	/* A static neighbour does not change. */
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
	router_neighbor_look_again(rig_router);
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
	assert_int_equal(neighbor_count(), 32); /* a link may use half of the table */
	/* No host replies to probes, so all neighbors are removed. */
	for (int round = 0; round < 8; round++) {
		struct neighbor *neighbors = rig_router->adjacencies.neighbors;
		for (uint32_t i = 0; i < rig_router->adjacencies.size; i++)
			neighbors[i].state_tsc -= 6 * rig_router->tsc_hz;
		router_neighbor_look_again(rig_router);
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

/* ---- Multicast listeners ---- */

static const uint8_t querier[16] = {0xfe, 0x80, [15] = 9};

/* A general query behind a router alert, as from routers and switches. */
static void query(const uint8_t *source, uint8_t hop_limit, uint16_t length, uint16_t most_ms)
{
	struct frame frame = {.length = ETHERNET_LEN + IP6_LEN + MLD_ROUTER_ALERT_LEN + length};
	uint8_t *packet = frame.bytes + ETHERNET_LEN,
			*message = packet + IP6_LEN + MLD_ROUTER_ALERT_LEN;
	const uint8_t alert[] = {IP6_ICMP, 0, 5, 2, 0, 0, 1, 0};
	struct icmp6_header *icmp = (struct icmp6_header *)(void *)message;
	uint8_t all[16], mac[6];
	ip6_all_nodes(all);
	ip6_multicast_mac(mac, all);
	ethernet_write(frame.bytes, mac, rig_host[0], ETHERNET_IP6);
	ip6_write(packet, MLD_ROUTER_ALERT_LEN + length, IP6_HOP_BY_HOP, hop_limit, source, all);
	memcpy(packet + IP6_LEN, alert, sizeof(alert));
	*icmp = (struct icmp6_header){.type = ICMP6_LISTENER_QUERY,
								  .rest = htobe32((uint32_t)most_ms << 16)};
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet;
	uint64_t sum = ip6_pseudo_sum(ip, length, IP6_ICMP);
	icmp->checksum = (uint16_t)~checksum_fold(checksum_add(sum, message, length));
	rig_send(0, frame.bytes, frame.length);
	ws_router_poll(rig_router);
	rig_walk();
}

static bool names(const struct frame *report, const uint8_t *group)
{
	const uint8_t *record = report->bytes + ETHERNET_LEN + IP6_LEN + 8 + MLD_REPORT_LEN;
	for (; record < report->bytes + report->length; record += MLD_RECORD_LEN)
		if (record[0] == MLD_MODE_IS_EXCLUDE && !memcmp(record + 4, group, 16))
			return true;
	return false;
}

static void tells_what_groups_it_listens_to(void **state)
{
	(void)state;
	const uint8_t report_mac[6] = {0x33, 0x33, 0, 0, 0, 0x16}, routers[16] = {0xff, 2, [15] = 2};
	uint8_t solicited[16], own[16];
	/* Its group is also that of the first address. */
	const struct ws_prefix second = {address_of_ip6((uint8_t[16]){0x20, 2, [15] = 1}), 64};
	assert_int_equal(ws_router_address_add(rig_router, 0, second), 0);
	query(querier, MLD_HOP_LIMIT, MLD_QUERY_LEN, 0);
	struct frame report = rig_take(0);
	const uint8_t *packet = report.bytes + ETHERNET_LEN;
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet;
	uint16_t length = MLD_REPORT_LEN + 3 * MLD_RECORD_LEN;
	assert_int_equal(report.length, ETHERNET_LEN + IP6_LEN + MLD_ROUTER_ALERT_LEN + length);
	assert_memory_equal(report.bytes, report_mac, 6);
	assert_int_equal(ip->hop_limit, MLD_HOP_LIMIT);
	assert_memory_equal(ip->source, rig_router->ip6[0]->link_local, 16);
	assert_memory_equal(packet + IP6_LEN, ((uint8_t[]){IP6_ICMP, 0, 5, 2, 0, 0, 1, 0}), 8);
	assert_int_equal(packet[IP6_LEN + 8], ICMP6_LISTENER_REPORT);
	assert_int_equal(packet[IP6_LEN + 8 + 7], 3);
	uint64_t sum = ip6_pseudo_sum(ip, length, IP6_ICMP);
	assert_int_equal(checksum_fold(checksum_add(sum, packet + IP6_LEN + 8, length)), 0xffff);
	ip6_solicited_node(solicited, IP6(1));
	ip6_solicited_node(own, rig_router->ip6[0]->link_local);
	assert_true(names(&report, routers) && names(&report, solicited) && names(&report, own));
}

static void answers_a_flood_of_queries_once_a_second(void **state)
{
	(void)state;
	struct ip6_settings *settings = ip6_settings(rig_router, 0);
	query(querier, MLD_HOP_LIMIT, MLD_QUERY_LEN, 0);
	assert_true(rig_take(0).length > 0);
	/* The rest of this test is within that second, however long it takes. */
	settings->reported_tsc = graph_tsc() + 3600 * rig_router->tsc_hz;
	for (int i = 1; i < 100; i++)
		query(querier, MLD_HOP_LIMIT, MLD_QUERY_LEN, 0);
	assert_int_equal(rig_take(0).length, 0);
	assert_int_equal(
		rig_counter("icmp6-multicast-listener-query", "multicast listener queries received"), 100);
	interface_due_at(reports_due(rig_router), 0, 1);
	ws_router_poll(rig_router);
	rig_walk();
	assert_true(rig_take(0).length > 0);
	/* The reply may be delayed as long as the querier allows. */
	settings->reported_tsc = 0;
	query(querier, MLD_HOP_LIMIT, MLD_QUERY_LEN, 10000);
	assert_true(interface_is_due(reports_due(rig_router), 0));
	assert_true(reports_due(rig_router)->tsc[0] <= graph_tsc() + 10 * rig_router->tsc_hz);
}

/* ---- Announcements ---- */

struct announced {
	int arp, advertisements, reports, others;
};

static struct announced take_announced(void)
{
	struct announced seen = {0};
	ws_router_poll(rig_router);
	rig_walk();
	for (struct frame out; (out = rig_take(0)).length;) {
		const uint8_t *packet = out.bytes + ETHERNET_LEN;
		const struct ethernet_header *ethernet = (const void *)out.bytes;
		const struct ip6_header *ip = (const void *)packet;
		if (ethernet->type == htobe16(ETHERNET_ARP) && ethernet_is_broadcast(out.bytes) &&
			!memcmp(packet + 14, packet + 24, 4)) /* sender and target */
			seen.arp++;
		else if (ethernet->type != htobe16(ETHERNET_IP6))
			seen.others++;
		else if (ip->next_header == IP6_ICMP && packet[IP6_LEN] == ICMP6_NEIGHBOR_ADVERTISEMENT &&
				 !memcmp(ip->source, packet + IP6_LEN + 8, sizeof(ip->source)))
			seen.advertisements++;
		else
			seen.reports += packet[IP6_LEN + 8] == ICMP6_LISTENER_REPORT;
	}
	return seen;
}

static void announces_addresses_when_asked_to(void **state)
{
	(void)state;
	const struct ws_prefix second = {address_of_ip6((uint8_t[16]){0x20, 2, [15] = 1}), 64};
	struct announced seen = take_announced();
	assert_int_equal(seen.arp + seen.advertisements + seen.reports, 0);
	assert_int_equal(ws_router_set_announcing(rig_router, WS_IP6, true), 0);
	assert_true(ws_router_is_announcing(rig_router, WS_IP6));
	assert_false(ws_router_is_announcing(rig_router, WS_IP4));
	assert_int_equal(ws_router_address_add(rig_router, 0, second), 0);
	seen = take_announced();
	assert_int_equal(seen.arp, 0);
	assert_int_equal(seen.advertisements, 3); /* the link-local one too */
	assert_int_equal(seen.reports, 1);
	/* Exactly one more report follows. */
	assert_true(interface_is_due(reports_due(rig_router), 0));
	interface_due_at(reports_due(rig_router), 0, 1);
	assert_int_equal(take_announced().reports, 1);
	assert_false(interface_is_due(reports_due(rig_router), 0));
	/* An interface that is down announces nothing; all addresses are announced when it comes up. */
	assert_int_equal(ws_router_set_announcing(rig_router, WS_IP4, true), 0);
	assert_int_equal(ws_router_set_state(rig_router, 0, false), 0);
	seen = take_announced();
	assert_int_equal(seen.arp + seen.advertisements + seen.reports, 0);
	assert_int_equal(ws_router_set_state(rig_router, 0, true), 0);
	seen = take_announced();
	assert_int_equal(seen.arp, 1);
	assert_int_equal(seen.advertisements, 3);
	assert_int_equal(seen.reports, 1);
	assert_int_equal(seen.others, 0);
	assert_int_equal(ws_router_set_announcing(rig_router, WS_IP4, false), 0);
	assert_int_equal(ws_router_set_announcing(rig_router, WS_IP6, false), 0);
	assert_int_equal(ws_router_address_del(rig_router, 0, second), 0);
	seen = take_announced();
	assert_int_equal(seen.arp + seen.advertisements, 0);
}

static void believes_no_query_from_afar(void **state)
{
	(void)state;
	const char *node = "icmp6-multicast-listener-query";
	query(querier, 64, MLD_QUERY_LEN, 0);
	query(IP6(2), MLD_HOP_LIMIT, MLD_QUERY_LEN, 0);
	query(querier, MLD_HOP_LIMIT, MLD_QUERY_LEN - 1, 0);
	assert_int_equal(rig_take(0).length, 0);
	assert_int_equal(rig_counter(node, "hop_limit != 1"), 1);
	assert_int_equal(rig_counter(node, "multicast listener query from no link-local address"), 1);
	assert_int_equal(rig_counter(node, "payload length too small for type"), 1);
}

/* The cost of a poll does not depend on the number of interfaces that advertise, are announced or
 * report listeners: if nothing is due, it inspects one entry of each kind. */
static void a_poll_looks_at_what_is_due_and_at_no_others(void **state)
{
	(void)state;
	enum { MANY = 300, POLLS = 10 };
	const struct ws_ip6_advertising advertising = {
		.is_on = true, .lifetime_s = 1800, .min_interval_s = 1000, .max_interval_s = 1800};
	ws_router_set_announcing(rig_router, WS_IP6, true);
	for (uint32_t i = 0; i < MANY; i++) {
		const uint8_t mac[6] = {2, 0xdd, 0, 0, (uint8_t)(i >> 8), (uint8_t)i};
		int loop = ws_router_loopback_add(rig_router, i, mac);
		assert_true(loop >= 0);
		assert_int_equal(ws_router_set_state(rig_router, (uint16_t)loop, true), 0);
		assert_int_equal(ws_router_set_ip6(rig_router, (uint16_t)loop, true), 0);
		assert_int_equal(ws_router_set_advertising(rig_router, (uint16_t)loop, &advertising), 0);
	}
	struct interface_due *due[] = {advertisements_due(rig_router), announcements_due(rig_router),
								   reports_due(rig_router)};
	assert_int_equal(due[0]->count, MANY);
	for (int i = 0; i < 2 * MANY / 64 + 2; i++) {
		ws_router_poll(rig_router);
		rig_walk();
	}
	assert_int_equal(due[0]->count, MANY); /* all have advertised, and will again */
	for (int kind = 0; kind < 3; kind++) {
		for (uint16_t i = 0; i < rig_router->interface_count; i++)
			if (interface_is_due(due[kind], i))
				interface_due_at(due[kind], i, UINT64_MAX);
		due[kind]->looks = 0;
	}
	for (int i = 0; i < POLLS; i++)
		ws_router_poll(rig_router);
	for (int kind = 0; kind < 3; kind++)
		assert_true(due[kind]->looks <= POLLS);
	/* An interface that is down is not due until it comes up. */
	ws_router_set_state(rig_router, WS_MAX_PORTS, false);
	assert_int_equal(due[0]->count, MANY - 1);
	ws_router_set_state(rig_router, WS_MAX_PORTS, true);
	assert_int_equal(due[0]->count, MANY);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, reset, rest_accounted)
	const struct CMUnitTest tests[] = {
		TEST(believes_advertisements_as_far_as_it_should),
		TEST(asks_before_it_believes_a_solicitor),
		TEST(a_flood_fills_no_more_than_the_table),
		TEST(forgets_neighbors_with_the_address),
		TEST(tells_what_groups_it_listens_to),
		TEST(answers_a_flood_of_queries_once_a_second),
		TEST(announces_addresses_when_asked_to),
		TEST(believes_no_query_from_afar),
		TEST(a_poll_looks_at_what_is_due_and_at_no_others),
	};
	return RIG_RUN(tests);
}
