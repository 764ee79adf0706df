/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpls-label-imposition-uniform: pushes the labels that replace the popped one.
 *
 * They get its class and its TTL, decremented; the last one gets its bottom-of-stack bit.
 *
 * Uses: adjacency (ADJACENCY_LABELS), label. Next: <if>-output, like mpls-output; by the kind of
 * the next adjacency, which becomes the packet's, if that is not a next hop or the packet is too
 * long for it.
 */
#include "router/fib/adjacency_nodes.h"
#include "router/mpls/mpls_forward.h"
#include "router/packet/eight.h"
#include "router/path/count_forwarding.h"

enum { EDGE_OUTPUT = ADJACENCY_KINDS };
static const char *const edges[] = {EDGES_BEHIND_LABELLED, "*-output"};

enum counter { NO_ROOM };
static const struct graph_counter counters[] = {[NO_ROOM] = {"no headroom for labels", true}};

static inline __attribute__((always_inline)) uint16_t
mpls_label_imposition_one(const struct ws_router *router, struct graph_node *node,
						  struct rte_mbuf *packet)
{
	const struct adjacency *adjacency = &router->adjacencies.adjacencies[packet_adjacency(packet)];
	uint32_t entry = packet_label(packet);
	if (unlikely(!mpls_has_headroom(packet, adjacency))) {
		graph_count(node, NO_ROOM, 1);
		return ADJACENCY_DROP;
	}
	return mpls_impose(router, packet, adjacency, (entry & 0xeff) - 1, entry & MPLS_BOTTOM,
					   EDGE_OUTPUT);
}

/* Eight packets that get one label for one next hop without tags; false for others. */
LANES_INLINE bool mpls_label_imposition_eight(const struct ws_router *router, void *const *packets,
											  uint16_t *next)
{
	const struct adjacency *adjacencies = router->adjacencies.adjacencies;
	uint32_t index = packet_adjacency(packets[0]);
	const struct adjacency *adjacency = &adjacencies[index], *hop = &adjacencies[adjacency->next];
	void *data[EIGHT];
	if (!eight_have_adjacency(packets, index) || adjacency->label_count != 1 ||
		adjacency->has_own_ttl || adjacency_kind(hop) != ADJACENCY_REWRITE ||
		hop->rewrite_len != ETHERNET_LEN || adjacency_mtu(hop) > INT16_MAX ||
		unlikely(!eight_have_at_least(packets, offsetof(struct rte_mbuf, data_off),
									  MPLS_LEN + REWRITE_SIZE) ||
				 !eight_are_no_longer(packets, (int16_t)(adjacency_mtu(hop) - MPLS_LEN))))
		return false;
	eight_data(packets, data);
	for (int i = 0; i < EIGHT; i++) {
		/* Class, bottom bit and decremented TTL of the popped entry. */
		uint32_t rest = htobe32((packet_label(packets[i]) & 0xfff) - 1);
		uint32_t entry = adjacency->labels[0] | rest;
		memcpy((uint8_t *)data[i] - MPLS_LEN, &entry, sizeof(entry));
	}
	eight_rewrite(packets, data, hop, MPLS_LEN);
	eight_fill(next, EDGE_OUTPUT + adjacency_output(hop));
	return true;
}

static uint16_t mpls_label_imposition_process(struct graph *graph, struct graph_node *node,
											  void **packets, uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0, end; i < n; i = end) {
		end = eight_end(i, n);
		if (end - i == EIGHT && mpls_label_imposition_eight(router, packets + i, next + i))
			continue;
		for (uint16_t k = i; k < end; k++)
			next[k] = mpls_label_imposition_one(router, node, packets[k]);
	}
	count_adjacencies(graph, packets, next, n, EDGE_OUTPUT);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

GRAPH_NODE(mpls_label_imposition, .name = "mpls-label-imposition-uniform",
		   .takes = TAKES_PACKET | TAKES_DECIDED, GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
ADJACENCY_NODE(BEHIND_LABEL, ADJACENCY_LABELS, "mpls-label-imposition-uniform")
