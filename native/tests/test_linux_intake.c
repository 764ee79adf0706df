/* SPDX-License-Identifier: Apache-2.0 */
/* Effects of kernel messages on the router, which here only records its calls. */
#include "cmocka_all.h"
#include "linux/intake.h"
#include "linux_messages.h"
#include "tests/label_table.h"
#include "wirespeed/neighbors.h"
#include "wirespeed/routes.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TOLD = 4096, E0 = 10, E1 = 11, FOREIGN = 12 };

static struct ws_route_change told[MAX_TOLD];
static uint32_t told_count;
static char neighbor_calls[256];

int ws_router_routes_change(struct ws_router *router, const struct ws_route_change *changes,
							uint32_t count, int32_t *results)
{
	(void)router;
	for (uint32_t i = 0; i < count; i++) {
		assert_true(told_count < MAX_TOLD);
		told[told_count++] = changes[i];
		results[i] = 0;
	}
	return 0;
}

int ws_router_neighbor_follow(struct ws_router *router, uint16_t interface,
							  const struct ws_neighbor_news *news)
{
	static const char *const names[] = {
		[WS_NEIGHBOR_NEWS_HEARD] = "heard ",         [WS_NEIGHBOR_NEWS_SILENT] = "silent ",
		[WS_NEIGHBOR_NEWS_PERMANENT] = "permanent ", [WS_NEIGHBOR_NEWS_FAILED] = "failed ",
		[WS_NEIGHBOR_NEWS_FORGOTTEN] = "forgotten ",
	};
	(void)router, (void)interface;
	if (news->kind <= WS_NEIGHBOR_NEWS_PERMANENT)
		assert_int_equal(news->mac[1], 0xaa);
	strcat(neighbor_calls, names[news->kind]);
	return 0;
}

static struct intake intake;

static int setup(void **state)
{
	(void)state;
	told_count = 0;
	label_table_reset();
	neighbor_calls[0] = 0;
	assert_int_equal(intake_init(&intake, NULL), 0);
	assert_int_equal(intake_pair(&intake, E0, 0), 0);
	assert_int_equal(intake_pair(&intake, E1, 1), 0);
	for (int dump = 0; dump < DUMP_COUNT; dump++) {
		intake_dump_begins(&intake, (enum linux_dump)dump);
		intake_dump_ends(&intake, (enum linux_dump)dump);
	}
	intake.changes = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	intake_close(&intake);
	return 0;
}

/* In a block of exact size, so that reads beyond its end are found. */
static void take_copy(const struct nlmsghdr *message, bool from_dump)
{
	struct linux_message parsed;
	void *copy = malloc(message->nlmsg_len);
	memcpy(copy, message, message->nlmsg_len);
	assert_int_equal(linux_message_parse(copy, message->nlmsg_len, &parsed), message->nlmsg_len);
	intake_take(&intake, &parsed, from_dump);
	free(copy);
	intake_flush(&intake);
}

static void take(const struct nlmsghdr *message)
{
	take_copy(message, false);
}

static const struct ws_route_change *last(void)
{
	assert_true(told_count > 0);
	return &told[told_count - 1];
}

static void assert_next_hop(const struct ws_path *path, const char *address, int32_t interface)
{
	uint8_t bytes[16] = {0};
	assert_int_equal(inet_pton(strchr(address, ':') ? AF_INET6 : AF_INET, address, bytes), 1);
	assert_int_equal(path->kind, WS_PATH_NEXT_HOP);
	assert_memory_equal(path->next_hop.bytes, bytes, sizeof(bytes));
	assert_int_equal(path->interface, interface);
}

