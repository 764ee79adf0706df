/* SPDX-License-Identifier: Apache-2.0 */
/* Routes, addresses, neighbours: the tables behind the seam, partly compared with a plain list. */
#include "dev/rcu.h"
#include "router/fib/fib_lookup_ip4.h"
#include "router/route/connected.h"
#include "tests/rig_tests.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/placement.h"
#include "wirespeed/router.h"
#include "wirespeed/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Sets of paths of the addresses: local, drop, attached to e0 and to e1. */
enum { OWN_PATHS = 4 };

static int reset(void **state)
{
	(void)state;
	rig_reset();
	return 0;
}

static struct ws_route via(struct ws_prefix prefix, uint32_t next_hop)
{
	return (struct ws_route){
		.prefix = prefix,
		.path_count = 1,
		.paths = {{.next_hop = address_of_ip4(next_hop), .interface = -1}},
	};
}

static int64_t count_routes(void)
{
	return ws_router_route_count(rig_router, 0, WS_IP4);
}

struct ip4_prefix {
	uint32_t address; /* host byte order */
	uint8_t length;
};

static struct ws_prefix to_prefix(struct ip4_prefix prefix)
{
	return (struct ws_prefix){address_of_ip4(prefix.address), prefix.length};
}

static int64_t delete_many(struct ws_prefix first, uint32_t count)
{
	return ws_router_route_del_many(rig_router, 0, first, WS_SOURCE_STATIC, count);
}

static int add(struct ws_prefix prefix, uint32_t next_hop, bool replace)
{
	struct ws_route route = via(prefix, next_hop);
	return ws_router_route_add(rig_router, &route, replace);
}

/* The next hop that a worker would find; 0: none. */
static uint32_t worker_finds(uint32_t address)
{
	uint32_t value;
	fib_trie_lookup_bulk_ip4(&rig_router->tables[0][0]->trie, &address, &value, 1);
	const struct load_balance *balance = &rig_router->load_balances.balances[value];
	return address_ip4(&rig_router->adjacencies.neighbors[balance->adjacency].next_hop);
}

static void adds_replaces_and_deletes(void **state)
{
	(void)state;
	struct ws_route found;
	int64_t before = count_routes();
	assert_int_equal(add(PREFIX(48, 0, 0, 0, 16), IP(10, 0, 1, 2), false), 0);
	assert_int_equal(add(PREFIX(48, 0, 0, 0, 16), IP(10, 0, 1, 3), false), -EEXIST);
	assert_int_equal(worker_finds(IP(48, 0, 9, 9)), IP(10, 0, 1, 2));
	assert_int_equal(add(PREFIX(48, 0, 0, 0, 16), IP(10, 0, 1, 3), true), 0);
	assert_int_equal(worker_finds(IP(48, 0, 9, 9)), IP(10, 0, 1, 3));
	assert_int_equal(add(PREFIX(48, 0, 9, 77, 24), IP(10, 0, 1, 4), false), 0);
	assert_int_equal(worker_finds(IP(48, 0, 9, 9)), IP(10, 0, 1, 4));
	assert_int_equal(ws_router_route_lookup(rig_router, 0, ADDRESS(48, 0, 9, 9), &found), 0);
	assert_int_equal(address_ip4(&found.prefix.address), IP(48, 0, 9, 0));
	assert_int_equal(found.prefix.length, 24);
	assert_int_equal(found.source, WS_SOURCE_STATIC);
	assert_int_equal(found.paths[0].interface, 1);
	assert_int_equal(found.paths[0].weight, 1);
	assert_int_equal(count_routes(), before + 2);
	assert_int_equal(delete_many(PREFIX(48, 0, 9, 0, 24), 1), 1);
	assert_int_equal(worker_finds(IP(48, 0, 9, 9)), IP(10, 0, 1, 3));
	assert_int_equal(delete_many(PREFIX(48, 0, 0, 0, 16), 1), 1);
	assert_int_equal(ws_router_route_lookup(rig_router, 0, ADDRESS(48, 0, 9, 9), &found), -ENOENT);
	assert_int_equal(delete_many(PREFIX(48, 0, 0, 0, 16), 1), -ENOENT);
	assert_string_equal(ws_error(), "there is no static route to 48.0.0.0/16");
	assert_int_equal(count_routes(), before);
	assert_int_equal(rig_router->load_balances.used, OWN_PATHS);
	assert_int_equal(rig_router->adjacencies.used, 0);
}

