/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/node_paths.h"

#include "bench/bench_setup.h"
#include "wire/address.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/ip6.h"
#include "wirespeed/counters.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/neighbors.h"
#include "wirespeed/router.h"
#include "wirespeed/routes.h"

uint32_t route_address(uint32_t i)
{
	uint32_t address = (16u << 24) + (i << 11);
	return address < 127u << 24 ? address : address + (1u << 24);
}

uint8_t route_length(uint32_t i)
{
	static const uint8_t lengths[5] = {24, 23, 24, 22, 24};
	return lengths[i % 5];
}

void make_ip4(uint8_t *header)
{
	static const uint8_t to[6] = {2, 0, 0, 0, 0, 0}, from[6] = {2, 0xaa, 0, 0, 0, 2};
	struct ip4_header *ip = (void *)(header + ETHERNET_LEN);
	ethernet_write(header, to, from, ETHERNET_IP4);
	*ip = (struct ip4_header){
		.version_ihl = 0x45,
		.total_length = htobe16(NODE_RIG_FRAME - ETHERNET_LEN),
		.ttl = 64,
		.protocol = IP4_UDP,
	};
}

void aim_ip4(uint8_t *header, uint32_t route, uint32_t flow)
{
	struct ip4_header *ip = (void *)(header + ETHERNET_LEN);
	ip->source = htobe32((10u << 24 | 2u << 16) + flow);
	ip->destination = htobe32(route_address(route) + 1);
	ip4_set_checksum(ip);
}

void route_address6(uint32_t i, uint8_t *address)
{
	static const uint16_t registries[] = {0x2001, 0x2400, 0x2600, 0x2800, 0x2a00, 0x2c00};
	static const uint16_t sites[8] = {0, 0x0001, 0x1000, 0x2010, 0x8000, 0x9001, 0xa0ff, 0xfff0};
	uint32_t block = i / 8, high = (uint32_t)registries[block % 6] << 16 | (block / 6) << 3;
	memset(address, 0, IP6_ADDRESS_LEN);
	high = htobe32(high);
	memcpy(address, &high, sizeof(high));
	address[4] = (uint8_t)(sites[i % 8] >> 8);
	address[5] = (uint8_t)sites[i % 8];
}

uint8_t route_length6(uint32_t i)
{
	static const uint8_t lengths[8] = {32, 48, 36, 44, 40, 48, 48, 48};
	return lengths[i % 8];
}

static uint32_t route_counts[2]; /* by family, of the router made last */

static struct ws_address host6(uint16_t interface, uint8_t host)
{
	return address_of_ip6((uint8_t[16]){0x20, 1, 0xd, 0xb8, 0xee, (uint8_t)interface, [15] = host});
}

struct ws_router *paths_make_router(uint32_t routes)
{
	struct ws_router_config config = {
		.max_ip4_routes = routes + 1000,
		.max_ip6_routes = MAX_IP6_ROUTES + 1000,
	};
	static const uint8_t host[6] = {2, 0xbb, 0, 0, 0, 2};
	struct ws_router *router = ws_router_create(&config);
	bench_expect(router ? 0 : -1);
	memset(route_counts, 0, sizeof(route_counts));
	ws_router_set_flow_hash_seed(router, 0); /* each run selects the same paths */
	for (uint16_t i = 0; i < 2; i++) {
		struct ws_prefix address = {address_of_ip4(10u << 24 | (uint32_t)i << 8 | 1), 24};
		bench_expect(ws_router_set_mac(router, i, (uint8_t[6]){2, 0, 0, 0, 0, (uint8_t)i}));
		bench_expect(ws_router_set_state(router, i, true));
		bench_expect(ws_router_address_add(router, i, address));
	}
	bench_expect(ws_router_neighbor_add(router, 1, address_of_ip4(10u << 24 | 1 << 8 | 2), host));
	for (uint16_t i = 0; i < 2; i++)
		bench_expect(ws_router_address_add(router, i, (struct ws_prefix){host6(i, 1), 64}));
	for (int i = 2; i < NODE_RIG_PORTS; i++)
		bench_expect(ws_router_set_state(router, (uint16_t)i, true));
	bench_expect(ws_router_neighbor_add(router, 1, host6(1, 2), host));
	return router;
}

