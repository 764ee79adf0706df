/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vxlan6-input: what comes to VXLAN's port in UDP over IPv6, without extension headers, out of the
 * tunnel that it came by.
 *
 * A UDP checksum is checked where there is one; tunnels may do without (RFC 6935).
 *
 * Sets: mbuf->port, to the tunnel; the data begins at what was in it. Next: ethernet-input,
 * ip4-input, ip6-input, error-drop.
 */
#include "router/vxlan/vxlan_decap.h"

static inline void read_ip6(const struct rte_mbuf *packet, struct vxlan_datagram *datagram,
							struct vxlan_key *key)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	*datagram = (struct vxlan_datagram){IP6_LEN, be16toh(ip->payload_length)};
	memcpy(key->remote, ip->source, sizeof(key->remote));
	memcpy(key->local, ip->destination, sizeof(key->local));
}

static uint16_t vxlan6_input_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	uint16_t next[GRAPH_FRAME_SIZE];
	struct vxlan_run run = {0};
	for (uint16_t i = 0; i < n; i++)
		next[i] = vxlan_decap_one(graph, node, packets[i], &run, WS_IP6, read_ip6);
	vxlan_decap_end(graph, node, &run, packets, next, n);
	return n;
}

GRAPH_NODE(vxlan6_input, .name = "vxlan6-input", .takes = TAKES_PACKET,
		   GRAPH_EDGES(vxlan_decap_edges), GRAPH_COUNTERS(vxlan_decap_counters))
