/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker-handoff: passes each packet to the worker of its flow.
 *
 * Packets for this worker go on at once. Others are put into the ring of their worker, from which
 * handoff-dispatch takes them; if the ring is full, they are dropped.
 *
 * Uses: mbuf->port (its interface determines the workers). Next: ethernet-input, error-drop.
 */
#include "router/packet/metadata.h"
#include "router/router.h"
#include "wire/frame_flow.h"

#include <rte_ring.h>

_Static_assert(WS_MAX_WORKERS <= 64, "a set of workers is one word");

enum edge { EDGE_ETHERNET_INPUT, EDGE_DROP };
static const char *const edges[] = {
	[EDGE_ETHERNET_INPUT] = "ethernet-input",
	[EDGE_DROP] = "error-drop",
};

enum counter { HANDED_OFF, CONGESTION };
static const struct graph_counter counters[] = {
	[HANDED_OFF] = {"packets handed to another worker", false},
	[CONGESTION] = {"congestion drop", true},
};

static uint16_t owner(const struct handoff *handoff, const struct rte_mbuf *packet)
{
	uint32_t hash = frame_flow_hash(packet_data(packet), packet->data_len, handoff->is_symmetrical);
	return handoff->workers[(uint64_t)hash * handoff->count >> 32];
}

static void hand_off(struct graph *graph, struct graph_node *node, struct rte_ring *ring,
					 void **packets, uint16_t n)
{
	uint16_t taken = (uint16_t)rte_ring_mp_enqueue_burst(ring, packets, n, NULL);
	graph_count(node, HANDED_OFF, taken);
	if (likely(taken == n))
		return;
	graph_count(node, CONGESTION, (uint16_t)(n - taken));
	graph_enqueue_all(graph, node, EDGE_DROP, packets + taken, (uint16_t)(n - taken));
}

static uint16_t worker_handoff_process(struct graph *graph, struct graph_node *node, void **packets,
									   uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	uint16_t owners[GRAPH_FRAME_SIZE];
	uint64_t present = 0; /* bit set of the workers that get a packet of the frame */
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		owners[i] = owner(&router->handoffs[packet->port], packet);
		present |= 1ULL << owners[i];
	}
	for (; present; present &= present - 1) {
		void *mine[GRAPH_FRAME_SIZE];
		uint16_t worker = (uint16_t)__builtin_ctzll(present), count = 0;
		for (uint16_t i = 0; i < n; i++) {
			mine[count] = packets[i];
			count += owners[i] == worker;
		}
		if (worker == graph->worker)
			graph_enqueue_all(graph, node, EDGE_ETHERNET_INPUT, mine, count);
		else
			hand_off(graph, node, router->handoff_rings[worker], mine, count);
	}
	return n;
}

GRAPH_NODE(worker_handoff, .name = "worker-handoff", .takes = TAKES_FRAME, GRAPH_EDGES(edges),
		   GRAPH_COUNTERS(counters))
