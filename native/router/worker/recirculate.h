/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets that a node made in addition to its input (copies for flooding, fragments), and packets
 * that were held. They wait in a queue of the worker for its next walk, since frames hold no more
 * packets than the sources bring in. The node `recirculate`, the first source, sends them to their
 * targets. They contain indices of adjacencies and interfaces, so the worker receives nothing, and
 * is not quiescent, until all of them have been processed (run.c).
 */
#pragma once

#include "graph/graph.h"

#include <rte_mbuf.h>

/* The edges of the node are in this order. */
enum recirculate_target {
	RECIRCULATE_L2_OUTPUT,      /* frames with their tx interface set */
	RECIRCULATE_ETHERNET_INPUT, /* frames as if received by mbuf->port */
	RECIRCULATE_IP4_REWRITE,    /* IPv4 with its adjacency set */
	RECIRCULATE_IP4_LABELS,     /* the same with labels */
	RECIRCULATE_IP6_REWRITE,    /* IPv6 with its adjacency set */
	RECIRCULATE_IP4_ARP,        /* … an unresolved one */
	RECIRCULATE_IP6_GLEAN,
	RECIRCULATE_IP6_DISCOVER_NEIGHBOR,
	RECIRCULATE_IP4_ICMP_ERROR, /* with the error set */
	RECIRCULATE_IP6_ICMP_ERROR,
	RECIRCULATE_OUTPUT, /* frames; plus the place in "*-output" */
};

enum { RECIRCULATE_SLOTS = 2048 }; /* a power of two */

struct recirculate_queue {
	uint32_t head, tail; /* never reduced */
	struct {
		struct rte_mbuf *packet;
		uint32_t target; /* enum recirculate_target, or a place in "*-output" */
	} slots[RECIRCULATE_SLOTS];
};

static inline uint32_t recirculate_free(const struct recirculate_queue *queue)
{
	return RECIRCULATE_SLOTS - (queue->tail - queue->head);
}

static inline bool recirculate_is_empty(const struct recirculate_queue *queue)
{
	return queue->tail == queue->head;
}

/* The caller must have checked that there is room. */
static inline void recirculate_put(struct recirculate_queue *queue, struct rte_mbuf *packet,
								   uint32_t target)
{
	uint32_t slot = queue->tail++ % RECIRCULATE_SLOTS;
	queue->slots[slot].packet = packet;
	queue->slots[slot].target = target;
}
