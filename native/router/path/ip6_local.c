/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip6-local: packets to this router.
 *
 * Echo requests and neighbour discovery are processed. Unregistered protocols and UDP ports
 * (upper.h) cause ICMPv6 errors (RFC 4443 sections 3.1 and 3.4). Other ICMPv6 is dropped, except
 * for replies to the router's own pings. ICMPv6 is passed on without its extension headers. Packets
 * for Linux and for the main thread are limited by their punt policers.
 *
 * The end of the arc ip6-local, which begins at all nodes that lead here: features on it take their
 * packets first.
 *
 * Next: icmp6-echo-request, icmp6-echo-reply, icmp6-neighbor-solicitation,
 * icmp6-neighbor-advertisement, ip6-icmp-error, linux-cp-punt, error-drop.
 */
#include "graph/arc.h"
#include "router/fib/adjacency_nodes.h"
#include "router/local/echo.h"
#include "router/observe/trace.h"
#include "router/packet/packet_checksum.h"
#include "router/packet/restore_frame.h"
#include "router/packet/upper.h"
#include "router/path/each_packet.h"
#include "router/punt/punt.h"
#include "wire/ethernet.h"
#include "wire/icmp6.h"
#include "wire/ip6.h"
#include "wire/udp.h"

enum edge {
	EDGE_ECHO_REQUEST,
	EDGE_ECHO_REPLY,
	EDGE_NEIGHBOR_SOLICITATION,
	EDGE_NEIGHBOR_ADVERTISEMENT,
	EDGE_ICMP_ERROR,
	EDGE_DROP,
	EDGE_LINUX_CP_PUNT,
	EDGES_ABOVE, /* upper.h */
};
static const char *const edges[] = {
	[EDGE_ECHO_REQUEST] = "icmp6-echo-request",
	[EDGE_ECHO_REPLY] = "icmp6-echo-reply",
	[EDGE_NEIGHBOR_SOLICITATION] = "icmp6-neighbor-solicitation",
	[EDGE_NEIGHBOR_ADVERTISEMENT] = "icmp6-neighbor-advertisement",
	[EDGE_ICMP_ERROR] = "ip6-icmp-error",
	[EDGE_DROP] = "error-drop",
	[EDGE_LINUX_CP_PUNT] = "?linux-cp-punt",
	[EDGES_ABOVE] = EDGES_ABOVE_IP6,
};

enum counter {
	EXTENSIONS,
	FRAGMENT,
	TOO_MANY,
	CUT_SHORT,
	BAD_ICMP,
	ICMP_CHECKSUM,
	UNKNOWN_ICMP,
	BAD_UDP,
	NO_UDP_LISTENER,
	UNKNOWN_PROTOCOL,
	NO_NEXT_HEADER,
	POLICED,
};
static const struct graph_counter counters[] = {
	[EXTENSIONS] = {"ip6 extension headers present", false},
	[FRAGMENT] = {"ip6 fragment to us is not reassembled", true},
	[TOO_MANY] = {"too many ip6 extension headers", true},
	[CUT_SHORT] = {"ip6 extension header cut short", true},
	[BAD_ICMP] = {"icmp6 shorter than its header", true},
	[ICMP_CHECKSUM] = {"bad icmp6 checksum", true},
	[UNKNOWN_ICMP] = {"unknown icmp6 type", true},
	[BAD_UDP] = {"bad udp length", true},
	[NO_UDP_LISTENER] = {"no listener for dst port", true},
	[UNKNOWN_PROTOCOL] = {"unknown ip6 protocol", true},
	[NO_NEXT_HEADER] = {"no next header", true},
	[POLICED] = {PUNT_POLICED, true},
};

GRAPH_DROP(EDGE_DROP)

static uint16_t refuse(struct graph_node *node, enum counter reason, struct rte_mbuf *packet,
					   enum icmp6_type type, uint8_t code, uint16_t at)
{
	graph_count(node, reason, 1);
	packet_set_icmp_error(packet, (uint8_t)type, code, at);
	return EDGE_ICMP_ERROR;
}

/* To the node that registered the number; if there is none, an error is sent. */
static uint16_t look_above(struct graph_node *node, uint32_t number, enum counter reason,
						   struct rte_mbuf *packet, enum icmp6_type type, uint8_t code, uint16_t at)
{
	uint16_t place = upper_find(ABOVE_IP6, number);
	return place == UPPER_NONE ? refuse(node, reason, packet, type, code, at) : EDGES_ABOVE + place;
}

static uint16_t icmp_edge(struct graph_node *node, uint8_t type)
{
	uint16_t place;
	switch (type) {
	case ICMP6_ECHO_REQUEST:
		return EDGE_ECHO_REQUEST;
	case ICMP6_ECHO_REPLY:
		return EDGE_ECHO_REPLY;
	case ICMP6_NEIGHBOR_SOLICITATION:
		return EDGE_NEIGHBOR_SOLICITATION;
	case ICMP6_NEIGHBOR_ADVERTISEMENT:
		return EDGE_NEIGHBOR_ADVERTISEMENT;
	default:
		place = upper_find(ABOVE_IP6, UPPER_ICMP6(type));
		return place == UPPER_NONE ? drop(node, UNKNOWN_ICMP) : EDGES_ABOVE + place;
	}
}

