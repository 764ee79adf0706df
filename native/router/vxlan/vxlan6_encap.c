/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vxlan6-encap: frames out of VXLAN tunnels in UDP over IPv6, with the checksum that receivers may
 * insist on (RFC 8200 section 8.1).
 *
 * Uses: tx interface. Sets: adjacency; the data begins at the outer IPv6 header. Next: by
 * enum adjacency_kind.
 */
#include "router/packet/packet_checksum.h"
#include "router/path/ip_forward.h"
#include "router/vxlan/vxlan_encap.h"

static const char *const edges[] = {EDGES_BEHIND_IP6};
static const struct graph_counter counters[] = {VXLAN_ENCAP_COUNTERS};

static inline void finish(struct rte_mbuf *packet)
{
	struct ip6_header *ip = (struct ip6_header *)(void *)packet_data(packet);
	struct udp_header *udp = (struct udp_header *)(void *)(packet_data(packet) + IP6_LEN);
	uint32_t length = packet->pkt_len - IP6_LEN;
	ip->payload_length = htobe16((uint16_t)length);
	uint16_t sum = packet_checksum(ip6_pseudo_sum(ip, length, IP6_UDP), packet, IP6_LEN, length);
	udp->checksum = sum ? sum : 0xffff;
}

static uint16_t vxlan6_encap_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	return vxlan_encap(graph, node, packets, n, VXLAN_IP6_OVERHEAD, finish, WS_IP6,
					   ip6_table_lookup, &ip6_refusal);
}

GRAPH_NODE(vxlan6_encap, .name = "vxlan6-encap", .takes = TAKES_FRAME, GRAPH_EDGES(edges),
		   GRAPH_COUNTERS(counters))