static void routes_come_and_go(void **state)
{
	(void)state;
	struct route_spec route = {.prefix = "10.0.0.0", .length = 8, .paths = {{E0, "192.0.2.1"}}};
	take(route_message(RTM_NEWROUTE, &route));
	assert_int_equal(told_count, 1);
	assert_false(last()->is_removal);
	assert_int_equal(last()->route.table, 0);
	assert_int_equal(last()->route.source, WS_SOURCE_LINUX);
	assert_int_equal(last()->route.prefix.length, 8);
	assert_int_equal(last()->route.prefix.address.bytes[0], 10);
	assert_int_equal(last()->route.path_count, 1);
	assert_next_hop(&last()->route.paths[0], "192.0.2.1", 0);
	take(route_message(RTM_NEWROUTE, &route));
	assert_int_equal(told_count, 1); /* no news */
	route.paths[0].link = E1;
	take(route_message(RTM_NEWROUTE, &route));
	assert_int_equal(last()->route.paths[0].interface, 1);
	take(route_message(RTM_DELROUTE, &route));
	assert_int_equal(told_count, 3);
	assert_true(last()->is_removal);
	assert_int_equal(intake.stats.routes, 0);
}

static void only_a_routers_routes_are_taken(void **state)
{
	(void)state;
	const struct route_spec others[] = {
		{.prefix = "10.0.0.0", .length = 8, .paths = {{FOREIGN, "192.0.2.1"}}},
		{.prefix = "10.0.0.0", .length = 8, .paths = {{E0}}, .protocol = RTPROT_KERNEL},
		{.prefix = "10.0.0.0", .length = 8, .paths = {{E0}}, .table = RT_TABLE_LOCAL},
		{.prefix = "10.0.0.0", .length = 8, .paths = {{E0}}, .type = RTN_LOCAL},
		{.prefix = "10.0.0.0", .length = 8, .paths = {{E0}}, .type = RTN_MULTICAST},
	};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		take(route_message(RTM_NEWROUTE, &others[i]));
	assert_int_equal(told_count, 0);
}

static void kinds_without_next_hop(void **state)
{
	(void)state;
	struct route_spec route = {.prefix = "10.0.0.0", .length = 8, .type = RTN_BLACKHOLE};
	take(route_message(RTM_NEWROUTE, &route));
	assert_int_equal(last()->route.paths[0].kind, WS_PATH_DROP);
	route.type = RTN_UNREACHABLE;
	take(route_message(RTM_NEWROUTE, &route));
	assert_int_equal(last()->route.paths[0].kind, WS_PATH_UNREACHABLE);
	route.type = RTN_PROHIBIT;
	take(route_message(RTM_NEWROUTE, &route));
	assert_int_equal(last()->route.paths[0].kind, WS_PATH_PROHIBIT);
	struct route_spec attached = {.prefix = "10.9.0.0", .length = 16, .paths = {{E0}}, .table = 7};
	take(route_message(RTM_NEWROUTE, &attached));
	assert_int_equal(last()->route.paths[0].kind, WS_PATH_ATTACHED);
	assert_int_equal(last()->route.table, 7);
}

static void several_paths(void **state)
{
	(void)state;
	struct route_spec route = {
		.length = 0,
		.paths = {{E0, "192.0.2.1", 2, 0, 0},
				  {E1, "198.51.100.1", 0, 0, 77},
				  {E1, "198.51.100.9", 0, RTNH_F_DEAD, 0},
				  {FOREIGN, "203.0.113.1", 0, 0, 0}},
	};
	take(route_message(RTM_NEWROUTE, &route));
	assert_int_equal(last()->route.path_count, 2);
	assert_next_hop(&last()->route.paths[0], "192.0.2.1", 0);
	assert_int_equal(last()->route.paths[0].weight, 3);
	assert_int_equal(last()->route.paths[0].label_count, 0);
	assert_next_hop(&last()->route.paths[1], "198.51.100.1", 1);
	assert_int_equal(last()->route.paths[1].weight, 1);
	assert_int_equal(last()->route.paths[1].label_count, 1);
	assert_int_equal(last()->route.paths[1].labels[0], 77);
}

