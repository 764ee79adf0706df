/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vxlan6-local: of the packets to this router, those to VXLAN's port go to the ends of tunnels.
 *
 * A feature of the arc ip6-local while there are tunnels. Next: vxlan6-input, ip6-local.
 */
#include "graph/arc.h"
#include "router/packet/metadata.h"
#include "router/path/each_packet.h"
#include "router/vxlan/vxlan.h"

enum edge { EDGE_VXLAN, EDGE_LOCAL };
static const char *const edges[] = {[EDGE_VXLAN] = "vxlan6-input", [EDGE_LOCAL] = "ip6-local"};

static bool is_vxlan(const struct rte_mbuf *packet)
{
	const uint8_t *data = packet_data(packet);
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)data;
	const struct udp_header *udp = (const struct udp_header *)(const void *)(data + IP6_LEN);
	return ip->next_header == IP6_UDP && packet->data_len >= IP6_LEN + UDP_LEN &&
		   be16toh(ip->payload_length) >= UDP_LEN && udp->destination == htobe16(VXLAN_PORT);
}

static uint16_t vxlan6_local_one(struct graph *graph, struct graph_node *node,
								 struct rte_mbuf *packet)
{
	(void)graph;
	(void)node;
	return is_vxlan(packet) ? EDGE_VXLAN : EDGE_LOCAL;
}

EACH_PACKET_NODE(vxlan6_local, .name = "vxlan6-local", .takes = TAKES_PACKET, GRAPH_EDGES(edges))

GRAPH_FEATURE(vxlan6_local_feature, .node = "vxlan6-local", .arc = "ip6-local")
