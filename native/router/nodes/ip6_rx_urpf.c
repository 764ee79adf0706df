/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip6-rx-urpf: lets pass only what comes from where a route leads to its source (RFC 3704).
 *
 * Of an interface with the mode loose any route that forwards will do, with strict one of its paths
 * leads out of the interface that the packet came in by. Neighbour discovery comes from link-local
 * addresses and from none: these need no route. A feature of the arc ip6-unicast.
 *
 * Uses: mbuf->port. Next: ip6-lookup, error-drop.
 */
#include "graph/arc.h"
#include "router/nodes/ip6_forward.h"
#include "router/nodes/rx_urpf.h"

static const char *const edges[] = {[URPF_LOOKUP] = "ip6-lookup", [URPF_DROP] = "error-drop"};
static const struct graph_counter counters[] = {
	[URPF_LOOSE] = {"ip6 uRPF loose: no route to the source", true},
	[URPF_STRICT] = {"ip6 uRPF strict: no route to the source by this interface", true},
};

static void look_up_sources(const struct ws_router *router, uint16_t table, void *const *packets,
							uint32_t *values, uint16_t n)
{
	const struct fib_table *fib = __atomic_load_n(&router->tables[1][table], __ATOMIC_ACQUIRE);
	const uint8_t *sources[FIB_TRIE_MAX_LOOKUP];
	for (uint16_t i = 0; i < n; i++)
		sources[i] = packet_data(packets[i]) + offsetof(struct ip6_header, source);
	if (likely(fib && n))
		fib_trie_lookup_bulk(&fib->trie, sources, values, n);
	else
		memset(values, 0, n * sizeof(*values));
}

static bool is_exempt(const struct rte_mbuf *packet)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	return ip6_is_link_local(ip->source) || ip6_is_unspecified(ip->source);
}

static uint16_t ip6_rx_urpf_process(struct graph *graph, struct graph_node *node, void **packets,
									uint16_t n)
{
	return urpf_frame(graph, node, packets, n, WS_IP6, look_up_sources, is_exempt);
}

static struct graph_registration ip6_rx_urpf = {
	.name = "ip6-rx-urpf",
	.process = ip6_rx_urpf_process,
	.edge_count = 2,
	.edges = edges,
	.counter_count = URPF_COUNTERS,
	.counters = counters,
};
GRAPH_REGISTER(ip6_rx_urpf)

static struct graph_feature ip6_rx_urpf_feature = {
	.node = "ip6-rx-urpf",
	.arc = "ip6-unicast",
	.runs_before = {"acl-plugin-in-ip6-fa"},
};
GRAPH_REGISTER_FEATURE(ip6_rx_urpf_feature)
