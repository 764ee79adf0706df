/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a packet costs in the router's nodes, without I/O: TSC ticks by node, at several vector
 * sizes.
 *
 *     bench_nodes [MARCH]
 *
 * The real router and its graph; only the source and <if>-tx are the bench's own. The source
 * restores each packet's headers, which leaves them in the cache as a receiving driver would.
 * Medians of rounds; the sums are those of ethernet-input up to e1-output.
 */
#include "bench/bench_setup.h"
#include "dev/port.h"
#include "router/router.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PACKETS = 512, /* as many as a pool's cache hands out again and again */
	FRAME_LEN = 60,
	ROUNDS = 201,
	PACKETS_A_ROUND = 1 << 13, /* short ones, so that a neighbour on the CPU spoils few */
	MANY_ROUTES = 1000000,
};

static struct rte_mbuf *packets[PACKETS];
static uint8_t header[64];
static uint16_t vector, next_packet;
static uint32_t first_destination, destinations; /* /24s to choose from */

static uint32_t random_destination(void)
{
	static uint64_t state = 1;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return first_destination + ((uint32_t)((state >> 32) * destinations >> 32) << 8) + 1;
}

static uint16_t bench_input_process(struct graph *graph, struct graph_node *node, void **frame,
									uint16_t n)
{
	n = vector;
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[next_packet];
		packet->data_off = RTE_PKTMBUF_HEADROOM;
		packet->data_len = FRAME_LEN;
		packet->pkt_len = FRAME_LEN;
		packet->port = 0;
		memcpy(rte_pktmbuf_mtod(packet, void *), header, sizeof(header));
		struct ip4_header *ip = rte_pktmbuf_mtod_offset(packet, void *, ETHERNET_LEN);
		ip->destination = htobe32(random_destination());
		ip4_set_checksum(ip);
		frame[i] = packet;
		next_packet = (next_packet + 1) % PACKETS;
	}
	graph_enqueue_all(graph, node, 0, frame, n);
	return n;
}

static const char *const bench_input_edges[] = {"ethernet-input"};
static struct graph_registration bench_input = {
	.name = "bench-input",
	.process = bench_input_process,
	.is_source = true,
	.edge_count = 1,
	.edges = bench_input_edges,
};

static uint16_t bench_tx_process(struct graph *graph, struct graph_node *node, void **frame,
								 uint16_t n)
{
	(void)graph;
	(void)node;
	(void)frame;
	return n;
}

static struct graph_registration bench_tx = {.name = "%-tx", .process = bench_tx_process};

static void make_header(void)
{
	static const uint8_t to[6] = {2, 0, 0, 0, 0, 0}, from[6] = {2, 0xaa, 0, 0, 0, 2};
	struct ip4_header *ip = (void *)(header + ETHERNET_LEN);
	ethernet_write(header, to, from, ETHERNET_IP4);
	*ip = (struct ip4_header){
		.version_ihl = 0x45,
		.total_length = htobe16(FRAME_LEN - ETHERNET_LEN),
		.ttl = 64,
		.protocol = IP4_UDP,
		.source = htobe32(10u << 24 | 2),
	};
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values)
{
	qsort(values, ROUNDS, sizeof(*values), compare);
	return values[ROUNDS / 2];
}

static const char *const ip4_path[] = {"ethernet-input", "ip4-input", "ip4-lookup", "ip4-rewrite",
									   "e1-output"};
static const char *const l2_path[] = {"ethernet-input", "l2-input", "l2-output", "e1-output"};

static void measure(struct graph *graph, const char *title, const char *const *path, int length)
{
	static const uint16_t vectors[] = {1, 4, 32, 256};
	printf("%s\n", title);
	for (int v = 0; v < 4; v++) {
		double ticks[8][ROUNDS], sum[ROUNDS] = {0};
		vector = vectors[v];
		for (int round = 0; round < ROUNDS; round++) {
			for (int i = 0; i < length; i++)
				graph_node(graph, path[i])->stats.clocks = 0;
			for (int done = 0; done < PACKETS_A_ROUND; done += vector)
				graph_walk(graph);
			for (int i = 0; i < length; i++) {
				double clocks = (double)graph_node(graph, path[i])->stats.clocks;
				ticks[i][round] = clocks / PACKETS_A_ROUND;
				sum[round] += ticks[i][round];
			}
		}
		printf("  vector %3u: %6.1f ticks/packet:", vector, median(sum));
		for (int i = 0; i < length; i++)
			printf(" %s %.1f", path[i], median(ticks[i]));
		printf("\n");
	}
}