static void takes_every_prefix_length(void **state)
{
	(void)state;
	for (uint8_t length = 0; length <= 32; length++)
		assert_int_equal(add(PREFIX(176, 1, 2, 3, length), IP(10, 0, 1, 2u + length), false), 0);
	for (int length = 32; length >= 0; length--) {
		assert_int_equal(worker_finds(IP(176, 1, 2, 3)), IP(10, 0, 1, 2u + (uint32_t)length));
		struct ws_prefix prefix = PREFIX(176, 1, 2, 3, (uint8_t)length);
		assert_int_equal(delete_many(prefix, 1), 1);
	}
	assert_int_equal(worker_finds(IP(176, 1, 2, 3)), 0);
	assert_int_equal(add(PREFIX(0, 0, 0, 0, 0), IP(10, 0, 1, 9), false), 0);
	assert_int_equal(add(PREFIX(255, 255, 255, 255, 32), IP(10, 0, 1, 8), false), 0);
	assert_int_equal(worker_finds(IP(255, 255, 255, 255)), IP(10, 0, 1, 8));
	assert_int_equal(worker_finds(IP(255, 255, 255, 254)), IP(10, 0, 1, 9));
	assert_int_equal(worker_finds(IP(0, 0, 0, 0)), IP(10, 0, 1, 9));
}

static void refuses_what_makes_no_sense(void **state)
{
	(void)state;
	struct ws_route route = via(PREFIX(48, 0, 0, 0, 8), IP(10, 0, 1, 2));
	assert_int_equal(add(PREFIX(48, 0, 0, 0, 8), IP(99, 0, 0, 1), false), -ENETUNREACH);
	assert_string_equal(ws_error(),
						"next hop 99.0.0.1 is on no connected network and no route leads to it; "
						"name its interface");
	assert_int_equal(add(PREFIX(48, 0, 0, 0, 8), IP(10, 0, 0, 1), false), -EINVAL);
	assert_int_equal(add(PREFIX(48, 0, 0, 0, 8), IP(224, 0, 0, 5), false), -EINVAL);
	assert_int_equal(add(PREFIX(48, 0, 0, 0, 33), IP(10, 0, 0, 2), false), -EINVAL);
	assert_int_equal(add(PREFIX(10, 0, 0, 0, 24), IP(10, 0, 1, 2), true), -EEXIST);
	assert_int_equal(add(PREFIX(10, 0, 0, 1, 32), IP(10, 0, 1, 2), true), -EEXIST);
	route.path_count = 0;
	assert_int_equal(ws_router_route_add(rig_router, &route, false), -EINVAL);
	route.path_count = WS_MAX_PATHS + 1;
	assert_int_equal(ws_router_route_add(rig_router, &route, false), -EINVAL);
	route.path_count = 1;
	route.paths[0].interface = 9;
	assert_int_equal(ws_router_route_add(rig_router, &route, false), -ENODEV);
	route.paths[0] = (struct ws_path){.kind = WS_PATH_ATTACHED, .interface = -1};
	assert_int_equal(ws_router_route_add(rig_router, &route, false), -EINVAL);
	route.paths[0].kind = 7;
	assert_int_equal(ws_router_route_add(rig_router, &route, false), -EINVAL);
	assert_int_equal(delete_many(PREFIX(10, 0, 0, 0, 24), 1), -ENOENT);
	assert_int_equal(rig_router->load_balances.used, OWN_PATHS);
	assert_int_equal(rig_router->adjacencies.used, 0);
}

