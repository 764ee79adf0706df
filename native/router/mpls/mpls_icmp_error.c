/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpls-icmp-error: finds the packet below a label stack, for the ICMP error about it.
 *
 * Its header is checked here, since no node has done so yet. The error is routed to the packet's
 * source in the table of the receiving interface. An error about an expired TTL quotes the stack
 * (RFC 4950); one about the length of a packet reports the MTU that is left without the labels.
 *
 * Uses: icmp error, in ICMP's terms, with the longest labelled packet. Sets: the data begins behind
 * the stack. Next: ip4-icmp-error, ip6-icmp-error, error-drop.
 */
#include "router/packet/metadata.h"
#include "router/path/each_packet.h"
#include "router/router.h"
#include "wire/icmp4.h"
#include "wire/icmp6.h"
#include "wire/ip4.h"
#include "wire/mpls.h"

enum edge { EDGE_DROP, EDGE_IP4, EDGE_IP6 };
static const char *const edges[] = {
	[EDGE_DROP] = "error-drop",
	[EDGE_IP4] = "ip4-icmp-error",
	[EDGE_IP6] = "ip6-icmp-error",
};

enum counter { NO_BOTTOM, NOT_IP, LINK_LOCAL, MAY_FRAGMENT };
static const struct graph_counter counters[] = {
	[NO_BOTTOM] = {"no icmp error about a label stack too deep", true},
	[NOT_IP] = {"no icmp error about labels without a good ip header", true},
	[LINK_LOCAL] = {"no icmp error to a link-local address behind labels", true},
	[MAY_FRAGMENT] = {"mpls MTU exceeded and fragmentation is not done", true},
};

enum { MAX_STACK = 16 };

GRAPH_DROP(EDGE_DROP)

/* Number of entries of the stack; 0 if it has no bottom. */
static uint16_t depth_of(const struct rte_mbuf *packet)
{
	for (uint16_t i = 0; i < MAX_STACK && packet->data_len >= (i + 1) * MPLS_LEN; i++)
		if (mpls_is_bottom(mpls_load(packet_data(packet) + i * MPLS_LEN)))
			return i + 1;
	return 0;
}

static uint16_t about_ip4(struct graph_node *node, struct rte_mbuf *packet)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	if (ip4_check(packet_data(packet), packet->data_len, packet->pkt_len))
		return drop(node, NOT_IP);
	if (packet_icmp_type(packet) == ICMP4_UNREACHABLE &&
		!(ip->fragment & htobe16(IP4_DONT_FRAGMENT)))
		return drop(node, MAY_FRAGMENT);
	return EDGE_IP4;
}

static uint16_t about_ip6(struct graph_node *node, struct rte_mbuf *packet)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	uint16_t rest = packet_icmp_mtu(packet);
	if (ip6_check(packet_data(packet), packet->data_len, packet->pkt_len))
		return drop(node, NOT_IP);
	/* The station that forwarded it is not its source. */
	if (ip6_is_link_local(ip->source))
		return drop(node, LINK_LOCAL);
	packet_set_icmp_error(
		packet, packet_icmp_type(packet) == ICMP4_UNREACHABLE ? ICMP6_TOO_BIG : ICMP6_TIME_EXCEEDED,
		0, rest);
	return EDGE_IP6;
}

static uint16_t mpls_icmp_error_one(struct graph *graph, struct graph_node *node,
									struct rte_mbuf *packet)
{
	(void)graph;
	uint16_t depth = depth_of(packet), length = (uint16_t)(depth * MPLS_LEN);
	uint8_t type = packet_icmp_type(packet);
	if (!depth)
		return drop(node, NO_BOTTOM);
	packet_advance(packet, length);
	if (type == ICMP4_TIME_EXCEEDED)
		packet_set_icmp_error(packet, type, 0, depth);
	else
		packet_set_icmp_error(packet, type, packet_icmp_code(packet),
							  (uint16_t)(packet_icmp_mtu(packet) - length));
	if (!packet->data_len)
		return drop(node, NOT_IP);
	switch (*packet_data(packet) >> 4) {
	case 4:
		return about_ip4(node, packet);
	case 6:
		return about_ip6(node, packet);
	default:
		return drop(node, NOT_IP);
	}
}

EACH_PACKET_NODE(mpls_icmp_error, .name = "mpls-icmp-error", .takes = TAKES_PACKET,
				 GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
