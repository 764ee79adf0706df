/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vxlan4-input, vxlan6-input: of the packets to this router, take frames out of UDP datagrams to
 * VXLAN's port, over IPv4 or over IPv6 without extension headers; they are received by the tunnel.
 * Frames of tunnels that do not route and have no sub-interfaces need not pass ethernet-input.
 * Other packets stay as they are.
 *
 * A UDP checksum is checked if there is one; IPv6 tunnels may have none, too (RFC 6935).
 *
 * Features of the arcs ip4-local and ip6-local while there are tunnels. Sets: mbuf->port, to the
 * tunnel; the data begins at the inner packet. Next: l2-input, ethernet-input, ip4-input,
 * ip6-input, error-drop, and ip4-local or ip6-local.
 */
#include "graph/arc.h"
#include "router/observe/trace.h"
#include "router/packet/eight.h"
#include "router/packet/packet_checksum.h"
#include "router/path/forward.h"
#include "router/vxlan/vxlan.h"
#include "wire/own_count.h"

enum vxlan_decap_edge {
	VXLAN_DROP,
	VXLAN_FRAME,
	VXLAN_TAKEN_FRAME,
	VXLAN_PACKET4,
	VXLAN_PACKET6,
	VXLAN_OTHER,
};
#define VXLAN_EDGES(end)                                                                           \
	{                                                                                              \
		[VXLAN_DROP] = "error-drop", [VXLAN_FRAME] = "ethernet-input",                             \
		[VXLAN_TAKEN_FRAME] = "?l2-input", [VXLAN_PACKET4] = "ip4-input",                          \
		[VXLAN_PACKET6] = "ip6-input", [VXLAN_OTHER] = (end),                                      \
	}

enum vxlan_decap_counter {
	VXLAN_BAD_UDP,
	VXLAN_BAD_CHECKSUM,
	VXLAN_BAD_HEADER,
	VXLAN_NO_TUNNEL,
	VXLAN_DOWN,
	VXLAN_GOOD,
};
static const struct graph_counter counters[] = {
	[VXLAN_BAD_UDP] = {"bad udp length", true},
	[VXLAN_BAD_CHECKSUM] = {"bad udp checksum", true},
	[VXLAN_BAD_HEADER] = {"vxlan header without a VNI", true},
	[VXLAN_NO_TUNNEL] = {"no such tunnel", true},
	[VXLAN_DOWN] = {"interface is down", true},
	[VXLAN_GOOD] = {"good packets decapsulated", false},
};

/* Offset of the UDP header, and the number of bytes from there to the end of the IP packet. */
struct vxlan_datagram {
	uint16_t offset, claimed;
};

GRAPH_DROP(VXLAN_DROP)

/* Consecutive packets of one tunnel, counted together for its interface. */
struct vxlan_run {
	const struct vxlan_tunnel *tunnel; /* NULL: none yet */
	uint16_t came_by;                  /* the interface that received the last outer packet */
	uint16_t edge;                     /* of whole frames */
	bool is_up;
	uint64_t packets, bytes, good;
};

/* Move the start of the data to the inner packet; inner packets without Ethernet header get one. */
static inline uint16_t vxlan_take_out(struct rte_mbuf *packet, const struct vxlan_run *run,
									  uint16_t headers, uint32_t length)
{
	static const uint8_t nobody[6];
	const struct vxlan_tunnel *tunnel = run->tunnel;
	int before;
	if (unlikely(packet->pkt_len > length))
		packet_cut(packet, length);
	if (unlikely(trace_frame_start(packet, &before)))
		trace_moved(packet, before + headers - (tunnel->decap == WS_VXLAN_L2 ? 0 : ETHERNET_LEN));
	packet_advance(packet, headers);
	packet->port = tunnel->interface;
	if (likely(tunnel->decap == WS_VXLAN_L2))
		return packet->data_len >= ETHERNET_LEN ? run->edge : VXLAN_FRAME;
	bool is_ip4 = tunnel->decap == WS_VXLAN_IP4;
	ethernet_write(packet_data(packet) - ETHERNET_LEN, nobody, nobody,
				   is_ip4 ? ETHERNET_IP4 : ETHERNET_IP6);
	return is_ip4 ? VXLAN_PACKET4 : VXLAN_PACKET6;
}