static void takes_many_at_once(void **state)
{
	(void)state;
	struct ws_route route = via(PREFIX(60, 0, 0, 0, 24), IP(10, 0, 1, 2));
	struct ws_route_entry page[100];
	assert_int_equal(ws_router_route_add_many(rig_router, &route, 1000, false), 1000);
	assert_int_equal(worker_finds(IP(60, 3, 231, 5)), IP(10, 0, 1, 2));
	assert_int_equal(worker_finds(IP(60, 3, 232, 5)), 0);
	assert_int_equal(rig_router->load_balances.used, OWN_PATHS + 1);
	/* Existing routes stay. */
	route.prefix = PREFIX(60, 3, 0, 0, 24);
	route.paths[0].next_hop = ADDRESS(10, 0, 1, 3);
	assert_int_equal(ws_router_route_add_many(rig_router, &route, 300, false), 68);
	assert_int_equal(worker_finds(IP(60, 3, 200, 5)), IP(10, 0, 1, 2));
	assert_int_equal(worker_finds(IP(60, 3, 255, 5)), IP(10, 0, 1, 3));
	assert_int_equal(ws_router_route_add_many(rig_router, &route, 10, false), -EEXIST);
	/* In pages, in order. */
	struct ws_prefix last = {0};
	int64_t seen = 0;
	for (int n;
		 (n = ws_router_route_entries(rig_router, 0, WS_IP4, seen ? &last : NULL, page, 100));)
		for (int i = 0; i < n; i++, seen++) {
			if (seen)
				assert_true(memcmp(&page[i].prefix, &last, sizeof(last)) > 0);
			last = page[i].prefix;
		}
	assert_int_equal(seen, count_routes());
	assert_int_equal(delete_many(PREFIX(60, 0, 0, 0, 24), 2000), 1068);
	assert_int_equal(rig_router->load_balances.used, OWN_PATHS);
	route.prefix = PREFIX(255, 255, 255, 0, 24);
	assert_int_equal(ws_router_route_add_many(rig_router, &route, 2, false), -EINVAL);
	/* Full at 4 096, including the routes of the addresses. */
	route.prefix = PREFIX(60, 0, 0, 0, 24);
	int64_t before = count_routes();
	assert_int_equal(ws_router_route_add_many(rig_router, &route, 5000, false), -ENOSPC);
	assert_non_null(strstr(ws_error(), "full at 4096"));
	assert_non_null(strstr(ws_error(), "none of the 5000 routes was added"));
	assert_int_equal(count_routes(), before);
	assert_int_equal(rig_router->load_balances.used, OWN_PATHS);
	/* An existing route is not replaced either. */
	assert_int_equal(add(PREFIX(60, 0, 7, 0, 24), IP(10, 0, 1, 9), false), 0);
	assert_int_equal(ws_router_route_add_many(rig_router, &route, 5000, true), -ENOSPC);
	assert_int_equal(worker_finds(IP(60, 0, 7, 1)), IP(10, 0, 1, 9));
	assert_int_equal(count_routes(), before + 1);
	assert_int_equal(ws_router_route_add_many(rig_router, &route, 4000, true), 4000);
	assert_int_equal(worker_finds(IP(60, 0, 7, 1)), IP(10, 0, 1, 3));
	assert_int_equal(delete_many(PREFIX(60, 0, 0, 0, 24), 4000), 4000);
	assert_int_equal(rig_router->load_balances.used, OWN_PATHS);
}

/* Routes are added and deleted between the pages of a list, before and behind its position, and at
 * it: routes that exist all the time are listed once, in order. */
static void lists_each_route_once_under_churn(void **state)
{
	(void)state;
	enum { STAY = 300, PAGE = 7 };
	struct ws_route stay = via(PREFIX(60, 0, 0, 0, 24), IP(10, 0, 1, 2));
	struct ws_route_entry page[PAGE];
	struct ws_prefix last = {0};
	uint32_t seen = 0, turn = 0;
	assert_int_equal(ws_router_route_add_many(rig_router, &stay, STAY, false), STAY);
	for (int n;
		 (n = ws_router_route_entries(rig_router, 0, WS_IP4, turn ? &last : NULL, page, PAGE));
		 turn++) {
		for (int i = 0; i < n; i++) {
			assert_true(!seen || memcmp(&page[i].prefix, &last, sizeof(last)) > 0);
			last = page[i].prefix;
			seen += last.length == 24 && last.address.bytes[0] == 60;
		}
		/* The last route of the page, another list of routes in front of it, and more specific
		 * ones: added and deleted again. */
		struct ws_route other = via(PREFIX(20, 0, 0, 0, 28), IP(10, 0, 1, 3));
		if (turn % 2)
			delete_many(other.prefix, 100);
		else
			assert_int_equal(ws_router_route_add_many(rig_router, &other, 100, false), 100);
		other.prefix = PREFIX(60, 0, 0, 64, 26);
		if (turn % 3)
			delete_many(other.prefix, 1);
		else
			ws_router_route_add(rig_router, &other, false);
	}
	assert_int_equal(seen, STAY);
	last.length = 33;
	assert_int_equal(ws_router_route_entries(rig_router, 0, WS_IP4, &last, page, PAGE), -EINVAL);
}

