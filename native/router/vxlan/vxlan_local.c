/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vxlan4-local, vxlan6-local: of the packets to this router, send those to VXLAN's port to the
 * tunnels' nodes.
 *
 * Features of the arcs ip4-local and ip6-local while there are tunnels. Next: vxlan4-input and
 * ip4-local, or vxlan6-input and ip6-local.
 */
#include "graph/arc.h"
#include "router/packet/eight.h"
#include "router/path/each_packet.h"
#include "router/vxlan/vxlan.h"

enum edge { EDGE_VXLAN, EDGE_LOCAL };

/* ---- IPv4 ---- */

static const char *const ip4_edges[] = {[EDGE_VXLAN] = "vxlan4-input", [EDGE_LOCAL] = "ip4-local"};

/* Packets with or without IP options. */
static bool may_be_vxlan(const struct rte_mbuf *packet)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	uint16_t header = ip4_header_length(ip), claimed = be16toh(ip->total_length) - header;
	uint16_t readable = packet->data_len - header;
	const struct udp_header *udp =
		(const struct udp_header *)(const void *)(packet_data(packet) + header);
	return ip->protocol == IP4_UDP && !ip4_is_fragment(ip) &&
		   RTE_MIN(readable, claimed) >= UDP_LEN && udp->destination == htobe16(VXLAN_PORT);
}

enum { PLAIN_IHL = 4 << 4 | IP4_LEN / 4, VXLAN_NEEDS = IP4_LEN + UDP_LEN };

/* The usual kind of packet is recognised with one branch. */
static inline bool ip4_is_vxlan(const struct rte_mbuf *packet)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	const struct udp_header *udp = (const struct udp_header *)(const void *)(ip + 1);
	if (unlikely(packet->data_len < VXLAN_NEEDS))
		return false;
	uint32_t differs = ip->version_ihl ^ PLAIN_IHL;
	differs |= ip->protocol ^ IP4_UDP;
	differs |= udp->destination ^ htobe16(VXLAN_PORT);
	differs |= ip4_is_fragment(ip);
	differs |= be16toh(ip->total_length) < VXLAN_NEEDS;
	return likely(!differs) || may_be_vxlan(packet);
}

/* True if all eight are of the usual kind. */
LANES_INLINE bool are_vxlan(void *const *packets)
{
	enum { PORT_FROM = VXLAN_NEEDS - UDP_LEN + 4 - sizeof(eight_part) };
	static const union eight_bytes start = {{PLAIN_IHL, [IP4_PROTOCOL_AT] = IP4_UDP}},
								   start_counts = {{0xff, [6] = 0x3f,
													0xff, [IP4_PROTOCOL_AT] = 0xff}},
								   port = {{[14] = VXLAN_PORT >> 8, VXLAN_PORT & 0xff}},
								   port_counts = {{[14] = 0xff, 0xff}};
	const void *headers[EIGHT];
	if (!eight_have_bytes(packets, VXLAN_NEEDS))
		return false;
	eight_data(packets, (void **)headers);
	eight_part differs = eight_differ(headers, 0, start.part) & start_counts.part;
	differs |= eight_differ(headers, PORT_FROM, port.part) & port_counts.part;
	lanes totals = lanes_swap(lanes_load_at(headers, 0)) & 0xffff;
	return !lanes_any(lanes_less(totals, lanes_all(VXLAN_NEEDS))) && eight_part_is_zero(differs);
}

static uint16_t vxlan4_local_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0, end; i < n; i = end) {
		end = eight_end(i, n);
		if (end - i == EIGHT && are_vxlan(packets + i)) {
			eight_fill(next + i, EDGE_VXLAN);
			continue;
		}
		for (uint16_t k = i; k < end; k++)
			next[k] = ip4_is_vxlan(packets[k]) ? EDGE_VXLAN : EDGE_LOCAL;
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

GRAPH_NODE(vxlan4_local, .name = "vxlan4-local", .takes = TAKES_PACKET | TAKES_DECIDED,
		   GRAPH_EDGES(ip4_edges))

GRAPH_FEATURE(vxlan4_local_feature, .node = "vxlan4-local", .arc = "ip4-local")

/* ---- IPv6 ---- */

static const char *const ip6_edges[] = {[EDGE_VXLAN] = "vxlan6-input", [EDGE_LOCAL] = "ip6-local"};

static bool ip6_is_vxlan(const struct rte_mbuf *packet)
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
	return ip6_is_vxlan(packet) ? EDGE_VXLAN : EDGE_LOCAL;
}

EACH_PACKET_NODE(vxlan6_local, .name = "vxlan6-local", .takes = TAKES_PACKET,
				 GRAPH_EDGES(ip6_edges))

GRAPH_FEATURE(vxlan6_local_feature, .node = "vxlan6-local", .arc = "ip6-local")
