/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-rx-urpf-loose, ip4-rx-urpf-strict, ip6-rx-urpf-loose, ip6-rx-urpf-strict: unicast RPF of
 * received packets (RFC 3704).
 *
 * Loose mode passes packets from sources with a route that forwards, and from accepted sources;
 * strict mode passes packets from sources whose route leads back through the receiving interface.
 * Features of the arcs ip4-unicast and ip6-unicast. Uses: mbuf->port. Next: ip4-lookup or
 * ip6-lookup, error-drop.
 */
#include "router/path/ip_forward.h"
#include "router/urpf/urpf_check.h"
#include "wirespeed/urpf.h"

enum { RX_URPF_DROP };
static const struct graph_counter rx_urpf_counters[] = {[RX_URPF_DROP] = {"uRPF Drop", true}};

struct rx_urpf_family {
	uint8_t family;
	ip_table_look_up_fn *look_up;
	size_t source_at; /* offset in the packet */
	/* True for sources that need no route. */
	bool (*is_exempt)(const uint8_t *source);
};

/* ip4-input has dropped packets whose source is not a host. */
static inline bool ip4_urpf_is_exempt(const uint8_t *source)
{
	(void)source;
	return false;
}

static const struct rx_urpf_family ip4_rx_urpf_family = {
	.family = WS_IP4,
	.look_up = ip4_table_lookup_at,
	.source_at = offsetof(struct ip4_header, source),
	.is_exempt = ip4_urpf_is_exempt,
};

/* Neighbour discovery comes from link-local addresses and from none. */
static inline bool ip6_urpf_is_exempt(const uint8_t *source)
{
	return ip6_is_link_local(source) || ip6_is_unspecified(source);
}

static const struct rx_urpf_family ip6_rx_urpf_family = {
	.family = WS_IP6,
	.look_up = ip6_table_lookup_at,
	.source_at = offsetof(struct ip6_header, source),
	.is_exempt = ip6_urpf_is_exempt,
};

static inline bool rx_urpf_passes(const struct ws_router *router, uint8_t mode, uint32_t value,
								  uint16_t interface)
{
	return mode == WS_URPF_LOOSE ? urpf_kind(router, value) > ADJACENCY_LOCAL
								 : urpf_leads_by(router, value, interface);
}

/* Each run of packets with one table is looked up at once. */
static inline __attribute__((always_inline)) uint16_t
rx_urpf_frame(struct graph *graph, struct graph_node *node, void **packets, uint16_t n,
			  const struct rx_urpf_family *of, uint8_t mode)
{
	const struct ws_router *router = router_of(graph);
	int family = family_index(of->family);
	const struct urpf *urpf = urpf_of(router);
	const uint8_t *modes = urpf->modes[URPF_RX][family];
	uint32_t values[GRAPH_FRAME_SIZE];
	uint16_t next[GRAPH_FRAME_SIZE], tables[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		tables[i] = urpf_table(router, urpf, URPF_RX, family, packet->port);
	}
	for (uint16_t start = 0, end; start < n; start = end) {
		for (end = start + 1; end < n && tables[end] == tables[start];)
			end++;
		of->look_up(router, tables[start], packets + start, values + start, end - start,
					of->source_at);
	}
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		const uint8_t *source = packet_data(packet) + of->source_at;
		next[i] = FILTER_PASS;
		if (__atomic_load_n(&modes[packet->port], __ATOMIC_RELAXED) != mode ||
			likely(rx_urpf_passes(router, mode, values[i], packet->port)) ||
			of->is_exempt(source) ||
			(mode == WS_URPF_LOOSE && urpf_accepts(urpf, tables[i], of->family, source)))
			continue;
		graph_count(node, RX_URPF_DROP, 1);
		next[i] = FILTER_DROP;
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

/* A node for a family and a mode. */
#define RX_URPF_NODE(symbol, of, mode, node_name, pass, arc_name, before)                          \
	static uint16_t symbol##_process(struct graph *graph, struct graph_node *node, void **packets, \
									 uint16_t n)                                                   \
	{                                                                                              \
		return rx_urpf_frame(graph, node, packets, n, of, mode);                                   \
	}                                                                                              \
	GRAPH_FILTER(symbol, symbol##_process, TAKES_PACKET, rx_urpf_counters, node_name, pass,        \
				 .arc = (arc_name), .runs_before = {before})

RX_URPF_NODE(ip4_rx_urpf_loose, &ip4_rx_urpf_family, WS_URPF_LOOSE, "ip4-rx-urpf-loose",
			 "ip4-lookup", "ip4-unicast", "acl-plugin-in-ip4-fa")
RX_URPF_NODE(ip4_rx_urpf_strict, &ip4_rx_urpf_family, WS_URPF_STRICT, "ip4-rx-urpf-strict",
			 "ip4-lookup", "ip4-unicast", "acl-plugin-in-ip4-fa")
RX_URPF_NODE(ip6_rx_urpf_loose, &ip6_rx_urpf_family, WS_URPF_LOOSE, "ip6-rx-urpf-loose",
			 "ip6-lookup", "ip6-unicast", "acl-plugin-in-ip6-fa")
RX_URPF_NODE(ip6_rx_urpf_strict, &ip6_rx_urpf_family, WS_URPF_STRICT, "ip6-rx-urpf-strict",
			 "ip6-lookup", "ip6-unicast", "acl-plugin-in-ip6-fa")
