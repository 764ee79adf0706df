/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-frag: cuts a packet that is too long for its next hop's link into fragments (RFC 791) that
 * fit, including their labels, if any.
 *
 * The first fragment is the packet itself, truncated; the others are copies, which are processed in
 * the next walk. Options with the copied flag are in all of them. If there is no room for all
 * fragments, none is sent.
 *
 * Uses: adjacency. Next: ip4-rewrite, ip4-mpls-label-imposition-uniform, error-drop.
 */
#include "dev/pool.h"
#include "router/observe/trace.h"
#include "router/packet/metadata.h"
#include "router/path/each_packet.h"
#include "router/router.h"
#include "router/worker/recirculate.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/own_count.h"

enum edge { EDGE_DROP, EDGE_REWRITE, EDGE_LABELS };
static const char *const edges[] = {
	[EDGE_DROP] = "error-drop",
	[EDGE_REWRITE] = "ip4-rewrite",
	[EDGE_LABELS] = "?ip4-mpls-label-imposition-uniform",
};

enum counter { FRAGMENTED, FRAGMENTS, NO_ROOM };
static const struct graph_counter counters[] = {
	[FRAGMENTED] = {"packets fragmented", false},
	[FRAGMENTS] = {"fragments sent", false},
	[NO_ROOM] = {"no room for fragments", true},
};

enum { UNIT = 8 /* bytes per unit of the fragment offset */ };

/* Lengths of fragments: the first fragment holds `first` bytes of payload, others at most `other`.
 */
struct cut {
	struct ip4_header *ip;
	uint8_t other_header[IP4_MAX_LEN]; /* header of all fragments but the first */
	uint16_t header, other_length;
	uint16_t payload, first, other, count;
};

static void plan(struct cut *cut, struct ip4_header *ip, uint16_t mtu)
{
	cut->ip = ip;
	cut->header = ip4_header_length(ip);
	cut->payload = be16toh(ip->total_length) - cut->header;
	memcpy(cut->other_header, ip, IP4_LEN);
	cut->other_length =
		ip4_copy_fragment_options((const uint8_t *)ip, cut->header, cut->other_header);
	cut->first = (uint16_t)(mtu - cut->header) / UNIT * UNIT;
	cut->other = (uint16_t)(mtu - cut->other_length) / UNIT * UNIT;
	uint16_t rest = cut->payload - cut->first;
	cut->count = (uint16_t)(1 + (rest + cut->other - 1) / cut->other);
}

/* Fragment field of the fragment at offset `at` of the payload. */
static uint16_t fragment_field(const struct cut *cut, uint16_t at, bool is_last)
{
	uint16_t before = be16toh(cut->ip->fragment);
	uint16_t offset = (uint16_t)((before & IP4_OFFSET_MASK) + at / UNIT);
	uint16_t more = is_last ? before & IP4_MORE_FRAGMENTS : IP4_MORE_FRAGMENTS;
	return htobe16(more | (offset & IP4_OFFSET_MASK));
}

/* A copy of `length` bytes of payload from `at` on, with a header of its own and the received
 * Ethernet header, which traces show. */
static struct rte_mbuf *copy_part(const struct cut *cut, struct rte_mbuf *packet, uint16_t at,
								  uint16_t length)
{
	struct rte_mbuf *copy = rte_pktmbuf_copy(packet, ports_pool(), cut->header + at, length);
	if (!copy)
		return NULL;
	packet_advance(copy, -cut->other_length);
	memcpy(packet_data(copy), cut->other_header, cut->other_length);
	memcpy(packet_data(copy) - ETHERNET_LEN, packet_data(packet) - ETHERNET_LEN, ETHERNET_LEN);
	trace_moved(copy, copy->data_off - packet->data_off);
	struct ip4_header *ip = (struct ip4_header *)(void *)packet_data(copy);
	ip->fragment = fragment_field(cut, at, at + length == cut->payload);
	ip->total_length = htobe16((uint16_t)(cut->other_length + length));
	ip4_set_checksum(ip);
	return copy;
}

static bool make_parts(const struct cut *cut, struct rte_mbuf *packet, struct rte_mbuf **parts)
{
	for (uint16_t i = 0; i + 1 < cut->count; i++) {
		uint16_t at = (uint16_t)(cut->first + i * cut->other);
		uint16_t length = RTE_MIN(cut->other, (uint16_t)(cut->payload - at));
		parts[i] = copy_part(cut, packet, at, length);
		if (!parts[i]) {
			rte_pktmbuf_free_bulk(parts, i);
			return false;
		}
	}
	return true;
}

static uint16_t ip4_frag_one(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet)
{
	struct rte_mbuf *parts[RECIRCULATE_SLOTS];
	struct router_worker *worker = router_worker_of(graph);
	const struct adjacency *adjacency =
		&router_of(graph)->adjacencies.adjacencies[packet_adjacency(packet)];
	bool gets_labels = adjacency_kind(adjacency) == ADJACENCY_LABELS;
	uint16_t mtu =
		gets_labels ? adjacency_unlabelled_mtu(router_of(graph)->adjacencies.adjacencies, adjacency)
					: adjacency_mtu(adjacency);
	struct cut cut;
	plan(&cut, (struct ip4_header *)(void *)packet_data(packet), mtu);
	if (recirculate_free(&worker->recirculate) < cut.count || !make_parts(&cut, packet, parts)) {
		graph_count(node, NO_ROOM, 1);
		return EDGE_DROP;
	}
	for (uint16_t i = 0; i + 1 < cut.count; i++)
		recirculate_put(&worker->recirculate, parts[i],
						gets_labels ? RECIRCULATE_IP4_LABELS : RECIRCULATE_IP4_REWRITE);
	own_count_add(&worker->totals->made, cut.count - 1u);
	cut.ip->fragment = fragment_field(&cut, 0, false);
	cut.ip->total_length = htobe16((uint16_t)(cut.header + cut.first));
	ip4_set_checksum(cut.ip);
	packet_cut(packet, cut.header + cut.first);
	graph_count(node, FRAGMENTED, 1);
	graph_count(node, FRAGMENTS, cut.count);
	return gets_labels ? EDGE_LABELS : EDGE_REWRITE;
}

EACH_PACKET_NODE(ip4_frag, .name = "ip4-frag", .takes = TAKES_PACKET | TAKES_DECIDED,
				 GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
