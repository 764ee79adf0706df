/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-rewrite, ip6-rewrite: decrement TTL or hop limit and write the next hop's Ethernet header.
 *
 * A packet without hops left, or too long for the link, causes an ICMP error, for which it stays
 * unchanged. An IPv4 packet that may be fragmented is fragmented instead, and its fragments come
 * here again.
 *
 * Uses: adjacency. Sets: the data begins at the Ethernet header again; tx interface. Next:
 * <if>-output, ip4-icmp-error or ip6-icmp-error, ip4-frag.
 */
#include "router/fib/adjacency_nodes.h"
#include "router/packet/eight.h"
#include "router/packet/output.h"
#include "router/path/count_forwarding.h"
#include "router/path/ip_hop.h"

struct ip_family {
	uint16_t output; /* the first edge of "*-output" */
	/* Decrement TTL or hop limit of all eight; false if one has none left or is longer than `mtu`.
	 */
	bool (*hop_eight)(void *const *data, uint16_t mtu);
	bool (*hop)(struct rte_mbuf *packet, uint16_t mtu);
	/* The edge of a packet for which `hop` returned false. */
	uint16_t (*refuse)(struct graph_node *node, struct rte_mbuf *packet, uint16_t mtu);
};

/* ---- IPv4 ---- */

enum ip4_edge { IP4_EDGE_FRAG, IP4_EDGE_ICMP_ERROR, IP4_EDGE_OUTPUT };
static const char *const ip4_edges[] = {
	[IP4_EDGE_FRAG] = "ip4-frag",
	[IP4_EDGE_ICMP_ERROR] = "ip4-icmp-error",
	[IP4_EDGE_OUTPUT] = "*-output",
};
static const struct graph_counter ip4_counters[] = {IP4_HOP_COUNTER_NAMES};

LANES_INLINE bool ip4_hop_eight(void *const *data, uint16_t mtu)
{
	lanes hops = lanes_load_at((const void *const *)data, offsetof(struct ip4_header, ttl));
	lanes lengths = lanes_swap(lanes_load_at((const void *const *)data, 0)) & 0xffff;
	if (unlikely(
			lanes_any(lanes_less(hops & 0xff, lanes_all(2)) | lanes_less(lanes_all(mtu), lengths))))
		return false;
	/* Like ip4_decrement_ttl(); the word stays unsigned. */
	hops += 0xffff + ((lanes)(hops >= 0xfffe0000) & 0x10000);
	lanes_store_at(data, offsetof(struct ip4_header, ttl), hops);
	return true;
}

LANES_INLINE bool ip4_hop(struct rte_mbuf *packet, uint16_t mtu)
{
	struct ip4_header *ip = (struct ip4_header *)(void *)packet_data(packet);
	if (unlikely(ip->ttl <= 1 || be16toh(ip->total_length) > mtu))
		return false;
	ip4_decrement_ttl(ip);
	return true;
}

LANES_INLINE uint16_t ip4_refuse(struct graph_node *node, struct rte_mbuf *packet, uint16_t mtu)
{
	return ip4_hop_error(node, packet, mtu) ? IP4_EDGE_ICMP_ERROR : IP4_EDGE_FRAG;
}

static const struct ip_family ip4_family = {IP4_EDGE_OUTPUT, ip4_hop_eight, ip4_hop, ip4_refuse};

/* ---- IPv6 ---- */

enum ip6_edge { IP6_EDGE_ICMP_ERROR, IP6_EDGE_OUTPUT };
static const char *const ip6_edges[] = {
	[IP6_EDGE_ICMP_ERROR] = "ip6-icmp-error",
	[IP6_EDGE_OUTPUT] = "*-output",
};
static const struct graph_counter ip6_counters[] = {IP6_HOP_COUNTER_NAMES};

LANES_INLINE bool ip6_hop_eight(void *const *data, uint16_t mtu)
{
	/* Payload length, next header and hop limit are one word. */
	size_t at = offsetof(struct ip6_header, payload_length);
	lanes words = lanes_load_at((const void *const *)data, at), swapped = lanes_swap(words);
	lanes lengths = (swapped >> 16) + IP6_LEN;
	if (unlikely(lanes_any(lanes_less(swapped & 0xff, lanes_all(2)) |
						   lanes_less(lanes_all(mtu), lengths))))
		return false;
	lanes_store_at(data, at, words - (1u << 24));
	return true;
}