static __attribute__((noinline, unused)) bool
vxlan_checksum_is_right(const struct rte_mbuf *packet, uint8_t family,
						const struct vxlan_datagram *datagram, uint16_t length)
{
	const uint8_t *ip = packet_data(packet);
	uint64_t sum = family == WS_IP4 ? checksum_add(0, ip + IP4_ADDRESSES_AT, IP4_ADDRESSES_LEN) +
										  htobe16(IP4_UDP) + htobe16(length)
									: ip6_pseudo_sum((const void *)ip, length, IP6_UDP);
	return !packet_checksum(sum, packet, datagram->offset, length);
}

static inline void vxlan_run_end(struct vxlan_run *run, struct graph *graph)
{
	struct interface_counts *counts = router_worker_of(graph)->interfaces;
	if (!run->packets)
		return;
	own_pair_add(&counts->rx.at[run->tunnel->interface], run->packets, run->bytes);
	run->good += run->packets;
	run->packets = run->bytes = 0;
}

/* False if there is no such tunnel. */
static inline bool vxlan_run_take(struct vxlan_run *run, struct graph *graph,
								  const struct rte_mbuf *packet, const struct vxlan_key *key)
{
	const struct ws_router *router = router_of(graph);
	if (likely(run->tunnel && vxlan_is_key(&run->tunnel->key, key))) {
		run->came_by = packet->port;
		return true;
	}
	const struct vxlan_state *state = vxlan_state(router);
	const struct vxlan_tunnel *tunnel =
		state ? vxlan_find(__atomic_load_n(&state->ends, __ATOMIC_ACQUIRE), key) : NULL;
	if (unlikely(!tunnel))
		return false;
	vxlan_run_end(run, graph);
	const struct interface *interface = &router->interfaces[tunnel->interface];
	run->tunnel = tunnel;
	run->came_by = packet->port;
	run->is_up = interface_is_up(interface);
	run->edge = interface_takes_all(interface) ? VXLAN_TAKEN_FRAME : VXLAN_FRAME;
	return true;
}

/* Finds a datagram's UDP header, and the addresses of `key`. False if the packet is no datagram to
 * VXLAN's port, or its UDP header is not readable. */
typedef bool vxlan_read_fn(const struct rte_mbuf *packet, struct vxlan_datagram *datagram,
						   struct vxlan_key *key);

static inline __attribute__((always_inline)) uint16_t
vxlan_decap_one(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet,
				struct vxlan_run *run, uint8_t family, vxlan_read_fn *read)
{
	struct vxlan_datagram datagram;
	struct vxlan_key key;
	if (!read(packet, &datagram, &key))
		return VXLAN_OTHER;
	const uint8_t *at = packet_data(packet) + datagram.offset;
	size_t readable = packet->data_len - datagram.offset;
	const struct udp_header *udp = udp_parse(at, readable, datagram.claimed);
	if (unlikely(!udp))
		return drop(node, VXLAN_BAD_UDP);
	uint16_t length = be16toh(udp->length);
	const struct vxlan_header *vxlan =
		vxlan_parse(at + UDP_LEN, RTE_MIN(readable, (size_t)length) - UDP_LEN);
	if (unlikely(!vxlan))
		return drop(node, VXLAN_BAD_HEADER);
	key.words[4] = vxlan_last_word(vxlan->vni & htobe32((uint32_t)VXLAN_MAX_VNI << VXLAN_VNI_SHIFT),
								   packet_table(router_of(graph), family, packet), family);
	if (unlikely(!vxlan_run_take(run, graph, packet, &key)))
		return drop(node, VXLAN_NO_TUNNEL);
	if (udp->checksum && !vxlan_checksum_is_right(packet, family, &datagram, length))
		return drop(node, VXLAN_BAD_CHECKSUM);
	if (unlikely(!run->is_up))
		return drop(node, VXLAN_DOWN);
	uint16_t edge = vxlan_take_out(packet, run, datagram.offset + UDP_LEN + VXLAN_LEN,
								   datagram.offset + (uint32_t)length);
	run->packets++;
	run->bytes += packet->pkt_len;
	return edge;
}

