/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No worker stores to a cache line that another worker uses, on any path of bench_nodes: those of
 * the trunk and those of features. Both workers forward over the same ports, routes and next hops,
 * with separate queues and flows. A node on every path counts for both workers in one word, which
 * shows that the test finds such a line.
 *
 * Ports e0 to e7 are ends of memifs, servers and clients in turn. The test has the other ends.
 *
 *     test_shared_lines [PATH …]
 */
#include "bench/node_paths.h"
#include "tests/cmocka_all.h"
#include "tests/lines_rig.h"

#include "dev/pool.h"
#include "dev/port.h"
#include "graph/arc.h"
#include "router/packet/takes.h"
#include "router/worker/features.h"
#include "router/worker/handoff.h"
#include "wire/own_count.h"
#include "wirespeed/placement.h"
#include "wirespeed/router.h"

#include <rte_mbuf.h>
#include <rte_ring.h>
#include <unistd.h>

enum { ROUTES = 10, BURST = 6, BURSTS = 4, MOST_PATHS = 64 };
#define FAR(port) ((uint16_t)((port) + NODE_RIG_PORTS))

static struct ws_router *router;

/* ---- A node that counts for all workers in one word, and a source that makes walks few ---- */

static _Alignas(64) uint64_t count_of_all;

static uint16_t shared_count_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	own_count_add(&count_of_all, n);
	graph_enqueue_all(graph, node, 0, packets, n);
	return n;
}

/* A walk is slow under the watch, and most walks receive nothing. */
static uint16_t slow_walk_process(struct graph *graph, struct graph_node *node, void **packets,
								  uint16_t n)
{
	(void)graph, (void)node, (void)packets, (void)n;
	usleep(1000);
	return 0;
}

static const char *const shared_count_edges[] = {"ethernet-input"};
GRAPH_NODE(shared_count, .name = "shared-count-test", .takes = TAKES_FRAME,
		   GRAPH_EDGES(shared_count_edges))
GRAPH_NODE(slow_walk, .name = "slow-walk-test", .takes = TAKES_FRAME, .is_source = true,
		   GRAPH_EDGES(shared_count_edges))
GRAPH_FEATURE(shared_count_feature, .node = "shared-count-test", .arc = "device-input",
			  .source = "slow-walk-test")

/* ---- Packets ---- */

static struct rte_mbuf *make_packet(const struct node_path *path, uint32_t flow)
{
	uint16_t length = path->frame ? path->frame : NODE_RIG_FRAME;
	uint8_t header[NODE_RIG_HEADER] = {0};
	struct rte_mbuf *packet = rte_pktmbuf_alloc(ports_pool());
	assert_non_null(packet);
	path->make(header);
	if (path->aim)
		path->aim(header, flow % ROUTES, flow);
	memcpy(rte_pktmbuf_append(packet, length), header, length);
	return packet;
}