static struct ws_router *make_router(void)
{
	struct ws_router_config config = {.max_ip4_routes = MANY_ROUTES + 1000};
	static const uint8_t host[6] = {2, 0xbb, 0, 0, 0, 2};
	struct ws_router *router = ws_router_create(&config);
	bench_expect(router ? 0 : -1);
	for (uint16_t i = 0; i < 2; i++) {
		struct ws_ip4_prefix address = {10u << 24 | (uint32_t)i << 8 | 1, 24};
		memcpy(router->interfaces[i].mac, (uint8_t[6]){2, 0, 0, 0, 0, (uint8_t)i}, 6);
		bench_expect(ws_router_set_state(router, i, true));
		bench_expect(ws_router_address_add(router, i, address));
	}
	bench_expect(ws_router_neighbor_add(router, 1, 10u << 24 | 1 << 8 | 2, host));
	return router;
}

static void add_routes(struct ws_router *router, uint32_t first, uint32_t count)
{
	struct ws_route route = {
		.prefix = {first, 24},
		.path_count = 1,
		.paths = {{.next_hop = 10u << 24 | 1 << 8 | 2, .interface = -1}},
	};
	uint64_t start = ws_tsc();
	bench_expect((int)ws_router_route_add_many(router, &route, count, false));
	if (count > 1000)
		printf("%u routes added in %.2f s\n", count,
			   (double)(ws_tsc() - start) / (double)ws_tsc_hz());
}

int main(int argc, char **argv)
{
	static const char *const sources[] = {"bench-input"}, *const interfaces[] = {"e0", "e1"};
	char why[128];
	bench_start(argc > 1 ? atoi(argv[1]) : 0, 1024);
	struct ws_port_config ports[2] = {
		{.name = "e0", .devargs = "ring:bench", .rx_queues = 1, .tx_queues = 1, .mtu = 1500},
		{.name = "e1", .devargs = "ring:bench", .rx_queues = 1, .tx_queues = 1, .mtu = 1500},
	};
	bench_expect(ws_ports_open(ports, 2));
	struct ws_router *router = make_router();
	/* In front of the router's own of the same level. */
	bench_input.march = bench_tx.march = ws_march();
	graph_register(&bench_input);
	graph_register(&bench_tx);
	struct graph_config config = {
		.sources = sources,
		.source_count = 1,
		.interfaces = interfaces,
		.interface_count = 2,
		.march = ws_march(),
		.app = router,
	};
	struct graph *graph = graph_create(&config, why, sizeof(why));
	struct rte_mempool *pool = pool_create("bench", PACKETS + 1024, 64);
	for (int i = 0; i < PACKETS; i++) {
		packets[i] = rte_pktmbuf_alloc(pool);
		bench_expect(packets[i] && graph ? 0 : -1);
	}
	make_header();
	printf("x86-64-v%d, TSC %.3f GHz\n", ws_march(), (double)ws_tsc_hz() / 1e9);
	first_destination = 48u << 24;
	destinations = 1;
	add_routes(router, first_destination, 10);
	measure(graph, "ip4, ten routes, one flow", ip4_path, 5);
	first_destination = 60u << 24;
	destinations = MANY_ROUTES;
	add_routes(router, first_destination, MANY_ROUTES);
	measure(graph, "ip4, a million /24 routes, random destinations", ip4_path, 5);
	bench_expect(ws_router_set_xconnect(router, 0, 1));
	measure(graph, "l2 cross-connect", l2_path, 4);
	graph_destroy(graph);
	ws_router_destroy(router);
	ws_runtime_close();
	return 0;
}
