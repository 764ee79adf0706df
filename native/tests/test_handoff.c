/* SPDX-License-Identifier: Apache-2.0 */
/* worker-handoff: each packet reaches the ring of the worker that owns its flow. */
#include "tests/rig_tests.h"
#include "wire/ethernet.h"
#include "wirespeed/placement.h"

#include <rte_mbuf.h>
#include <rte_ring.h>

enum { PACKETS = 10, LAST = WS_MAX_WORKERS - 1 };

static int start(void **state)
{
	(void)state;
	rig_reset();
	return ws_router_set_handoff(rig_router, 0, (uint16_t[]){0}, 1, false);
}

/* Worker `owner` does not run: the test empties its ring. */
static void assert_handed_to(uint8_t owner)
{
	struct rte_ring *ring = rte_ring_create("of-owner", 64, SOCKET_ID_ANY, RING_F_SC_DEQ);
	assert_non_null(ring);
	rig_router->handoffs[0].workers[0] = owner;
	rig_router->handoff_rings[owner] = ring;
	struct frame frame = frame_udp(IP(16, 0, 0, 7), IP(48, 0, 0, 1), 100);
	for (int i = 0; i < PACKETS; i++)
		rig_send(0, frame.bytes, frame.length);
	assert_int_equal(rte_ring_count(ring), PACKETS);
	assert_int_equal(rig_counter("worker-handoff", "packets handed to another worker"), PACKETS);
	assert_int_equal(rig_counter("worker-handoff", "congestion drop"), 0);
	void *packet;
	while (!rte_ring_dequeue(ring, &packet))
		rte_pktmbuf_free(packet);
	rig_router->handoff_rings[owner] = NULL;
	rte_ring_free(ring);
}

static void the_last_worker_of_one_word_gets_its_packets(void **state)
{
	(void)state;
	assert_handed_to(31);
}

static void the_first_worker_beyond_one_word_gets_its_packets(void **state)
{
	(void)state;
	assert_handed_to(32);
}

static void the_last_worker_gets_its_packets(void **state)
{
	(void)state;
	assert_handed_to(LAST);
}

/* A frame whose packets belong to several workers is split without loss. */
static void a_frame_for_several_workers_is_split_among_them(void **state)
{
	(void)state;
	static const uint8_t owners[] = {0, 1, 33, LAST};
	struct rte_ring *rings[RTE_DIM(owners)] = {0};
	struct handoff *handoff = &rig_router->handoffs[0];
	handoff->count = RTE_DIM(owners);
	for (unsigned i = 0; i < RTE_DIM(owners); i++) {
		handoff->workers[i] = owners[i];
		if (!owners[i])
			continue;
		char name[RTE_RING_NAMESIZE];
		snprintf(name, sizeof(name), "of-owner-%u", owners[i]);
		rings[i] = rig_router->handoff_rings[owners[i]] =
			rte_ring_create(name, 256, SOCKET_ID_ANY, RING_F_SC_DEQ);
		assert_non_null(rings[i]);
	}
	enum { FLOWS = 64 };
	for (uint32_t flow = 0; flow < FLOWS; flow++) {
		struct frame frame = frame_udp(IP(16, 0, 0, 0) + flow, IP(48, 0, 0, 1), 100);
		rig_put(0, frame.bytes, frame.length);
	}
	rig_walk();
	unsigned handed = 0;
	for (unsigned i = 0; i < RTE_DIM(owners); i++) {
		if (!rings[i])
			continue;
		assert_true(rte_ring_count(rings[i]) > 0);
		void *packet;
		for (; !rte_ring_dequeue(rings[i], &packet); handed++)
			rte_pktmbuf_free(packet);
		rig_router->handoff_rings[owners[i]] = NULL;
		rte_ring_free(rings[i]);
	}
	assert_int_equal(rig_counter("worker-handoff", "packets handed to another worker"), handed);
	/* The test is worker 0; its packets have no route and are counted as dropped. */
	assert_int_equal(rig_totals().rx_packets, FLOWS);
	assert_int_equal(rig_totals().rx_packets - handed, rig_totals().drops);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_last_worker_of_one_word_gets_its_packets, start),
		cmocka_unit_test_setup(the_first_worker_beyond_one_word_gets_its_packets, start),
		cmocka_unit_test_setup(the_last_worker_gets_its_packets, start),
		cmocka_unit_test_setup(a_frame_for_several_workers_is_split_among_them, start),
	};
	return RIG_RUN(tests);
}
