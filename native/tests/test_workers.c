/* SPDX-License-Identifier: Apache-2.0 */
/* A running worker: what it holds while it is quiescent, and what it takes over between two walks.
 */
#include "dev/pool.h"
#include "dev/port.h"
#include "dev/rcu.h"
#include "router/interface/interface_make.h"
#include "router/interface/interface_settings.h"
#include "tests/failing_graphs.h"
#include "tests/rig_tests.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wirespeed/ports.h"
#include "wirespeed/router.h"
#include "wirespeed/routes.h"
#include "wirespeed/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { FAR = 2, BURST = 32 };
static const uint32_t client = IP(16, 0, 0, 7), server = IP(48, 0, 0, 1);

static struct router_worker *worker(void)
{
	return rig_router->workers[0];
}

/* The far ends of the wires belong to the test: the router has no interfaces for them. */
static int start(void **state)
{
	(void)state;
	rig_reset();
	while (rig_take(1).length)
		;
	struct ws_route route = {
		.prefix = PREFIX(48, 0, 0, 0, 8),
		.path_count = 1,
		.paths = {{.next_hop = ADDRESS(10, 0, 1, 2), .interface = -1}},
	};
	if (ws_router_neighbor_add(rig_router, 1, ADDRESS(10, 0, 1, 2), rig_host[1]) ||
		ws_router_route_add(rig_router, &route, false))
		return -1;
	for (uint16_t far = FAR; far < 2 * FAR; far++)
		interface_free(rig_router, far);
	return ws_router_start(rig_router);
}

static int stop(void **state)
{
	(void)state;
	ws_router_stop(rig_router);
	return 0;
}

/* ---- Packets made by nodes are sent before the worker is quiescent */

static uint16_t waiting_when_parked;
static volatile bool has_cut;

/* On the worker: another thread requests a pause just after fragments were made. */
static void pause_at_fragments(struct graph *graph, struct graph_node *node, void **packets,
							   uint16_t n)
{
	(void)packets, (void)n;
	if (strcmp(node->name, "ip4-frag") != 0)
		return;
	__atomic_store_n(&router_of(graph)->paused, true, __ATOMIC_RELEASE);
	__atomic_store_n(&has_cut, true, __ATOMIC_RELEASE);
}

static void send_one(const struct frame *frame)
{
	struct rte_mbuf *packet = rte_pktmbuf_alloc(ports_pool());
	assert_non_null(packet);
	memcpy(rte_pktmbuf_append(packet, (uint16_t)frame->length), frame->bytes, frame->length);
	assert_int_equal(port_transmit(FAR, 0, &packet, 1), 1);
}

static struct frame wait_for_frame(void)
{
	struct frame frame;
	while (!(frame = rig_take(1)).length)
		sched_yield();
	return frame;
}

static void fragments_keep_no_adjacency_over_a_quiescent_state(void **state)
{
	(void)state;
	struct frame frame = frame_udp(client, server, 1000);
	assert_int_equal(ws_router_set_mtu(rig_router, 1, 300), 0);
	has_cut = false;
	graph_set_trace(worker()->graph, pause_at_fragments);
	send_one(&frame);
	while (!__atomic_load_n(&has_cut, __ATOMIC_ACQUIRE))
		sched_yield();
	router_pause(rig_router);
	waiting_when_parked = (uint16_t)(worker()->recirculate.tail - worker()->recirculate.head);
	graph_set_trace(worker()->graph, NULL);
	/* The fragments' adjacency now belongs to another neighbour. */
	assert_int_equal(
		ws_router_route_del_many(rig_router, 0, PREFIX(48, 0, 0, 0, 8), WS_SOURCE_STATIC, 1), 1);
	assert_int_equal(ws_router_neighbor_del(rig_router, 1, ADDRESS(10, 0, 1, 2)), 0);
	assert_int_equal(
		ws_router_neighbor_add(rig_router, 1, ADDRESS(10, 0, 1, 9), (uint8_t[]){2, 9, 9, 9, 9, 9}),
		0);
	router_resume(rig_router);
	assert_int_equal(waiting_when_parked, 0);
	for (size_t payload = 0; payload < 1008;) {
		struct frame part = wait_for_frame();
		assert_memory_equal(part.bytes, rig_host[1], ETHERNET_ADDRESS_LEN);
		payload += part.length - ETHERNET_LEN - IP4_LEN;
	}
}

/* ---- Ports are added and deleted under traffic */

static volatile bool is_over;
static uint64_t sent, came_back;

/* So few are in flight that no ring can overflow: a missing packet was lost. */
static void *pump(void *argument)
{
	struct frame frame = frame_udp(client, server, 18);
	(void)argument;
	for (sent = came_back = 0; !is_over || came_back < sent;) {
		struct rte_mbuf *packets[BURST];
		uint16_t n = is_over || sent - came_back > 8 * BURST ? 0 : BURST;
		if (n && rte_pktmbuf_alloc_bulk(ports_pool(), packets, n))
			n = 0;
		for (uint16_t i = 0; i < n; i++)
			memcpy(rte_pktmbuf_append(packets[i], (uint16_t)frame.length), frame.bytes,
				   frame.length);
		uint16_t taken = n ? port_transmit(FAR, 0, packets, n) : 0;
		rte_pktmbuf_free_bulk(packets + taken, n - taken);
		sent += taken;
		n = port_receive(FAR + 1, 0, packets, BURST);
		rte_pktmbuf_free_bulk(packets, n);
		__atomic_store_n(&came_back, came_back + n, __ATOMIC_RELAXED);
		if (!n)
			sched_yield();
		/* Drops show which packets are lost for good. */
		if (is_over && rig_totals().drops)
			break;
	}
	return NULL;
}

