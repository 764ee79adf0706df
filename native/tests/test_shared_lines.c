/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No worker stores to a cache line that another worker uses. Both forward equal packets over the
 * same ports, routes and next hops, with separate queues, and count for routes and next hops. The
 * ports are the two ends of a memif with two queues. Packets are routed out of one end and received
 * by the other, until their TTL expires.
 */
#include "tests/cmocka_all.h"
#include "tests/lines_rig.h"
#include "tests/router_rig.h"

#include "dev/pool.h"
#include "dev/port.h"
#include "graph/arc.h"
#include "router/packet/takes.h"
#include "router/worker/features.h"
#include "wire/ethernet.h"
#include "wire/own_count.h"
#include "wirespeed/counters.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/placement.h"
#include "wirespeed/router.h"
#include "wirespeed/routes.h"

#include <rte_mbuf.h>
#include <unistd.h>

enum { PACKETS = 4, FORWARDED = 40 };

static struct ws_router *router;

/* ---- A node that counts for all workers in one word ---- */

static _Alignas(64) uint64_t count_of_all;

static uint16_t shared_count_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	own_count_add(&count_of_all, n);
	graph_enqueue_all(graph, node, 0, packets, n);
	return n;
}

static const char *const shared_count_edges[] = {"ip4-lookup"};
GRAPH_NODE(shared_count, .name = "shared-count-test", .takes = TAKES_PACKET,
		   GRAPH_EDGES(shared_count_edges))
GRAPH_FEATURE(shared_count_feature, .node = "shared-count-test", .arc = "ip4-unicast")

/* ---- The router ---- */

static void make_router(void)
{
	struct ws_router_config config = {
		.max_ip4_routes = 4096, .max_ip6_routes = 4096, .max_neighbors = 64};
	struct ws_route route = {
		.prefix = PREFIX(48, 0, 0, 0, 8),
		.path_count = 1,
		.paths = {{.next_hop = ADDRESS(10, 0, 0, 2), .interface = -1}},
	};
	router = ws_router_create(&config);
	lines_expect(router ? 0 : -1, "router");
	for (uint16_t i = 0; i < (uint16_t)LINES_PORTS; i++) {
		lines_expect(ws_router_set_mac(router, i, rig_mac[i]), "mac");
		lines_expect(ws_router_set_state(router, i, true), "state");
		lines_expect(ws_router_address_add(router, i, PREFIX(10, 0, i, 1, 24)), "address");
		for (uint16_t queue = 0; queue < (uint16_t)LINES_WORKERS; queue++)
			lines_expect(ws_router_set_placement(router, i, queue, queue), "placement");
	}
	lines_expect(
		ws_router_neighbor_add(router, LINES_SERVER, ADDRESS(10, 0, 0, 2), rig_mac[LINES_CLIENT]),
		"host");
	lines_expect(ws_router_route_add(router, &route, false), "route");
	lines_expect(ws_router_set_counting(router, WS_COUNT_ROUTES, true), "counters of routes");
	lines_expect(ws_router_set_counting(router, WS_COUNT_ADJACENCIES, true),
				 "counters of next hops");
}

/* Put packets for the other end into the server's queue `queue`, while no worker is in its graph.
 */
static void put_packets(uint16_t queue)
{
	struct frame frame = frame_udp(IP(16, 0, 0, 7), IP(48, 0, 0, 1), 18);
	ethernet_write(frame.bytes, rig_mac[LINES_CLIENT], rig_mac[LINES_SERVER], ETHERNET_IP4);
	for (int i = 0; i < PACKETS; i++) {
		struct rte_mbuf *packet = rte_pktmbuf_alloc(ports_pool());
		assert_non_null(packet);
		memcpy(rte_pktmbuf_append(packet, (uint16_t)frame.length), frame.bytes, frame.length);
		assert_int_equal(port_transmit(LINES_SERVER, queue, &packet, 1), 1);
	}
}

static uint64_t received(int worker)
{
	return __atomic_load_n(&router->workers[worker]->totals->rx_packets, __ATOMIC_RELAXED);
}

/* Let each worker have packets to receive at time `due`, a TSC. */
static void give_packets(uint64_t due)
{
	router_pause(router);
	for (uint16_t i = 0; i < (uint16_t)LINES_WORKERS; i++) {
		put_packets(i);
		for (uint16_t queue = 0; queue < router->workers[i]->queue_count; queue++)
			router->workers[i]->queues[queue].next_look = due;
	}
	router_resume(router);
}

static void receive_now(void)
{
	for (uint16_t i = 0; i < (uint16_t)LINES_WORKERS; i++)
		for (uint16_t queue = 0; queue < router->workers[i]->queue_count; queue++)
			__atomic_store_n(&router->workers[i]->queues[queue].next_look, 0, __ATOMIC_RELAXED);
}

static void wait_for(const uint64_t *before, uint64_t count)
{
	for (int i = 0; i < LINES_WORKERS; i++)
		while (received(i) < before[i] + count)
			usleep(10000);
}

static void wait_for_loops(void)
{
	for (int i = 0; i < LINES_WORKERS; i++) {
		const uint64_t *loops = &router->workers[i]->totals->loops;
		uint64_t before = own_count_read(loops);
		while (own_count_read(loops) == before)
			usleep(1000);
	}
}

/*
 * Forward under the watch; returns the number of shared lines. Workers have forwarded before, so
 * that they have buffers in their caches, and have left the pause: both store to shared lines.
 */
static int watch_workers(struct shared_line *found)
{
	pid_t threads[LINES_WORKERS];
	uint64_t before[LINES_WORKERS] = {0};
	lines_expect(ws_router_start(router), "start");
	give_packets(0);
	wait_for(before, FORWARDED);
	lines_threads(threads);
	give_packets(UINT64_MAX);
	wait_for_loops();
	for (int i = 0; i < LINES_WORKERS; i++)
		before[i] = received(i);
	line_watch_begin(threads, LINES_WORKERS);
	receive_now();
	wait_for(before, FORWARDED);
	line_watch_end();
	ws_router_stop(router);
	return lines_shared(found);
}

static int start(void **state)
{
	(void)state;
	make_router();
	return 0;
}

static int stop(void **state)
{
	(void)state;
	ws_router_destroy(router);
	return 0;
}

static void workers_store_to_no_line_that_another_one_uses(void **state)
{
	struct shared_line found[LINES_SHOWN];
	(void)state;
	assert_int_equal(watch_workers(found), 0);
}

static void a_counter_of_several_workers_is_found(void **state)
{
	struct shared_line found[LINES_SHOWN];
	(void)state;
	lines_expect(features_set(router, "shared-count-test", NO_PORT, true), "feature");
	assert_int_equal(watch_workers(found), 1);
	assert_int_equal(found[0].line, (uintptr_t)&count_of_all);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(workers_store_to_no_line_that_another_one_uses),
		TEST(a_counter_of_several_workers_is_found),
	};
	lines_open();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	lines_close();
	return failed;
}