static uint64_t count_sent(void)
{
	uint64_t count = 0;
	for (int i = 0; i < LINES_WORKERS; i++)
		count += __atomic_load_n(&router->workers[i]->totals->tx_packets, __ATOMIC_RELAXED);
	return count;
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

/* Put packets of separate flows into the queues of each worker, in bursts; all must be sent. */
static void forward_packets(const struct node_path *path, bool is_watched)
{
	enum { PATIENCE_MS = 60000 };
	struct rte_mbuf *packets[BURSTS][LINES_WORKERS][BURST];
	pid_t threads[LINES_WORKERS];
	uint64_t wanted = count_sent();
	for (uint32_t i = 0; i < BURSTS * LINES_WORKERS * BURST; i++)
		(&packets[0][0][0])[i] = make_packet(path, i % (LINES_WORKERS * BURST));
	lines_threads(threads);
	if (is_watched)
		line_watch_begin(threads, LINES_WORKERS);
	for (int burst = 0; burst < BURSTS; burst++) {
		wanted += LINES_WORKERS * BURST;
		for (uint16_t queue = 0; queue < (uint16_t)LINES_WORKERS; queue++)
			port_transmit(FAR(path->interface), queue, packets[burst][queue], BURST);
		for (int i = 0; i < PATIENCE_MS && count_sent() < wanted; i++)
			usleep(1000);
	}
	wait_for_loops();
	if (is_watched)
		line_watch_end();
	assert_int_equal(count_sent(), wanted);
}

/* ---- The router ---- */

/* Let each worker poll its queue of this port only: the other ends of the others are the test's. */
static void poll_alone(uint16_t port)
{
	router_pause(router);
	for (uint16_t i = 0; i < (uint16_t)LINES_WORKERS; i++) {
		struct router_worker *worker = router->workers[i];
		worker->queues[0] = (struct rx_queue){
			.port = port, .queue = i, .hands_off = router->handoffs[port].count > 0};
		worker->queue_count = 1;
	}
	router_resume(router);
}

static int start(void **state)
{
	const struct node_path *path = *state;
	router = paths_make_router(ROUTES);
	if (path->prepare)
		path->prepare(router);
	paths_have_routes(router, path->is_ip6, ROUTES);
	if (path->set_up)
		path->set_up(router);
	lines_expect(features_set(router, "shared-count-test", NO_PORT, true), "feature");
	lines_expect(ws_router_start(router), "start");
	poll_alone(path->interface);
	return 0;
}

static int stop(void **state)
{
	struct rte_mbuf *packet;
	(void)state;
	ws_router_destroy(router);
	for (uint16_t port = 0; port < (uint16_t)NODE_RIG_PORTS; port++)
		for (uint16_t queue = 0; queue < (uint16_t)LINES_WORKERS; queue++)
			while (port_receive(FAR(port), queue, &packet, 1))
				rte_pktmbuf_free(packet);
	return 0;
}

/* ---- Tests ---- */

/* Forward under the watch. Workers have forwarded before, so that they have buffers in their
 * caches. */
static void assert_only_the_counter_is_shared(const struct node_path *path, line_test *is_by_design)
{
	struct shared_line found[LINES_SHOWN];
	forward_packets(path, false);
	forward_packets(path, true);
	assert_int_equal(lines_shared(found, is_by_design), 1);
	assert_int_equal(found[0].line, (uintptr_t)&count_of_all);
}

static void workers_share_nothing_but_the_counter(void **state)
{
	assert_only_the_counter_is_shared(*state, NULL);
}

static bool is_in_handoff_ring(uintptr_t line)
{
	bool is = false;
	for (int i = 0; i < LINES_WORKERS; i++) {
		uintptr_t begin = (uintptr_t)router->handoff_rings[i];
		is |= line >= begin && line < begin + (uintptr_t)rte_ring_get_memsize(HANDOFF_SLOTS);
	}
	return is;
}

static void look_in_chunk(struct rte_mempool *pool, void *line, struct rte_mempool_memhdr *chunk,
						  unsigned number)
{
	uintptr_t *sought = line, begin = (uintptr_t)chunk->addr;
	(void)pool, (void)number;
	if (*sought >= begin && *sought < begin + chunk->len)
		*sought = 0;
}

static bool is_in_buffer(uintptr_t line)
{
	rte_mempool_mem_iter(ports_pool(), look_in_chunk, &line);
	return !line;
}

static bool is_of_handoff(uintptr_t line)
{
	return is_in_handoff_ring(line) || is_in_buffer(line);
}

/* Packets handed over so far; half of them under the watch, since the packets are the same. */
static uint32_t count_handed(void)
{
	uint32_t count = 0;
	for (int i = 0; i < LINES_WORKERS; i++)
		count += router->handoff_rings[i]->prod.tail;
	return count;
}

/* Both are shared by design. Each side of a ring stores twice per burst, of at least one packet;
 * the producer stores once per packet besides. */
static void workers_that_hand_off_share_rings_and_buffers(void **state)
{
	enum { STORES_PER_BURST = 4 };
	lines_expect(ws_router_set_handoff(router, 0, (uint16_t[]){0, 1}, LINES_WORKERS, false),
				 "hand-off");
	poll_alone(0);
	assert_only_the_counter_is_shared(*state, is_of_handoff);
	uint32_t stores = line_watch_stores(is_in_handoff_ring), handed = count_handed() / 2;
	printf("%u packets handed over, %u stores to rings\n", handed, stores);
	assert_in_range(handed, 1, LINES_WORKERS * BURST * BURSTS);
	assert_in_range(stores, handed, (1 + STORES_PER_BURST) * handed);
}

static const struct node_path *path_of(const char *name)
{
	const struct node_path *path = node_paths;
	while (strcmp(path->name, name) != 0)
		path = path->next;
	return path;
}

/* All if none is named. */
static bool is_wanted(const char *name, char *const *names, int count)
{
	bool found = !count;
	for (int i = 0; i < count; i++)
		found |= strcmp(name, names[i]) == 0;
	return found;
}

int main(int argc, char **argv)
{
	static struct CMUnitTest tests[MOST_PATHS];
	void *ip4 = (void *)path_of("ip4");
	size_t count = 0;
	if (is_wanted("hand-off", argv + 1, argc - 1))
		tests[count++] = (struct CMUnitTest){
			"hand-off", workers_that_hand_off_share_rings_and_buffers, start, stop, ip4};
	for (struct node_path *path = node_paths; path; path = path->next) {
		assert_true(count < MOST_PATHS);
		if (is_wanted(path->name, argv + 1, argc - 1))
			tests[count++] = (struct CMUnitTest){path->name, workers_share_nothing_but_the_counter,
												 start, stop, path};
	}
	assert_true(count >= (size_t)(argc > 1 ? argc - 1 : 1));
	lines_open(NODE_RIG_PORTS);
	int failed = _cmocka_run_group_tests("paths", tests, count, NULL, NULL);
	lines_close();
	return failed;
}