static void the_lowest_metric_is_used(void **state)
{
	(void)state;
	struct route_spec bird = {
		.prefix = "10.0.0.0", .length = 8, .metric = 32, .paths = {{E0, "192.0.2.1"}}};
	struct route_spec frr = {
		.prefix = "10.0.0.0", .length = 8, .metric = 20, .paths = {{E1, "198.51.100.1"}}};
	take(route_message(RTM_NEWROUTE, &bird));
	take(route_message(RTM_NEWROUTE, &frr));
	assert_next_hop(&last()->route.paths[0], "198.51.100.1", 1);
	take(route_message(RTM_DELROUTE, &frr));
	assert_next_hop(&last()->route.paths[0], "192.0.2.1", 0);
	take(route_message(RTM_NEWROUTE, &frr));
	uint32_t before = told_count;
	take(route_message(RTM_DELROUTE, &bird));
	assert_int_equal(told_count, before); /* it was not used */
	take(route_message(RTM_DELROUTE, &frr));
	assert_true(last()->is_removal);
}

static void a_path_of_an_ip6_route_goes_alone(void **state)
{
	(void)state;
	struct route_spec both = {
		.family = AF_INET6,
		.prefix = "2001:db8::",
		.length = 32,
		.metric = 1024,
		.paths = {{E0, "fe80::1"}, {E1, "fe80::2"}},
	};
	struct route_spec one = both;
	memset(&one.paths[1], 0, sizeof(one.paths[1]));
	take(route_message(RTM_NEWROUTE, &both));
	assert_int_equal(last()->route.path_count, 2);
	take(route_message(RTM_DELROUTE, &one));
	assert_false(last()->is_removal);
	assert_int_equal(last()->route.path_count, 1);
	assert_next_hop(&last()->route.paths[0], "fe80::2", 1);
	take(route_message(RTM_DELROUTE, &both));
	assert_true(last()->is_removal);
}

static void an_appended_route_is_asked_for_later(void **state)
{
	(void)state;
	struct route_spec first = {.prefix = "10.0.0.0", .length = 8, .paths = {{E0, "192.0.2.1"}}};
	struct route_spec second = {
		.prefix = "10.0.0.0", .length = 8, .flags = NLM_F_APPEND, .paths = {{E1, "198.51.100.1"}}};
	take(route_message(RTM_NEWROUTE, &first));
	take(route_message(RTM_NEWROUTE, &second));
	assert_int_equal(told_count, 1);
	assert_int_equal(intake.wanted, 0);
	take(route_message(RTM_DELROUTE, &first));
	assert_int_equal(intake.wanted, 1 << DUMP_ROUTES4);
}

static void a_dump_finds_what_has_gone(void **state)
{
	(void)state;
	struct route_spec stays = {.prefix = "10.0.0.0", .length = 8, .paths = {{E0, "192.0.2.1"}}};
	struct route_spec goes = {.prefix = "11.0.0.0", .length = 8, .paths = {{E0, "192.0.2.1"}}};
	struct route_spec news = {.prefix = "12.0.0.0", .length = 8, .paths = {{E0, "192.0.2.1"}}};
	take(route_message(RTM_NEWROUTE, &stays));
	take(route_message(RTM_NEWROUTE, &goes));
	intake_dump_begins(&intake, DUMP_ROUTES4);
	take_copy(route_message(RTM_NEWROUTE, &stays), true);
	take(route_message(RTM_NEWROUTE, &news));
	assert_int_equal(told_count, 3);
	intake_dump_ends(&intake, DUMP_ROUTES4);
	intake_flush(&intake);
	assert_int_equal(told_count, 4);
	assert_true(last()->is_removal);
	assert_int_equal(last()->route.prefix.address.bytes[0], 11);
	assert_int_equal(intake.stats.routes, 2);
}

static void a_link_that_goes_down_takes_routes_along(void **state)
{
	(void)state;
	take(link_message(RTM_NEWLINK, E0, "e0", true));
	assert_int_equal(intake.changes, WS_LINUX_LINKS);
	assert_int_equal(intake.wanted, 0);
	take(link_message(RTM_NEWLINK, E0, "e0", false));
	assert_int_equal(intake.wanted, 1 << DUMP_NEXTHOPS | 1 << DUMP_ROUTES4 | 1 << DUMP_LABELS);
	take(link_message(RTM_DELLINK, E0, "e0", false));
	assert_int_equal(intake.link_count, 0);
}

