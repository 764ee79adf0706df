/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip6-input: checks of each packet's header and addresses (RFC 8200, RFC 4291 section 2.5).
 *
 * Packets to groups that the interface has joined and to its link-local address are delivered
 * locally; other packets with addresses of such scope are not routed. ip6-rewrite checks the hop
 * limit: a packet to this router may have any. Extension headers of forwarded packets are ignored
 * (RFC 8200 section 4).
 *
 * Uses: mbuf->port (counts the interface's IPv6 packets). Next: ip6-lookup, ip6-local,
 * ip6-not-enabled, error-drop.
 */
#include "graph/arc.h"
#include "router/interface/ip6_interface.h"
#include "router/interface/local_addresses.h"
#include "router/packet/eight.h"
#include "router/packet/metadata.h"
#include "router/path/interface_run.h"
#include "wire/ip6.h"

enum edge { EDGE_LOOKUP, EDGE_LOCAL, EDGE_NOT_ENABLED, EDGE_DROP };
static const char *const edges[] = {
	[EDGE_LOOKUP] = "ip6-lookup",
	[EDGE_LOCAL] = "ip6-local",
	[EDGE_NOT_ENABLED] = "ip6-not-enabled",
	[EDGE_DROP] = "error-drop",
};

/* The first ones in the order of enum ip6_check. */
enum counter {
	MULTICAST_IN = 0,
	SOURCE_MULTICAST = IP6_LENGTH + 1,
	SOURCE_LOOPBACK,
	SOURCE_UNSPECIFIED,
	SOURCE_IP4,
	SOURCE_OWN,
	SOURCE_LINK_LOCAL,
	DESTINATION_LOOPBACK,
	DESTINATION_UNSPECIFIED,
	DESTINATION_IP4,
	DESTINATION_LINK_LOCAL,
	DESTINATION_MULTICAST,
};
static const struct graph_counter counters[] = {
	[MULTICAST_IN] = {"ip6 multicast packets taken in", false},
	[IP6_SHORT] = {"ip6 length < 40 bytes", true},
	[IP6_VERSION] = {"ip6 version != 6", true},
	[IP6_LENGTH] = {"ip6 length > l2 length", true},
	[SOURCE_MULTICAST] = {"ip6 source is multicast", true},
	[SOURCE_LOOPBACK] = {"ip6 source is loopback", true},
	[SOURCE_UNSPECIFIED] = {"ip6 source is unspecified", true},
	[SOURCE_IP4] = {"ip6 source is an embedded ip4 address", true},
	[SOURCE_OWN] = {"ip6 source is our own address", true},
	[SOURCE_LINK_LOCAL] = {"ip6 source is link-local and destination is not ours", true},
	[DESTINATION_LOOPBACK] = {"ip6 destination is loopback", true},
	[DESTINATION_UNSPECIFIED] = {"ip6 destination is unspecified", true},
	[DESTINATION_IP4] = {"ip6 destination is an embedded ip4 address", true},
	[DESTINATION_LINK_LOCAL] = {"ip6 destination is link-local and not ours", true},
	[DESTINATION_MULTICAST] = {"ip6 multicast is not routed", true},
};

/* 2000::/3 and fc00::/7 need no further checks. */
static inline uint32_t is_plain_address(const uint8_t *address)
{
	return (uint32_t)((address[0] & 0xe0) == 0x20) | (uint32_t)((address[0] & 0xfe) == 0xfc);
}

static inline uint32_t may_be_own(const struct local_set *own, const uint8_t *address)
{
	uint32_t words[4];
	memcpy(words, address, sizeof(words));
	return local_set_bit_is_set(own, LOCAL_IP6_BIT(own, words));
}

static bool is_own(const struct local_set *own, const uint8_t *address, uint16_t table)
{
	const struct local_address whole = local_address_ip6(address, table);
	return local_set_has(own, &whole);
}

GRAPH_DROP(EDGE_DROP)

/* The reason to drop a packet with this source, or 0. The unspecified address is allowed on a link,
 * in requests. */
static uint16_t bad_source(const struct local_set *own, uint16_t table,
						   const struct ip6_interface *interface, const uint8_t *source,
						   const uint8_t *destination)
{
	if (ip6_is_multicast(source))
		return SOURCE_MULTICAST;
	if (ip6_is_loopback(source))
		return SOURCE_LOOPBACK;
	if (ip6_is_unspecified(source))
		return ip6_is_multicast(destination) ? 0 : SOURCE_UNSPECIFIED;
	if (ip6_is_ip4(source))
		return SOURCE_IP4;
	bool is_ours = ip6_is_link_local(source) ? ip6_is_equal(source, interface->link_local)
											 : is_own(own, source, table);
	return is_ours ? SOURCE_OWN : 0;
}

static uint16_t bad_destination(const uint8_t *destination)
{
	if (ip6_is_loopback(destination))
		return DESTINATION_LOOPBACK;
	if (ip6_is_unspecified(destination))
		return DESTINATION_UNSPECIFIED;
	return ip6_is_ip4(destination) ? DESTINATION_IP4 : 0;
}

/* Check a packet that is not plain: it has addresses of small scope, or is to be dropped. */
static __attribute__((noinline)) enum edge check(struct graph *graph, struct graph_node *node,
												 const struct rte_mbuf *packet)
{
	const struct ws_router *router = router_of(graph);
	const struct ip6_interface *interface = ip6_interface(router, packet->port);
	const struct local_set *own = __atomic_load_n(&router->own, __ATOMIC_ACQUIRE)->ip6;
	uint16_t table = interface_table(&router->interfaces[packet->port], 1);
	const uint8_t *data = packet_data(packet);
	enum ip6_check error = ip6_check(data, packet->data_len, packet->pkt_len);
	if (error)
		return drop(node, (uint16_t)error);
	if (!interface)
		return EDGE_NOT_ENABLED;
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)data;
	uint16_t reason = bad_source(own, table, interface, ip->source, ip->destination);
	if (!reason)
		reason = bad_destination(ip->destination);
	if (reason)
		return drop(node, reason);
	if (ip6_is_multicast(ip->destination)) {
		if (!ip6_is_joined(router, packet->port, ip->destination))
			return drop(node, DESTINATION_MULTICAST);
		graph_count(node, MULTICAST_IN, 1);
		return EDGE_LOCAL;
	}
	if (ip6_is_link_local(ip->destination))
		return ip6_is_equal(ip->destination, interface->link_local) && !interface->is_tentative
				   ? EDGE_LOCAL
				   : drop(node, DESTINATION_LINK_LOCAL);
	if (ip6_is_link_local(ip->source) && !is_own(own, ip->destination, table))
		return drop(node, SOURCE_LINK_LOCAL);
	return EDGE_LOOKUP;
}