/* Move the IPv6 header, and the received Ethernet header in front of it, up to the message. */
static void strip_extensions(struct rte_mbuf *packet, uint16_t offset)
{
	int extensions = offset - IP6_LEN;
	uint8_t *start = packet_data(packet) - ETHERNET_LEN;
	memmove(start + extensions, start, ETHERNET_LEN + IP6_LEN);
	packet_advance(packet, extensions);
	trace_moved(packet, extensions);
	struct ip6_header *ip = (struct ip6_header *)(void *)packet_data(packet);
	ip->payload_length = htobe16((uint16_t)(be16toh(ip->payload_length) - extensions));
	ip->next_header = IP6_ICMP;
}

/* The nodes behind expect the message directly after the IPv6 header. */
static uint16_t take_icmp(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet,
						  const struct ip6_upper *upper, uint16_t readable, uint16_t claimed)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	const struct icmp6_header *icmp = icmp6_parse(packet_data(packet) + upper->offset, readable);
	if (!icmp)
		return drop(node, BAD_ICMP);
	uint64_t sum = ip6_pseudo_sum(ip, claimed, IP6_ICMP);
	if (packet_checksum(sum, packet, upper->offset, claimed))
		return drop(node, ICMP_CHECKSUM);
	uint16_t edge = icmp_edge(node, icmp->type);
	if (edge != EDGE_DROP && edge != EDGE_ECHO_REQUEST &&
		!punt_passes(graph, packet->port, edge == EDGE_ECHO_REPLY ? WS_PUNT_ICMP : WS_PUNT_ND))
		return drop(node, POLICED);
	if (upper->offset > IP6_LEN && edge != EDGE_DROP)
		strip_extensions(packet, upper->offset);
	return edge;
}

/* Messages for the router on a paired interface: neighbours' replies, and replies to the router's
 * own pings, whose identifiers differ from Linux's. */
static enum edge edge_of_paired(const struct ws_router *router, const struct icmp6_header *icmp)
{
	if (icmp->type == ICMP6_NEIGHBOR_ADVERTISEMENT)
		return EDGE_NEIGHBOR_ADVERTISEMENT;
	bool is_answer =
		icmp->type == ICMP6_ECHO_REPLY && echo_is_ours(router, be32toh(icmp->rest) >> 16);
	return is_answer ? EDGE_ECHO_REPLY : EDGE_LINUX_CP_PUNT;
}

static enum edge hand_over(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet,
						   const struct interface *interface)
{
	const struct ws_router *router = router_of(graph);
	if (punt_is_policed(router) &&
		!punt_passes(graph, packet->port,
					 punt_reason_of_ip6(packet_data(packet), packet->data_len)))
		return drop(node, POLICED);
	const uint8_t *data = packet_data(packet);
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)data;
	uint16_t length = be16toh(ip->payload_length);
	uint16_t readable = RTE_MIN((uint16_t)(packet->data_len - IP6_LEN), length);
	const struct icmp6_header *icmp =
		ip->next_header == IP6_ICMP ? icmp6_parse(data + IP6_LEN, readable) : NULL;
	enum edge edge = icmp ? edge_of_paired(router, icmp) : EDGE_LINUX_CP_PUNT;
	if (edge != EDGE_LINUX_CP_PUNT &&
		!packet_checksum(ip6_pseudo_sum(ip, length, IP6_ICMP), packet, IP6_LEN, length))
		return edge;
	packet_restore_frame(packet, interface, ETHERNET_IP6);
	return EDGE_LINUX_CP_PUNT;
}

static uint16_t serve(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet)
{
	const uint8_t *data = packet_data(packet);
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)data;
	uint32_t whole = IP6_LEN + (uint32_t)be16toh(ip->payload_length);
	uint16_t readable = (uint16_t)RTE_MIN(packet->data_len, whole);
	const struct udp_header *udp;
	struct ip6_upper upper;
	enum ip6_walk walk = ip6_find_upper(data, readable, &upper);
	if (walk)
		return drop(node, walk == IP6_WALK_LONG ? TOO_MANY : CUT_SHORT);
	graph_count(node, EXTENSIONS, upper.offset > IP6_LEN);
	if (upper.is_fragment)
		return drop(node, FRAGMENT);
	readable -= upper.offset;
	uint16_t claimed = (uint16_t)(whole - upper.offset);
	switch (upper.protocol) {
	case IP6_ICMP:
		return take_icmp(graph, node, packet, &upper, readable, claimed);
	case IP6_UDP:
		udp = udp_parse(data + upper.offset, readable, claimed);
		return udp ? look_above(node, UPPER_UDP(be16toh(udp->destination)), NO_UDP_LISTENER, packet,
								ICMP6_UNREACHABLE, ICMP6_PORT_UNREACHABLE, 0)
				   : drop(node, BAD_UDP);
	case IP6_NO_NEXT_HEADER:
		return drop(node, NO_NEXT_HEADER);
	default:
		return look_above(node, upper.protocol, UNKNOWN_PROTOCOL, packet, ICMP6_PARAMETER_PROBLEM,
						  ICMP6_UNKNOWN_NEXT_HEADER, upper.named_at);
	}
}

static uint16_t ip6_local_one(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet)
{
	const struct interface *interface = &router_of(graph)->interfaces[packet->port];
	return interface_is_paired(interface) ? hand_over(graph, node, packet, interface)
										  : serve(graph, node, packet);
}

EACH_PACKET_NODE(ip6_local, .name = "ip6-local", .takes = TAKES_PACKET, GRAPH_EDGES(edges),
				 GRAPH_COUNTERS(counters))

GRAPH_ARC(ip6_local_arc, .name = "ip6-local", .end = "ip6-local")

ADJACENCY_NODE(BEHIND_IP6, ADJACENCY_LOCAL, "ip6-local")