/* A plain list of prefixes, searched linearly. */
enum { MODEL_SIZE = 512 };
static struct {
	struct ip4_prefix prefix;
	uint32_t next_hop;
} model[MODEL_SIZE];
static int model_count;

static int model_find(struct ip4_prefix prefix)
{
	for (int i = 0; i < model_count; i++)
		if (model[i].prefix.address == prefix.address && model[i].prefix.length == prefix.length)
			return i;
	return -1;
}

static uint32_t model_lookup(uint32_t address)
{
	int best = -1;
	for (int i = 0; i < model_count; i++)
		if (!((address ^ model[i].prefix.address) & ip4_mask(model[i].prefix.length)) &&
			(best < 0 || model[i].prefix.length > model[best].prefix.length))
			best = i;
	return best < 0 ? 0 : model[best].next_hop;
}

/*
 * Thousands of random changes among few addresses, so that prefixes nest, cover each other exactly,
 * and fill and empty groups of 256 addresses.
 */
static void agrees_with_a_plain_list(void **state)
{
	(void)state;
	unsigned int seed = 7;
	model_count = 0;
	for (int step = 0; step < 6000; step++) {
		uint8_t length = (uint8_t)(20 + rand_r(&seed) % 13);
		struct ip4_prefix prefix = {
			(IP(60, 0, 0, 0) | ((uint32_t)rand_r(&seed) & 0x10ff)) & ip4_mask(length), length};
		uint32_t next_hop = IP(10, 0, 1, 2 + (uint32_t)rand_r(&seed) % 3);
		int there = model_find(prefix);
		if (there >= 0 && rand_r(&seed) % 2) {
			assert_int_equal(delete_many(to_prefix(prefix), 1), 1);
			model[there] = model[--model_count];
		} else if (there >= 0 || model_count < MODEL_SIZE) {
			assert_int_equal(add(to_prefix(prefix), next_hop, true), 0);
			if (there < 0)
				there = model_count++;
			model[there].prefix = prefix;
			model[there].next_hop = next_hop;
		}
		for (int i = 0; i < 8; i++) {
			uint32_t address = IP(60, 0, 0, 0) | ((uint32_t)rand_r(&seed) & 0x1fff);
			assert_int_equal(worker_finds(address), model_lookup(address));
		}
	}
	assert_int_equal(rig_router->load_balances.used, OWN_PATHS + 3);
}

/* Number of waits of the main thread for the workers, including those that could be skipped. */
static uint64_t waits(void)
{
	return rcu_state->token;
}