static void wait_for_traffic(void)
{
	uint64_t seen = __atomic_load_n(&came_back, __ATOMIC_RELAXED);
	while (__atomic_load_n(&came_back, __ATOMIC_RELAXED) < seen + 2 * BURST)
		sched_yield();
}

static struct ws_port_config further_port(void)
{
	struct ws_port_config config = {
		.name = "e9",
		.devargs = "ring:further",
		.rx_queues = 1,
		.tx_queues = 1,
		.rx_descriptors = 1024,
		.tx_descriptors = 1024,
		.mtu = 1500,
	};
	return config;
}

static void interfaces_come_and_go_without_stopping_others(void **state)
{
	(void)state;
	enum { ROUNDS = 25 };
	const struct ws_port_config config = further_port();
	pthread_t thread;
	is_over = false;
	assert_int_equal(pthread_create(&thread, NULL, pump, NULL), 0);
	wait_for_traffic();
	for (int round = 0; round < ROUNDS; round++) {
		int port = ws_router_port_add(rig_router, &config);
		assert_true(port >= 0);
		int loopback = ws_router_loopback_add(rig_router, 5, NULL);
		assert_true(loopback >= 0);
		const struct ws_subinterface sub = {.id = 7, .outer = 7, .exact = true};
		int index = ws_router_subinterface_add(rig_router, (uint16_t)port, &sub);
		assert_true(index >= 0);
		wait_for_traffic();
		assert_int_equal(worker()->queue_count, 3);
		assert_int_equal(ws_router_interface_delete(rig_router, (uint16_t)index), 0);
		assert_int_equal(ws_router_interface_delete(rig_router, (uint16_t)loopback), 0);
		assert_int_equal(ws_router_interface_delete(rig_router, (uint16_t)port), 0);
		assert_int_equal(worker()->queue_count, 2);
		ws_router_poll(rig_router);
	}
	is_over = true;
	pthread_join(thread, NULL);
	assert_int_equal(came_back, sent);
	assert_int_equal(rig_totals().drops, 0);
	/* It polls without rest, so only a pause would count. */
	assert_int_equal(worker()->totals->rest_clocks, 0);
}

/* ---- Graphs that cannot be made */

static void a_graph_that_cannot_be_made_changes_nothing(void **state)
{
	(void)state;
	const struct ws_port_config config = further_port();
	let_graphs_fail(true);
	assert_int_equal(ws_router_port_add(rig_router, &config), -EINVAL);
	assert_non_null(strstr(ws_error(), "cannot be made"));
	assert_int_equal(worker()->queue_count, 2);
	let_graphs_fail(false);
	int port = ws_router_port_add(rig_router, &config);
	assert_true(port >= 0);
	assert_int_equal(worker()->queue_count, 3);
	/* A port whose deletion fails stays, with its queue, and can be deleted later. */
	let_graphs_fail(true);
	assert_int_equal(ws_router_interface_delete(rig_router, (uint16_t)port), -EINVAL);
	assert_string_equal(interface_name(rig_router, (uint16_t)port), "e9");
	assert_int_equal(worker()->queue_count, 3);
	let_graphs_fail(false);
	assert_int_equal(ws_router_interface_delete(rig_router, (uint16_t)port), 0);
	assert_int_equal(worker()->queue_count, 2);
	/* Traffic continues as before. */
	struct frame frame = frame_udp(client, server, 18);
	send_one(&frame);
	assert_int_equal(wait_for_frame().length, frame.length);
}

/* ---- Paced polling */

/* Delay the poll of all queues until `due`, a TSC; `is_on`: the worker waits for that outside of
 * its graph. */
static void pace(bool is_on, uint64_t due)
{
	router_pause(rig_router);
	worker()->pace.is_on = is_on;
	worker()->pace.window_ends = UINT64_MAX;
	for (uint16_t i = 0; i < worker()->queue_count; i++)
		worker()->queues[i].next_look = due;
	router_resume(rig_router);
}

static void wait_for_loops(uint64_t count)
{
	uint64_t until = __atomic_load_n(&worker()->totals->loops, __ATOMIC_RELAXED) + count;
	while (__atomic_load_n(&worker()->totals->loops, __ATOMIC_RELAXED) < until)
		sched_yield();
}

static void a_queue_is_left_alone_until_it_is_due(void **state)
{
	(void)state;
	struct frame frame = frame_udp(client, server, 18);
	pace(false, UINT64_MAX);
	send_one(&frame);
	wait_for_loops(1000);
	assert_int_equal(rig_take(1).length, 0);
	pace(false, 0);
	assert_int_equal(wait_for_frame().length, frame.length);
}

static void a_worker_that_waits_for_more_serves_the_main_thread(void **state)
{
	(void)state;
	struct frame frame = frame_udp(client, server, 18);
	pace(true, UINT64_MAX);
	send_one(&frame);
	uint64_t idle_before = worker()->totals->idle_clocks;
	/* Each pause wakes it for one walk. */
	for (int i = 0; i < 100; i++) {
		router_pause(rig_router);
		router_resume(rig_router);
	}
	assert_int_equal(rig_take(1).length, 0);
	pace(true, 0);
	assert_int_equal(wait_for_frame().length, frame.length);
	wait_for_loops(1);
	assert_true(worker()->totals->idle_clocks > idle_before);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(fragments_keep_no_adjacency_over_a_quiescent_state),
		TEST(interfaces_come_and_go_without_stopping_others),
		TEST(a_graph_that_cannot_be_made_changes_nothing),
		TEST(a_queue_is_left_alone_until_it_is_due),
		TEST(a_worker_that_waits_for_more_serves_the_main_thread),
	};
	return RIG_RUN(tests);
}
