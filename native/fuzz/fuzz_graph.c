/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks of arbitrary graphs: no packet may be lost, duplicated or left behind. Each input byte is
 * an edge: its high half is the node that it leaves, its low half the node that it leads to; node 0
 * is the source, 15 the sink. A packet goes to the sink after a few hops.
 */
#include "fuzz/fuzz.h"
#include "graph/graph.h"

enum { NODES = 16, SOURCE = 0, SINK = 15, MAX_EDGES = 8, PACKETS = GRAPH_FRAME_SIZE, HOPS = 12 };

static char names[NODES][20];
static const char *edges[NODES][MAX_EDGES];
static struct graph_registration nodes[NODES];
static uint8_t hops[PACKETS];
static int arrivals[PACKETS];
static uint32_t seed;

static uint16_t number(void *packet)
{
	return (uint16_t)((uint8_t *)packet - hops);
}

static uint16_t pass(struct graph *graph, struct graph_node *node, void **packets, uint16_t n)
{
	uint16_t next[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++) {
		/* Edge 0 is the sink, for all nodes. */
		uint8_t hop = hops[number(packets[i])]++;
		next[i] =
			hop < HOPS ? (uint16_t)((seed + number(packets[i]) / 7u + hop) % node->edge_count) : 0;
	}
	graph_enqueue(graph, node, packets, next, n);
	return n;
}

static uint16_t bring(struct graph *graph, struct graph_node *node, void **packets, uint16_t n)
{
	n = (uint16_t)(seed % (PACKETS + 1));
	for (uint16_t i = 0; i < n; i++)
		packets[i] = &hops[i];
	return pass(graph, node, packets, n);
}

static uint16_t sink(struct graph *graph, struct graph_node *node, void **packets, uint16_t n)
{
	(void)graph;
	(void)node;
	for (uint16_t i = 0; i < n; i++)
		arrivals[number(packets[i])]++;
	return n;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	for (int i = 0; i < NODES; i++) {
		snprintf(names[i], sizeof(names[i]), "node-%d", i);
		nodes[i] = (struct graph_registration){
			.name = names[i],
			.process = i == SOURCE ? bring
					   : i == SINK ? sink
								   : pass,
			.is_source = i == SOURCE,
			.march = GRAPH_MARCH,
			.edges = edges[i],
		};
		edges[i][0] = names[SINK];
		graph_register(&nodes[i]);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *source = names[SOURCE];
	char error[64];
	struct graph_config config = {.sources = &source, .source_count = 1, .march = GRAPH_MARCH};
	for (int i = 0; i < NODES; i++)
		nodes[i].edge_count = i != SINK;
	for (size_t i = 0; i < size; i++) {
		int from = data[i] >> 4, to = data[i] & 0xf;
		if (from != SINK && to != SOURCE && nodes[from].edge_count < MAX_EDGES)
			edges[from][nodes[from].edge_count++] = names[to];
	}
	struct graph *graph = graph_create(&config, error, sizeof(error));
	FUZZ_ASSERT(graph);
	for (seed = 0; seed < 4 * PACKETS; seed += 97 + (uint32_t)size) {
		memset(hops, 0, sizeof(hops));
		memset(arrivals, 0, sizeof(arrivals));
		uint32_t received = graph_walk(graph);
		for (uint32_t i = 0; i < PACKETS; i++)
			FUZZ_ASSERT(arrivals[i] == (i < received));
		for (uint16_t i = 0; i < graph->node_count; i++)
			FUZZ_ASSERT(!graph->nodes[i]->count);
	}
	graph_destroy(graph);
	return 0;
}
