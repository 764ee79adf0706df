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
#include "router/nodes/each_packet.h"
#include "router/nodes/vxlan_decap.h"

static uint16_t vxlan6_input_one(struct graph *graph, struct graph_node *node,
								 struct rte_mbuf *packet)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	uint16_t claimed = be16toh(ip->payload_length);
	const struct udp_header *udp =
		udp_parse(packet_data(packet) + IP6_LEN, packet->data_len - IP6_LEN, claimed);
	uint64_t sum = ip6_pseudo_sum(ip, udp ? be16toh(udp->length) : 0, IP6_UDP);
	struct vxlan_datagram datagram = {IP6_LEN, claimed, sum};
	struct vxlan_key key;
	memcpy(key.remote, ip->source, sizeof(key.remote));
	memcpy(key.local, ip->destination, sizeof(key.local));
	return vxlan_decap(graph, node, packet, &datagram, &key, WS_IP6);
}

static uint16_t vxlan6_input_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	return each_packet(graph, node, packets, n, vxlan6_input_one);
}

static struct graph_registration vxlan6_input = {
	.name = "vxlan6-input",
	.process = vxlan6_input_process,
	.edge_count = VXLAN_EDGES,
	.edges = vxlan_decap_edges,
	.counter_count = VXLAN_DECAP_COUNTERS,
	.counters = vxlan_decap_counters,
};
GRAPH_REGISTER(vxlan6_input)
