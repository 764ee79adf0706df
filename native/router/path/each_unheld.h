/* SPDX-License-Identifier: Apache-2.0 */
/* Processing of a frame packet by packet, where some packets are held for their next hop. */
#pragma once

#include "router/packet/metadata.h"
#include "router/path/each_packet.h"
#include "router/router.h"
#include "wire/own_count.h"

enum { PACKET_IS_HELD = UINT16_MAX }; /* in place of an edge */

/* Hold a copy of the packet if a slot is free, and count it in `counter`. Labelled packets are not
 * held. */
static inline bool hold_copy(struct graph *graph, struct graph_node *node,
							 const struct rte_mbuf *packet, const struct held_for *to, uint64_t now,
							 uint16_t counter)
{
	const struct adjacency *adjacency = &router_of(graph)->adjacencies.adjacencies[to->adjacency];
	enum held held = adjacency->link == LINK_MPLS
						 ? HELD_NOT
						 : hold_packet(router_worker_of(graph), packet, to, now);
	graph_count(node, counter, held == HELD_FROM_NOW_ON);
	return held != HELD_NOT;
}

/* Hold the packet itself, in whose place no request is sent; false if it cannot be held. */
static inline bool hold_instead(struct graph *graph, struct graph_node *node,
								struct rte_mbuf *packet, const struct held_for *to, uint64_t now,
								uint16_t counter)
{
	bool is_held = hold_copy(graph, node, packet, to, now, counter);
	if (is_held)
		rte_pktmbuf_free(packet);
	return is_held;
}

/* Hold a copy of the packet, whose buffer is used for the request. */
static inline void hold_beside(struct graph *graph, struct graph_node *node,
							   const struct rte_mbuf *packet, const struct held_for *to,
							   uint64_t now, uint16_t counter)
{
	own_count_add(&router_worker_of(graph)->totals->made,
				  hold_copy(graph, node, packet, to, now, counter));
}

/* The key to hold a packet by: its adjacency, or the host that is resolved. */
static inline struct held_for hold_for(struct graph *graph, const struct rte_mbuf *packet,
									   const struct glean_question *question,
									   struct ws_address next_hop)
{
	const struct router_worker *worker = router_worker_of(graph);
	const struct adjacency_table *table = &router_of(graph)->adjacencies;
	uint32_t index = packet_adjacency(packet);
	return (struct held_for){
		.key =
			question->asked_tsc ? glean_hash(&worker->glean, UINT16_MAX, 0, index) : question->host,
		.adjacency = index,
		.generation = adjacency_generation(table, index),
		.interface = table->adjacencies[index].tx_interface,
		.next_hop = next_hop,
	};
}

/* Like each_packet; `handle` may return PACKET_IS_HELD. */
static inline __attribute__((always_inline)) uint16_t each_unheld(struct graph *graph,
																  struct graph_node *node,
																  void **packets, uint16_t n,
																  packet_handler *handle)
{
	uint16_t next[GRAPH_FRAME_SIZE], left = 0;
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		uint16_t edge = handle(graph, node, packet);
		if (edge == PACKET_IS_HELD)
			continue;
		packets[left] = packet;
		next[left++] = edge;
	}
	if (left)
		graph_enqueue(graph, node, packets, next, left);
	return n;
}

/* GRAPH_NODE of a node whose process is each_unheld with the function `node`_one. */
#define EACH_UNHELD_NODE(node, ...)                                                                \
	static uint16_t node##_process(struct graph *graph, struct graph_node *self, void **packets,   \
								   uint16_t n)                                                     \
	{                                                                                              \
		return each_unheld(graph, self, packets, n, node##_one);                                   \
	}                                                                                              \
	GRAPH_NODE(node, __VA_ARGS__)
