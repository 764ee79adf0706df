/* SPDX-License-Identifier: Apache-2.0 */
/* A frame taken packet by packet, of which some stay to wait for their next hop. */
#ifndef ROUTER_EACH_UNHELD_H
#define ROUTER_EACH_UNHELD_H

#include "router/nodes/each_packet.h"
#include "router/packet/metadata.h"
#include "router/router.h"

enum { PACKET_IS_HELD = UINT16_MAX }; /* in the place of an edge */

/* The packet, which no question is made of, waits in a copy, if there is room. */
static inline enum held hold_instead(struct graph *graph, struct rte_mbuf *packet,
									 const struct held_for *to, uint64_t now)
{
	enum held held = hold_packet(router_worker_of(graph), packet, to, now);
	if (held != HELD_NOT)
		rte_pktmbuf_free(packet);
	return held;
}

/* A copy waits of the packet, which the question is made of, if there is room. */
static inline enum held hold_beside(struct graph *graph, const struct rte_mbuf *packet,
									const struct held_for *to, uint64_t now)
{
	struct router_worker *worker = router_worker_of(graph);
	enum held held = hold_packet(worker, packet, to, now);
	worker->totals->made += held != HELD_NOT;
	return held;
}

/* Whom the packet waits for: by its adjacency, or as the host that the question is about. */
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

/* As each_packet, where `handle` may say PACKET_IS_HELD. */
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

#endif
