/* SPDX-License-Identifier: Apache-2.0 */
/* Recursive paths, sources, tables, labels and text; and undisturbed routes under churn. */
#include "dev/pool.h"
#include "dev/port.h"
#include "router/fib/path_list.h"
#include "router/route/sources.h"
#include "tests/rig_tests.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/mpls.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/mpls.h"
#include "wirespeed/router.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { FAR = 2 /* port at the test's end of e0 */ };

static int with_hosts(void **state)
{
	(void)state;
	rig_reset();
	ws_router_neighbor_add(rig_router, 0, ADDRESS(10, 0, 0, 2), rig_host[0]);
	return ws_router_neighbor_add(rig_router, 1, ADDRESS(10, 0, 1, 2), rig_host[1]);
}

static struct ws_route via(struct ws_prefix prefix, struct ws_address next_hop)
{
	return (struct ws_route){
		.prefix = prefix,
		.path_count = 1,
		.paths = {{.next_hop = next_hop, .interface = -1}},
	};
}

static int add(struct ws_prefix prefix, struct ws_address next_hop)
{
	struct ws_route route = via(prefix, next_hop);
	return ws_router_route_add(rig_router, &route, true);
}

static int delete (struct ws_prefix prefix)
{
	return (int)ws_router_route_del_many(rig_router, 0, prefix, WS_SOURCE_STATIC, 1);
}

/* Output of a packet to the address: 0 or 1, -1: none. A reply does not count. */
static int leaves_by(uint32_t address)
{
	struct frame in = frame_udp(IP(10, 0, 0, 2), address, 20), out;
	int found = -1;
	rig_send(0, in.bytes, in.length);
	for (uint16_t i = 0; i < 2; i++)
		while ((out = rig_take(i)).length) {
			const struct ip4_header *ip = (void *)(out.bytes + ETHERNET_LEN);
			if (ip->destination == htobe32(address))
				found = i;
		}
	return found;
}

static void recursive_paths_follow_the_route_they_go_by(void **state)
{
	(void)state;
	const struct ws_prefix far = PREFIX(48, 0, 0, 0, 8), near = PREFIX(192, 0, 2, 0, 24);
	const struct ws_prefix host = PREFIX(192, 0, 2, 1, 32), farther = PREFIX(50, 0, 0, 0, 8);
	assert_int_equal(add(far, ADDRESS(192, 0, 2, 1)), -ENETUNREACH);
	assert_int_equal(add(near, ADDRESS(10, 0, 1, 2)), 0);
	uint32_t before = rig_router->load_balances.used;
	assert_int_equal(add(far, ADDRESS(192, 0, 2, 1)), 0);
	assert_int_equal(add(farther, ADDRESS(48, 0, 0, 9)), 0);
	assert_int_equal(leaves_by(IP(48, 0, 0, 1)), 1);
	assert_int_equal(leaves_by(IP(50, 0, 0, 1)), 1);
	/* A more specific route, a replaced route, no route. */
	assert_int_equal(add(host, ADDRESS(10, 0, 0, 2)), 0);
	assert_int_equal(leaves_by(IP(48, 0, 0, 1)), 0);
	assert_int_equal(leaves_by(IP(50, 0, 0, 1)), 0);
	assert_int_equal(delete (host), 1);
	assert_int_equal(leaves_by(IP(50, 0, 0, 1)), 1);
	assert_int_equal(add(near, ADDRESS(10, 0, 0, 2)), 0);
	assert_int_equal(leaves_by(IP(48, 0, 0, 1)), 0);
	assert_int_equal(delete (near), 1);
	assert_int_equal(leaves_by(IP(48, 0, 0, 1)), -1);
	assert_int_equal(add(near, ADDRESS(10, 0, 1, 2)), 0);
	assert_int_equal(leaves_by(IP(50, 0, 0, 1)), 1);
	/* A loop of routes leads nowhere. */
	assert_int_equal(add(near, ADDRESS(48, 0, 0, 1)), 0);
	assert_int_equal(leaves_by(IP(48, 0, 0, 1)), -1);
	assert_int_equal(add(near, ADDRESS(10, 0, 1, 2)), 0);
	assert_int_equal(leaves_by(IP(48, 0, 0, 1)), 1);
	assert_int_equal(delete (far), 1);
	assert_int_equal(delete (farther), 1);
	assert_int_equal(rig_router->load_balances.used, before);
	assert_int_equal(rig_router->load_balances.recursive.count, 0);
}