/* Not zero in lanes where an address that begins with this word, as loaded, is not plain. */
LANES_INLINE lanes are_odd_addresses(lanes words)
{
	return ~((lanes)((words & 0xe0) == 0x20) | (lanes)((words & 0xfe) == 0xfc));
}

/* Not zero in lanes where the source, given as its words, may be the router's. */
LANES_INLINE lanes may_be_owns(const struct local_set *own, const lanes *words)
{
	lanes bits = LOCAL_IP6_BIT(own, words);
	return lanes_gather(own->bitmap, bits >> 5) >> (bits & 31) & 1;
}

/* is_plain for eight packets; false if one has several segments. */
LANES_INLINE bool are_plain(const struct local_set *own, void *const *packets)
{
	const void *headers[EIGHT];
	lanes source[4], lengths = eight_lengths(packets);
	if (unlikely(lanes_any(lanes_less(lengths, lanes_all(IP6_LEN)))))
		return false;
	eight_data(packets, (void **)headers);
	lanes_load_four_at(headers, offsetof(struct ip6_header, source), source);
	lanes versions = lanes_load_at(headers, 0) & 0xf0;
	lanes payload = lanes_load_at(headers, offsetof(struct ip6_header, payload_length));
	lanes destination = lanes_load_at(headers, offsetof(struct ip6_header, destination));
	lanes bad = (versions ^ 0x60) | lanes_less(lengths, (lanes_swap(payload) >> 16) + IP6_LEN);
	bad |= are_odd_addresses(source[0]) | are_odd_addresses(destination);
	bad |= may_be_owns(own, source);
	return !lanes_any(bad);
}

static inline bool is_plain(const struct local_set *own, const struct rte_mbuf *packet)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	bool is_whole = likely(packet->data_len >= IP6_LEN) && packet_data(packet)[0] >> 4 == 6 &&
					ip6_packet_length(ip) <= packet->pkt_len;
	return likely(is_whole) && is_plain_address(ip->source) & is_plain_address(ip->destination) &
								   ~may_be_own(own, ip->source);
}

static uint16_t ip6_input_process(struct graph *graph, struct graph_node *node, void **packets,
								  uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	const struct local_set *own = __atomic_load_n(&router->own, __ATOMIC_ACQUIRE)->ip6;
	struct router_worker *worker = router_worker_of(graph);
	uint16_t next[GRAPH_FRAME_SIZE];
	struct interface_run run = INTERFACE_RUN_NONE;
	bool enabled = false;
	for (uint16_t i = 0, end; i < n; i = end) {
		end = eight_end(i, n);
		if (end - i == EIGHT && enabled && eight_came_by(packets + i, run.interface) &&
			are_plain(own, packets + i)) {
			eight_fill(next + i, EDGE_LOOKUP);
			continue;
		}
		for (uint16_t k = i; k < end; k++) {
			const struct rte_mbuf *packet = packets[k];
			if (unlikely(packet->port != run.interface)) {
				interface_run_next(&run, k, packet->port,
								   &worker->interfaces->ip6.at[packet->port]);
				enabled = ip6_interface(router, packet->port);
			}
			next[k] =
				likely(enabled && is_plain(own, packet)) ? EDGE_LOOKUP : check(graph, node, packet);
		}
	}
	interface_run_end(&run, n);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

GRAPH_NODE(ip6_input, .name = "ip6-input", .takes = TAKES_PACKET, GRAPH_EDGES(edges),
		   GRAPH_COUNTERS(counters))

/* Valid packets before the lookup. */
GRAPH_ARC(ip6_unicast, .name = "ip6-unicast", .starts = {"ip6-input"}, .end = "ip6-lookup")
