/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vxlan4-input: what comes to VXLAN's port in UDP over IPv4, out of the tunnel that it came by.
 *
 * A UDP checksum is checked where there is one.
 *
 * Sets: mbuf->port, to the tunnel; the data begins at what was in it. Next: ethernet-input,
 * ip4-input, ip6-input, error-drop.
 */
#include "router/nodes/each_packet.h"
#include "router/nodes/vxlan_decap.h"

static uint16_t vxlan4_input_one(struct graph *graph, struct graph_node *node,
								 struct rte_mbuf *packet)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	uint16_t offset = ip4_header_length(ip), claimed = be16toh(ip->total_length) - offset;
	const struct udp_header *udp =
		udp_parse(packet_data(packet) + offset, packet->data_len - offset, claimed);
	uint64_t sum = checksum_add(0, &ip->source, IP4_ADDRESSES_LEN) + htobe16(IP4_UDP);
	struct vxlan_datagram datagram = {offset, claimed, sum + (udp ? udp->length : 0)};
	struct vxlan_key key = {
		.words = {htole64(le32toh(ip->source)), 0, htole64(le32toh(ip->destination)), 0}};
	return vxlan_decap(graph, node, packet, &datagram, &key, WS_IP4);
}

static uint16_t vxlan4_input_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	return each_packet(graph, node, packets, n, vxlan4_input_one);
}

static struct graph_registration vxlan4_input = {
	.name = "vxlan4-input",
	.process = vxlan4_input_process,
	.edge_count = VXLAN_EDGES,
	.edges = vxlan_decap_edges,
	.counter_count = VXLAN_DECAP_COUNTERS,
	.counters = vxlan_decap_counters,
};
GRAPH_REGISTER(vxlan4_input)
