/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip6-icmp-error: turns a packet into the ICMPv6 error about it (RFC 4443 section 2.4).
 *
 * No error is sent about an ICMPv6 error, to a group or the unspecified address, or above the rate;
 * about a packet to a group only "packet too big" is sent. The error quotes as much of the packet
 * as fits into 1280 bytes, has an address of the receiving interface as its source, and is routed
 * like any packet, except to a link-local address: that goes back to the sending station. If the
 * hop limit of a labelled packet has expired, the error contains the labels (RFC 4950).
 *
 * Uses: icmp error, mbuf->port; the received Ethernet header is in front of the data. Next:
 * ip6-lookup, <if>-output, error-drop.
 */
#include "router/fib/adjacency_nodes.h"
#include "router/interface/ip6_interface.h"
#include "router/interface/source_address.h"
#include "router/local/local.h"
#include "router/packet/output.h"
#include "router/path/each_packet.h"
#include "router/path/icmp_quote.h"
#include "wire/ethernet.h"
#include "wire/icmp6.h"

enum edge { EDGE_LOOKUP, EDGE_DROP, EDGE_OUTPUT };
static const char *const edges[] = {
	[EDGE_LOOKUP] = "ip6-lookup",
	[EDGE_DROP] = "error-drop",
	[EDGE_OUTPUT] = "*-output",
};

/* The first ones in the order of enum icmp6_type. */
enum counter {
	ABOUT_ERROR = 0,
	ABOUT_GROUP = ICMP6_PARAMETER_PROBLEM + 1,
	TO_NOBODY,
	RATE,
	NO_ADDRESS,
	NO_ROOM,
};
static const struct graph_counter counters[] = {
	[ABOUT_ERROR] = {"no icmp6 error about an icmp6 error", true},
	[ICMP6_UNREACHABLE] = {"destination unreachable response sent", false},
	[ICMP6_TOO_BIG] = {"packet too big response sent", false},
	[ICMP6_TIME_EXCEEDED] = {"hop limit exceeded response sent", false},
	[ICMP6_PARAMETER_PROBLEM] = {"parameter problem response sent", false},
	[ABOUT_GROUP] = {"no icmp6 error about a packet to a group", true},
	[TO_NOBODY] = {"no icmp6 error to a source that is no host", true},
	[RATE] = {"icmp6 error rate limited", true},
	[NO_ADDRESS] = {"interface has no address to send an icmp6 error from", true},
	[NO_ROOM] = {"no headroom for an icmp6 error", true},
};

enum { ERROR_LEN = IP6_LEN + ICMP6_LEN, QUOTE_UNIT = 8, UNITS_SHIFT = 24 };

GRAPH_DROP(EDGE_DROP)

/* A packet too short to show its ICMP type counts as an error. */
static bool is_about_error(const struct rte_mbuf *packet)
{
	const uint8_t *data = packet_data(packet);
	struct ip6_upper upper;
	if (ip6_find_upper(data, packet->data_len, &upper) || upper.is_later_fragment)
		return true;
	if (upper.protocol != IP6_ICMP)
		return false;
	return packet->data_len <= upper.offset || icmp6_is_error(data[upper.offset]);
}

static void write_error(struct rte_mbuf *packet, const uint8_t *source)
{
	struct ip6_header *about = (struct ip6_header *)(void *)packet_data(packet);
	uint8_t *ethernet = packet_data(packet) - ETHERNET_LEN, answer_to[IP6_ADDRESS_LEN];
	uint8_t type = packet_icmp_type(packet);
	bool may_have_labels = type == ICMP6_TIME_EXCEEDED;
	uint16_t labels = may_have_labels ? packet_icmp_labels(packet) : 0;
	memcpy(answer_to, about->source, sizeof(answer_to));
	uint32_t units =
		icmp_quote(packet, ip6_packet_length(about), IP6_MIN_MTU - ERROR_LEN, labels, QUOTE_UNIT);
	uint16_t length = (uint16_t)(packet->data_len + ERROR_LEN);
	/* The received Ethernet header comes along, for its source address and for traces. */
	memmove(ethernet - ERROR_LEN, ethernet, ETHERNET_LEN);
	packet_advance(packet, -ERROR_LEN);
	trace_moved(packet, -ERROR_LEN);
	ip6_write(packet_data(packet), length - IP6_LEN, IP6_ICMP, LOCAL_TTL, source, answer_to);
	struct icmp6_header *icmp = (struct icmp6_header *)(void *)(packet_data(packet) + IP6_LEN);
	*icmp = (struct icmp6_header){
		.type = type,
		.code = packet_icmp_code(packet),
		.rest = htobe32(may_have_labels ? units << UNITS_SHIFT : packet_icmp_mtu(packet)),
	};
	icmp6_set_checksum(packet_data(packet));
}

static uint16_t ip6_icmp_error_one(struct graph *graph, struct graph_node *node,
								   struct rte_mbuf *packet)
{
	const struct ws_router *router = router_of(graph);
	struct ip6_header *ip = (struct ip6_header *)(void *)packet_data(packet);
	uint8_t source[IP6_ADDRESS_LEN], to[ETHERNET_ADDRESS_LEN];
	if (ip6_is_multicast(ip->destination) && packet_icmp_type(packet) != ICMP6_TOO_BIG)
		return drop(node, ABOUT_GROUP);
	if (ip6_is_multicast(ip->source) || ip6_is_unspecified(ip->source))
		return drop(node, TO_NOBODY);
	if (is_about_error(packet))
		return drop(node, ABOUT_ERROR);
	if (!ip6_source_address(router, packet->port, ip->source, source))
		return drop(node, NO_ADDRESS);
	if (packet->data_off < ERROR_LEN + ETHERNET_MAX_LEN)
		return drop(node, NO_ROOM);
	if (!token_bucket_take(&router_worker_of(graph)->icmp, graph_tsc()))
		return drop(node, RATE);
	graph_count(node, packet_icmp_type(packet), 1);
	write_error(packet, source);
	ip = (struct ip6_header *)(void *)packet_data(packet);
	if (!ip6_is_link_local(ip->destination))
		return EDGE_LOOKUP;
	ip->hop_limit--;
	memcpy(to, packet_data(packet) - ETHERNET_LEN + ETHERNET_ADDRESS_LEN, sizeof(to));
	return EDGE_OUTPUT + packet_frame(router, packet, packet->port, to, ETHERNET_IP6);
}

EACH_PACKET_NODE(ip6_icmp_error, .name = "ip6-icmp-error", .takes = TAKES_PACKET,
				 GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
ADJACENCY_NODE(BEHIND_IP6, ADJACENCY_NO_ROUTE, "ip6-icmp-error")
ADJACENCY_NODE(BEHIND_IP6, ADJACENCY_UNREACHABLE, "ip6-icmp-error")
ADJACENCY_NODE(BEHIND_IP6, ADJACENCY_PROHIBIT, "ip6-icmp-error")