static void waits_for_workers_when_it_must(void **state)
{
	(void)state;
	enum { RETIRED = 1024 };
	const struct fib_trie *fib = &rig_router->tables[0][0]->trie;
	struct ws_route many = via(PREFIX(70, 0, 0, 0, 24), IP(10, 0, 1, 2));
	add(PREFIX(99, 0, 0, 0, 24), IP(10, 0, 1, 2), false);
	uint64_t before = waits();
	assert_int_equal(ws_router_route_add_many(rig_router, &many, 500, false), 500);
	many.prefix = PREFIX(80, 0, 0, 1, 32);
	assert_int_equal(ws_router_route_add_many(rig_router, &many, 200, false), 200);
	assert_int_equal(waits(), before);
	/* Two equal halves keep their group. A group without prefixes must not be reused at once; the
	 * workers are waited for once for many of them. */
	add(PREFIX(60, 0, 0, 0, 25), IP(10, 0, 1, 2), false);
	add(PREFIX(60, 0, 0, 128, 25), IP(10, 0, 1, 2), false);
	add(PREFIX(60, 0, 0, 0, 24), IP(10, 0, 1, 2), false);
	uint32_t made = fib->groups.made;
	for (uint32_t i = 0; i < RETIRED; i++) {
		struct ws_prefix prefix = to_prefix((struct ip4_prefix){IP(81, 0, 0, 1) + (i << 8), 32});
		assert_int_equal(add(prefix, IP(10, 0, 1, 2), false), 0);
		assert_int_equal(fib->groups.made, made + i + 1);
		assert_int_equal(delete_many(prefix, 1), 1);
	}
	assert_int_equal(waits(), before);
	assert_int_equal(add(PREFIX(85, 0, 0, 1, 32), IP(10, 0, 1, 2), false), 0);
	assert_int_equal(add(PREFIX(85, 0, 1, 1, 32), IP(10, 0, 1, 2), false), 0);
	assert_int_equal(waits(), before + 1);
	assert_int_equal(fib->groups.made, made + RETIRED);
	/* A MAC address is written in a pause of the workers, so there is no wait. */
	ws_router_neighbor_add(rig_router, 1, ADDRESS(10, 0, 1, 2), rig_host[0]);
	before = waits();
	ws_router_neighbor_add(rig_router, 1, ADDRESS(10, 0, 1, 2), rig_host[0]);
	assert_int_equal(waits(), before);
	ws_router_neighbor_add(rig_router, 1, ADDRESS(10, 0, 1, 2), rig_host[1]);
	assert_int_equal(waits(), before);
	/* The last route to a next hop is deleted. */
	add(PREFIX(82, 0, 0, 0, 24), IP(10, 0, 1, 9), false);
	delete_many(PREFIX(82, 0, 0, 0, 24), 1);
	assert_int_equal(waits(), before + 2); /* for the paths, and for the adjacency */
}

static bool has_route(struct ws_prefix prefix, int kind, int interface)
{
	struct ws_route route;
	return !ws_router_route_get(rig_router, 0, prefix, &route) && route.paths[0].kind == kind &&
		   route.paths[0].interface == interface && route.source != WS_SOURCE_STATIC;
}

static void addresses_bring_their_routes(void **state)
{
	(void)state;
	int64_t before = count_routes();
	assert_int_equal(ws_router_address_add(rig_router, 0, PREFIX(20, 0, 0, 5, 30)), 0);
	assert_true(has_route(PREFIX(20, 0, 0, 4, 30), WS_PATH_ATTACHED, 0));
	assert_true(has_route(PREFIX(20, 0, 0, 4, 32), WS_PATH_DROP, -1));
	assert_true(has_route(PREFIX(20, 0, 0, 5, 32), WS_PATH_LOCAL, -1));
	assert_true(has_route(PREFIX(20, 0, 0, 7, 32), WS_PATH_DROP, -1));
	assert_int_equal(ws_router_address_add(rig_router, 1, PREFIX(20, 0, 1, 0, 31)), 0);
	assert_true(has_route(PREFIX(20, 0, 1, 0, 31), WS_PATH_ATTACHED, 1));
	assert_int_equal(ws_router_address_add(rig_router, 1, PREFIX(20, 0, 2, 9, 32)), 0);
	assert_true(has_route(PREFIX(20, 0, 2, 9, 32), WS_PATH_LOCAL, -1));
	assert_int_equal(count_routes(), before + 4 + 2 + 1);
	/* A second address in the same prefix; the prefix stays until the last one is deleted. */
	assert_int_equal(ws_router_address_add(rig_router, 0, PREFIX(20, 0, 0, 6, 30)), 0);
	assert_int_equal(ws_router_address_del(rig_router, 0, PREFIX(20, 0, 0, 5, 30)), 0);
	assert_true(has_route(PREFIX(20, 0, 0, 4, 30), WS_PATH_ATTACHED, 0));
	assert_int_equal(ws_router_address_del(rig_router, 0, PREFIX(20, 0, 0, 6, 30)), 0);
	assert_int_equal(ws_router_address_del(rig_router, 1, PREFIX(20, 0, 1, 0, 31)), 0);
	assert_int_equal(ws_router_address_del(rig_router, 1, PREFIX(20, 0, 2, 9, 32)), 0);
	assert_int_equal(ws_router_address_del(rig_router, 1, PREFIX(20, 0, 2, 9, 32)), -ENOENT);
	assert_int_equal(count_routes(), before);
}

