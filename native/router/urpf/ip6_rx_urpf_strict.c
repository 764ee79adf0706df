/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip6-rx-urpf-strict: of interfaces with that mode, lets pass only what comes from where a route
 * leads back by the interface that it came in by (RFC 3704).
 *
 * A feature of the arc ip6-unicast. Uses: mbuf->port. Next: ip6-lookup, error-drop.
 */
#include "graph/arc.h"
#include "router/urpf/ip6_rx_urpf.h"

static const char *const edges[] = {[URPF_PASS] = "ip6-lookup", [URPF_DROP] = "error-drop"};

static uint16_t ip6_rx_urpf_strict_process(struct graph *graph, struct graph_node *node,
										   void **packets, uint16_t n)
{
	return rx_urpf_frame(graph, node, packets, n, &ip6_rx_urpf_family, WS_URPF_STRICT);
}

static struct graph_registration ip6_rx_urpf_strict = {
	.name = "ip6-rx-urpf-strict",
	.process = ip6_rx_urpf_strict_process,
	.takes = TAKES_PACKET,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(rx_urpf_counters),
};
GRAPH_REGISTER(ip6_rx_urpf_strict)

static struct graph_feature ip6_rx_urpf_strict_feature = {
	.node = "ip6-rx-urpf-strict",
	.arc = "ip6-unicast",
	.runs_before = {"acl-plugin-in-ip6-fa"},
};
GRAPH_REGISTER_FEATURE(ip6_rx_urpf_strict_feature)
