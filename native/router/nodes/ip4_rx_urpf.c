/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-rx-urpf: lets pass only what comes from where a route leads to its source (RFC 3704).
 *
 * Of an interface with the mode loose any route that forwards will do, with strict one of its paths
 * leads out of the interface that the packet came in by. A feature of the arc ip4-unicast.
 *
 * Uses: mbuf->port. Next: ip4-lookup, error-drop.
 */
#include "graph/arc.h"
#include "router/nodes/ip4_forward.h"
#include "router/nodes/rx_urpf.h"

static const char *const edges[] = {[URPF_LOOKUP] = "ip4-lookup", [URPF_DROP] = "error-drop"};
static const struct graph_counter counters[] = {
	[URPF_LOOSE] = {"ip4 uRPF loose: no route to the source", true},
	[URPF_STRICT] = {"ip4 uRPF strict: no route to the source by this interface", true},
};

static void look_up_sources(const struct ws_router *router, uint16_t table, void *const *packets,
							uint32_t *values, uint16_t n)
{
	const struct fib_table *fib = __atomic_load_n(&router->tables[0][table], __ATOMIC_ACQUIRE);
	uint32_t sources[FIB_TRIE_MAX_LOOKUP];
	for (uint16_t i = 0; i < n; i++) {
		const struct ip4_header *ip =
			(const struct ip4_header *)(const void *)packet_data(packets[i]);
		sources[i] = be32toh(ip->source);
	}
	if (likely(fib && n))
		fib_trie_lookup_bulk_ip4(&fib->trie, sources, values, n);
	else
		memset(values, 0, n * sizeof(*values));
}

/* What has no source that is a host has been dropped by ip4-input. */
static bool is_exempt(const struct rte_mbuf *packet)
{
	(void)packet;
	return false;
}

static uint16_t ip4_rx_urpf_process(struct graph *graph, struct graph_node *node, void **packets,
									uint16_t n)
{
	return urpf_frame(graph, node, packets, n, WS_IP4, look_up_sources, is_exempt);
}

static struct graph_registration ip4_rx_urpf = {
	.name = "ip4-rx-urpf",
	.process = ip4_rx_urpf_process,
	.edge_count = 2,
	.edges = edges,
	.counter_count = URPF_COUNTERS,
	.counters = counters,
};
GRAPH_REGISTER(ip4_rx_urpf)

static struct graph_feature ip4_rx_urpf_feature = {
	.node = "ip4-rx-urpf",
	.arc = "ip4-unicast",
	.runs_before = {"acl-plugin-in-ip4-fa"},
};
GRAPH_REGISTER_FEATURE(ip4_rx_urpf_feature)
