/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dscp-ip4: counts packets by their DSCP (RFC 2474), if their interface is one that counts.
 *
 * A feature of the arc ip4-unicast. Uses: mbuf->port. Next: ip4-lookup.
 */
#include "graph/arc.h"
#include "router/dscp/dscp.h"
#include "router/packet/metadata.h"
#include "wire/ip4.h"
#include "wire/own_count.h"

enum edge { EDGE_LOOKUP };
static const char *const dscp_edges[] = {[EDGE_LOOKUP] = "ip4-lookup"};

enum counter { COUNTER_COUNTED };
static const struct graph_counter dscp_counters[] = {[COUNTER_COUNTED] = {"packets counted"}};

static uint16_t dscp_ip4_process(struct graph *graph, struct graph_node *node, void **packets,
								 uint16_t n)
{
	struct dscp *dscp = dscp_of(router_of(graph));
	uint64_t *counts = dscp->counts[graph->worker];
	uint16_t counted = 0;
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		const struct ip4_header *ip = (const void *)packet_data(packet);
		if (!__atomic_load_n(&dscp->is_on[packet->port], __ATOMIC_RELAXED))
			continue;
		own_count_add(&counts[ip->tos >> 2], 1);
		counted++;
	}
	graph_count(node, COUNTER_COUNTED, counted);
	graph_enqueue_all(graph, node, EDGE_LOOKUP, packets, n);
	return n;
}

GRAPH_NODE(dscp_ip4, .name = "dscp-ip4", .takes = TAKES_PACKET, GRAPH_EDGES(dscp_edges),
		   GRAPH_COUNTERS(dscp_counters))

GRAPH_FEATURE(dscp_feature, .node = "dscp-ip4", .arc = "ip4-unicast",
			  .runs_after = {"acl-plugin-in-ip4-fa"})
