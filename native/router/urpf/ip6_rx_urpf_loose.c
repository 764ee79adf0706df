/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip6-rx-urpf-loose: of interfaces with that mode, lets pass only what comes from where some route
 * that forwards leads to, or from a source that is accepted without (RFC 3704).
 *
 * A feature of the arc ip6-unicast. Uses: mbuf->port. Next: ip6-lookup, error-drop.
 */
#include "graph/arc.h"
#include "router/urpf/ip6_rx_urpf.h"

static const char *const edges[] = {[URPF_PASS] = "ip6-lookup", [URPF_DROP] = "error-drop"};

static uint16_t ip6_rx_urpf_loose_process(struct graph *graph, struct graph_node *node,
										  void **packets, uint16_t n)
{
	return rx_urpf_frame(graph, node, packets, n, &ip6_rx_urpf_family, WS_URPF_LOOSE);
}

static struct graph_registration ip6_rx_urpf_loose = {
	.name = "ip6-rx-urpf-loose",
	.process = ip6_rx_urpf_loose_process,
	.takes = TAKES_PACKET,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(rx_urpf_counters),
};
GRAPH_REGISTER(ip6_rx_urpf_loose)

static struct graph_feature ip6_rx_urpf_loose_feature = {
	.node = "ip6-rx-urpf-loose",
	.arc = "ip6-unicast",
	.runs_before = {"acl-plugin-in-ip6-fa"},
};
GRAPH_REGISTER_FEATURE(ip6_rx_urpf_loose_feature)
