/* SPDX-License-Identifier: Apache-2.0 */
/*
 * <if>-impairment: drops, duplicates, reorders and delays packets that the port is about to send.
 *
 * A feature of the arc interface-output, the last one. A reordered packet changes places with the
 * next one; the last of a frame waits for the first of the next frame. Delayed packets, and copies,
 * are held for impairment-release.
 *
 * Next: <if>-tx, error-drop.
 */
#include "router/impairment/impairment.h"

#include "dev/pool.h"
#include "graph/arc.h"
#include "router/observe/trace.h"
#include "wire/own_count.h"

#include <rte_mbuf.h>

enum edge { EDGE_TX, EDGE_DROP };
static const char *const edges[] = {[EDGE_TX] = "%-tx", [EDGE_DROP] = "error-drop"};

static const struct graph_counter counters[] = {
	[IMPAIRMENT_LOST] = {"packet lost on purpose", true},
	[IMPAIRMENT_DUPLICATED] = {"packets duplicated on purpose", false},
	[IMPAIRMENT_REORDERED] = {"packets reordered on purpose", false},
	[IMPAIRMENT_DELAYED] = {"packets delayed on purpose", false},
	[IMPAIRMENT_NO_ROOM] = {"packet dropped: no room for more that wait", true},
	[IMPAIRMENT_NO_COPY] = {"duplicate not made: no room or no buffer", true},
};

/* Returns the number of remaining packets, in order. */
static uint16_t impairment_lose(struct graph *graph, struct graph_node *node,
								struct impairment_lane *lane, void **packets, uint16_t n)
{
	void *lost[GRAPH_FRAME_SIZE];
	uint16_t kept = 0, lost_count = 0;
	for (uint16_t i = 0; i < n; i++)
		if (impairment_loses(lane))
			lost[lost_count++] = packets[i];
		else
			packets[kept++] = packets[i];
	graph_count(node, IMPAIRMENT_LOST, lost_count);
	if (lost_count)
		graph_enqueue_all(graph, node, EDGE_DROP, lost, lost_count);
	return kept;
}

static void impairment_turn(struct impairment_lane *lane, struct rte_mbuf *packet)
{
	lane->turned = packet;
	lane->turned_until_tsc = graph_tsc() + lane->patience_tsc;
}

/* Returns the number of remaining packets: one less if the last one is to follow a packet that has
 * not come yet. */
static uint16_t impairment_reorder(struct graph_node *node, struct impairment_lane *lane,
								   void **packets, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		if (!impairment_befalls(lane, FAULT_REORDER))
			continue;
		if (i + 1 == n) {
			impairment_turn(lane, packets[i]);
			return i;
		}
		void *first = packets[i];
		packets[i] = packets[i + 1];
		packets[++i] = first;
		graph_count(node, IMPAIRMENT_REORDERED, 1);
	}
	return n;
}

static void impairment_duplicate(struct graph *graph, struct graph_node *node,
								 struct impairment_lane *lane, const struct rte_mbuf *packet,
								 uint64_t due)
{
	struct rte_mbuf *copy = impairment_held(lane) < lane->slots
								? rte_pktmbuf_copy(packet, ports_pool(), 0, UINT32_MAX)
								: NULL;
	if (!copy) {
		graph_count(node, IMPAIRMENT_NO_COPY, 1);
		return;
	}
	trace_moved(copy, copy->data_off - packet->data_off);
	impairment_hold(lane, copy, due);
	own_count_add(&router_worker_of(graph)->totals->made, 1);
	graph_count(node, IMPAIRMENT_DUPLICATED, 1);
}

/* Returns the number of packets for which there is no room, at the start of `packets`. */
static uint16_t impairment_delay(struct graph *graph, struct graph_node *node,
								 struct impairment_lane *lane, void **packets, uint16_t n)
{
	uint64_t now = graph_tsc();
	uint16_t refused = 0;
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		uint64_t due = impairment_due(lane, now);
		if (!impairment_hold(lane, packet, due))
			packets[refused++] = packet;
		else if (impairment_befalls(lane, FAULT_DUPLICATE))
			impairment_duplicate(graph, node, lane, packet, due);
	}
	graph_count(node, IMPAIRMENT_NO_ROOM, refused);
	graph_count(node, IMPAIRMENT_DELAYED, (uint16_t)(n - refused));
	return refused;
}

static void impairment_pass(struct graph *graph, struct graph_node *node,
							struct impairment_lane *lane, void **packets, uint16_t n)
{
	if (lane->delay_tsc || lane->jitter_tsc) {
		uint16_t refused = impairment_delay(graph, node, lane, packets, n);
		if (refused)
			graph_enqueue_all(graph, node, EDGE_DROP, packets, refused);
		return;
	}
	for (uint16_t i = 0; i < n && lane->chances[FAULT_DUPLICATE]; i++)
		if (impairment_befalls(lane, FAULT_DUPLICATE))
			impairment_duplicate(graph, node, lane, packets[i], 0);
	if (n)
		graph_enqueue_all(graph, node, EDGE_TX, packets, n);
}

static uint16_t impairment_process(struct graph *graph, struct graph_node *node, void **packets,
								   uint16_t n)
{
	struct impairment_lane *lane =
		&impairment_at(router_of(graph), node->interface)->lanes[graph->worker];
	uint16_t left = impairment_lose(graph, node, lane, packets, n);
	void *turned = lane->turned;
	if (turned && left) {
		lane->turned = NULL;
		impairment_pass(graph, node, lane, packets, 1);
		impairment_pass(graph, node, lane, &turned, 1);
		graph_count(node, IMPAIRMENT_REORDERED, 1);
		packets++;
		left--;
	}
	left = impairment_reorder(node, lane, packets, left);
	impairment_pass(graph, node, lane, packets, left);
	return n;
}

GRAPH_NODE(impairment, .name = "%-impairment", .takes = TAKES_FRAME, GRAPH_EDGES(edges),
		   GRAPH_COUNTERS(counters))

GRAPH_FEATURE(impairment_feature, .node = "%-impairment", .arc = "interface-output",
			  .source = "impairment-release")