static void recursive_paths_share_what_they_resolve_to(void **state)
{
	(void)state;
	struct ws_route two = {
		.prefix = PREFIX(192, 0, 2, 0, 24),
		.path_count = 2,
		.paths = {{.next_hop = ADDRESS(10, 0, 1, 2), .interface = -1, .weight = 3},
				  {.next_hop = ADDRESS(10, 0, 0, 2), .interface = -1, .weight = 1}},
	};
	int by[2] = {0};
	assert_int_equal(ws_router_route_add(rig_router, &two, true), 0);
	assert_int_equal(add(PREFIX(48, 0, 0, 0, 8), ADDRESS(192, 0, 2, 1)), 0);
	for (uint32_t i = 0; i < 400; i++)
		by[leaves_by(IP(48, 0, 0, 1) + i)]++;
	assert_int_equal(by[0] + by[1], 400);
	assert_true(abs(by[1] - 300) < 50);
}

static void better_sources_hide_others(void **state)
{
	(void)state;
	const struct ws_prefix prefix = PREFIX(48, 0, 0, 0, 8);
	struct ws_route linux_route = via(prefix, ADDRESS(10, 0, 0, 2)), found;
	linux_route.source = WS_SOURCE_LINUX;
	assert_int_equal(ws_router_route_add(rig_router, &linux_route, false), 0);
	assert_int_equal(leaves_by(IP(48, 0, 0, 1)), 0);
	assert_int_equal(add(prefix, ADDRESS(10, 0, 1, 2)), 0);
	assert_int_equal(leaves_by(IP(48, 0, 0, 1)), 1);
	assert_int_equal(ws_router_route_add(rig_router, &linux_route, true), 0);
	assert_int_equal(leaves_by(IP(48, 0, 0, 1)), 1);
	assert_int_equal(sources_waiting(rig_router), 1);
	assert_int_equal(delete (prefix), 1);
	assert_int_equal(leaves_by(IP(48, 0, 0, 1)), 0);
	assert_int_equal(ws_router_route_get(rig_router, 0, prefix, &found), 0);
	assert_int_equal(found.source, WS_SOURCE_LINUX);
	assert_int_equal(delete (prefix), -ENOENT);
	assert_int_equal(ws_router_route_del_many(rig_router, 0, prefix, WS_SOURCE_LINUX, 1), 1);
	assert_int_equal(leaves_by(IP(48, 0, 0, 1)), -1);
	assert_int_equal(sources_waiting(rig_router), 0);
	/* Where an address of the router is, Linux may have a route, and the user may not. */
	linux_route.prefix = PREFIX(10, 0, 1, 0, 24);
	assert_int_equal(ws_router_route_add(rig_router, &linux_route, true), 0);
	assert_int_equal(add(linux_route.prefix, ADDRESS(10, 0, 0, 2)), -EEXIST);
	assert_int_equal(ws_router_address_del(rig_router, 1, PREFIX(10, 0, 1, 1, 24)), 0);
	assert_int_equal(leaves_by(IP(10, 0, 1, 77)), 0);
}

