/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-local: packets to this router.
 *
 * Pings are answered; nothing else is served, which UDP and unknown protocols are told (RFC 1122
 * sections 3.2.2.1 and 4.1.3.1). ICMP that is no request is not for anybody here, but for answers
 * to pings of our own. What came in by an interface that is paired with one of Linux is all
 * Linux's, but for those answers. While there are VXLAN tunnels, what comes to their port is theirs
 * first. What goes to Linux, and answers to pings of our own, come no faster than their punt
 * policers let them.
 *
 * Uses: mbuf->port. Next: icmp4-echo-request, icmp4-echo-reply, ip4-icmp-error, linux-cp-punt,
 * vxlan4-input, error-drop.
 */
#include "graph/graph.h"
#include "router/fib/adjacency_nodes.h"
#include "router/local/echo.h"
#include "router/local/linux_cp.h"
#include "router/packet/eight.h"
#include "router/punt/punt.h"
#include "router/router.h"
#include "router/vxlan/vxlan.h"
#include "wire/icmp4.h"
#include "wire/ip4.h"
#include "wire/udp.h"

enum edge {
	EDGE_ECHO_REQUEST,
	EDGE_ECHO_REPLY,
	EDGE_ICMP_ERROR,
	EDGE_DROP,
	EDGE_LINUX_CP_PUNT,
	EDGE_VXLAN,
	EDGES
};
static const char *const edges[] = {
	[EDGE_ECHO_REQUEST] = "icmp4-echo-request", [EDGE_ECHO_REPLY] = "icmp4-echo-reply",
	[EDGE_ICMP_ERROR] = "ip4-icmp-error",       [EDGE_DROP] = "error-drop",
	[EDGE_LINUX_CP_PUNT] = "linux-cp-punt",     [EDGE_VXLAN] = "vxlan4-input",
};

enum counter {
	FRAGMENT,
	BAD_ICMP,
	UNKNOWN_ICMP,
	BAD_UDP,
	NO_UDP_LISTENER,
	UNKNOWN_PROTOCOL,
	POLICED,
	COUNTERS
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

static enum edge drop(struct graph_node *node, enum counter reason)
{
	graph_count(node, reason, 1);
	return EDGE_DROP;
}

static enum edge refuse(struct graph_node *node, enum counter reason, struct rte_mbuf *packet,
						enum icmp4_unreachable_code code)
{
	graph_count(node, reason, 1);
	packet_set_icmp_error(packet, ICMP4_UNREACHABLE, (uint8_t)code, 0);
	return EDGE_ICMP_ERROR;
}

/* What a packet carries: `readable` of its `claimed` bytes are in the first buffer. */
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

static enum edge serve(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet)
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
		return refuse(node, UNKNOWN_PROTOCOL, packet, ICMP4_PROTOCOL_UNREACHABLE);
	if (!udp_parse(content.bytes, content.readable, content.claimed))
		return drop(node, BAD_UDP);
	return refuse(node, NO_UDP_LISTENER, packet, ICMP4_PORT_UNREACHABLE);
}

/* Of an interface that is paired with one of Linux, whose own pings have other identifiers. */
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

/* With options, or not. */
static bool may_be_vxlan(const struct rte_mbuf *packet)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	const struct content content = content_of(packet, ip);
	const struct udp_header *udp = (const struct udp_header *)(const void *)content.bytes;
	return ip->protocol == IP4_UDP && !ip4_is_fragment(ip) && content.readable >= UDP_LEN &&
		   udp->destination == htobe16(VXLAN_PORT);
}

enum { PLAIN_IHL = 4 << 4 | IP4_LEN / 4, VXLAN_NEEDS = IP4_LEN + UDP_LEN };

/* The usual kind is found with one branch. */
static inline bool is_vxlan(const struct rte_mbuf *packet)
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

/* Whether eight are of the usual kind. */
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

static __attribute__((noinline)) uint16_t deliver(struct graph *graph, struct graph_node *node,
												  struct rte_mbuf *packet)
{
	const struct interface *interface = &router_of(graph)->interfaces[packet->port];
	return interface_is_paired(interface) ? hand_over(graph, node, packet, interface)
										  : serve(graph, node, packet);
}

static uint16_t ip4_local_process(struct graph *graph, struct graph_node *node, void **packets,
								  uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	bool has_tunnels = vxlan_room(router);
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0, end; i < n; i = end) {
		end = eight_end(i, n);
		if (has_tunnels && end - i == EIGHT && are_vxlan(packets + i)) {
			eight_fill(next + i, EDGE_VXLAN);
			continue;
		}
		for (uint16_t k = i; k < end; k++)
			next[k] = has_tunnels && is_vxlan(packets[k]) ? (uint16_t)EDGE_VXLAN
														  : deliver(graph, node, packets[k]);
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static struct graph_registration ip4_local = {
	.name = "ip4-local",
	.process = ip4_local_process,
	.takes = TAKES_PACKET | TAKES_DECIDED,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(counters),
};
GRAPH_REGISTER(ip4_local)
ADJACENCY_NODE(BEHIND_IP4, ADJACENCY_LOCAL, "ip4-local")
