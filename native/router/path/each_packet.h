/* SPDX-License-Identifier: Apache-2.0 */
/* Processing of a frame packet by packet. */
#pragma once

#include "graph/graph.h"

#include <rte_mbuf.h>

/* Handles one packet; returns its edge. */
typedef uint16_t packet_handler(struct graph *graph, struct graph_node *node,
								struct rte_mbuf *packet);

/* The process function of a node that decides about each packet separately; `handle` becomes part
 * of the loop. */
static inline __attribute__((always_inline)) uint16_t each_packet(struct graph *graph,
																  struct graph_node *node,
																  void **packets, uint16_t n,
																  packet_handler *handle)
{
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++)
		next[i] = handle(graph, node, packets[i]);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

/* GRAPH_NODE of a node whose process is each_packet with the function `node`_one. */
#define EACH_PACKET_NODE(node, ...)                                                                \
	static uint16_t node##_process(struct graph *graph, struct graph_node *self, void **packets,   \
								   uint16_t n)                                                     \
	{                                                                                              \
		return each_packet(graph, self, packets, n, node##_one);                                   \
	}                                                                                              \
	GRAPH_NODE(node, __VA_ARGS__)