static void tables_are_apart(void **state)
{
	(void)state;
	struct ws_route route = via(PREFIX(48, 0, 0, 0, 8), ADDRESS(10, 0, 1, 2));
	struct ws_table tables[4];
	assert_int_equal(ws_router_route_add(rig_router, &route, false), 0);
	assert_int_equal(ws_router_set_table(rig_router, 0, WS_IP4, 7), -ENOENT);
	assert_int_equal(ws_router_table_add(rig_router, WS_IP4, 7, "blue"), 0);
	assert_int_equal(ws_router_set_table(rig_router, 0, WS_IP4, 7), -EBUSY);
	assert_int_equal(ws_router_address_del(rig_router, 0, PREFIX(10, 0, 0, 1, 24)), 0);
	assert_int_equal(ws_router_set_table(rig_router, 0, WS_IP4, 7), 0);
	/* The network of e1, in the other table. */
	assert_int_equal(ws_router_address_add(rig_router, 0, PREFIX(10, 0, 1, 1, 24)), 0);
	assert_int_equal(leaves_by(IP(48, 0, 0, 1)), -1);
	route.table = 7;
	route.paths[0] = (struct ws_path){.kind = WS_PATH_LOOKUP, .interface = -1};
	assert_int_equal(ws_router_route_add(rig_router, &route, false), 0);
	assert_int_equal(leaves_by(IP(48, 0, 0, 1)), 1);
	assert_int_equal(ws_router_tables(rig_router, WS_IP4, tables, 4), 2);
	assert_string_equal(tables[1].name, "blue");
	assert_int_equal(ws_router_table_del(rig_router, WS_IP4, 7), -EBUSY);
	assert_int_equal(ws_router_table_del(rig_router, WS_IP4, 0), -EINVAL);
	/* Two tables that refer to each other: dropped. */
	route.table = 0;
	route.paths[0].table = 7;
	assert_int_equal(ws_router_route_add(rig_router, &route, true), 0);
	assert_int_equal(leaves_by(IP(48, 0, 0, 1)), -1);
	assert_int_equal(rig_counter("lookup-ip4-dst", "too many tables"), 1);
	assert_int_equal(delete (route.prefix), 1);
	assert_int_equal(ws_router_route_del_many(rig_router, 7, route.prefix, WS_SOURCE_STATIC, 1), 1);
	assert_int_equal(ws_router_address_del(rig_router, 0, PREFIX(10, 0, 1, 1, 24)), 0);
	assert_int_equal(ws_router_set_table(rig_router, 0, WS_IP4, 0), 0);
	assert_int_equal(ws_router_table_del(rig_router, WS_IP4, 7), 0);
	assert_int_equal(ws_router_tables(rig_router, WS_IP4, tables, 4), 1);
}

/* An address belongs to the router only in its own table; a host behind an interface is in that
 * interface's table. */
static void next_hops_are_checked_in_their_own_table(void **state)
{
	(void)state;
	struct ws_route route = via(PREFIX(48, 0, 0, 0, 8), ADDRESS(10, 0, 0, 1));
	route.table = 7;
	route.paths[0].interface = 1;
	assert_int_equal(ws_router_address_del(rig_router, 1, PREFIX(10, 0, 1, 1, 24)), 0);
	assert_int_equal(ws_router_table_add(rig_router, WS_IP4, 7, NULL), 0);
	assert_int_equal(ws_router_set_table(rig_router, 1, WS_IP4, 7), 0);
	assert_int_equal(ws_router_address_add(rig_router, 1, PREFIX(10, 0, 0, 9, 24)), 0);
	/* 10.0.0.1 belongs to e0, in the other table. */
	assert_int_equal(ws_router_route_add(rig_router, &route, false), 0);
	route.paths[0].next_hop = ADDRESS(10, 0, 0, 9);
	assert_int_equal(ws_router_route_add(rig_router, &route, true), -EINVAL);
	/* Packets from that address are accepted on e1 as well. */
	uint64_t before = rig_counter("ip4-input", "ip4 source is our own address or network");
	struct frame in = frame_udp(IP(10, 0, 0, 1), IP(99, 0, 0, 1), 20);
	memcpy(in.bytes, rig_mac[1], 6);
	rig_send(1, in.bytes, in.length);
	assert_int_equal(rig_counter("ip4-input", "ip4 source is our own address or network"), before);
	in = frame_udp(IP(10, 0, 0, 9), IP(99, 0, 0, 1), 20);
	memcpy(in.bytes, rig_mac[1], 6);
	rig_send(1, in.bytes, in.length);
	assert_int_equal(rig_counter("ip4-input", "ip4 source is our own address or network"),
					 before + 1);
	while (rig_take(1).length)
		;
}

/* Borrowed addresses belong to the router where they are used, whatever their owner's table. */
static void borrowed_addresses_are_ours(void **state)
{
	(void)state;
	const char *reason = "ip4 source is our own address or network";
	struct frame in = frame_udp(IP(10, 0, 0, 1), IP(99, 0, 0, 1), 20);
	memcpy(in.bytes, rig_mac[1], 6);
	assert_int_equal(ws_router_address_del(rig_router, 1, PREFIX(10, 0, 1, 1, 24)), 0);
	assert_int_equal(ws_router_table_add(rig_router, WS_IP4, 7, NULL), 0);
	assert_int_equal(ws_router_set_table(rig_router, 1, WS_IP4, 7), 0);
	rig_send(1, in.bytes, in.length);
	uint64_t before = rig_counter("ip4-input", reason);
	assert_int_equal(ws_router_set_unnumbered(rig_router, 1, 0), 0);
	rig_send(1, in.bytes, in.length);
	assert_int_equal(rig_counter("ip4-input", reason), before + 1);
	assert_int_equal(ws_router_set_unnumbered(rig_router, 1, -1), 0);
	rig_send(1, in.bytes, in.length);
	assert_int_equal(rig_counter("ip4-input", reason), before + 1);
	while (rig_take(1).length)
		;
}

