/* SPDX-License-Identifier: Apache-2.0 */
/*
 * l2-learn: learns the interface of the bridge domain behind which the sender is.
 *
 * Uses: mbuf->port, bridge domain. Next: l2-fwd, l2-flood, error-drop.
 */
#include "router/l2/l2_path.h"

enum counter { GROUP_SENDER, LEARNT, MOVED, VIOLATION, FULL, NO_WAY };
static const struct graph_counter counters[] = {
	[GROUP_SENDER] = {"L2 sender is a group address", true},
	[LEARNT] = {"L2 mac learnt", false},
	[MOVED] = {"L2 mac moved", false},
	[VIOLATION] = {"L2 mac move violates a static entry", true},
	[FULL] = {"L2 mac not learnt: no room", false},
	[NO_WAY] = {"L2 forwarding of these frames is off", true},
};

GRAPH_DROP(L2_DROP)

static uint16_t l2_learn_one(struct graph_node *node, struct l2_table *l2, struct rte_mbuf *packet,
							 uint32_t second)
{
	const uint8_t *sender = packet_data(packet) + ETHERNET_ADDRESS_LEN;
	uint16_t domain = packet_domain(packet);
	if (unlikely(ethernet_is_group(sender)))
		return drop(node, GROUP_SENDER);
	uint64_t key = l2fib_key(ethernet_load_destination(sender), domain);
	enum l2fib_learnt learnt = l2fib_learn(l2->fib, key, packet->port, second);
	if (unlikely(learnt == L2FIB_VIOLATION))
		return drop(node, VIOLATION);
	graph_count(node, LEARNT, learnt == L2FIB_LEARNT);
	graph_count(node, MOVED, learnt == L2FIB_MOVED);
	graph_count(node, FULL, learnt == L2FIB_FULL);
	enum l2_edge edge = l2_forward_edge(&l2->domains[domain], packet);
	return edge == L2_DROP ? drop(node, NO_WAY) : edge;
}

static uint16_t l2_learn_process(struct graph *graph, struct graph_node *node, void **packets,
								 uint16_t n)
{
	struct ws_router *router = router_of(graph);
	uint32_t second = l2_second(graph_tsc(), router->tsc_hz);
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++)
		next[i] = l2_learn_one(node, l2_table_of(node), packets[i], second);
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

GRAPH_NODE(l2_learn, .name = "l2-learn", .init = l2_node_init, .takes = TAKES_FRAME,
		   .edges = l2_edges, .edge_count = L2_FLOOD + 1, GRAPH_COUNTERS(counters))