static const struct nexthop_spec by_e0 = {.id = 1, .link = E0, .gateway = "192.0.2.1"};
static const struct nexthop_spec by_e1 = {.id = 2, .link = E1, .gateway = "198.51.100.1"};
static const struct nexthop_spec group = {.id = 9, .members = {{1, 3}, {2, 1}}};

static void take_objects(void)
{
	take(nexthop_message(RTM_NEWNEXTHOP, &by_e0));
	take(nexthop_message(RTM_NEWNEXTHOP, &by_e1));
	take(nexthop_message(RTM_NEWNEXTHOP, &group));
}

static void take_route_by(uint32_t object, uint8_t first)
{
	char prefix[16];
	snprintf(prefix, sizeof(prefix), "%d.0.0.0", first);
	const struct route_spec route = {.prefix = prefix, .length = 8, .nexthop = object};
	take(route_message(RTM_NEWROUTE, &route));
}

static void routes_go_by_objects(void **state)
{
	(void)state;
	take_objects();
	take_route_by(1, 10);
	assert_int_equal(last()->route.path_count, 1);
	assert_next_hop(&last()->route.paths[0], "192.0.2.1", 0);
	take_route_by(9, 11);
	assert_int_equal(last()->route.path_count, 2);
	assert_next_hop(&last()->route.paths[0], "192.0.2.1", 0);
	assert_int_equal(last()->route.paths[0].weight, 3);
	assert_next_hop(&last()->route.paths[1], "198.51.100.1", 1);
	assert_int_equal(last()->route.paths[1].weight, 1);
	assert_int_equal(told_count, 2);
	assert_int_equal(intake.wanted, 0);
}

/* Without a message about the routes themselves. */
static void routes_follow_their_objects(void **state)
{
	(void)state;
	const struct nexthop_spec changed = {.id = 1, .link = E1, .gateway = "198.51.100.9"};
	const struct nexthop_spec smaller = {.id = 9, .members = {{2, 1}}};
	take_objects();
	take_route_by(1, 10);
	take_route_by(9, 11);
	take_route_by(2, 12);
	take(nexthop_message(RTM_NEWNEXTHOP, &changed));
	assert_int_equal(told_count, 5); /* not that of the other object */
	for (uint32_t i = 3; i < 5; i++)
		assert_next_hop(&told[i].route.paths[0], "198.51.100.9", 1);
	take(nexthop_message(RTM_NEWNEXTHOP, &smaller));
	assert_int_equal(told_count, 6);
	assert_int_equal(last()->route.path_count, 1);
	assert_next_hop(&last()->route.paths[0], "198.51.100.1", 1);
	take(nexthop_message(RTM_NEWNEXTHOP, &smaller));
	assert_int_equal(told_count, 6);
}

static void an_object_that_goes_takes_its_routes_along(void **state)
{
	(void)state;
	take_objects();
	take_route_by(1, 10);
	take_route_by(9, 11);
	take(nexthop_message(RTM_DELNEXTHOP, &by_e0));
	assert_int_equal(told_count, 4);
	for (uint32_t i = 2; i < 4; i++) {
		bool is_group = told[i].route.prefix.address.bytes[0] == 11;
		assert_int_equal(told[i].is_removal, !is_group);
		assert_int_equal(told[i].route.path_count, is_group);
	}
	assert_int_equal(intake.stats.routes, 1);
	/* A dump without them shows that they were deleted without a message. */
	intake_dump_begins(&intake, DUMP_NEXTHOPS);
	intake_dump_ends(&intake, DUMP_NEXTHOPS);
	intake_flush(&intake);
	assert_true(last()->is_removal);
	assert_int_equal(intake.stats.routes, 0);
}

static void an_object_without_a_way_of_ours(void **state)
{
	(void)state;
	const struct nexthop_spec foreign = {.id = 1, .link = FOREIGN, .gateway = "203.0.113.1"};
	const struct nexthop_spec blackhole = {.id = 3};
	take(nexthop_message(RTM_NEWNEXTHOP, &foreign));
	take(nexthop_message(RTM_NEWNEXTHOP, &blackhole));
	take_route_by(1, 10);
	assert_int_equal(told_count, 0);
	take_route_by(3, 11);
	assert_int_equal(last()->route.paths[0].kind, WS_PATH_DROP);
	/* Its routes were not stored. */
	take(nexthop_message(RTM_NEWNEXTHOP, &by_e0));
	assert_int_equal(intake.wanted, 1 << DUMP_ROUTES4 | 1 << DUMP_ROUTES6);
}

