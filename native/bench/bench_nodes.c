/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a packet costs in the router's nodes, without I/O: TSC ticks by path, routes, order of
 * destinations and vector size, and by node at vectors of 256.
 *
 *     bench_nodes [--march LEVEL] [--path NAME] [--routes N] [--quick]
 *     bench_nodes --once PACKETS --path NAME --routes N [--vector N]
 *
 * The real router and its graph; only the source and <if>-tx are the bench's own. Medians of
 * rounds. --once takes PACKETS through and measures nothing: for a profiler.
 */
#include "bench/bench_setup.h"
#include "bench/node_rig.h"
#include "wire/address.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/ip6.h"
#include "wire/mpls.h"

#include <getopt.h>
#include <string.h>

enum {
	ROUNDS = 101,
	PACKETS_A_ROUND = 1 << 13, /* short ones, so that a neighbour on the CPU spoils few */
	MAX_ROUTES = 1000000,
	MAX_IP6_ROUTES = 200000,
	MAX_NODES = 12,
	LABEL_IN = 16,
	LABEL_OUT = 17,
};

struct options {
	int march;
	const char *path;
	uint32_t routes;
	uint16_t vector;
	uint32_t once;
	bool quick;
};

/* ---- Paths ---- */

/*
 * Route i: eight /24s apart, so that a million of them lie in half of the addresses, as those of
 * the Internet do; three of five are /24s, the others /23s and /22s.
 */
static uint32_t route_address(uint32_t i)
{
	uint32_t address = (16u << 24) + (i << 11);
	return address < 127u << 24 ? address : address + (1u << 24);
}

static uint8_t route_length(uint32_t i)
{
	static const uint8_t lengths[5] = {24, 23, 24, 22, 24};
	return lengths[i % 5];
}

static void make_ip4(uint8_t *header)
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

static void aim_ip4(uint8_t *header, uint32_t route, uint32_t flow)
{
	struct ip4_header *ip = (void *)(header + ETHERNET_LEN);
	ip->source = htobe32((10u << 24 | 2u << 16) + flow);
	ip->destination = htobe32(route_address(route) + 1);
	ip4_set_checksum(ip);
}

/*
 * Route i of IPv6: eight for each /32, those spread over the /12s that registries give out of; half
 * of them /48s, as in the Internet.
 */
static void route_address6(uint32_t i, uint8_t *address)
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

static uint8_t route_length6(uint32_t i)
{
	static const uint8_t lengths[8] = {32, 48, 36, 44, 40, 48, 48, 48};
	return lengths[i % 8];
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

/* A label at the bottom of the stack, for one that takes its place. */
static void make_mpls(uint8_t *header)
{
	make_ip4(header);
	header[12] = ETHERNET_MPLS >> 8;
	header[13] = ETHERNET_MPLS & 0xff;
	memmove(header + ETHERNET_LEN + MPLS_LEN, header + ETHERNET_LEN, IP4_LEN);
	mpls_store(header + ETHERNET_LEN, LABEL_IN << MPLS_LABEL_SHIFT | MPLS_BOTTOM | 64);
}

static const char *const ip4_nodes[] = {"ethernet-input", "ip4-input", "ip4-lookup", "ip4-rewrite",
										"e1-output"};
static const char *const ip6_nodes[] = {"ethernet-input", "ip6-input", "ip6-lookup", "ip6-rewrite",
										"e1-output"};
static const char *const mpls_nodes[] = {"ethernet-input", "mpls-input",
										 "mpls-lookup",    "mpls-label-imposition-uniform",
										 "mpls-output",    "e1-output"};
static const char *const l2_nodes[] = {"ethernet-input", "l2-input", "l2-output", "e1-output"};

static const struct node_path ip4 = {"ip4", ip4_nodes, 5, make_ip4, aim_ip4};
static const struct node_path ip6 = {"ip6", ip6_nodes, 5, make_ip6, aim_ip6};
static const struct node_path mpls = {"mpls", mpls_nodes, 6, make_mpls, NULL};
static const struct node_path l2xc = {"l2xc", l2_nodes, 4, make_ip4, NULL};

/* ---- Measuring ---- */

static double median(double *values)
{
	return bench_quantile(values, ROUNDS, 0.5);
}

/* Ticks a packet of the whole path; those of node i go to nodes[i]. */
static double measure(struct graph *graph, const struct node_path *path, uint16_t vector,
					  double *nodes)
{
	static double ticks[MAX_NODES][ROUNDS], sum[ROUNDS];
	memset(sum, 0, sizeof(sum));
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < path->length; i++)
			graph_node(graph, path->nodes[i])->stats->clocks = 0;
		node_rig_walk(graph, vector, PACKETS_A_ROUND);
		for (int i = 0; i < path->length; i++) {
			double clocks = (double)graph_node(graph, path->nodes[i])->stats->clocks;
			ticks[i][round] = clocks / PACKETS_A_ROUND;
			sum[round] += ticks[i][round];
		}
	}
	for (int i = 0; i < path->length; i++)
		nodes[i] = median(ticks[i]);
	return median(sum);
}

