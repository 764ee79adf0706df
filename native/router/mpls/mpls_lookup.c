/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpls-lookup: pops the outermost label and finds its route.
 *
 * A label at the bottom of the stack has another route than the same label above others. A packet
 * that stays labelled must have a TTL above 1; one that does not takes the label's TTL along (RFC
 * 3443, uniform model).
 *
 * Sets: adjacency (index of the load balance on the edge to mpls-load-balance); label (the popped
 * entry). Next: by enum adjacency_kind; mpls-icmp-error with the label restored.
 */
#include "router/fib/adjacency_nodes.h"
#include "router/mpls/mpls.h"
#include "router/mpls/mpls_forward.h"
#include "router/packet/eight.h"
#include "router/path/count_forwarding.h"

enum { EDGE_ICMP_ERROR = ADJACENCY_KINDS };
static const char *const edges[] = {EDGES_BEHIND_LABEL, "mpls-icmp-error"};

enum counter { NO_LABEL, DROP_ROUTE, TTL, SHORT };
static const struct graph_counter counters[] = {
	[NO_LABEL] = {"unknown label", true},
	[DROP_ROUTE] = {"label says drop", true},
	[TTL] = {"mpls ttl expired", true},
	[SHORT] = {"label stack ends without a bottom", true},
};

static __attribute__((noinline)) uint16_t refuse(struct graph_node *node, enum counter reason)
{
	graph_count(node, reason, 1);
	return ADJACENCY_DROP;
}

static __attribute__((noinline)) uint16_t expire(struct graph_node *node, struct rte_mbuf *packet)
{
	graph_count(node, TTL, 1);
	mpls_set_expired(packet);
	return EDGE_ICMP_ERROR;
}

static inline uint32_t route_of(const struct mpls_table *table, uint32_t entry)
{
	return __atomic_load_n(
		&table->routes[mpls_route_index(mpls_label(entry), mpls_is_bottom(entry))],
		__ATOMIC_ACQUIRE);
}

/* False if the packet stays labelled and its TTL expires at this hop. */
static inline bool outlives(uint8_t kind, uint32_t entry)
{
	return mpls_ttl(entry) > 1 || kind == ADJACENCY_POP_IP4 || kind == ADJACENCY_POP_IP6;
}

static inline uint16_t mpls_lookup_one(const struct ws_router *router, struct graph_node *node,
									   struct rte_mbuf *packet, const struct mpls_table *table)
{
	if (unlikely(packet->data_len < MPLS_LEN))
		return refuse(node, SHORT);
	uint32_t entry = mpls_load(packet_data(packet));
	uint32_t value = route_of(table, entry);
	uint32_t index =
		__atomic_load_n(&router->load_balances.balances[value].adjacency, __ATOMIC_ACQUIRE);
	uint8_t kind = adjacency_kind(&router->adjacencies.adjacencies[index]);
	packet_set_adjacency(packet, kind == ADJACENCY_LOAD_BALANCE ? value : index);
	packet_set_label(packet, entry);
	packet_advance(packet, MPLS_LEN);
	if (unlikely(kind <= ADJACENCY_PROHIBIT))
		return refuse(node, kind == ADJACENCY_NO_ROUTE ? NO_LABEL : DROP_ROUTE);
	if (unlikely(!outlives(kind, entry)))
		return expire(node, packet);
	return kind;
}

/* Eight packets with the same entry, whose route does not refuse them; false for others. */
static inline bool mpls_lookup_eight(const struct ws_router *router, void *const *packets,
									 const struct mpls_table *table, uint16_t *next)
{
	const void *labels[EIGHT];
	if (unlikely(!eight_have_bytes(packets, MPLS_LEN)))
		return false;
	eight_data(packets, (void **)labels);
	uint32_t entry = mpls_load(labels[0]);
	if (lanes_any(lanes_load_at(labels, 0) ^ htobe32(entry)))
		return false;
	uint32_t value = route_of(table, entry);
	uint32_t index =
		__atomic_load_n(&router->load_balances.balances[value].adjacency, __ATOMIC_ACQUIRE);
	uint8_t kind = adjacency_kind(&router->adjacencies.adjacencies[index]);
	if (unlikely(kind <= ADJACENCY_PROHIBIT || !outlives(kind, entry)))
		return false;
	for (int i = 0; i < EIGHT; i++) {
		packet_set_adjacency(packets[i], kind == ADJACENCY_LOAD_BALANCE ? value : index);
		packet_set_label(packets[i], entry);
		packet_advance(packets[i], MPLS_LEN);
	}
	eight_fill(next, kind);
	return true;
}

static __attribute__((noinline)) void count_labels(const struct graph *graph, void *const *packets,
												   uint16_t n, const struct mpls_table *table)
{
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		if (packet->data_len >= MPLS_LEN)
			count_route(router_of(graph), router_worker_of(graph),
						route_of(table, mpls_load(packet_data(packet))), packet->pkt_len);
	}
}

static uint16_t mpls_lookup_process(struct graph *graph, struct graph_node *node, void **packets,
									uint16_t n)
{
	const struct ws_router *router = router_of(graph);
	const struct mpls_table *table = mpls_table(router);
	uint16_t next[GRAPH_FRAME_SIZE];
	if (router_has(router, WS_COUNT_ROUTES) && table)
		count_labels(graph, packets, n, table);
	for (uint16_t i = 0, end; i < n; i = end) {
		end = eight_end(i, n);
		if (end - i == EIGHT && likely(table != NULL) &&
			mpls_lookup_eight(router, packets + i, table, next + i))
			continue;
		for (uint16_t k = i; k < end; k++)
			next[k] = likely(table != NULL) ? mpls_lookup_one(router, node, packets[k], table)
											: refuse(node, NO_LABEL);
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

GRAPH_NODE(mpls_lookup, .name = "mpls-lookup", .takes = TAKES_PACKET, GRAPH_EDGES(edges),
		   GRAPH_COUNTERS(counters))
ADJACENCY_NODE(BEHIND_LABELLED, ADJACENCY_TABLE, "mpls-lookup")