static void refuses_addresses_that_clash(void **state)
{
	(void)state;
	static const struct {
		struct ip4_prefix prefix;
		int interface, error;
	} cases[] = {
		{{IP(10, 0, 0, 1), 24}, 0, -EEXIST},   {{IP(10, 0, 0, 1), 24}, 1, -EINVAL},
		{{IP(10, 0, 0, 9), 24}, 1, -EINVAL},   {{IP(10, 0, 0, 9), 32}, 1, -EINVAL},
		{{IP(10, 3, 0, 9), 8}, 1, -EINVAL},    {{IP(20, 0, 0, 0), 24}, 0, -EINVAL},
		{{IP(20, 0, 0, 255), 24}, 0, -EINVAL}, {{IP(127, 0, 0, 1), 8}, 0, -EINVAL},
		{{IP(224, 0, 0, 1), 24}, 0, -EINVAL},  {{IP(0, 0, 0, 1), 24}, 0, -EINVAL},
		{{IP(20, 0, 0, 1), 0}, 0, -EINVAL},    {{IP(20, 0, 0, 1), 33}, 0, -EINVAL},
		{{IP(20, 0, 0, 1), 24}, 9, -ENODEV},
	};
	int64_t before = count_routes();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(ws_router_address_add(rig_router, (uint16_t)cases[i].interface,
											   to_prefix(cases[i].prefix)),
						 cases[i].error);
	/* A static route where a connected one would be: the address is not added at all. */
	add(PREFIX(20, 0, 0, 255, 32), IP(10, 0, 1, 2), false);
	assert_int_equal(ws_router_address_add(rig_router, 0, PREFIX(20, 0, 0, 1, 24)), -EEXIST);
	assert_string_equal(ws_error(),
						"a static route to 20.0.0.255/32 is in the way; delete it first");
	assert_int_equal(count_routes(), before + 1);
	for (uint32_t i = 1; i < WS_MAX_ADDRESSES; i++)
		assert_int_equal(ws_router_address_add(rig_router, 0, PREFIX(30, 0, i, 1, 24)), 0);
	assert_int_equal(ws_router_address_add(rig_router, 0, PREFIX(31, 0, 0, 1, 24)), -ENOSPC);
}

static void neighbors_have_host_routes(void **state)
{
	(void)state;
	const uint32_t host = IP(10, 0, 1, 2);
	const struct ws_prefix prefix = PREFIX(10, 0, 1, 2, 32);
	assert_int_equal(ws_router_neighbor_add(rig_router, 1, prefix.address, rig_host[1]), 0);
	assert_true(has_route(prefix, WS_PATH_NEXT_HOP, 1));
	/* A static route may take precedence; when it is deleted, the neighbour's route comes back. */
	assert_int_equal(add(prefix, IP(10, 0, 0, 2), false), 0);
	assert_int_equal(worker_finds(host), IP(10, 0, 0, 2));
	assert_int_equal(delete_many(prefix, 1), 1);
	assert_int_equal(worker_finds(host), host);
	/* It is deleted and added with the network that connects it. */
	assert_int_equal(ws_router_address_del(rig_router, 1, PREFIX(10, 0, 1, 1, 24)), 0);
	assert_int_equal(worker_finds(host), 0);
	assert_int_equal(ws_router_address_add(rig_router, 1, PREFIX(10, 0, 1, 1, 24)), 0);
	assert_true(has_route(prefix, WS_PATH_NEXT_HOP, 1));
	/* Outside of its interface's networks, a neighbour serves only as a next hop. */
	assert_int_equal(ws_router_neighbor_add(rig_router, 0, ADDRESS(10, 0, 1, 3), rig_host[0]), 0);
	assert_false(has_route(PREFIX(10, 0, 1, 3, 32), WS_PATH_NEXT_HOP, 0));
	assert_int_equal(ws_router_neighbor_add(rig_router, 0, ADDRESS(10, 0, 1, 2), rig_host[0]), 0);
	assert_int_equal(ws_router_neighbor_del(rig_router, 0, ADDRESS(10, 0, 1, 2)), 0);
	assert_true(has_route(prefix, WS_PATH_NEXT_HOP, 1));
	assert_int_equal(ws_router_neighbor_del(rig_router, 1, prefix.address), 0);
	assert_false(has_route(prefix, WS_PATH_NEXT_HOP, 1));
	assert_int_equal(ws_router_neighbor_add(rig_router, 1, ADDRESS(10, 0, 1, 1), rig_host[1]),
					 -EINVAL);
	assert_int_equal(
		ws_router_neighbor_add(rig_router, 1, prefix.address, (uint8_t[]){1, 0, 0, 0, 0, 0}),
		-EINVAL);
}

