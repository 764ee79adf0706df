/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpls-label-disposition-uniform: a label was popped, and further ones are left.
 *
 * The new outermost label gets the popped one's TTL, decremented, unless its own is lower.
 *
 * Uses: adjacency (ADJACENCY_POP_MPLS), label. Sets: adjacency, the next one. Next: by its kind.
 */
#include "router/fib/adjacency_nodes.h"
#include "router/mpls/mpls_forward.h"
#include "router/path/each_packet.h"

static const char *const edges[] = {EDGES_BEHIND_LABELLED};

enum counter { SHORT, TTL };
static const struct graph_counter counters[] = {
	[SHORT] = {"label stack ends without a bottom", true},
	[TTL] = {"mpls ttl 0", true},
};

GRAPH_DROP(ADJACENCY_DROP)

static uint16_t mpls_label_disposition_one(struct graph *graph, struct graph_node *node,
										   struct rte_mbuf *packet)
{
	uint8_t ttl = mpls_ttl(packet_label(packet)) - 1;
	if (packet->data_len < MPLS_LEN)
		return drop(node, SHORT);
	uint32_t entry = mpls_load(packet_data(packet));
	if (!mpls_ttl(entry))
		return drop(node, TTL);
	if (mpls_ttl(entry) > ttl)
		mpls_store(packet_data(packet), (entry & ~0xffu) | ttl);
	return adjacency_follow(router_of(graph), packet);
}

EACH_PACKET_NODE(mpls_label_disposition, .name = "mpls-label-disposition-uniform",
				 .takes = TAKES_PACKET | TAKES_DECIDED, GRAPH_EDGES(edges),
				 GRAPH_COUNTERS(counters))
ADJACENCY_NODE(BEHIND_LABEL, ADJACENCY_POP_MPLS, "mpls-label-disposition-uniform")
