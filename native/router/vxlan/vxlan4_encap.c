/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vxlan4-encap: frames out of VXLAN tunnels in UDP over IPv4, without a UDP checksum (RFC 7348
 * section 5).
 *
 * Uses: tx interface. Sets: adjacency; the data begins at the outer IPv4 header. Next: by
 * enum adjacency_kind.
 */
#include "router/path/ip_forward.h"
#include "router/vxlan/vxlan_encap.h"

static const char *const edges[] = {EDGES_BEHIND_IP4};
static const struct graph_counter counters[] = {VXLAN_ENCAP_COUNTERS};

static inline void finish(struct rte_mbuf *packet)
{
	struct ip4_header *ip = (struct ip4_header *)(void *)packet_data(packet);
	ip->total_length = htobe16((uint16_t)packet->pkt_len);
	ip->checksum = checksum_update(ip->checksum, 0, ip->total_length);
}

static uint16_t vxlan4_encap_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	return vxlan_encap(graph, node, packets, n, VXLAN_IP4_OVERHEAD, finish, WS_IP4,
					   ip4_table_lookup, &ip4_refusal);
}

GRAPH_NODE(vxlan4_encap, .name = "vxlan4-encap", .takes = TAKES_FRAME, GRAPH_EDGES(edges),
		   GRAPH_COUNTERS(counters))