static void rewrites_follow_mac_and_mtu(void **state)
{
	(void)state;
	static const uint8_t mac[6] = {2, 9, 9, 9, 9, 9};
	ws_router_neighbor_add(rig_router, 1, ADDRESS(10, 0, 1, 2), rig_host[1]);
	const struct adjacency *adjacency =
		&rig_router->adjacencies.adjacencies[ADJACENCY_FIRST_NEIGHBOR];
	assert_int_equal(ws_router_set_mac(rig_router, 1, mac), 0);
	assert_int_equal(adjacency->rewrite_len, ETHERNET_LEN);
	assert_memory_equal(adjacency_mac(adjacency), rig_host[1], 6);
	assert_memory_equal(adjacency_mac(adjacency) + 6, mac, 6);
	assert_int_equal(adjacency->kind, ADJACENCY_REWRITE);
	assert_int_equal(ws_router_set_mtu(rig_router, 1, 1280), 0);
	assert_int_equal(adjacency->mtu, 1280);
	assert_int_equal(ws_router_set_mtu(rig_router, 1, 67), -EINVAL);
	assert_int_equal(ws_router_set_mac(rig_router, 1, (uint8_t[6]){0}), -EINVAL);
	struct ws_interface interface;
	ws_router_interface(rig_router, 1, &interface);
	assert_memory_equal(interface.mac, mac, 6);
	assert_int_equal(interface.mtu, 1280);
}

static void shares_buckets_by_weight(void **state)
{
	(void)state;
	uint32_t shares[WS_MAX_PATHS];
	assert_int_equal(load_balance_share((uint32_t[]){1, 3}, 2, shares), 4);
	assert_int_equal(shares[0], 1);
	assert_int_equal(shares[1], 3);
	assert_int_equal(load_balance_share((uint32_t[]){1, 65535}, 2, shares), 256);
	assert_int_equal(shares[0] + shares[1], 256);
	assert_true(shares[0] >= 1 && shares[0] <= 2);
	assert_int_equal(load_balance_share((uint32_t[]){60000, 60000, 60000}, 3, shares), 256);
	for (int i = 0; i < 3; i++)
		assert_true(shares[i] == 85 || shares[i] == 86);
}

