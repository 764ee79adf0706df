/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recirculate: brings in packets that nodes made in the previous walk, and held packets once their
 * next hop is resolved or has failed.
 *
 * The first source. It is walked alone as long as packets wait: they are sent before more are
 * received, and before the worker is quiescent.
 *
 * Next: by enum recirculate_target.
 */
#include "router/worker/recirculate.h"

#include "router/router.h"

static const char *const edges[] = {
	[RECIRCULATE_L2_OUTPUT] = "?l2-output",
	[RECIRCULATE_ETHERNET_INPUT] = "ethernet-input",
	[RECIRCULATE_IP4_REWRITE] = "ip4-rewrite",
	[RECIRCULATE_IP4_LABELS] = "?ip4-mpls-label-imposition-uniform",
	[RECIRCULATE_IP6_REWRITE] = "ip6-rewrite",
	[RECIRCULATE_IP4_ARP] = "ip4-arp",
	[RECIRCULATE_IP6_GLEAN] = "ip6-glean",
	[RECIRCULATE_IP6_DISCOVER_NEIGHBOR] = "ip6-discover-neighbor",
	[RECIRCULATE_IP4_ICMP_ERROR] = "ip4-icmp-error",
	[RECIRCULATE_IP6_ICMP_ERROR] = "ip6-icmp-error",
	[RECIRCULATE_OUTPUT] = "*-output",
};

enum counter { SENT, UNANSWERED };
static const struct graph_counter counters[] = {
	[SENT] = {"held packets sent to their next hop", false},
	[UNANSWERED] = {"held packets whose next hop did not answer", true},
};

static void count_held(struct graph_node *node, struct hold *hold)
{
	graph_count(node, SENT, hold->sent);
	graph_count(node, UNANSWERED, hold->unanswered);
	hold->sent = hold->unanswered = 0;
}

static uint16_t recirculate_process(struct graph *graph, struct graph_node *node, void **packets,
									uint16_t n)
{
	struct router_worker *worker = router_worker_of(graph);
	struct recirculate_queue *queue = &worker->recirculate;
	uint16_t next[GRAPH_FRAME_SIZE], count = 0;
	for (; count < n && queue->head != queue->tail; count++) {
		uint32_t slot = queue->head++ % RECIRCULATE_SLOTS;
		packets[count] = queue->slots[slot].packet;
		next[count] = (uint16_t)queue->slots[slot].target;
	}
	if (unlikely(worker->hold.sent | worker->hold.unanswered))
		count_held(node, &worker->hold);
	graph_enqueue(graph, node, packets, next, count);
	return count;
}

GRAPH_NODE(recirculate, .name = "recirculate", .takes = TAKES_FRAME | TAKES_PACKET,
		   .is_source = true, GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
