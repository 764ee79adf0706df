/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vxlan4-input: what comes to VXLAN's port in UDP over IPv4, out of the tunnel that it came by.
 *
 * A UDP checksum is checked where there is one.
 *
 * Sets: mbuf->port, to the tunnel; the data begins at what was in it. Next: ethernet-input,
 * ip4-input, ip6-input, error-drop.
 */
#include "router/packet/eight.h"
#include "router/vxlan/vxlan_decap.h"

enum { HEADERS = IP4_LEN + UDP_LEN + VXLAN_LEN, PLAIN_IHL = 0x45 };

static inline void read_ip4(const struct rte_mbuf *packet, struct vxlan_datagram *datagram,
							struct vxlan_key *key)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	uint16_t offset = ip4_header_length(ip), claimed = be16toh(ip->total_length) - offset;
	*datagram = (struct vxlan_datagram){offset, claimed};
	*key = (struct vxlan_key){
		.words = {htole64(le32toh(ip->source)), 0, htole64(le32toh(ip->destination)), 0}};
}

static uint16_t __attribute__((noinline)) take_one(struct graph *graph, struct graph_node *node,
												   struct rte_mbuf *packet, struct vxlan_run *run)
{
	return vxlan_decap_one(graph, node, packet, run, WS_IP4, read_ip4);
}

/*
 * What whole packets of a run have in common that have no options, no padding and no checksum:
 * parts of their headers, as they have them, and where they came by. Their lengths differ.
 */
struct likeness {
	eight_part ends, vxlan;
	uint16_t came_by, interface;
};

enum {
	ENDS_AT = IP4_ADDRESSES_AT,
	VXLAN_AT = HEADERS - sizeof(eight_part), /* and UDP before it */
	UDP_LENGTH_AT = IP4_LEN + offsetof(struct udp_header, length),
	TOS = 0x00ff0000, /* of a header's first word */
};

/* What counts in those parts: what is reserved, and the ports, may be anything. */
static const union eight_bytes ends_count = {{[0 ... IP4_ADDRESSES_LEN - 1] = 0xff}};
static const union eight_bytes vxlan_counts = {{[8] = 0x08, [12 ... 14] = 0xff}};

/* Of one of frames; false: the run has none. */
static inline bool likeness_of(const struct vxlan_run *run, struct likeness *out)
{
	const struct vxlan_tunnel *tunnel = run->tunnel;
	const struct vxlan_header vxlan = {htobe32(VXLAN_HAS_VNI), tunnel ? tunnel->key.vni : 0};
	if (!tunnel || !run->is_up || tunnel->decap != WS_VXLAN_L2)
		return false;
	*out = (struct likeness){.came_by = run->came_by, .interface = tunnel->interface};
	memcpy(&out->ends, tunnel->key.remote, sizeof(uint32_t));
	memcpy((uint8_t *)&out->ends + sizeof(uint32_t), tunnel->key.local, sizeof(uint32_t));
	memcpy((uint8_t *)&out->vxlan + sizeof(out->vxlan) - VXLAN_LEN, &vxlan, sizeof(vxlan));
	return true;
}

/* Given what differs in the parts, in bits that count or not. */
LANES_INLINE bool parts_are_alike(eight_part ends, eight_part vxlan)
{
	return eight_part_is_zero((ends & ends_count.part) | (vxlan & vxlan_counts.part));
}

static inline uint32_t load32(const uint8_t *bytes)
{
	uint32_t word;
	memcpy(&word, bytes, sizeof(word));
	return be32toh(word);
}

static inline bool is_alike(const struct rte_mbuf *packet, const struct likeness *likeness)
{
	const uint8_t *data = packet_data(packet);
	uint32_t length = packet->pkt_len;
	if (unlikely(packet->data_len < HEADERS || packet->port != likeness->came_by))
		return false;
	uint32_t differs = (load32(data) & ~(uint32_t)TOS) ^ (PLAIN_IHL << 24 | length);
	differs |= load32(data + UDP_LENGTH_AT) ^ (length - IP4_LEN) << 16;
	return !differs && parts_are_alike(eight_load_part(data, ENDS_AT) ^ likeness->ends,
									   eight_load_part(data, VXLAN_AT) ^ likeness->vxlan);
}

/* The same of eight, whose lengths it gives. */
LANES_INLINE bool are_alike(void *const *packets, const struct likeness *likeness, lanes *lengths)
{
	const void *data[EIGHT];
	if (!eight_came_by(packets, likeness->came_by) || !eight_have_bytes(packets, HEADERS))
		return false;
	eight_data(packets, (void **)data);
	*lengths = lanes_load_at((const void *const *)packets, offsetof(struct rte_mbuf, pkt_len));
	lanes starts = lanes_swap(lanes_load_at(data, 0)) & ~(uint32_t)TOS;
	lanes udp = lanes_swap(lanes_load_at(data, UDP_LENGTH_AT));
	lanes differs = starts ^ (*lengths | PLAIN_IHL << 24);
	differs |= udp ^ (*lengths - IP4_LEN) << 16;
	return !lanes_any(differs) && parts_are_alike(eight_differ(data, ENDS_AT, likeness->ends),
												  eight_differ(data, VXLAN_AT, likeness->vxlan));
}

static inline void take_alike(struct rte_mbuf *packet, const struct likeness *likeness)
{
	if (TRACE_CHECKS)
		trace_moved(packet, HEADERS + ETHERNET_LEN);
	packet_advance(packet, HEADERS);
	packet->port = likeness->interface;
}

static uint16_t vxlan4_input_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	uint16_t next[GRAPH_FRAME_SIZE];
	struct vxlan_run run = {0};
	struct likeness likeness;
	lanes lengths;
	bool is_traced = graph_is_traced(graph), has_likeness = false;
	for (uint16_t i = 0, end; i < n; i = end) {
		end = eight_end(i, n);
		if (has_likeness && end - i == EIGHT && are_alike(packets + i, &likeness, &lengths)) {
			for (uint16_t k = i; k < end; k++)
				take_alike(packets[k], &likeness);
			eight_fill(next + i, VXLAN_FRAME);
			run.packets += EIGHT;
			run.bytes += lanes_sum(lengths) - EIGHT * HEADERS;
			continue;
		}
		for (uint16_t k = i; k < end; k++) {
			if (has_likeness && is_alike(packets[k], &likeness)) {
				take_alike(packets[k], &likeness);
				next[k] = VXLAN_FRAME;
				run.packets++;
				run.bytes += ((const struct rte_mbuf *)packets[k])->pkt_len;
				continue;
			}
			next[k] = take_one(graph, node, packets[k], &run);
			has_likeness = !is_traced && likeness_of(&run, &likeness);
		}
	}
	vxlan_decap_end(graph, node, &run, packets, next, n);
	return n;
}

GRAPH_NODE(vxlan4_input, .name = "vxlan4-input", .takes = TAKES_PACKET,
		   GRAPH_EDGES(vxlan_decap_edges), GRAPH_COUNTERS(vxlan_decap_counters))