static inline void vxlan_decap_end(struct graph *graph, struct graph_node *node,
								   struct vxlan_run *run, void **packets, uint16_t *next,
								   uint16_t n)
{
	vxlan_run_end(run, graph);
	graph_count(node, VXLAN_GOOD, run->good);
	graph_enqueue(graph, node, packets, next, n);
}

static inline bool is_to_vxlan(const struct rte_mbuf *packet, const struct vxlan_datagram *datagram)
{
	const struct udp_header *udp =
		(const struct udp_header *)(const void *)(packet_data(packet) + datagram->offset);
	uint16_t readable = packet->data_len - datagram->offset;
	return RTE_MIN(readable, datagram->claimed) >= UDP_LEN &&
		   udp->destination == htobe16(VXLAN_PORT);
}

/* ---- IPv4 ---- */

static const char *const ip4_edges[] = VXLAN_EDGES("ip4-local");

enum { HEADERS = IP4_LEN + UDP_LEN + VXLAN_LEN, PLAIN_IHL = 0x45 };

static inline bool read_ip4(const struct rte_mbuf *packet, struct vxlan_datagram *datagram,
							struct vxlan_key *key)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)packet_data(packet);
	uint16_t offset = ip4_header_length(ip), claimed = be16toh(ip->total_length) - offset;
	*datagram = (struct vxlan_datagram){offset, claimed};
	*key = (struct vxlan_key){
		.words = {htole64(le32toh(ip->source)), 0, htole64(le32toh(ip->destination)), 0}};
	return ip->protocol == IP4_UDP && !ip4_is_fragment(ip) && is_to_vxlan(packet, datagram);
}

static uint16_t __attribute__((noinline)) take_one(struct graph *graph, struct graph_node *node,
												   struct rte_mbuf *packet, struct vxlan_run *run)
{
	return vxlan_decap_one(graph, node, packet, run, WS_IP4, read_ip4);
}

/*
 * Pattern of a run's usual packets (no options, padding or checksum): parts of their headers, and
 * the interface. Lengths may differ.
 */
struct likeness {
	eight_part ip, vxlan;
	uint16_t came_by, interface, edge;
};

enum {
	IP_AT = offsetof(struct ip4_header, fragment), /* and what follows */
	VXLAN_AT = HEADERS - sizeof(eight_part),       /* and UDP before it */
	UDP_LENGTH_AT = IP4_LEN + offsetof(struct udp_header, length),
	TOS = 0x00ff0000, /* mask of a header's first word */
};

/* Bits to compare; reserved fields and the source port may differ. */
static const union eight_bytes ip_counts = {
	{0x3f, 0xff, [IP4_PROTOCOL_AT - IP_AT] = 0xff,
	 [IP4_ADDRESSES_AT - IP_AT... IP4_ADDRESSES_AT - IP_AT + IP4_ADDRESSES_LEN - 1] = 0xff}};
static const union eight_bytes vxlan_counts = {{[2 ... 3] = 0xff, [8] = 0x08, [12 ... 14] = 0xff}};

/* Pattern of a run of frames; false if the run has none. */
static inline bool likeness_of(const struct vxlan_run *run, struct likeness *out)
{
	const struct vxlan_tunnel *tunnel = run->tunnel;
	if (!tunnel || !run->is_up || tunnel->decap != WS_VXLAN_L2)
		return false;
	struct ip4_header ip = {.protocol = IP4_UDP};
	struct __attribute__((packed)) {
		struct udp_header udp;
		struct vxlan_header vxlan;
	} above = {{.destination = htobe16(VXLAN_PORT)}, {htobe32(VXLAN_HAS_VNI), tunnel->key.vni}};
	memcpy(&ip.source, tunnel->key.remote, sizeof(ip.source));
	memcpy(&ip.destination, tunnel->key.local, sizeof(ip.destination));
	*out = (struct likeness){
		.came_by = run->came_by, .interface = tunnel->interface, .edge = run->edge};
	memcpy(&out->ip, (const uint8_t *)&ip + IP_AT, sizeof(ip) - IP_AT);
	memcpy(&out->vxlan, &above, sizeof(above));
	return true;
}