static void an_object_that_was_not_told_of_is_asked_for(void **state)
{
	(void)state;
	take_route_by(7, 10);
	assert_int_equal(told_count, 0);
	assert_int_equal(intake.wanted, 1 << DUMP_NEXTHOPS | 1 << DUMP_ROUTES4 | 1 << DUMP_ROUTES6);
}

static void objects_go_with_the_carrier(void **state)
{
	(void)state;
	struct linux_message message = {
		.kind = LINUX_LINK, .has_carrier = true, .link = {.index = E0, .is_up = true}};
	intake_take(&intake, &message, false);
	assert_int_equal(intake.wanted, 0);
	message.has_carrier = false;
	intake_take(&intake, &message, false);
	assert_int_equal(intake.wanted, 1 << DUMP_NEXTHOPS);
}

static void links_and_addresses_are_kept(void **state)
{
	(void)state;
	take(link_message(RTM_NEWLINK, E0, "e0", true));
	take(vlan_message(20, E0, 100));
	assert_int_equal(intake.link_count, 2);
	assert_string_equal(intake.links[1].link.kind, "vlan");
	assert_int_equal(intake.links[1].link.parent, E0);
	assert_int_equal(intake.links[1].link.vlan_id, 100);
	assert_int_equal(intake.links[1].link.vlan_protocol, 0x88a8);
	assert_int_equal(intake.links[1].link.mtu, 1500);
	take(address_message(RTM_NEWADDR, E0, "192.0.2.2", 30));
	take(address_message(RTM_NEWADDR, E0, "2001:db8::2", 64));
	assert_int_equal(intake.address_count, 2);
	assert_int_equal(intake.addresses[1].address.prefix.address.family, WS_IP6);
	take(address_message(RTM_DELADDR, E0, "192.0.2.2", 30));
	assert_int_equal(intake.address_count, 1);
	intake_dump_begins(&intake, DUMP_ADDRESSES);
	intake_dump_ends(&intake, DUMP_ADDRESSES);
	assert_int_equal(intake.address_count, 0);
}

/* The number of lookups per message is small with as many objects as the router can hold. */
static void links_and_addresses_are_found_without_a_walk(void **state)
{
	(void)state;
	char address[32];
	for (int round = 0; round < 3; round++) {
		uint64_t links = intake.links_by_number.looks, addresses = intake.addresses_by_value.looks;
		for (int32_t link = 1; link <= WS_MAX_INTERFACES; link++) {
			snprintf(address, sizeof(address), "10.%d.%d.1", link >> 8 & 255, link & 255);
			take(link_message(round < 2 ? RTM_NEWLINK : RTM_DELLINK, link, "e", true));
			take(address_message(round < 2 ? RTM_NEWADDR : RTM_DELADDR, link, address, 24));
			if (!round)
				assert_int_equal(intake_pair(&intake, link, link % 100), 0);
			else if (round == 2)
				assert_int_equal(intake_pair(&intake, link, -1), 0);
		}
		assert_int_equal(intake.link_count, round < 2 ? WS_MAX_INTERFACES : 0);
		assert_int_equal(intake.address_count, round < 2 ? WS_MAX_INTERFACES : 0);
		assert_int_equal(intake.pair_count, round < 2 ? WS_MAX_INTERFACES : 0);
		assert_true(intake.links_by_number.looks - links < 4 * WS_MAX_INTERFACES);
		assert_true(intake.addresses_by_value.looks - addresses < 4 * WS_MAX_INTERFACES);
	}
}

