/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-mpls-label-disposition-uniform: the last label went, and what is left is IPv4.
 *
 * Nobody has looked at its header yet. It takes over the label's TTL, unless its own is lower; the
 * hop is counted when it leaves.
 *
 * Uses: adjacency (ADJACENCY_POP_IP4), label. Sets: adjacency, the one behind. Next: by its kind.
 */
#include "router/fib/adjacency_nodes.h"
#include "router/mpls/mpls_forward.h"
#include "router/path/ip_forward.h"
#include "wire/ip4.h"

static const char *const edges[] = {EDGES_BEHIND_IP4};

/* In the order of enum ip4_check. */
static const struct graph_counter counters[] = {
	[IP4_OK] = {"ip4 packets taken out", false},
	[IP4_SHORT] = {"ip4 length < 20 bytes", true},
	[IP4_VERSION] = {"ip4 version != 4", true},
	[IP4_HEADER_LENGTH] = {"bad ip4 header length", true},
	[IP4_TOTAL_LENGTH] = {"ip4 length > l2 length", true},
	[IP4_CHECKSUM] = {"bad ip4 checksum", true},
};

static uint16_t ip4_mpls_label_disposition_process(struct graph *graph, struct graph_node *node,
												   void **packets, uint16_t n)
{
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		uint8_t *data = packet_data(packet), ttl = mpls_ttl(packet_label(packet));
		enum ip4_check error = ip4_check(data, packet->data_len, packet->pkt_len);
		graph_count(node, (uint16_t)error, 1);
		if (unlikely(error)) {
			next[i] = ADJACENCY_DROP;
			continue;
		}
		struct ip4_header *ip = (struct ip4_header *)(void *)data;
		if (ip->ttl > ttl)
			ip4_set_ttl(ip, ttl);
		next[i] = adjacency_follow(router_of(graph), packet);
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

GRAPH_NODE(ip4_mpls_label_disposition, .name = "ip4-mpls-label-disposition-uniform",
		   .takes = TAKES_PACKET | TAKES_DECIDED, GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
ADJACENCY_NODE(BEHIND_LABEL, ADJACENCY_POP_IP4, "ip4-mpls-label-disposition-uniform")