static void show_row(struct graph *graph, const struct node_path *path, uint32_t routes,
					 enum node_pattern pattern)
{
	static const uint16_t vectors[] = {1, 4, 32, 256};
	double nodes[MAX_NODES];
	node_rig_aim(path, routes, pattern);
	printf("%-6s %8u %-10s ", path->name, routes, path->aim ? node_pattern_names[pattern] : "–");
	for (int v = 0; v < 4; v++)
		printf(" %7.1f", measure(graph, path, vectors[v], nodes));
	printf("  ");
	for (int i = 0; i < path->length; i++)
		printf(" %s %.1f", path->nodes[i], nodes[i]);
	printf("\n");
	fflush(stdout);
}

/* ---- The router ---- */

static struct ws_address host6(uint16_t interface, uint8_t host)
{
	return address_of_ip6((uint8_t[16]){0x20, 1, 0xd, 0xb8, 0xee, (uint8_t)interface, [15] = host});
}

static struct ws_router *make_router(uint32_t routes)
{
	struct ws_router_config config = {
		.max_ip4_routes = routes + 1000,
		.max_ip6_routes = MAX_IP6_ROUTES + 1000,
	};
	static const uint8_t host[6] = {2, 0xbb, 0, 0, 0, 2};
	struct ws_router *router = ws_router_create(&config);
	bench_expect(router ? 0 : -1);
	for (uint16_t i = 0; i < 2; i++) {
		struct ws_prefix address = {address_of_ip4(10u << 24 | (uint32_t)i << 8 | 1), 24};
		bench_expect(ws_router_set_mac(router, i, (uint8_t[6]){2, 0, 0, 0, 0, (uint8_t)i}));
		bench_expect(ws_router_set_state(router, i, true));
		bench_expect(ws_router_address_add(router, i, address));
	}
	bench_expect(ws_router_neighbor_add(router, 1, address_of_ip4(10u << 24 | 1 << 8 | 2), host));
	for (uint16_t i = 0; i < 2; i++)
		bench_expect(ws_router_address_add(router, i, (struct ws_prefix){host6(i, 1), 64}));
	bench_expect(ws_router_neighbor_add(router, 1, host6(1, 2), host));
	return router;
}

/* Have the first `wanted` of the family's routes. */
static void have_routes(struct ws_router *router, bool is_ip6, uint32_t wanted)
{
	static uint32_t counts[2];
	struct ws_route route = {.path_count = 1, .paths = {{.interface = -1}}};
	uint32_t before = counts[is_ip6], there = before;
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
	counts[is_ip6] = there;
	if (there - before > 1000)
		printf("%u routes added in %.2f s\n", there - before,
			   (double)(ws_tsc() - start) / (double)ws_tsc_hz());
}

static void set_up(struct ws_router *router, const struct node_path *path, uint32_t routes)
{
	struct ws_mpls_route swap = {
		.label = LABEL_IN,
		.bottom = true,
		.payload = WS_IP4,
		.path_count = 1,
		.paths = {{.next_hop = address_of_ip4(10u << 24 | 1 << 8 | 2),
				   .interface = 1,
				   .label_count = 1,
				   .labels = {LABEL_OUT}}},
	};
	have_routes(router, path == &ip6, routes);
	if (path == &mpls) {
		bench_expect(ws_router_mpls_table_add(router));
		bench_expect(ws_router_set_mpls(router, 0, true));
		bench_expect(ws_router_mpls_route_set(router, &swap));
	}
	if (path == &l2xc)
		bench_expect(ws_router_set_xconnect(router, 0, 1));
}

struct row {
	const struct node_path *path;
	uint32_t routes;
	enum node_pattern pattern;
	bool quick;
};

