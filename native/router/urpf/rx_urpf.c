/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-rx-urpf-loose, ip4-rx-urpf-strict, ip6-rx-urpf-loose, ip6-rx-urpf-strict: unicast RPF of
 * packets that came in (RFC 3704). An interface with the mode loose passes packets from sources
 * that have a route that forwards, or that are accepted without one; an interface with the mode
 * strict passes packets from sources whose route leads back by it.
 *
 * Features of the arcs ip4-unicast and ip6-unicast. Uses: mbuf->port. Next: ip4-lookup or
 * ip6-lookup, error-drop.
 */
#include "graph/arc.h"
#include "router/path/ip4_forward.h"
#include "router/path/ip6_forward.h"
#include "router/urpf/urpf_check.h"
#include "wirespeed/urpf.h"

enum { RX_URPF_DROP };
static const struct graph_counter rx_urpf_counters[] = {[RX_URPF_DROP] = {"uRPF Drop", true}};

/* What is of a family: how to look up sources of up to a frame of packets in a table, where a
 * source is, and whether it needs no route. */
struct rx_urpf_family {
	uint8_t family;
	void (*look_up)(const struct ws_router *router, uint16_t table, void *const *packets,
					uint32_t *values, uint16_t n);
	const uint8_t *(*source)(const struct rte_mbuf *packet);
	bool (*is_exempt)(const struct rte_mbuf *packet);
};

/* ---- IPv4 ---- */

static inline const uint8_t *ip4_urpf_source(const struct rte_mbuf *packet)
{
	return packet_data(packet) + offsetof(struct ip4_header, source);
}

static inline void ip4_urpf_look_up(const struct ws_router *router, uint16_t table,
									void *const *packets, uint32_t *values, uint16_t n)
{
	const struct fib_table *fib = __atomic_load_n(&router->tables[0][table], __ATOMIC_ACQUIRE);
	uint32_t sources[FIB_TRIE_MAX_LOOKUP];
	for (uint16_t i = 0; i < n; i++) {
		memcpy(&sources[i], ip4_urpf_source(packets[i]), sizeof(sources[i]));
		sources[i] = be32toh(sources[i]);
	}
	if (likely(fib && n))
		fib_trie_lookup_bulk_ip4(&fib->trie, sources, values, n);
	else
		memset(values, 0, n * sizeof(*values));
}

/* ip4-input has dropped packets whose source is not a host. */
static inline bool ip4_urpf_is_exempt(const struct rte_mbuf *packet)
{
	(void)packet;
	return false;
}

static const struct rx_urpf_family ip4_rx_urpf_family = {
	.family = WS_IP4,
	.look_up = ip4_urpf_look_up,
	.source = ip4_urpf_source,
	.is_exempt = ip4_urpf_is_exempt,
};

/* ---- IPv6 ---- */

static inline const uint8_t *ip6_urpf_source(const struct rte_mbuf *packet)
{
	return packet_data(packet) + offsetof(struct ip6_header, source);
}

static inline void ip6_urpf_look_up(const struct ws_router *router, uint16_t table,
									void *const *packets, uint32_t *values, uint16_t n)
{
	const struct fib_table *fib = __atomic_load_n(&router->tables[1][table], __ATOMIC_ACQUIRE);
	const uint8_t *sources[FIB_TRIE_MAX_LOOKUP];
	for (uint16_t i = 0; i < n; i++)
		sources[i] = ip6_urpf_source(packets[i]);
	if (likely(fib && n))
		fib_trie_lookup_bulk(&fib->trie, sources, values, n);
	else
		memset(values, 0, n * sizeof(*values));
}

/* Neighbour discovery comes from link-local addresses and from none. */
static inline bool ip6_urpf_is_exempt(const struct rte_mbuf *packet)
{
	const uint8_t *source = ip6_urpf_source(packet);
	return ip6_is_link_local(source) || ip6_is_unspecified(source);
}