void paths_have_routes(struct ws_router *router, bool is_ip6, uint32_t wanted)
{
	struct ws_route route = {.path_count = 1, .paths = {{.interface = -1}}};
	uint32_t before = route_counts[is_ip6], there = before;
	uint64_t start = ws_tsc();
	route.paths[0].next_hop = is_ip6 ? host6(1, 2) : address_of_ip4(10u << 24 | 1 << 8 | 2);
	route.prefix.address.family = is_ip6 ? WS_IP6 : WS_IP4;
	for (; there < wanted; there++) {
		if (is_ip6)
			route_address6(there, route.prefix.address.bytes);
		else
			route.prefix.address = address_of_ip4(route_address(there));
		route.prefix.length = is_ip6 ? route_length6(there) : route_length(there);
		bench_expect(ws_router_route_add(router, &route, false));
	}
	route_counts[is_ip6] = there;
	if (there - before > 1000)
		printf("%u routes added in %.2f s\n", there - before,
			   (double)(ws_tsc() - start) / (double)ws_tsc_hz());
}

static void make_ip6(uint8_t *header)
{
	static const uint8_t to[6] = {2, 0, 0, 0, 0, 0}, from[6] = {2, 0xaa, 0, 0, 0, 2};
	static const uint8_t none[IP6_ADDRESS_LEN];
	ethernet_write(header, to, from, ETHERNET_IP6);
	ip6_write(header + ETHERNET_LEN, NODE_RIG_FRAME - ETHERNET_LEN - IP6_LEN, IP6_UDP, 64, none,
			  none);
}

static void aim_ip6(uint8_t *header, uint32_t route, uint32_t flow)
{
	struct ip6_header *ip = (void *)(header + ETHERNET_LEN);
	memcpy(ip->source, (uint8_t[]){0x20, 1, 0xd, 0xb8, 0xaa}, 5);
	memcpy(ip->source + 12, &flow, sizeof(flow));
	route_address6(route, ip->destination);
	ip->destination[15] = 1;
}

static const char *const ip4_nodes[] = {"ethernet-input", "ip4-input", "ip4-lookup", "ip4-rewrite",
										"e1-output"};
static const char *const ip6_nodes[] = {"ethernet-input", "ip6-input", "ip6-lookup", "ip6-rewrite",
										"e1-output"};

static const struct node_row ip4_rows[] = {
	{10, NODE_SEQUENTIAL, false},
	{10, NODE_RANDOM, true},
	{10, NODE_ZIPF, true},
	{1000, NODE_SEQUENTIAL, true},
	{1000, NODE_RANDOM, true},
	{1000, NODE_ZIPF, true},
	{100000, NODE_SEQUENTIAL, true},
	{100000, NODE_RANDOM, true},
	{100000, NODE_ZIPF, true},
	{MAX_ROUTES, NODE_SEQUENTIAL, true},
	{MAX_ROUTES, NODE_RANDOM, false},
	{MAX_ROUTES, NODE_ZIPF, true},
};
static const struct node_row ip6_rows[] = {
	{10, NODE_SEQUENTIAL, false},
	{10, NODE_RANDOM, true},
	{1000, NODE_RANDOM, true},
	{MAX_IP6_ROUTES, NODE_SEQUENTIAL, true},
	{MAX_IP6_ROUTES, NODE_RANDOM, false},
	{MAX_IP6_ROUTES, NODE_ZIPF, true},
};
static const struct node_row count_rows[] = {
	{10, NODE_SEQUENTIAL, false},
	{MAX_ROUTES, NODE_RANDOM, false},
};

static struct node_path ip4 = {
	.name = "ip4",
	NODE_PATH_NODES(ip4_nodes),
	NODE_PATH_ROWS(ip4_rows),
	.make = make_ip4,
	.aim = aim_ip4,
};
NODE_PATH(ip4)

static struct node_path ip6 = {
	.name = "ip6",
	NODE_PATH_NODES(ip6_nodes),
	NODE_PATH_ROWS(ip6_rows),
	.is_ip6 = true,
	.make = make_ip6,
	.aim = aim_ip6,
};
NODE_PATH(ip6)

/* ip4, while routes and adjacencies count. */
static void count_all(struct ws_router *router)
{
	for (int what = WS_COUNT_ROUTES; what <= WS_COUNT_ADJACENCIES; what++)
		bench_expect(ws_router_set_counting(router, what, true));
}

static struct node_path counting = {
	.name = "count",
	NODE_PATH_NODES(ip4_nodes),
	NODE_PATH_ROWS(count_rows),
	.is_alone = true,
	.make = make_ip4,
	.aim = aim_ip4,
	.prepare = count_all,
};
NODE_PATH(counting)
