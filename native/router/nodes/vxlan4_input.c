/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vxlan4-input: what comes to VXLAN's port in UDP over IPv4, out of the tunnel that it came by.
 *
 * A UDP checksum is checked where there is one.
 *
 * Sets: mbuf->port, to the tunnel; the data begins at what was in it. Next: ethernet-input,
 * ip4-input, ip6-input, error-drop.
 */
#include "router/nodes/vxlan_decap.h"

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

/* What packets of a run have in common, as they have it. */
struct likeness {
	uint64_t addresses, vxlan;
	uint16_t came_by, interface;
};

/* Of one of frames; false: the run has none. */
static inline bool likeness_of(const struct vxlan_run *run, struct likeness *out)
{
	const struct vxlan_tunnel *tunnel = run->tunnel;
	const struct vxlan_header vxlan = {htobe32(VXLAN_HAS_VNI), tunnel ? tunnel->key.vni : 0};
	if (!tunnel || !run->is_up || tunnel->decap != WS_VXLAN_L2)
		return false;
	memcpy(&out->addresses, tunnel->key.remote, sizeof(uint32_t));
	memcpy((uint8_t *)&out->addresses + sizeof(uint32_t), tunnel->key.local, sizeof(uint32_t));
	memcpy(&out->vxlan, &vxlan, sizeof(out->vxlan));
	out->came_by = run->came_by;
	out->interface = tunnel->interface;
	return true;
}

static inline uint32_t load32(const uint8_t *bytes)
{
	uint32_t word;
	memcpy(&word, bytes, sizeof(word));
	return be32toh(word);
}

static inline uint64_t load64(const uint8_t *bytes)
{
	uint64_t word;
	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* A whole packet without options, padding or a checksum, alike those before: one branch for all of
 * it. What is reserved, and the type of service, may be anything. */
static inline bool is_alike(const struct rte_mbuf *packet, const struct likeness *likeness)
{
	enum { TOS = 0x00ff0000, UDP_LENGTH_AT = IP4_LEN + 4 };
	const struct vxlan_header meant = {htobe32(VXLAN_HAS_VNI),
									   htobe32((uint32_t)VXLAN_MAX_VNI << VXLAN_VNI_SHIFT)};
	const uint8_t *data = packet_data(packet);
	uint32_t length = packet->pkt_len;
	if (unlikely(packet->data_len < HEADERS))
		return false;
	uint64_t vxlan = load64(data + IP4_LEN + UDP_LEN) ^ likeness->vxlan;
	uint64_t differs = load64(data + IP4_ADDRESSES_AT) ^ likeness->addresses;
	differs |= vxlan & load64((const uint8_t *)&meant);
	differs |= (load32(data) & ~(uint32_t)TOS) ^ (PLAIN_IHL << 24 | length);
	differs |= load32(data + UDP_LENGTH_AT) ^ (length - IP4_LEN) << 16;
	differs |= packet->port ^ likeness->came_by;
	return likely(!differs);
}

static uint16_t vxlan4_input_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	uint16_t next[GRAPH_FRAME_SIZE];
	struct vxlan_run run = {0};
	struct likeness likeness;
	bool is_traced = graph->trace != NULL, has_likeness = false;
	uint64_t alike = 0, bytes = 0;
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		if (has_likeness && is_alike(packet, &likeness)) {
			packet_advance(packet, HEADERS);
			packet->port = likeness.interface;
			next[i] = VXLAN_FRAME;
			alike++;
			bytes += packet->pkt_len;
			continue;
		}
		run.packets += alike;
		run.bytes += bytes;
		alike = bytes = 0;
		next[i] = take_one(graph, node, packet, &run);
		has_likeness = !is_traced && likeness_of(&run, &likeness);
	}
	run.packets += alike;
	run.bytes += bytes;
	vxlan_decap_end(graph, node, &run, packets, next, n);
	return n;
}

static struct graph_registration vxlan4_input = {
	.name = "vxlan4-input",
	.process = vxlan4_input_process,
	.edge_count = VXLAN_EDGES,
	.edges = vxlan_decap_edges,
	.counter_count = VXLAN_DECAP_COUNTERS,
	.counters = vxlan_decap_counters,
};
GRAPH_REGISTER(vxlan4_input)
