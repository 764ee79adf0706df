/* SPDX-License-Identifier: Apache-2.0 */
/*
 * impairment-release: sends packets that <if>-impairment held, once they are due.
 *
 * A source that exists while a port is impaired. The worker does not sleep while packets wait.
 *
 * Next: <if>-tx.
 */
#include "router/impairment/impairment.h"

static const char *const edges[] = {"*-tx"};

static uint16_t impairment_take_due(struct impairment_lane *lane, uint64_t now, void **packets,
									uint16_t most)
{
	uint16_t count = 0;
	for (; count < most && lane->head != lane->tail; lane->head++) {
		const struct held_packet *held = &lane->held[lane->head & (lane->slots - 1)];
		if (held->due_tsc > now)
			break;
		packets[count++] = held->packet;
	}
	return count;
}

/* A packet for which no other one came is sent in any case. */
static void impairment_end_turn(struct impairment_lane *lane, uint64_t now)
{
	if (lane->turned && now >= lane->turned_until_tsc &&
		impairment_hold(lane, lane->turned, impairment_due(lane, now)))
		lane->turned = NULL;
}

static uint16_t impairment_release_process(struct graph *graph, struct graph_node *node,
										   void **packets, uint16_t n)
{
	struct ws_router *router = router_of(graph);
	uint64_t now = graph_tsc();
	uint16_t released = 0;
	bool is_holding = false;
	for (uint16_t port = 0; port < (uint16_t)WS_MAX_PORTS; port++) {
		struct impairment *impairment = impairment_at(router, port);
		if (!impairment)
			continue;
		struct impairment_lane *lane = &impairment->lanes[graph->worker];
		impairment_end_turn(lane, now);
		uint16_t count = impairment_take_due(lane, now, packets + released, n - released);
		if (count)
			graph_enqueue_all(graph, node, port, packets + released, count);
		released += count;
		is_holding |= impairment_held(lane) > 0;
	}
	router_worker_of(graph)->is_holding = is_holding;
	return released;
}

GRAPH_NODE(impairment_release, .name = "impairment-release", .takes = TAKES_FRAME,
		   .is_source = true, GRAPH_EDGES(edges))
