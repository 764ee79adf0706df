/* SPDX-License-Identifier: Apache-2.0 */
#include "router/fib/adjacency_nodes.h"

#include "graph/graph.h"

static const char *nodes[ADJACENCY_PLACES][ADJACENCY_KINDS] = {
	[0 ... ADJACENCY_PLACES - 1] = {[0 ... ADJACENCY_KINDS - 1] = "error-drop"},
};
static struct graph_edge_set sets[ADJACENCY_PLACES] = {
	[BEHIND_IP4] = {EDGES_BEHIND_IP4, nodes[BEHIND_IP4], ADJACENCY_KINDS, NULL},
	[BEHIND_IP6] = {EDGES_BEHIND_IP6, nodes[BEHIND_IP6], ADJACENCY_KINDS, NULL},
	[BEHIND_LABEL] = {EDGES_BEHIND_LABEL, nodes[BEHIND_LABEL], ADJACENCY_KINDS, NULL},
	[BEHIND_LABELLED] = {EDGES_BEHIND_LABELLED, nodes[BEHIND_LABELLED], ADJACENCY_KINDS, NULL},
};

void adjacency_lead(enum adjacency_place place, enum adjacency_kind kind, const char *node)
{
	nodes[place][kind] = node;
}

__attribute__((constructor)) static void register_sets(void)
{
	for (int place = 0; place < ADJACENCY_PLACES; place++)
		graph_register_edges(&sets[place]);
}