static void refused_routes_are_answered(void **state)
{
	(void)state;
	static const struct {
		int32_t kind;
		uint8_t code;
	} cases[] = {{WS_PATH_UNREACHABLE, 1}, {WS_PATH_PROHIBIT, 13}};
	for (int i = 0; i < 2; i++) {
		struct ws_route route = via(PREFIX(48, 0, 0, 0, 8), ADDRESS(10, 0, 1, 2));
		struct frame in = frame_udp(IP(10, 0, 0, 2), IP(48, 0, 0, 1), 20);
		route.paths[0].kind = cases[i].kind;
		assert_int_equal(ws_router_route_add(rig_router, &route, true), 0);
		rig_send(0, in.bytes, in.length);
		struct frame out = rig_take(0);
		assert_true(out.length > ETHERNET_LEN + IP4_LEN);
		assert_int_equal(out.bytes[ETHERNET_LEN + IP4_LEN], 3);
		assert_int_equal(out.bytes[ETHERNET_LEN + IP4_LEN + 1], cases[i].code);
	}
}

static struct ws_mpls_route label_route(uint32_t label, uint8_t count)
{
	struct ws_mpls_route route = {
		.label = label,
		.bottom = true,
		.payload = WS_IP4,
		.path_count = 1,
		.paths = {{.next_hop = ADDRESS(10, 0, 1, 2), .interface = 1, .label_count = count}},
	};
	for (uint8_t i = 0; i < count && i < WS_MAX_LABELS; i++)
		route.paths[0].labels[i] = 100u + i;
	return route;
}

static void labels_come_and_go(void **state)
{
	(void)state;
	struct ws_mpls_route route = label_route(16, 2), found[8];
	struct frame in = frame_udp(IP(10, 0, 0, 2), IP(48, 0, 0, 1), 20);
	uint32_t before = rig_router->load_balances.used, neighbors = rig_router->adjacencies.used;
	assert_int_equal(ws_router_mpls_route_set(rig_router, &route), -ENOENT);
	assert_int_equal(ws_router_set_mpls(rig_router, 0, true), -ENOENT);
	assert_int_equal(ws_router_mpls_table_add(rig_router), 0);
	assert_int_equal(ws_router_set_mpls(rig_router, 0, true), 0);
	assert_int_equal(ws_router_mpls_route_set(rig_router, &route), 0);
	assert_int_equal(ws_router_mpls_routes(rig_router, 0, found, 8), 7);
	assert_int_equal(found[6].label, 16);
	assert_int_equal(found[6].paths[0].labels[1], 101);
	memmove(in.bytes + ETHERNET_LEN + MPLS_LEN, in.bytes + ETHERNET_LEN, in.length - ETHERNET_LEN);
	ethernet_write(in.bytes, rig_mac[0], rig_host[0], ETHERNET_MPLS);
	mpls_store(in.bytes + ETHERNET_LEN, 16u << MPLS_LABEL_SHIFT | MPLS_BOTTOM | 64);
	in.length += MPLS_LEN;
	rig_send(0, in.bytes, in.length);
	struct frame out = rig_take(1);
	assert_int_equal(out.length, in.length + MPLS_LEN);
	assert_int_equal(mpls_load(out.bytes + ETHERNET_LEN), 100u << MPLS_LABEL_SHIFT | 63);
	assert_int_equal(ws_router_mpls_table_del(rig_router), -EBUSY);
	assert_int_equal(ws_router_mpls_route_del(rig_router, 17, true), -ENOENT);
	assert_int_equal(ws_router_mpls_route_del(rig_router, 16, true), 0);
	route = label_route(3, 1);
	assert_int_equal(ws_router_mpls_route_set(rig_router, &route), -EINVAL);
	route = label_route(16, WS_MAX_LABELS + 1);
	assert_int_equal(ws_router_mpls_route_set(rig_router, &route), -EINVAL);
	assert_int_equal(ws_router_set_mpls(rig_router, 0, false), 0);
	assert_int_equal(ws_router_mpls_table_del(rig_router), 0);
	assert_int_equal(rig_router->load_balances.used, before);
	assert_int_equal(rig_router->adjacencies.used, neighbors);
}