static void all_about_neighbours_is_told(void **state)
{
	(void)state;
	take(neighbor_message(RTM_NEWNEIGH, E0, "192.0.2.1", NUD_REACHABLE));
	take(neighbor_message(RTM_NEWNEIGH, E0, "fe80::1", NUD_PERMANENT));
	take(neighbor_message(RTM_NEWNEIGH, E0, "192.0.2.1", NUD_STALE));
	take(neighbor_message(RTM_NEWNEIGH, E0, "192.0.2.1", NUD_INCOMPLETE));
	take(neighbor_message(RTM_NEWNEIGH, E0, "224.0.0.5", NUD_NOARP));
	take(neighbor_message(RTM_DELNEIGH, E0, "192.0.2.1", NUD_STALE));
	take(neighbor_message(RTM_DELNEIGH, E0, "192.0.2.1", NUD_NOARP));
	take(neighbor_message(RTM_NEWNEIGH, FOREIGN, "192.0.2.1", NUD_REACHABLE));
	take(neighbor_message(RTM_NEWNEIGH, E0, "192.0.2.1", NUD_FAILED));
	assert_string_equal(neighbor_calls, "heard permanent silent forgotten forgotten failed ");
}

static void an_interface_that_is_unpaired_loses_its_routes(void **state)
{
	(void)state;
	struct route_spec route = {.prefix = "10.0.0.0", .length = 8, .paths = {{E0, "192.0.2.1"}}};
	take(route_message(RTM_NEWROUTE, &route));
	assert_int_equal(intake_pair(&intake, E0, -1), 0);
	assert_int_equal(intake.wanted, INTAKE_ALL);
	intake_dump_begins(&intake, DUMP_ROUTES4);
	take_copy(route_message(RTM_NEWROUTE, &route), true);
	intake_dump_ends(&intake, DUMP_ROUTES4);
	intake_flush(&intake);
	assert_true(last()->is_removal);
	/* Links come and go; the table does not fill up. */
	for (int32_t link = 1000; link < 9000; link++) {
		assert_int_equal(intake_pair(&intake, link, 3), 0);
		assert_int_equal(intake_pair(&intake, link, -1), 0);
	}
	assert_int_equal(intake.pair_count, 1);
}

static void all_routes_are_withdrawn(void **state)
{
	(void)state;
	struct route_spec route = {
		.prefix = "10.0.0.0", .length = 8, .metric = 1, .paths = {{E0, "192.0.2.1"}}};
	struct route_spec other = {
		.family = AF_INET6, .prefix = "2001:db8::", .length = 32, .paths = {{E0, "fe80::1"}}};
	take(route_message(RTM_NEWROUTE, &route));
	route.metric = 2;
	take(route_message(RTM_NEWROUTE, &route));
	take(route_message(RTM_NEWROUTE, &other));
	told_count = 0;
	intake_withdraw(&intake);
	assert_int_equal(intake.rib.used, 0);
	assert_true(told_count >= 2);
	assert_true(told[told_count - 1].is_removal);
	assert_int_equal(told[told_count - 1].route.prefix.address.family, WS_IP6);
}

/* ---- Labels ---- */

static void assert_label_path(uint32_t label, bool bottom, const char *via, int32_t interface,
							  uint32_t pushed)
{
	const struct ws_mpls_route *route = label_table_find(label, bottom);
	assert_non_null(route);
	assert_int_equal(route->source, WS_SOURCE_LINUX);
	assert_int_equal(route->payload, !bottom ? 0 : strchr(via, ':') ? WS_IP6 : WS_IP4);
	assert_next_hop(&route->paths[0], via, interface);
	assert_int_equal(route->paths[0].label_count, pushed != 0);
	assert_int_equal(route->paths[0].labels[0], pushed);
}