static const struct rx_urpf_family ip6_rx_urpf_family = {
	.family = WS_IP6,
	.look_up = ip6_urpf_look_up,
	.source = ip6_urpf_source,
	.is_exempt = ip6_urpf_is_exempt,
};

/* ---- Both ---- */

static inline bool rx_urpf_passes(const struct ws_router *router, uint8_t mode, uint32_t value,
								  uint16_t interface)
{
	return mode == WS_URPF_LOOSE ? urpf_kind(router, value) > ADJACENCY_LOCAL
								 : urpf_leads_by(router, value, interface);
}

/* Each run of packets of one table is looked up at once. */
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
		of->look_up(router, tables[start], packets + start, values + start, end - start);
	}
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		next[i] = URPF_PASS;
		if (__atomic_load_n(&modes[packet->port], __ATOMIC_RELAXED) != mode ||
			likely(rx_urpf_passes(router, mode, values[i], packet->port)) ||
			of->is_exempt(packet) ||
			(mode == WS_URPF_LOOSE &&
			 urpf_accepts(urpf, tables[i], of->family, of->source(packet))))
			continue;
		graph_count(node, RX_URPF_DROP, 1);
		next[i] = URPF_DROP;
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static uint16_t ip4_rx_urpf_loose_process(struct graph *graph, struct graph_node *node,
										  void **packets, uint16_t n)
{
	return rx_urpf_frame(graph, node, packets, n, &ip4_rx_urpf_family, WS_URPF_LOOSE);
}

static uint16_t ip4_rx_urpf_strict_process(struct graph *graph, struct graph_node *node,
										   void **packets, uint16_t n)
{
	return rx_urpf_frame(graph, node, packets, n, &ip4_rx_urpf_family, WS_URPF_STRICT);
}

static uint16_t ip6_rx_urpf_loose_process(struct graph *graph, struct graph_node *node,
										  void **packets, uint16_t n)
{
	return rx_urpf_frame(graph, node, packets, n, &ip6_rx_urpf_family, WS_URPF_LOOSE);
}

static uint16_t ip6_rx_urpf_strict_process(struct graph *graph, struct graph_node *node,
										   void **packets, uint16_t n)
{
	return rx_urpf_frame(graph, node, packets, n, &ip6_rx_urpf_family, WS_URPF_STRICT);
}

/* A node, and its place on its family's arc, which leads to `pass`. */
#define RX_URPF_NODE(symbol, node_name, arc_name, pass, before)                                    \
	static const char *const symbol##_edges[] = {                                                  \
		[URPF_PASS] = (pass), [URPF_DROP] = "error-drop"};                                         \
	static struct graph_registration symbol = {                                                    \
		.name = (node_name),                                                                       \
		.process = symbol##_process,                                                               \
		.takes = TAKES_PACKET,                                                                     \
		GRAPH_EDGES(symbol##_edges),                                                               \
		GRAPH_COUNTERS(rx_urpf_counters),                                                          \
	};                                                                                             \
	GRAPH_REGISTER(symbol)                                                                         \
	static struct graph_feature symbol##_feature = {                                               \
		.node = (node_name), .arc = (arc_name), .runs_before = {before}};                          \
	GRAPH_REGISTER_FEATURE(symbol##_feature)

RX_URPF_NODE(ip4_rx_urpf_loose, "ip4-rx-urpf-loose", "ip4-unicast", "ip4-lookup",
			 "acl-plugin-in-ip4-fa")
RX_URPF_NODE(ip4_rx_urpf_strict, "ip4-rx-urpf-strict", "ip4-unicast", "ip4-lookup",
			 "acl-plugin-in-ip4-fa")
RX_URPF_NODE(ip6_rx_urpf_loose, "ip6-rx-urpf-loose", "ip6-unicast", "ip6-lookup",
			 "acl-plugin-in-ip6-fa")
RX_URPF_NODE(ip6_rx_urpf_strict, "ip6-rx-urpf-strict", "ip6-unicast", "ip6-lookup",
			 "acl-plugin-in-ip6-fa")
