/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bond-tx: by which member a frame leaves its bond: one, by flow or in turn, or all of them.
 *
 * Uses: tx interface, which stays that of the bond. Next: <member>-output, error-drop.
 */
#include "graph/graph.h"
#include "router/bond/bond.h"
#include "router/nodes/bond_hash.h"
#include "router/nodes/copy_aside.h"
#include "router/nodes/each_packet.h"
#include "router/packet/metadata.h"

enum edge { EDGE_DROP, EDGE_OUTPUT };
static const char *const edges[] = {[EDGE_DROP] = "error-drop", [EDGE_OUTPUT] = "*-output"};

enum counter { NO_MEMBER, MOVES, COPIES, NO_COPY };
static const struct graph_counter counters[] = {
	[NO_MEMBER] = {"no active member", true},
	[MOVES] = {"flow moves to another member", true},
	[COPIES] = {"copies sent", false},
	[NO_COPY] = {"no room for a copy", true},
};

static void send_copy(struct graph *graph, struct graph_node *node, const struct rte_mbuf *packet,
					  uint16_t member)
{
	struct rte_mbuf *copy = copy_aside(graph, packet);
	if (unlikely(!copy)) {
		graph_count(node, NO_COPY, 1);
		return;
	}
	graph_count(node, COPIES, 1);
	recirculate_put(&router_worker_of(graph)->recirculate, copy, RECIRCULATE_OUTPUT + member);
}

/* A member's output has its own number. */
static uint16_t choose(struct graph *graph, struct graph_node *node, struct bond *bond,
					   const struct bond_spread *spread, const struct rte_mbuf *packet)
{
	switch (bond->mode) {
	case WS_BOND_ROUND_ROBIN:
		return spread->members[bond->turns[graph->worker].next++ % spread->count];
	case WS_BOND_BROADCAST:
		for (uint16_t i = 1; i < spread->count; i++)
			send_copy(graph, node, packet, spread->members[i]);
		return spread->members[0];
	case WS_BOND_ACTIVE_BACKUP:
		return spread->members[0];
	default:
		return spread->buckets[bond_bucket(bond->balance, packet_data(packet), packet->data_len)];
	}
}

static uint16_t bond_tx_one(struct graph *graph, struct graph_node *node, struct rte_mbuf *packet)
{
	struct bond *bond = bond_of(router_of(graph), packet_tx_interface(packet));
	const struct bond_spread *spread =
		bond ? __atomic_load_n(&bond->spread, __ATOMIC_ACQUIRE) : NULL;
	/* It may have gone, or its last member, since bond-output looked. */
	if (unlikely(!spread || !spread->count)) {
		graph_count(node, NO_MEMBER, 1);
		return EDGE_DROP;
	}
	uint16_t member = choose(graph, node, bond, spread, packet);
	if (unlikely(member == BOND_HELD)) {
		graph_count(node, MOVES, 1);
		return EDGE_DROP;
	}
	return EDGE_OUTPUT + member;
}

static uint16_t bond_tx_process(struct graph *graph, struct graph_node *node, void **packets,
								uint16_t n)
{
	return each_packet(graph, node, packets, n, bond_tx_one);
}

static struct graph_registration bond_tx = {
	.name = "bond-tx",
	.process = bond_tx_process,
	.edge_count = 2,
	.edges = edges,
	.counter_count = 4,
	.counters = counters,
};
GRAPH_REGISTER(bond_tx)