static void reads_lines_of_routes(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t lines;
	} cases[] = {
		{"ip route add 48.0.0.0/8 via 10.0.1.2\nip route add 49.1.2.3/8 via 10.0.1.2 e1\r\n", 2},
		{"ip route add 48.0.0.0/8 via 10.0.1.2\n",
		 0}, /* it exists: another path, for the full parser */
		{"ip route del 48.0.0.0/8\nip  route\tdel 49.0.0.0/8 via 10.0.1.2", 2},
		{"ip route del 48.0.0.0/8\n", 0},
		{"ip route add 48.0.0.0/33 via 10.0.1.2\n", 0},
		{"ip route add 48.0.0.256/8 via 10.0.1.2\n", 0},
		{"ip route add 048.0.0.0/8 via 10.0.1.2\n", 0},
		{"ip route add 48.0.0.0 via 10.0.1.2\n", 0},
		{"ip route add 48.0.0.0/8 via 10.0.1.2 e9\n", 0},
		{"ip route add 48.0.0.0/8 via 10.0.1.2 weight 2\n", 0},
		{"ip route add 48.0.0.0/8 via 99.0.0.1\n", 0},
		{"ip route add 10.0.0.0/24 via 10.0.1.2\n", 0},
		{"ip route add 48.0.0.0/8 via 10.0.1.2 e1 out-labels 16 17 18 19\n", 0},
		{"\n", 0},
		{"", 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t length = strlen(cases[i].text);
		uint64_t lines;
		int64_t done = ws_router_routes_text(rig_router, cases[i].text, length, &lines);
		assert_int_equal(lines, cases[i].lines);
		assert_int_equal(done, cases[i].lines ? length : 0);
	}
}

static void takes_no_beginning_of_a_word_for_it(void **state)
{
	(void)state;
	static const char name[] = "ip route add 48.0.0.0/8 via 10.0.1.2 e1\0x\n";
	static const char address[] = "ip route add 2001:db8::/32 via 2001:db8:1::2\0x e1\n";
	uint64_t lines;
	assert_int_equal(ws_router_routes_text(rig_router, name, sizeof(name) - 1, &lines), 0);
	assert_int_equal(ws_router_routes_text(rig_router, address, sizeof(address) - 1, &lines), 0);
}

/*
 * Packets of one route pass while thousands of other routes are added, changed and deleted. The
 * worker also polls the test's end of e1, which is down, and counts the received packets there.
 */
static void churn_loses_nothing_elsewhere(void **state)
{
	(void)state;
	enum { BATCHES = 300, BATCH = 32, CHANGES = 20 };
	struct frame in = frame_udp(IP(10, 0, 0, 2), IP(48, 0, 0, 1), 20);
	unsigned int seed = 5;
	uint64_t sent = 0;
	assert_int_equal(add(PREFIX(48, 0, 0, 0, 8), ADDRESS(10, 0, 1, 2)), 0);
	assert_int_equal(ws_router_start(rig_router), 0);
	for (int batch = 0; batch < BATCHES; batch++) {
		struct rte_mbuf *packets[BATCH];
		for (int i = 0; i < BATCH; i++) {
			packets[i] = rte_pktmbuf_alloc(ports_pool());
			assert_non_null(packets[i]);
			memcpy(rte_pktmbuf_append(packets[i], (uint16_t)in.length), in.bytes, in.length);
		}
		for (int at = 0; at < BATCH;)
			at += port_transmit(FAR, 0, packets + at, (uint16_t)(BATCH - at));
		sent += BATCH;
		for (int i = 0; i < CHANGES; i++) {
			uint32_t address = IP(60, 0, 0, 0) | ((uint32_t)rand_r(&seed) & 0xffff);
			struct ws_prefix prefix = {address_of_ip4(address), (uint8_t)(16 + rand_r(&seed) % 17)};
			if (rand_r(&seed) % 2)
				add(prefix_network(prefix), ADDRESS(10, 0, 0, 2u + (uint32_t)rand_r(&seed) % 3));
			else
				delete (prefix_network(prefix));
		}
		/* No more in flight than the rings hold. */
		while (rig_counter("ethernet-input", "interface is down") + BATCH < sent)
			sched_yield();
	}
	while (rig_counter("ethernet-input", "interface is down") < sent)
		sched_yield();
	ws_router_stop(rig_router);
	assert_int_equal(rig_counter("ethernet-input", "interface is down"), sent);
	assert_int_equal(rig_totals().drops, sent);
}

