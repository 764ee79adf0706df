/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vxlan4-encap, vxlan6-encap: put frames that leave through VXLAN tunnels into UDP over IPv4,
 * without a UDP checksum (RFC 7348 section 5), or over IPv6, with the checksum that receivers may
 * require (RFC 8200 section 8.1).
 *
 * Uses: tx interface. Sets: adjacency; the data begins at the outer IP header. Next: by enum
 * adjacency_kind.
 */
#include "router/observe/trace.h"
#include "router/packet/packet_checksum.h"
#include "router/path/ip_forward.h"
#include "router/vxlan/vxlan.h"
#include "wire/flow_mix.h"

enum vxlan_encap_counter {
	VXLAN_GONE = FORWARD_REFUSALS,
	VXLAN_NO_ROOM,
	VXLAN_TO_US,
	VXLAN_INTO_ITSELF,
};
static const struct graph_counter counters[] = {
	FORWARD_COUNTERS,
	[VXLAN_GONE] = {"tunnel is gone", true},
	[VXLAN_NO_ROOM] = {"no room for the tunnel's headers", true},
	[VXLAN_TO_US] = {"tunnel ends at this router", true},
	[VXLAN_INTO_ITSELF] = {"tunnel leads into itself", true},
};

static inline uint64_t vxlan_word(const uint8_t *bytes)
{
	uint64_t word;
	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* The UDP source port for a frame's flow, from its Ethernet addresses and type, and from the
 * addresses of an IP packet directly behind them. Without ports, so that fragments take the same
 * path. */
static inline uint16_t vxlan_source_port(const uint8_t *frame, uint16_t length)
{
	if (unlikely(length < ETHERNET_LEN))
		return VXLAN_FIRST_SOURCE_PORT;
	const struct ethernet_header *ethernet = (const void *)frame;
	uint64_t hash = flow_mix(vxlan_word(frame), vxlan_word(frame + ETHERNET_LEN - 8));
	const uint8_t *ip = frame + ETHERNET_LEN;
	if (ethernet->type == htobe16(ETHERNET_IP4) && length >= ETHERNET_LEN + IP4_LEN) {
		hash = flow_mix(hash, vxlan_word(ip + IP4_ADDRESSES_AT));
	} else if (ethernet->type == htobe16(ETHERNET_IP6) && length >= ETHERNET_LEN + IP6_LEN) {
		for (int at = 0; at < IP6_ADDRESSES_LEN; at += 8)
			hash = flow_mix(hash, vxlan_word(ip + IP6_ADDRESSES_AT + at));
	}
	uint32_t port = flow_fold(hash) >> (32 - VXLAN_SOURCE_PORT_BITS);
	return (uint16_t)(VXLAN_FIRST_SOURCE_PORT | port);
}

/* True if the frame was made by this tunnel: the route to its remote endpoint leads into it. */
static inline bool vxlan_is_own(const struct vxlan_tunnel *tunnel, const struct rte_mbuf *packet,
								uint16_t overhead)
{
	const uint8_t *frame = packet_data(packet), *made = tunnel->headers;
	bool is_ip4 = overhead == VXLAN_IP4_OVERHEAD;
	int at = ETHERNET_LEN + (is_ip4 ? IP4_ADDRESSES_AT : IP6_ADDRESSES_AT),
		addresses = is_ip4 ? 2 * (int)sizeof(uint32_t) : IP6_ADDRESSES_LEN,
		vxlan = ETHERNET_LEN + overhead - VXLAN_LEN;
	return packet->data_len >= ETHERNET_LEN + overhead &&
		   vxlan_word(frame + at) == vxlan_word(made + at) &&
		   !memcmp(frame + at, made + at, (size_t)addresses) &&
		   vxlan_word(frame + vxlan) == vxlan_word(made + vxlan);
}

struct ip_family {
	uint8_t family;
	uint16_t overhead;
	/* Sets the lengths and checksums of the outer headers. */
	void (*finish)(struct rte_mbuf *packet);
	forward_look_up_fn *look_up;
	const struct forward_refusal *refusal;
};

/* Consecutive frames of one tunnel have one remote endpoint, which is looked up once. */
struct vxlan_way {
	uint16_t interface;                /* UINT16_MAX: none yet */
	bool is_known;                     /* the following members are valid */
	uint32_t value;                    /* load balance of the route to the remote endpoint */
	const struct vxlan_tunnel *tunnel; /* NULL: it was deleted */
};

/* NULL, and counted, if the frame cannot get the headers. */
static inline const struct vxlan_tunnel *
vxlan_encap_tunnel(const struct ws_router *router, struct graph_node *node,
				   const struct rte_mbuf *packet, struct vxlan_way *way, uint16_t overhead)
{
	uint16_t interface = packet_tx_interface(packet);
	if (unlikely(interface != way->interface))
		*way =
			(struct vxlan_way){.interface = interface, .tunnel = vxlan_tunnel(router, interface)};
	const struct vxlan_tunnel *tunnel = way->tunnel;
	bool fits = packet->data_off >= ETHERNET_LEN + overhead + REWRITE_SIZE &&
				packet->pkt_len + overhead <= UINT16_MAX;
	if (likely(tunnel && fits && !vxlan_is_own(tunnel, packet, overhead)))
		return tunnel;
	graph_count(node,
				!tunnel                                  ? VXLAN_GONE
				: vxlan_is_own(tunnel, packet, overhead) ? VXLAN_INTO_ITSELF
														 : VXLAN_NO_ROOM,
				1);
	return NULL;
}

/* Move the start of the data to the IP header; lengths and checksums of IP and UDP are not set. */
static inline void vxlan_push(const struct graph *graph, struct rte_mbuf *packet,
							  const struct vxlan_tunnel *tunnel, uint16_t overhead)
{
	uint8_t *at = packet_data(packet) - overhead - ETHERNET_LEN;
	uint16_t port = vxlan_source_port(packet_data(packet), packet->data_len);
	memcpy(at, tunnel->headers, (size_t)ETHERNET_LEN + overhead);
	packet_prepend(packet, overhead);
	if (unlikely(TRACE_CHECKS || graph_is_traced(graph)))
		trace_moved(packet, -(overhead + ETHERNET_LEN));
	struct udp_header *udp =
		(struct udp_header *)(void *)(at + ETHERNET_LEN + overhead - VXLAN_LEN - UDP_LEN);
	udp->source = htobe16(port);
	udp->length = htobe16((uint16_t)(packet->pkt_len - (overhead - VXLAN_LEN - UDP_LEN)));
}

/*
 * The edge to the remote endpoint. The router itself is refused, since a packet could loop forever.
 * No ICMP error is sent if there is no route, since the packet is the router's own.
 */
static inline __attribute__((always_inline)) uint16_t
vxlan_forward(const struct graph *graph, struct graph_node *node, struct rte_mbuf *packet,
			  struct vxlan_way *way, const struct ip_family *family, bool counts)
{
	const struct ws_router *router = router_of(graph);
	void *packets[] = {packet};
	if (unlikely(!way->is_known)) {
		family->look_up(router, way->tunnel->key.table, packets, &way->value, 1);
		way->is_known = true;
	}
	if (counts)
		count_each_route(graph, packets, &way->value, 1);
	uint16_t next = forward(router, node, packet, way->value, family->refusal);
	if (unlikely(next == ADJACENCY_TABLE))
		next = forward_by_tables(graph, node, packet, family->family, family->look_up,
								 family->refusal);
	if (likely(next > ADJACENCY_LOCAL))
		return next == ADJACENCY_TABLE ? (uint16_t)ADJACENCY_DROP : next;
	graph_count(node, VXLAN_TO_US, next == ADJACENCY_LOCAL);
	return ADJACENCY_DROP;
}

static inline __attribute__((always_inline)) uint16_t
vxlan_encap_frame(struct graph *graph, struct graph_node *node, void **packets, uint16_t n,
				  const struct ip_family *family, bool counts)
{
	const struct ws_router *router = router_of(graph);
	uint16_t next[GRAPH_FRAME_SIZE];
	struct vxlan_way way = {.interface = UINT16_MAX};
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		const struct vxlan_tunnel *tunnel =
			vxlan_encap_tunnel(router, node, packet, &way, family->overhead);
		next[i] = ADJACENCY_DROP;
		if (unlikely(!tunnel))
			continue;
		vxlan_push(graph, packet, tunnel, family->overhead);
		family->finish(packet);
		next[i] = vxlan_forward(graph, node, packet, &way, family, counts);
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static inline __attribute__((always_inline)) uint16_t vxlan_encap(struct graph *graph,
																  struct graph_node *node,
																  void **packets, uint16_t n,
																  const struct ip_family *family)
{
	if (router_has(router_of(graph), WS_COUNT_ROUTES))
		return vxlan_encap_frame(graph, node, packets, n, family, true);
	return vxlan_encap_frame(graph, node, packets, n, family, false);
}

/* ---- IPv4 ---- */

static const char *const ip4_edges[] = {EDGES_BEHIND_IP4};

static inline void ip4_finish(struct rte_mbuf *packet)
{
	struct ip4_header *ip = (struct ip4_header *)(void *)packet_data(packet);
	ip->total_length = htobe16((uint16_t)packet->pkt_len);
	ip->checksum = checksum_update(ip->checksum, 0, ip->total_length);
}

static const struct ip_family ip4_family = {
	WS_IP4, VXLAN_IP4_OVERHEAD, ip4_finish, ip4_table_lookup, &ip4_refusal,
};

static uint16_t vxlan4_encap_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	return vxlan_encap(graph, node, packets, n, &ip4_family);
}

GRAPH_NODE(vxlan4_encap, .name = "vxlan4-encap", .takes = TAKES_FRAME, GRAPH_EDGES(ip4_edges),
		   GRAPH_COUNTERS(counters))

/* ---- IPv6 ---- */

static const char *const ip6_edges[] = {EDGES_BEHIND_IP6};

static inline void ip6_finish(struct rte_mbuf *packet)
{
	struct ip6_header *ip = (struct ip6_header *)(void *)packet_data(packet);
	struct udp_header *udp = (struct udp_header *)(void *)(packet_data(packet) + IP6_LEN);
	uint32_t length = packet->pkt_len - IP6_LEN;
	ip->payload_length = htobe16((uint16_t)length);
	uint16_t sum = packet_checksum(ip6_pseudo_sum(ip, length, IP6_UDP), packet, IP6_LEN, length);
	udp->checksum = sum ? sum : 0xffff;
}

static const struct ip_family ip6_family = {
	WS_IP6, VXLAN_IP6_OVERHEAD, ip6_finish, ip6_table_lookup, &ip6_refusal,
};

static uint16_t vxlan6_encap_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	return vxlan_encap(graph, node, packets, n, &ip6_family);
}

GRAPH_NODE(vxlan6_encap, .name = "vxlan6-encap", .takes = TAKES_FRAME, GRAPH_EDGES(ip6_edges),
		   GRAPH_COUNTERS(counters))
