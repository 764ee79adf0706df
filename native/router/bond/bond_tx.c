/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bond-tx: the member through which a frame leaves its bond: one, by flow or round-robin, or all of
 * them.
 *
 * Uses: tx interface, which stays that of the bond. Next: <member>-output, error-drop.
 */
#include "router/bond/bond.h"
#include "router/bond/bond_hash.h"
#include "router/bond/run_of_output.h"
#include "router/path/copy_aside.h"

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

/* Each of the members in turn; the turn is this worker's own. */
static void take_turns(struct bond_turn *turn, const struct bond_spread *spread, uint16_t *next,
					   uint16_t n)
{
	uint32_t at = turn->next < spread->count ? turn->next : 0;
	for (uint16_t i = 0; i < n; i++) {
		next[i] = EDGE_OUTPUT + spread->members[at];
		at = at + 1 == spread->count ? 0 : at + 1;
	}
	turn->next = at;
}

static void send_copies(struct graph *graph, struct graph_node *node,
						const struct bond_spread *spread, void *const *packets, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++)
		for (uint16_t k = 1; k < spread->count; k++)
			send_copy(graph, node, packets[i], spread->members[k]);
}

/* `balance` is a constant, so each has a loop of its own. The edge of a bucket without member is
 * that to error-drop. */
static inline __attribute__((always_inline)) void choose_by(uint8_t balance,
															const struct bond_spread *spread,
															void *const *packets, uint16_t *next,
															uint16_t n)
{
	_Static_assert((uint16_t)(EDGE_OUTPUT + BOND_HELD) == EDGE_DROP, "what is held is dropped");
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		uint16_t bucket = bond_bucket(balance, packet_data(packet), packet->data_len);
		next[i] = (uint16_t)(EDGE_OUTPUT + spread->buckets[bucket]);
	}
}

static void choose_by_flow(struct graph_node *node, const struct bond *bond,
						   const struct bond_spread *spread, void *const *packets, uint16_t *next,
						   uint16_t n)
{
	uint16_t held = 0;
	if (bond->balance == WS_BOND_L34)
		choose_by(WS_BOND_L34, spread, packets, next, n);
	else if (bond->balance == WS_BOND_L23)
		choose_by(WS_BOND_L23, spread, packets, next, n);
	else
		choose_by(WS_BOND_L2, spread, packets, next, n);
	for (uint16_t i = 0; i < n; i++)
		held += next[i] == EDGE_DROP;
	graph_count(node, MOVES, held);
}

static void fill(uint16_t *next, uint16_t edge, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++)
		next[i] = edge;
}

/* Packets of one bond. Edges to members' output nodes are their interface numbers. */
static void choose(struct graph *graph, struct graph_node *node, void *const *packets,
				   uint16_t *next, uint16_t n)
{
	struct bond *bond = bond_of(router_of(graph), packet_tx_interface(packets[0]));
	const struct bond_spread *spread =
		bond ? __atomic_load_n(&bond->spread, __ATOMIC_ACQUIRE) : NULL;
	/* The bond or its last member may have been removed since bond-output. */
	if (unlikely(!spread || !spread->count)) {
		graph_count(node, NO_MEMBER, n);
		fill(next, EDGE_DROP, n);
	} else if (bond->mode == WS_BOND_ROUND_ROBIN) {
		take_turns(&bond->turns[graph->worker], spread, next, n);
	} else if (bond->mode == WS_BOND_XOR || bond->mode == WS_BOND_LACP) {
		choose_by_flow(node, bond, spread, packets, next, n);
	} else {
		if (bond->mode == WS_BOND_BROADCAST)
			send_copies(graph, node, spread, packets, n);
		fill(next, EDGE_OUTPUT + spread->members[0], n);
	}
}

static uint16_t bond_tx_process(struct graph *graph, struct graph_node *node, void **packets,
								uint16_t n)
{
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0, end; i < n; i = end) {
		end = run_of_output(packets, i, n);
		choose(graph, node, packets + i, next + i, end - i);
	}
	graph_enqueue_spread(graph, node, packets, next, n);
	return n;
}

GRAPH_NODE(bond_tx, .name = "bond-tx", .takes = TAKES_FRAME | TAKES_LEAVING, GRAPH_EDGES(edges),
		   GRAPH_COUNTERS(counters))