static void a_label_is_swapped_or_taken_off(void **state)
{
	(void)state;
	struct label_spec swap = {.label = 100, .paths = {{E0, "192.0.2.1", {200}}}};
	const struct label_spec pop = {.label = 1048575, .paths = {{E1, "2001:db8::1"}}};
	take(label_message(RTM_NEWROUTE, &swap));
	take(label_message(RTM_NEWROUTE, &pop));
	assert_int_equal(intake.stats.labels, 2);
	assert_int_equal(label_table_count, 4);
	for (int bottom = 0; bottom < 2; bottom++) {
		assert_label_path(100, bottom, "192.0.2.1", 0, 200);
		assert_label_path(1048575, bottom, "2001:db8::1", 1, 0);
	}
	swap.paths[0].labels[0] = 201;
	take(label_message(RTM_NEWROUTE, &swap));
	assert_label_path(100, true, "192.0.2.1", 0, 201);
	assert_int_equal(intake.stats.labels, 2);
	take(label_message(RTM_DELROUTE, &swap));
	assert_null(label_table_find(100, true));
	assert_null(label_table_find(100, false));
	assert_int_equal(intake.stats.labels, 1);
	assert_int_equal(told_count, 0);
}

static void a_label_has_several_paths_and_stacks(void **state)
{
	(void)state;
	const struct label_spec several = {
		.label = 100,
		.paths = {{E0, "192.0.2.1", {200, 300}}, {FOREIGN, "192.0.2.9", {1}}, {E1, "192.0.3.1"}}};
	take(label_message(RTM_NEWROUTE, &several));
	const struct ws_mpls_route *route = label_table_find(100, false);
	assert_non_null(route);
	assert_int_equal(route->path_count, 2);
	assert_int_equal(route->paths[0].label_count, 2);
	assert_int_equal(route->paths[0].labels[0], 200);
	assert_int_equal(route->paths[0].labels[1], 300);
	assert_int_equal(route->paths[1].label_count, 0);
	assert_next_hop(&route->paths[1], "192.0.3.1", 1);
}

/* Without a paired link, without a next hop, with too many labels, or for two labels. */
static void a_label_that_leads_nowhere_of_ours_is_left_out(void **state)
{
	(void)state;
	const struct label_spec ours = {.label = 100, .paths = {{E0, "192.0.2.1", {200}}}};
	const struct label_spec others[] = {
		{.label = 100, .paths = {{FOREIGN, "192.0.2.1", {200}}}},
		{.label = 100, .paths = {{E0}}},
		{.label = 100, .paths = {{E0, "192.0.2.1", {16, 17, 18, 19, 20, 21, 22, 23, 24}}}},
	};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		take(label_message(RTM_NEWROUTE, &ours));
		assert_int_equal(label_table_count, 2);
		take(label_message(RTM_NEWROUTE, &others[i]));
		assert_int_equal(label_table_count, 0);
	}
	const struct label_spec two = {.label = 100, .stack = 2, .paths = {{E0, "192.0.2.1"}}};
	take(label_message(RTM_NEWROUTE, &two));
	assert_int_equal(label_table_count, 0);
	assert_int_equal(intake.stats.labels, 0);
}

/* The user's route stays, and the rejection is reported. */
static void a_label_of_the_user_is_not_replaced(void **state)
{
	(void)state;
	const struct label_spec linux_label = {.label = 100, .paths = {{E0, "192.0.2.1", {200}}}};
	const struct label_spec reserved = {.label = 3, .paths = {{E0, "192.0.2.1"}}};
	const struct ws_mpls_route own = {
		.label = 100, .bottom = true, .source = WS_SOURCE_STATIC, .path_count = 1};
	ws_router_mpls_table_add(NULL);
	ws_router_mpls_route_set(NULL, &own);
	take(label_message(RTM_NEWROUTE, &linux_label));
	assert_int_equal(intake.stats.rejected, 1);
	assert_string_equal(intake.stats.rejection,
						"label 100 has a route that Linux's does not replace");
	take(label_message(RTM_DELROUTE, &linux_label));
	assert_int_equal(label_table_count, 1);
	take(label_message(RTM_NEWROUTE, &reserved));
	assert_int_equal(intake.stats.rejected, 2);
	assert_int_equal(intake.stats.labels, 0);
	/* A label that the user has taken over stays when Linux deletes its own. */
	ws_router_mpls_route_del(NULL, 100, true);
	take(label_message(RTM_NEWROUTE, &linux_label));
	ws_router_mpls_route_set(NULL, &own);
	take(label_message(RTM_DELROUTE, &linux_label));
	assert_int_equal(label_table_count, 1);
	assert_int_equal(label_table[0].source, WS_SOURCE_STATIC);
}