LANES_INLINE bool ip6_hop(struct rte_mbuf *packet, uint16_t mtu)
{
	struct ip6_header *ip = (struct ip6_header *)(void *)packet_data(packet);
	if (unlikely(ip->hop_limit <= 1 || ip6_packet_length(ip) > mtu))
		return false;
	ip->hop_limit--;
	return true;
}

LANES_INLINE uint16_t ip6_refuse(struct graph_node *node, struct rte_mbuf *packet, uint16_t mtu)
{
	ip6_hop_error(node, packet, mtu);
	return IP6_EDGE_ICMP_ERROR;
}

static const struct ip_family ip6_family = {IP6_EDGE_OUTPUT, ip6_hop_eight, ip6_hop, ip6_refuse};

/* ---- Both ---- */

/* Eight packets for one next hop without tags, none of which causes an error; false for others. */
LANES_INLINE bool rewrite_eight(const struct ip_family *family, const struct adjacency *adjacencies,
								void *const *packets, uint16_t *next)
{
	uint32_t index = packet_adjacency(packets[0]);
	const struct adjacency *adjacency = &adjacencies[index];
	void *data[EIGHT];
	if (!eight_have_adjacency(packets, index) || unlikely(adjacency->rewrite_len != ETHERNET_LEN))
		return false;
	eight_data(packets, data);
	if (!family->hop_eight(data, adjacency_mtu(adjacency)))
		return false;
	eight_rewrite(packets, data, adjacency, 0);
	eight_fill(next, family->output + adjacency_output(adjacency));
	return true;
}

LANES_INLINE uint16_t rewrite_one(const struct ip_family *family, struct graph_node *node,
								  const struct adjacency *adjacencies, struct rte_mbuf *packet)
{
	const struct adjacency *adjacency = &adjacencies[packet_adjacency(packet)];
	if (unlikely(!family->hop(packet, adjacency_mtu(adjacency))))
		return family->refuse(node, packet, adjacency_mtu(adjacency));
	packet_rewrite(packet, adjacency, 0);
	return family->output + adjacency_output(adjacency);
}

LANES_INLINE uint16_t rewrite_frame(const struct ip_family *family, struct graph *graph,
									struct graph_node *node, void **packets, uint16_t n)
{
	const struct adjacency *adjacencies = router_of(graph)->adjacencies.adjacencies;
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0, end; i < n; i = end) {
		end = eight_end(i, n);
		if (end - i == EIGHT && rewrite_eight(family, adjacencies, packets + i, next + i))
			continue;
		for (uint16_t k = i; k < end; k++)
			next[k] = rewrite_one(family, node, adjacencies, packets[k]);
	}
	count_adjacencies(graph, packets, next, n, family->output);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static uint16_t ip4_rewrite_process(struct graph *graph, struct graph_node *node, void **packets,
									uint16_t n)
{
	return rewrite_frame(&ip4_family, graph, node, packets, n);
}

static uint16_t ip6_rewrite_process(struct graph *graph, struct graph_node *node, void **packets,
									uint16_t n)
{
	return rewrite_frame(&ip6_family, graph, node, packets, n);
}

GRAPH_NODE(ip4_rewrite, .name = "ip4-rewrite", .takes = TAKES_PACKET | TAKES_DECIDED,
		   GRAPH_EDGES(ip4_edges), GRAPH_COUNTERS(ip4_counters))
ADJACENCY_NODE(BEHIND_IP4, ADJACENCY_REWRITE, "ip4-rewrite")

GRAPH_NODE(ip6_rewrite, .name = "ip6-rewrite", .takes = TAKES_PACKET | TAKES_DECIDED,
		   GRAPH_EDGES(ip6_edges), GRAPH_COUNTERS(ip6_counters))
ADJACENCY_NODE(BEHIND_IP6, ADJACENCY_REWRITE, "ip6-rewrite")