/* ---- A table under many changes, compared with a plain list, while packets use it ---- */

enum { LISTED = 300 };
static struct {
	struct ws_prefix prefix;
	struct ws_address next_hop;
} list[LISTED];
static int listed;

static void change_both(unsigned int *seed)
{
	uint32_t address = IP(60, 0, 0, 0) | ((uint32_t)rand_r(seed) & 0x3fff);
	struct ws_prefix prefix = prefix_network(
		(struct ws_prefix){address_of_ip4(address), (uint8_t)(16 + rand_r(seed) % 17)});
	struct ws_address next_hop = ADDRESS(10, 0, 0, 2u + (uint32_t)rand_r(seed) % 3);
	int at = 0;
	while (at < listed && !prefix_equal(&list[at].prefix, &prefix))
		at++;
	/* Some of the existing ones, since a random one rarely exists. */
	if (at == listed && (listed == LISTED || (listed && rand_r(seed) % 3 == 0)))
		prefix = list[at = rand_r(seed) % listed].prefix;
	if (at < listed && rand_r(seed) % 2) {
		assert_int_equal(delete (prefix), 1);
		list[at] = list[--listed];
		return;
	}
	assert_int_equal(add(prefix, next_hop), 0);
	list[at].prefix = prefix;
	list[at].next_hop = next_hop;
	listed += at == listed;
}

static void expect_longest(struct ws_address address)
{
	struct ws_route found;
	int best = -1;
	for (int i = 0; i < listed; i++)
		if (prefix_covers(&list[i].prefix, &address) &&
			(best < 0 || list[i].prefix.length > list[best].prefix.length))
			best = i;
	assert_int_equal(ws_router_route_lookup(rig_router, 0, address, &found),
					 best < 0 ? -ENOENT : 0);
	if (best < 0)
		return;
	assert_true(prefix_equal(&found.prefix, &list[best].prefix));
	assert_true(address_equal(&found.paths[0].next_hop, &list[best].next_hop));
}

static void send_to(const struct ws_address *destination)
{
	struct frame in = frame_udp(IP(10, 0, 0, 2), address_ip4(destination), 20);
	struct rte_mbuf *packet = rte_pktmbuf_alloc(ports_pool());
	assert_non_null(packet);
	memcpy(rte_pktmbuf_append(packet, (uint16_t)in.length), in.bytes, in.length);
	while (!port_transmit(FAR, 0, &packet, 1))
		sched_yield();
}

static struct ws_interface_counters counters_of(uint16_t interface)
{
	struct ws_interface_counters counters;
	assert_int_equal(ws_router_interface_counters(rig_router, interface, &counters), 0);
	return counters;
}

static void a_table_under_traffic_agrees_with_a_plain_list(void **state)
{
	(void)state;
	enum { BATCHES = 250, BATCH = 16, CHANGES = 20 };
	const struct ws_address untouched = ADDRESS(48, 0, 0, 1);
	unsigned int seed = 11;
	/* Ports count on from test to test. */
	uint64_t sent = 0, in_before = counters_of(0).rx_packets,
			 out_before = counters_of(1).tx_packets;
	listed = 0;
	assert_int_equal(add(PREFIX(48, 0, 0, 0, 8), ADDRESS(10, 0, 1, 2)), 0);
	assert_int_equal(ws_router_start(rig_router), 0);
	for (int batch = 0; batch < BATCHES; batch++) {
		for (int i = 0; i < BATCH; i++) {
			uint32_t churned = IP(60, 0, 0, 0) | ((uint32_t)rand_r(&seed) & 0x3fff);
			const struct ws_address destination = address_of_ip4(churned);
			send_to(i % 2 ? &untouched : &destination);
			expect_longest(destination);
		}
		sent += BATCH;
		for (int i = 0; i < CHANGES; i++)
			change_both(&seed);
		while (counters_of(0).rx_packets - in_before + BATCH < sent)
			sched_yield();
	}
	while (counters_of(1).tx_packets - out_before < sent / 2 ||
		   counters_of(0).rx_packets - in_before < sent)
		sched_yield();
	ws_router_stop(rig_router);
	rig_walk();
	/* Packets of the unchanged route were all forwarded; every packet is accounted for. */
	assert_int_equal(counters_of(0).rx_packets - in_before, sent);
	assert_int_equal(counters_of(1).tx_packets - out_before, sent / 2);
	struct ws_router_totals totals = rig_totals();
	assert_int_equal(totals.rx_packets + totals.made,
					 totals.tx_packets + totals.drops + totals.punts + totals.held);
	assert_int_equal(rig_buffers_in_use(), totals.held);
}