/* True if the differences in both parts are only in bits that are not compared. */
LANES_INLINE bool parts_are_alike(eight_part ip, eight_part vxlan)
{
	return eight_part_is_zero((ip & ip_counts.part) | (vxlan & vxlan_counts.part));
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
	if (unlikely(packet->data_len < HEADERS + ETHERNET_LEN || packet->port != likeness->came_by))
		return false;
	uint32_t differs = (load32(data) & ~(uint32_t)TOS) ^ (PLAIN_IHL << 24 | length);
	differs |= load32(data + UDP_LENGTH_AT) ^ (length - IP4_LEN) << 16;
	return !differs && parts_are_alike(eight_load_part(data, IP_AT) ^ likeness->ip,
									   eight_load_part(data, VXLAN_AT) ^ likeness->vxlan);
}

/* True if eight packets match; writes their lengths. */
LANES_INLINE bool are_alike(void *const *packets, const struct likeness *likeness, lanes *lengths)
{
	const void *data[EIGHT];
	if (!eight_came_by(packets, likeness->came_by) ||
		!eight_have_bytes(packets, HEADERS + ETHERNET_LEN))
		return false;
	eight_data(packets, (void **)data);
	*lengths = lanes_load_at((const void *const *)packets, offsetof(struct rte_mbuf, pkt_len));
	lanes starts = lanes_swap(lanes_load_at(data, 0)) & ~(uint32_t)TOS;
	lanes udp = lanes_swap(lanes_load_at(data, UDP_LENGTH_AT));
	lanes differs = starts ^ (*lengths | PLAIN_IHL << 24);
	differs |= udp ^ (*lengths - IP4_LEN) << 16;
	return !lanes_any(differs) && parts_are_alike(eight_differ(data, IP_AT, likeness->ip),
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
			eight_fill(next + i, likeness.edge);
			run.packets += EIGHT;
			run.bytes += lanes_sum(lengths) - EIGHT * HEADERS;
			continue;
		}
		for (uint16_t k = i; k < end; k++) {
			if (has_likeness && is_alike(packets[k], &likeness)) {
				take_alike(packets[k], &likeness);
				next[k] = likeness.edge;
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

GRAPH_NODE(vxlan4_input, .name = "vxlan4-input", .takes = TAKES_PACKET | TAKES_DECIDED,
		   GRAPH_EDGES(ip4_edges), GRAPH_COUNTERS(counters))

GRAPH_FEATURE(vxlan4_input_feature, .node = "vxlan4-input", .arc = "ip4-local")

/* ---- IPv6 ---- */

static const char *const ip6_edges[] = VXLAN_EDGES("ip6-local");

static inline bool read_ip6(const struct rte_mbuf *packet, struct vxlan_datagram *datagram,
							struct vxlan_key *key)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	*datagram = (struct vxlan_datagram){IP6_LEN, be16toh(ip->payload_length)};
	memcpy(key->remote, ip->source, sizeof(key->remote));
	memcpy(key->local, ip->destination, sizeof(key->local));
	return ip->next_header == IP6_UDP && packet->data_len >= IP6_LEN + UDP_LEN &&
		   is_to_vxlan(packet, datagram);
}

static uint16_t vxlan6_input_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	uint16_t next[GRAPH_FRAME_SIZE];
	struct vxlan_run run = {0};
	for (uint16_t i = 0; i < n; i++)
		next[i] = vxlan_decap_one(graph, node, packets[i], &run, WS_IP6, read_ip6);
	vxlan_decap_end(graph, node, &run, packets, next, n);
	return n;
}

GRAPH_NODE(vxlan6_input, .name = "vxlan6-input", .takes = TAKES_PACKET, GRAPH_EDGES(ip6_edges),
		   GRAPH_COUNTERS(counters))

GRAPH_FEATURE(vxlan6_input_feature, .node = "vxlan6-input", .arc = "ip6-local")
