/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-icmp-error: turns a packet into the ICMP error about it (RFC 792, RFC 1812 section 4.3).
 *
 * No error is sent about an ICMP error, about a fragment other than the first, or above the rate
 * limit; and none to the router itself, or to a source address that no host can have. ip4-input
 * checks sources too, but packets behind a label stack have not passed it. Packets to groups do not
 * get here. The error quotes as much of the packet as fits into 576 bytes, has an address of the
 * receiving interface as its source, and is routed like any packet. If the TTL of a labelled packet
 * has expired, the error contains the labels (RFC 4950).
 *
 * Uses: icmp error, mbuf->port. Next: ip4-lookup, error-drop.
 */
#include "router/fib/adjacency_nodes.h"
#include "router/interface/local_addresses.h"
#include "router/interface/source_address.h"
#include "router/local/local.h"
#include "router/observe/trace.h"
#include "router/packet/metadata.h"
#include "router/path/each_packet.h"
#include "router/path/icmp_quote.h"
#include "router/router.h"
#include "wire/address.h"
#include "wire/ethernet.h"
#include "wire/icmp4.h"
#include "wire/ip4.h"

enum edge { EDGE_LOOKUP, EDGE_DROP };
static const char *const edges[] = {[EDGE_LOOKUP] = "ip4-lookup", [EDGE_DROP] = "error-drop"};

enum counter {
	UNREACHABLE_SENT,
	TTL_SENT,
	ABOUT_ERROR,
	ABOUT_FRAGMENT,
	TO_NOBODY,
	RATE,
	NO_ADDRESS,
	NO_ROOM,
};
static const struct graph_counter counters[] = {
	[UNREACHABLE_SENT] = {"destination unreachable response sent", false},
	[TTL_SENT] = {"hop limit exceeded response sent", false},
	[ABOUT_ERROR] = {"no icmp4 error about an icmp4 error", true},
	[ABOUT_FRAGMENT] = {"no icmp4 error about a later fragment", true},
	[TO_NOBODY] = {"no icmp4 error to a source that is no host", true},
	[RATE] = {"icmp4 error rate limited", true},
	[NO_ADDRESS] = {"interface has no address to send an icmp4 error from", true},
	[NO_ROOM] = {"no headroom for an icmp4 error", true},
};

enum { ERROR_LEN = IP4_LEN + ICMP4_LEN, MAX_LEN = 576, QUOTE_UNIT = 4 };

GRAPH_DROP(EDGE_DROP)

static bool is_about_error(const struct rte_mbuf *packet)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	uint16_t header = ip4_header_length(ip);
	/* The packet is too short to have a type: treat it as an error. */
	if (ip->protocol == IP4_ICMP && packet->data_len <= header)
		return true;
	return ip->protocol == IP4_ICMP && icmp4_is_error(packet_data(packet)[header]);
}

static void write_error(struct rte_mbuf *packet, uint32_t source)
{
	const struct ip4_header *about = (const struct ip4_header *)(const void *)packet_data(packet);
	uint32_t answer_to = about->source;
	uint8_t *ethernet = packet_data(packet) - ETHERNET_LEN;
	bool may_have_labels = packet_icmp_type(packet) == ICMP4_TIME_EXCEEDED;
	uint16_t labels = may_have_labels ? packet_icmp_labels(packet) : 0;
	uint8_t units =
		icmp_quote(packet, be16toh(about->total_length), MAX_LEN - ERROR_LEN, labels, QUOTE_UNIT);
	uint16_t length = (uint16_t)(packet->data_len + ERROR_LEN);
	/* The received Ethernet header comes along; traces show it. */
	memmove(ethernet - ERROR_LEN, ethernet, ETHERNET_LEN);
	packet_advance(packet, -ERROR_LEN);
	trace_moved(packet, -ERROR_LEN);

	struct ip4_header *ip = (struct ip4_header *)(void *)packet_data(packet);
	struct icmp4_header *icmp = (struct icmp4_header *)(void *)(ip + 1);
	*ip = (struct ip4_header){
		.version_ihl = 0x45,
		.tos = 0xc0, /* internetwork control, RFC 1812 section 4.3.2.5 */
		.total_length = htobe16(length),
		.ttl = LOCAL_TTL,
		.protocol = IP4_ICMP,
		.source = htobe32(source),
		.destination = answer_to,
	};
	ip4_set_checksum(ip);
	*icmp = (struct icmp4_header){
		.type = packet_icmp_type(packet),
		.code = packet_icmp_code(packet),
		.rest = {htobe16(units), may_have_labels ? 0 : htobe16(packet_icmp_mtu(packet))},
	};
	icmp->checksum = checksum(icmp, length - IP4_LEN);
}

/* True for a host's address that is not the router's in the table in which the packet was looked
 * up. */
static bool is_other_host(const struct ws_router *router, uint16_t interface, uint32_t source)
{
	const struct local_addresses *own = __atomic_load_n(&router->own, __ATOMIC_ACQUIRE);
	const struct local_address address =
		local_address_ip4(source, interface_table(&router->interfaces[interface], 0));
	return ip4_is_host(source) && !local_set_has(own->ip4, &address);
}

static uint16_t ip4_icmp_error_one(struct graph *graph, struct graph_node *node,
								   struct rte_mbuf *packet)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	uint32_t about = be32toh(ip->source);
	uint32_t source = ip4_source_address(router_of(graph), packet->port, about);
	if (ip4_is_later_fragment(ip))
		return drop(node, ABOUT_FRAGMENT);
	if (is_about_error(packet))
		return drop(node, ABOUT_ERROR);
	if (!is_other_host(router_of(graph), packet->port, about))
		return drop(node, TO_NOBODY);
	if (!source)
		return drop(node, NO_ADDRESS);
	if (packet->data_off < ERROR_LEN + ETHERNET_LEN)
		return drop(node, NO_ROOM);
	if (!token_bucket_take(&router_worker_of(graph)->icmp, graph_tsc()))
		return drop(node, RATE);
	graph_count(node, packet_icmp_type(packet) == ICMP4_TIME_EXCEEDED ? TTL_SENT : UNREACHABLE_SENT,
				1);
	write_error(packet, source);
	return EDGE_LOOKUP;
}

EACH_PACKET_NODE(ip4_icmp_error, .name = "ip4-icmp-error", .takes = TAKES_PACKET,
				 GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
ADJACENCY_NODE(BEHIND_IP4, ADJACENCY_NO_ROUTE, "ip4-icmp-error")
ADJACENCY_NODE(BEHIND_IP4, ADJACENCY_UNREACHABLE, "ip4-icmp-error")
ADJACENCY_NODE(BEHIND_IP4, ADJACENCY_PROHIBIT, "ip4-icmp-error")