/* ---- Many sets of paths */

/* Two paths, through e0 and e1 or both through e1; the sets differ in a label that is not pushed.
 */
static uint32_t take_set(uint32_t number, bool by_both)
{
	union path_list_buffer buffer = {.list = {.source = WS_SOURCE_STATIC, .count = 2}};
	for (uint16_t i = 0; i < 2; i++) {
		struct path_key *path = &buffer.list.paths[i];
		uint16_t interface = by_both ? i : 1;
		*path = (struct path_key){
			.kind = WS_PATH_NEXT_HOP,
			.interface = interface,
			.weight = i + 1,
			.next_hop = ADDRESS(10, 0, (uint8_t)interface, 2),
		};
		path->labels[WS_MAX_LABELS - 1] = number;
	}
	int64_t taken = load_balance_take(&rig_router->load_balances, &buffer.list);
	assert_true(taken > 0);
	return (uint32_t)taken;
}

/* So many that DPDK's hash also compares one with its empty slots. */
static void a_link_changes_the_sets_that_go_by_it(void **state)
{
	(void)state;
	enum { SETS = 60000 };
	struct load_balance_table *table = &rig_router->load_balances;
	static uint32_t taken[SETS];
	uint32_t used = table->used, other = take_set(0, false);
	for (uint32_t i = 0; i < SETS; i++)
		taken[i] = take_set(i, true);
	const struct load_balance before = table->balances[other];
	assert_int_equal(table->by_interface[0].count, SETS);
	assert_int_equal(table->by_interface[1].count, SETS + 2);
	for (int up = 0; up < 2; up++) {
		assert_int_equal(ws_router_set_state(rig_router, 0, up), 0);
		for (uint32_t i = 0; i < SETS; i++) {
			const struct load_balance *balance = &table->balances[taken[i]];
			if (up)
				assert_int_equal(balance->buckets->count, 3);
			else
				assert_int_equal(
					rig_router->adjacencies.adjacencies[balance->adjacency].tx_interface, 1);
			assert_int_equal(balance->buckets != NULL, up);
		}
		/* Unchanged: it was not updated. */
		assert_ptr_equal(table->balances[other].buckets, before.buckets);
	}
	/* From the middle outwards, so that others move to the places of removed ones. */
	for (uint32_t i = 0; i < SETS; i++)
		load_balance_release(table, taken[(i + SETS / 2) % SETS], 1);
	load_balance_release(table, other, 1);
	assert_int_equal(table->by_interface[0].count, 0);
	assert_int_equal(table->by_interface[1].count, 0);
	assert_int_equal(table->used, used);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, with_hosts)
	const struct CMUnitTest tests[] = {
		TEST(recursive_paths_follow_the_route_they_go_by),
		TEST(recursive_paths_share_what_they_resolve_to),
		TEST(better_sources_hide_others),
		TEST(tables_are_apart),
		TEST(next_hops_are_checked_in_their_own_table),
		TEST(borrowed_addresses_are_ours),
		TEST(refused_routes_are_answered),
		TEST(labels_come_and_go),
		TEST(reads_lines_of_routes),
		TEST(takes_no_beginning_of_a_word_for_it),
		TEST(churn_loses_nothing_elsewhere),
		TEST(a_link_changes_the_sets_that_go_by_it),
		TEST(a_table_under_traffic_agrees_with_a_plain_list),
	};
	return RIG_RUN(tests);
}
