/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpls-input: admits labelled packets if the interface accepts MPLS and there is a whole label with
 * a TTL.
 *
 * Uses: mbuf->port (counts the interface's MPLS packets). Next: mpls-lookup, error-drop.
 */
#include "router/mpls/mpls_forward.h"
#include "router/path/interface_run.h"

enum edge { EDGE_LOOKUP, EDGE_DROP };
static const char *const edges[] = {[EDGE_LOOKUP] = "mpls-lookup", [EDGE_DROP] = "error-drop"};

enum counter { NOT_ENABLED, SHORT, TTL };
static const struct graph_counter counters[] = {
	[NOT_ENABLED] = {"mpls not enabled", true},
	[SHORT] = {"label stack shorter than a label", true},
	[TTL] = {"mpls ttl 0", true},
};

static inline bool takes_labels(const struct interface *interface)
{
	return __atomic_load_n(&interface->mpls, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) enum edge
refuse(struct graph_node *node, const struct interface *interface, const struct rte_mbuf *packet)
{
	graph_count(node,
				!takes_labels(interface)      ? NOT_ENABLED
				: packet->data_len < MPLS_LEN ? SHORT
											  : TTL,
				1);
	return EDGE_DROP;
}

static uint16_t mpls_input_process(struct graph *graph, struct graph_node *node, void **packets,
								   uint16_t n)
{
	const struct interface *interfaces = router_of(graph)->interfaces;
	struct interface_counts *counts = router_worker_of(graph)->interfaces;
	struct interface_run run = INTERFACE_RUN_NONE;
	uint32_t least = UINT32_MAX; /* minimum length of a packet; this one cannot be reached */
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		if (unlikely(packet->port != run.interface)) {
			interface_run_next(&run, i, packet->port, &counts->mpls.at[packet->port]);
			least = takes_labels(&interfaces[packet->port]) ? MPLS_LEN : UINT32_MAX;
		}
		bool is_good = packet->data_len >= least && mpls_ttl(mpls_load(packet_data(packet)));
		next[i] = likely(is_good) ? EDGE_LOOKUP : refuse(node, &interfaces[packet->port], packet);
	}
	interface_run_end(&run, n);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

GRAPH_NODE(mpls_input, .name = "mpls-input", .takes = TAKES_PACKET, GRAPH_EDGES(edges),
		   GRAPH_COUNTERS(counters))