static void a_dump_finds_which_labels_have_gone(void **state)
{
	(void)state;
	const struct label_spec stays = {.label = 100, .paths = {{E0, "192.0.2.1", {200}}}};
	const struct label_spec goes = {.label = 101, .paths = {{E0, "192.0.2.1", {201}}}};
	take(label_message(RTM_NEWROUTE, &stays));
	take(label_message(RTM_NEWROUTE, &goes));
	intake_dump_begins(&intake, DUMP_LABELS);
	take_copy(label_message(RTM_NEWROUTE, &stays), true);
	intake_dump_ends(&intake, DUMP_LABELS);
	assert_int_equal(label_table_count, 2);
	assert_non_null(label_table_find(100, true));
	intake_withdraw(&intake);
	assert_int_equal(label_table_count, 0);
	assert_int_equal(intake.stats.labels, 0);
}

static void labels_are_asked_for_when_a_link_goes_down(void **state)
{
	(void)state;
	take(link_message(RTM_NEWLINK, E0, "e0", true));
	intake.wanted = 0;
	take(link_message(RTM_NEWLINK, E0, "e0", false));
	assert_true(intake.wanted & 1 << DUMP_LABELS);
	intake.all &= ~(1u << DUMP_LABELS);
	intake.wanted = 0;
	take(link_message(RTM_DELLINK, E0, "e0", false));
	assert_false(intake.wanted & 1 << DUMP_LABELS);
}

static void cut_anywhere(const struct nlmsghdr *message)
{
	uint8_t whole[1024];
	struct linux_message parsed;
	uint32_t length = message->nlmsg_len;
	memcpy(whole, message, length);
	for (uint32_t cut = 0; cut <= length; cut++) {
		struct nlmsghdr *copy = malloc(cut ? cut : 1);
		memcpy(copy, whole, cut);
		if (cut >= sizeof(*copy))
			copy->nlmsg_len = cut;
		assert_int_equal(linux_message_parse(copy, cut, &parsed), cut >= sizeof(*copy) ? cut : 0);
		free(copy);
	}
}

static void malformed_messages_are_nothing(void **state)
{
	(void)state;
	const struct route_spec route = {
		.prefix = "10.0.0.0", .length = 8, .paths = {{E0, "192.0.2.1", 0, 0, 5}, {E1}}};
	const struct label_spec label = {.label = 100,
									 .paths = {{E0, "192.0.2.1", {200, 300}}, {E1, "2001:db8::1"}}};
	cut_anywhere(route_message(RTM_NEWROUTE, &route));
	cut_anywhere(label_message(RTM_NEWROUTE, &label));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(routes_come_and_go),
		TEST(only_a_routers_routes_are_taken),
		TEST(kinds_without_next_hop),
		TEST(several_paths),
		TEST(the_lowest_metric_is_used),
		TEST(a_path_of_an_ip6_route_goes_alone),
		TEST(an_appended_route_is_asked_for_later),
		TEST(a_dump_finds_what_has_gone),
		TEST(a_link_that_goes_down_takes_routes_along),
		TEST(routes_go_by_objects),
		TEST(routes_follow_their_objects),
		TEST(an_object_that_goes_takes_its_routes_along),
		TEST(an_object_without_a_way_of_ours),
		TEST(an_object_that_was_not_told_of_is_asked_for),
		TEST(objects_go_with_the_carrier),
		TEST(links_and_addresses_are_kept),
		TEST(links_and_addresses_are_found_without_a_walk),
		TEST(all_about_neighbours_is_told),
		TEST(an_interface_that_is_unpaired_loses_its_routes),
		TEST(all_routes_are_withdrawn),
		TEST(a_label_is_swapped_or_taken_off),
		TEST(a_label_has_several_paths_and_stacks),
		TEST(a_label_that_leads_nowhere_of_ours_is_left_out),
		TEST(a_label_of_the_user_is_not_replaced),
		TEST(a_dump_finds_which_labels_have_gone),
		TEST(labels_are_asked_for_when_a_link_goes_down),
		TEST(malformed_messages_are_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