static const struct row rows[] = {
	{&ip4, 10, NODE_SEQUENTIAL, true},
	{&ip4, 10, NODE_RANDOM, false},
	{&ip4, 10, NODE_ZIPF, false},
	{&ip4, 1000, NODE_SEQUENTIAL, false},
	{&ip4, 1000, NODE_RANDOM, false},
	{&ip4, 1000, NODE_ZIPF, false},
	{&ip4, 100000, NODE_SEQUENTIAL, false},
	{&ip4, 100000, NODE_RANDOM, false},
	{&ip4, 100000, NODE_ZIPF, false},
	{&ip4, MAX_ROUTES, NODE_SEQUENTIAL, false},
	{&ip4, MAX_ROUTES, NODE_RANDOM, true},
	{&ip4, MAX_ROUTES, NODE_ZIPF, false},
	{&ip6, 10, NODE_SEQUENTIAL, true},
	{&ip6, 10, NODE_RANDOM, false},
	{&ip6, 1000, NODE_RANDOM, false},
	{&ip6, MAX_IP6_ROUTES, NODE_SEQUENTIAL, false},
	{&ip6, MAX_IP6_ROUTES, NODE_RANDOM, true},
	{&ip6, MAX_IP6_ROUTES, NODE_ZIPF, false},
	{&mpls, 10, NODE_SEQUENTIAL, true},
	{&l2xc, 10, NODE_SEQUENTIAL, true},
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static bool is_wanted(const struct row *row, const struct options *options)
{
	return (!options->path || !strcmp(options->path, row->path->name)) &&
		   (!options->routes || options->routes == row->routes) && (row->quick || !options->quick);
}

static int run_once(struct ws_router *router, struct graph *graph, const struct options *options)
{
	for (int i = 0; i < ROWS; i++)
		if (is_wanted(&rows[i], options)) {
			set_up(router, rows[i].path, rows[i].routes);
			node_rig_aim(rows[i].path, rows[i].routes, rows[i].pattern);
			node_rig_walk(graph, options->vector, options->once);
			return 0;
		}
	fprintf(stderr, "bench_nodes: no row has this --path and --routes\n");
	return 2;
}

static void run_all(struct ws_router *router, struct graph *graph, const struct options *options)
{
	printf("x86-64-v%d, TSC %.3f GHz; ticks a packet by vector size\n", ws_march(),
		   (double)ws_tsc_hz() / 1e9);
	printf("%-6s %8s %-10s  %7d %7d %7d %7d   by node at 256\n", "path", "routes", "order", 1, 4,
		   32, 256);
	for (int i = 0; i < ROWS; i++)
		if (is_wanted(&rows[i], options)) {
			set_up(router, rows[i].path, rows[i].routes);
			show_row(graph, rows[i].path, rows[i].routes, rows[i].pattern);
		}
}

static bool parse(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{"march", required_argument, NULL, 'm'},
		{"path", required_argument, NULL, 'p'},
		{"routes", required_argument, NULL, 'r'},
		{"vector", required_argument, NULL, 'v'},
		{"once", required_argument, NULL, 'o'},
		{"quick", no_argument, NULL, 'q'},
		{0},
	};
	*options = (struct options){.vector = GRAPH_FRAME_SIZE};
	for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;)
		switch (option) {
		case 'm':
			options->march = atoi(optarg);
			break;
		case 'p':
			options->path = optarg;
			break;
		case 'r':
			options->routes = (uint32_t)atoi(optarg);
			break;
		case 'v':
			options->vector = (uint16_t)atoi(optarg);
			break;
		case 'o':
			options->once = (uint32_t)atoi(optarg);
			break;
		case 'q':
			options->quick = true;
			break;
		default:
			return false;
		}
	return optind == argc && options->vector >= 1 && options->vector <= GRAPH_FRAME_SIZE;
}

int main(int argc, char **argv)
{
	struct options options;
	if (!parse(argc, argv, &options))
		return 2;
	bench_start(options.march, 1024);
	struct ws_port_config ports[2] = {
		{.name = "e0", .devargs = "ring:bench", .rx_queues = 1, .tx_queues = 1, .mtu = 1500},
		{.name = "e1", .devargs = "ring:bench", .rx_queues = 1, .tx_queues = 1, .mtu = 1500},
	};
	bench_expect(ws_ports_open(ports, 2));
	struct ws_router *router = make_router(options.routes ? options.routes : MAX_ROUTES);
	struct graph *graph = node_rig_make(router);
	int result = 0;
	if (options.once)
		result = run_once(router, graph, &options);
	else
		run_all(router, graph, &options);
	graph_destroy(graph);
	ws_router_destroy(router);
	ws_runtime_close();
	return result;
}
