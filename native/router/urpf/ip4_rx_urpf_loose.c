/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip4-rx-urpf-loose: of interfaces with that mode, lets pass only what comes from where some route
 * that forwards leads to, or from a source that is accepted without (RFC 3704).
 *
 * A feature of the arc ip4-unicast. Uses: mbuf->port. Next: ip4-lookup, error-drop.
 */
#include "graph/arc.h"
#include "router/urpf/ip4_rx_urpf.h"

static const char *const edges[] = {[URPF_PASS] = "ip4-lookup", [URPF_DROP] = "error-drop"};

static uint16_t ip4_rx_urpf_loose_process(struct graph *graph, struct graph_node *node,
										  void **packets, uint16_t n)
{
	return rx_urpf_frame(graph, node, packets, n, &ip4_rx_urpf_family, WS_URPF_LOOSE);
}

static struct graph_registration ip4_rx_urpf_loose = {
	.name = "ip4-rx-urpf-loose",
	.process = ip4_rx_urpf_loose_process,
	.takes = TAKES_PACKET,
	GRAPH_EDGES(edges),
	GRAPH_COUNTERS(rx_urpf_counters),
};
GRAPH_REGISTER(ip4_rx_urpf_loose)

static struct graph_feature ip4_rx_urpf_loose_feature = {
	.node = "ip4-rx-urpf-loose",
	.arc = "ip4-unicast",
	.runs_before = {"acl-plugin-in-ip4-fa"},
};
GRAPH_REGISTER_FEATURE(ip4_rx_urpf_loose_feature)