/* Each flow keeps its path, and the paths get flows by weight. */
static void balances_flows(void **state)
{
	(void)state;
	struct ws_route route = {
		.prefix = PREFIX(48, 0, 0, 0, 8),
		.path_count = 3,
		.paths = {{.next_hop = ADDRESS(10, 0, 1, 2), .interface = -1, .weight = 1},
				  {.next_hop = ADDRESS(10, 0, 0, 2), .interface = -1, .weight = 2},
				  {.kind = WS_PATH_DROP, .weight = 1}},
	};
	ws_router_neighbor_add(rig_router, 0, ADDRESS(10, 0, 0, 2), rig_host[0]);
	ws_router_neighbor_add(rig_router, 1, ADDRESS(10, 0, 1, 2), rig_host[1]);
	assert_int_equal(ws_router_route_add(rig_router, &route, false), 0);
	int by_path[3] = {0};
	for (uint32_t flow = 0; flow < 2000; flow++) {
		struct frame in = frame_udp(IP(10, 0, 0, 2), IP(48, 0, 0, 1), 4 * (flow % 2));
		in.bytes[ETHERNET_LEN + IP4_LEN] = (uint8_t)(flow >> 8);
		in.bytes[ETHERNET_LEN + IP4_LEN + 1] = (uint8_t)flow;
		int first = -1;
		for (int repeat = 0; repeat < 2; repeat++) {
			rig_send(0, in.bytes, in.length);
			int path = rig_take(1).length ? 0 : rig_take(0).length ? 1 : 2;
			assert_true(first < 0 || path == first);
			first = path;
		}
		by_path[first]++;
	}
	assert_true(abs(by_path[0] - 500) < 75);
	assert_true(abs(by_path[1] - 1000) < 100);
	assert_int_equal(rig_counter("ip4-load-balance", "path says drop"), 2 * by_path[2]);
	/* Too short to have ports. */
	for (size_t length = 0; length < 4; length++) {
		struct frame in = frame_udp(IP(10, 0, 0, 2), IP(48, 0, 0, 1), 0);
		in.length = ETHERNET_LEN + IP4_LEN + length;
		frame_finish(&in);
		rig_send(0, in.bytes, in.length);
		rig_take(0);
		rig_take(1);
	}
	/* Fragments of one datagram stay together: their first bytes are not ports. */
	for (uint32_t id = 0; id < 64; id++) {
		struct frame in = frame_udp(IP(10, 0, 0, 2), IP(48, 0, 0, 9), 64);
		struct ip4_header *ip = (void *)(in.bytes + ETHERNET_LEN);
		ip->fragment = htobe16((uint16_t)(id ? id : IP4_MORE_FRAGMENTS));
		in.bytes[ETHERNET_LEN + IP4_LEN] = (uint8_t)(id * 7);
		frame_finish(&in);
		rig_send(0, in.bytes, in.length);
	}
	int out[2] = {0};
	for (int i = 0; i < 2; i++)
		while (rig_take((uint16_t)i).length)
			out[i]++;
	assert_true(out[0] + out[1] == 0 || out[0] == 64 || out[1] == 64);
	struct ws_route found;
	ws_router_route_lookup(rig_router, 0, ADDRESS(48, 0, 0, 9), &found);
	assert_int_equal(found.path_count, 3);
	assert_int_equal(found.paths[1].weight, 2);
	assert_int_equal(delete_many(PREFIX(48, 0, 0, 0, 8), 1), 1);
}

static void runs_on_its_worker_and_again(void **state)
{
	(void)state;
	struct ws_worker_info info;
	assert_int_equal(ws_router_placement(rig_router, 0, 0), 0);
	assert_int_equal(ws_router_placement(rig_router, 0, 1), -ENODEV);
	assert_int_equal(ws_router_set_placement(rig_router, 0, 0, 1), -ENOENT);
	for (int i = 0; i < 3; i++) {
		uint64_t before = rig_totals().loops;
		assert_int_equal(ws_router_start(rig_router), 0);
		assert_int_equal(ws_router_start(rig_router), -EALREADY);
		assert_int_equal(ws_router_set_placement(rig_router, 0, 0, 0), 0);
		while (rig_totals().loops < before + 10)
			/* Changes that wait for the worker while it runs. */
			for (int change = 0; change < 3; change++) {
				assert_int_equal(add(PREFIX(48, 0, 0, 1, 32), IP(10, 0, 1, 2), true), 0);
				assert_int_equal(delete_many(PREFIX(48, 0, 0, 1, 32), 1), 1);
			}
		assert_int_equal(ws_worker_info(0, &info), 0);
		assert_true(info.thread_id > 0);
		ws_router_stop(rig_router);
		assert_int_equal(ws_worker_info(0, &info), 0);
		assert_int_equal(info.thread_id, 0);
	}
	struct ws_node_stats stats[256];
	int n = ws_router_node_stats(rig_router, 0, stats, 256);
	assert_true(n > 15 && n < 256);
	assert_string_equal(stats[0].name, "dpdk-input");
	assert_int_equal(stats[0].state, WS_NODE_POLLING);
	assert_true(stats[0].calls >= 30);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, reset)
	const struct CMUnitTest tests[] = {
		TEST(adds_replaces_and_deletes),
		TEST(takes_every_prefix_length),
		TEST(refuses_what_makes_no_sense),
		TEST(takes_many_at_once),
		TEST(lists_each_route_once_under_churn),
		TEST(agrees_with_a_plain_list),
		TEST(waits_for_workers_when_it_must),
		TEST(addresses_bring_their_routes),
		TEST(refuses_addresses_that_clash),
		TEST(neighbors_have_host_routes),
		TEST(rewrites_follow_mac_and_mtu),
		TEST(shares_buckets_by_weight),
		TEST(balances_flows),
		TEST(runs_on_its_worker_and_again),
	};
	return RIG_RUN(tests);
}
