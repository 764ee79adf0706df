/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-local: packets to this router.
 *
 * Echo requests are answered. Unregistered protocols and UDP ports (upper.h) cause ICMP errors (RFC
 * 1122 sections 3.2.2.1 and 4.1.3.1). Other ICMP is dropped, except for replies to the router's own
 * pings. On a paired interface everything but such replies goes to Linux. Packets for Linux, and
 * replies to the router's pings, are limited by their punt policers. The end of the arc ip4-local,
 * which begins at all nodes that lead here: features on it take their packets first.
 *
 * Uses: mbuf->port. Next: icmp4-echo-request, icmp4-echo-reply, ip4-icmp-error, linux-cp-punt,
 * error-drop.
 */
#include "graph/arc.h"
#include "router/fib/adjacency_nodes.h"
#include "router/local/echo.h"
#include "router/packet/restore_frame.h"
#include "router/packet/upper.h"
#include "router/path/each_packet.h"
#include "router/punt/punt.h"
#include "wire/icmp4.h"
#include "wire/ip4.h"
#include "wire/udp.h"

enum edge {
	EDGE_ECHO_REQUEST,
	EDGE_ECHO_REPLY,
	EDGE_ICMP_ERROR,
	EDGE_DROP,
	EDGE_LINUX_CP_PUNT,
	EDGES_ABOVE /* upper.h */
};
static const char *const edges[] = {
	[EDGE_ECHO_REQUEST] = "icmp4-echo-request", [EDGE_ECHO_REPLY] = "icmp4-echo-reply",
	[EDGE_ICMP_ERROR] = "ip4-icmp-error",       [EDGE_DROP] = "error-drop",
	[EDGE_LINUX_CP_PUNT] = "?linux-cp-punt",    [EDGES_ABOVE] = EDGES_ABOVE_IP4,
};

enum counter {
	FRAGMENT,
	BAD_ICMP,
	UNKNOWN_ICMP,
	BAD_UDP,
	NO_UDP_LISTENER,
	UNKNOWN_PROTOCOL,
	POLICED,
};
static const struct graph_counter counters[] = {
	[FRAGMENT] = {"ip4 fragment to us is not reassembled", true},
	[BAD_ICMP] = {"icmp4 shorter than its header", true},
	[UNKNOWN_ICMP] = {"unknown icmp4 type", true},
	[BAD_UDP] = {"bad udp length", true},
	[NO_UDP_LISTENER] = {"no listener for dst port", true},
	[UNKNOWN_PROTOCOL] = {"unknown ip protocol", true},
	[POLICED] = {PUNT_POLICED, true},
};

GRAPH_DROP(EDGE_DROP)

static uint16_t refuse(struct graph_node *node, enum counter reason, struct rte_mbuf *packet,
					   enum icmp4_unreachable_code code)
{
	graph_count(node, reason, 1);
	packet_set_icmp_error(packet, ICMP4_UNREACHABLE, (uint8_t)code, 0);
	return EDGE_ICMP_ERROR;
}

/* To the node that registered the number; if there is none, an error is sent. */
static uint16_t look_above(struct graph_node *node, uint32_t number, enum counter reason,
						   struct rte_mbuf *packet, enum icmp4_unreachable_code code)
{
	uint16_t place = upper_find(ABOVE_IP4, number);
	return place == UPPER_NONE ? refuse(node, reason, packet, code) : EDGES_ABOVE + place;
}

/* Payload of a packet: `readable` of its `claimed` bytes are in the first segment. */
struct content {
	const uint8_t *bytes;
	uint16_t readable, claimed;
};

static struct content content_of(const struct rte_mbuf *packet, const struct ip4_header *ip)
{
	uint16_t header = ip4_header_length(ip), claimed = be16toh(ip->total_length) - header;
	uint16_t readable = packet->data_len - header;
	return (struct content){packet_data(packet) + header, RTE_MIN(readable, claimed), claimed};
}

static uint16_t serve(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	const struct content content = content_of(packet, ip);
	if (ip4_is_fragment(ip))
		return drop(node, FRAGMENT);
	if (ip->protocol == IP4_ICMP) {
		const struct icmp4_header *icmp = icmp4_parse(content.bytes, content.readable);
		if (!icmp)
			return drop(node, BAD_ICMP);
		if (icmp->type == ICMP4_ECHO_REPLY)
			return punt_passes(graph, packet->port, WS_PUNT_ICMP) ? EDGE_ECHO_REPLY
																  : drop(node, POLICED);
		return icmp->type == ICMP4_ECHO_REQUEST ? EDGE_ECHO_REQUEST : drop(node, UNKNOWN_ICMP);
	}
	if (ip->protocol != IP4_UDP)
		return look_above(node, ip->protocol, UNKNOWN_PROTOCOL, packet, ICMP4_PROTOCOL_UNREACHABLE);
	const struct udp_header *udp = udp_parse(content.bytes, content.readable, content.claimed);
	if (!udp)
		return drop(node, BAD_UDP);
	return look_above(node, UPPER_UDP(be16toh(udp->destination)), NO_UDP_LISTENER, packet,
					  ICMP4_PORT_UNREACHABLE);
}

/* For a paired interface. Linux's own pings have other identifiers. */
static enum edge hand_over(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet,
						   const struct interface *interface)
{
	const struct ws_router *router = router_of(graph);
	if (punt_is_policed(router) &&
		!punt_passes(graph, packet->port,
					 punt_reason_of_ip4(packet_data(packet), packet->data_len)))
		return drop(node, POLICED);
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	if (ip->protocol == IP4_ICMP && !ip4_is_fragment(ip)) {
		const struct content content = content_of(packet, ip);
		const struct icmp4_header *icmp = icmp4_parse(content.bytes, content.readable);
		if (icmp && icmp->type == ICMP4_ECHO_REPLY && echo_is_ours(router, be16toh(icmp->rest[0])))
			return EDGE_ECHO_REPLY;
	}
	packet_restore_frame(packet, interface, ETHERNET_IP4);
	return EDGE_LINUX_CP_PUNT;
}

static uint16_t ip4_local_one(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet)
{
	const struct interface *interface = &router_of(graph)->interfaces[packet->port];
	return interface_is_paired(interface) ? hand_over(graph, node, packet, interface)
										  : serve(graph, node, packet);
}

EACH_PACKET_NODE(ip4_local, .name = "ip4-local", .takes = TAKES_PACKET | TAKES_DECIDED,
				 GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))

GRAPH_ARC(ip4_local_arc, .name = "ip4-local", .end = "ip4-local")

ADJACENCY_NODE(BEHIND_IP4, ADJACENCY_LOCAL, "ip4-local")
