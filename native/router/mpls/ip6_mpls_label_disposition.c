/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip6-mpls-label-disposition-uniform: the last label went, and what is left is IPv6.
 *
 * Nobody has looked at its header yet. It takes over the label's TTL as its hop limit, unless its
 * own is lower; the hop is counted when it leaves.
 *
 * Uses: adjacency (ADJACENCY_POP_IP6), label. Sets: adjacency, the one behind. Next: by its kind.
 */
#include "router/fib/adjacency_nodes.h"
#include "router/mpls/mpls_forward.h"
#include "router/path/ip_forward.h"
#include "wire/ip6.h"

static const char *const edges[] = {EDGES_BEHIND_IP6};

/* In the order of enum ip6_check. */
static const struct graph_counter counters[] = {
	[IP6_OK] = {"ip6 packets taken out", false},
	[IP6_SHORT] = {"ip6 length < 40 bytes", true},
	[IP6_VERSION] = {"ip6 version != 6", true},
	[IP6_LENGTH] = {"ip6 length > l2 length", true},
};

static uint16_t ip6_mpls_label_disposition_process(struct graph *graph, struct graph_node *node,
												   void **packets, uint16_t n)
{
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		uint8_t *data = packet_data(packet), ttl = mpls_ttl(packet_label(packet));
		enum ip6_check error = ip6_check(data, packet->data_len, packet->pkt_len);
		graph_count(node, (uint16_t)error, 1);
		if (unlikely(error)) {
			next[i] = ADJACENCY_DROP;
			continue;
		}
		struct ip6_header *ip = (struct ip6_header *)(void *)data;
		if (ip->hop_limit > ttl)
			ip->hop_limit = ttl;
		next[i] = adjacency_follow(router_of(graph), packet);
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

GRAPH_NODE(ip6_mpls_label_disposition, .name = "ip6-mpls-label-disposition-uniform",
		   .takes = TAKES_PACKET | TAKES_DECIDED, GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
ADJACENCY_NODE(BEHIND_LABEL, ADJACENCY_POP_IP6, "ip6-mpls-label-disposition-uniform")
