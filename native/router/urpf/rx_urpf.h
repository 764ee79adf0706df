/* SPDX-License-Identifier: Apache-2.0 */
/* Unicast RPF of packets that came in: whether a source is where its packet came from. */
#ifndef ROUTER_RX_URPF_H
#define ROUTER_RX_URPF_H

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

static inline bool rx_urpf_passes(const struct ws_router *router, uint8_t mode, uint32_t value,
								  uint16_t interface)
{
	return mode == WS_URPF_LOOSE ? urpf_kind(router, value) > ADJACENCY_LOCAL
								 : urpf_leads_by(router, value, interface);
}

/* The whole of a node's process for interfaces of one mode; each run of packets of one table is
 * looked up at once. */
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

#endif
