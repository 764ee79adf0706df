/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wirespeed's graph engine compared with DPDK's librte_graph: the same work in both.
 *
 *     bench_graph
 *
 * A source brings in a frame, four nodes pass it on, a sink takes it. The nodes either pass the
 * whole frame ("all to one"), or read a byte of each packet to choose its next node, which is the
 * same one for all ("each chosen", one of 16 goes another way in "each chosen, 1/16 astray").
 * librte_graph's nodes are written in its idiom: a stream moved whole; a speculated next stream,
 * with packets that go elsewhere enqueued one by one. TSC ticks for a packet and walk; medians of
 * interleaved rounds.
 */
#include "bench/bench_setup.h"
#include "graph/graph.h"

#include <rte_graph_worker.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 4, ROUNDS = 401, PACKETS_A_ROUND = 1 << 13, MAX_VECTOR = 256 };
enum { NEXT, ASTRAY };

struct packet {
	uint8_t edge;
} __attribute__((aligned(64)));

static struct packet packets[MAX_VECTOR];
static uint16_t vector;
static uint64_t arrived, expected;

/* ---- Ours ---- */

static uint16_t ours_source(struct graph *graph, struct graph_node *node, void **frame, uint16_t n)
{
	n = vector;
	for (uint16_t i = 0; i < n; i++)
		frame[i] = &packets[i];
	graph_enqueue_all(graph, node, NEXT, frame, n);
	return n;
}

static uint16_t ours_pass(struct graph *graph, struct graph_node *node, void **frame, uint16_t n)
{
	graph_enqueue_all(graph, node, NEXT, frame, n);
	return n;
}

static uint16_t ours_choose(struct graph *graph, struct graph_node *node, void **frame, uint16_t n)
{
	uint16_t edges[GRAPH_FRAME_SIZE];
	for (uint16_t i = 0; i < n; i++)
		edges[i] = ((struct packet *)frame[i])->edge;
	graph_enqueue(graph, node, frame, edges, n);
	return n;
}

static uint16_t ours_sink(struct graph *graph, struct graph_node *node, void **frame, uint16_t n)
{
	(void)graph;
	(void)node;
	(void)frame;
	arrived += n;
	return n;
}

static struct graph *ours_make(graph_process_fn *stage, const char *prefix)
{
	static char names[2][STAGES + 2][16];
	static const char *edges[2][STAGES + 1][2];
	static struct graph_registration nodes[2][STAGES + 2];
	char error[128];
	int set = stage == ours_choose;
	for (int i = 0; i < STAGES + 2; i++)
		snprintf(names[set][i], sizeof(names[set][i]), "%s-%d", prefix, i);
	for (int i = 0; i < STAGES + 2; i++) {
		bool is_sink = i == STAGES + 1;
		nodes[set][i] = (struct graph_registration){
			.name = names[set][i],
			.process = !i        ? ours_source
					   : is_sink ? ours_sink
								 : stage,
			.is_source = !i,
			.march = GRAPH_MARCH,
			.edge_count = is_sink ? 0 : 2,
			.edges = edges[set][is_sink ? 0 : i],
		};
		if (!is_sink) {
			edges[set][i][NEXT] = names[set][i + 1];
			edges[set][i][ASTRAY] = names[set][STAGES + 1];
		}
		graph_register(&nodes[set][i]);
	}
	const char *source = names[set][0];
	struct graph_config config = {.sources = &source, .source_count = 1, .march = GRAPH_MARCH};
	struct graph *graph = graph_create(&config, error, sizeof(error));
	if (!graph)
		fprintf(stderr, "%s\n", error);
	return graph;
}

/* ---- librte_graph's ---- */

static uint16_t theirs_source(struct rte_graph *graph, struct rte_node *node, void **objects,
							  uint16_t n)
{
	(void)objects;
	(void)n;
	void **to = rte_node_next_stream_get(graph, node, NEXT, vector);
	for (uint16_t i = 0; i < vector; i++)
		to[i] = &packets[i];
	rte_node_next_stream_put(graph, node, NEXT, vector);
	return vector;
}

static uint16_t theirs_pass(struct rte_graph *graph, struct rte_node *node, void **objects,
							uint16_t n)
{
	(void)objects;
	rte_node_next_stream_move(graph, node, NEXT);
	return n;
}

static uint16_t theirs_choose(struct rte_graph *graph, struct rte_node *node, void **objects,
							  uint16_t n)
{
	void **from = objects, **to = rte_node_next_stream_get(graph, node, NEXT, n);
	uint16_t held = 0, last = 0;
	for (uint16_t i = 0; i < n; i++) {
		rte_edge_t edge = ((struct packet *)objects[i])->edge;
		if (likely(edge == NEXT)) {
			last++;
			continue;
		}
		rte_memcpy(to, from, last * sizeof(*from));
		from += last + 1;
		to += last;
		held += last;
		last = 0;
		rte_node_enqueue_x1(graph, node, edge, objects[i]);
	}
	if (likely(last == n)) {
		rte_node_next_stream_move(graph, node, NEXT);
		return n;
	}
	held += last;
	rte_memcpy(to, from, last * sizeof(*from));
	rte_node_next_stream_put(graph, node, NEXT, held);
	return n;
}

static uint16_t theirs_sink(struct rte_graph *graph, struct rte_node *node, void **objects,
							uint16_t n)
{
	(void)graph;
	(void)node;
	(void)objects;
	arrived += n;
	return n;
}

#define THEIRS(set, number, function, next)                                                        \
	static struct rte_node_register theirs_##set##_##number = {                                    \
		.name = #set "_" #number,                                                                  \
		.process = function,                                                                       \
		.nb_edges = 2,                                                                             \
		.next_nodes = {#set "_" #next, #set "_5"},                                                 \
	};                                                                                             \
	RTE_NODE_REGISTER(theirs_##set##_##number)

#define THEIRS_ENDS(set)                                                                           \
	static struct rte_node_register theirs_##set##_0 = {                                           \
		.name = #set "_0",                                                                         \
		.flags = RTE_NODE_SOURCE_F,                                                                \
		.process = theirs_source,                                                                  \
		.nb_edges = 2,                                                                             \
		.next_nodes = {#set "_1", #set "_5"},                                                      \
	};                                                                                             \
	RTE_NODE_REGISTER(theirs_##set##_0)                                                            \
	static struct rte_node_register theirs_##set##_5 = {                                           \
		.name = #set "_5",                                                                         \
		.process = theirs_sink,                                                                    \
	};                                                                                             \
	RTE_NODE_REGISTER(theirs_##set##_5)

THEIRS_ENDS(pass)
THEIRS(pass, 1, theirs_pass, 2)
THEIRS(pass, 2, theirs_pass, 3)
THEIRS(pass, 3, theirs_pass, 4)
THEIRS(pass, 4, theirs_pass, 5)
THEIRS_ENDS(choose)
THEIRS(choose, 1, theirs_choose, 2)
THEIRS(choose, 2, theirs_choose, 3)
THEIRS(choose, 3, theirs_choose, 4)
THEIRS(choose, 4, theirs_choose, 5)

static struct rte_graph *theirs_make(const char *name)
{
	char pattern[16];
	const char *patterns[] = {pattern};
	snprintf(pattern, sizeof(pattern), "%s_*", name);
	struct rte_graph_param parameters = {
		.socket_id = SOCKET_ID_ANY, .nb_node_patterns = 1, .node_patterns = patterns};
	if (rte_graph_create(name, &parameters) == RTE_GRAPH_ID_INVALID)
		return NULL;
	return rte_graph_lookup(name);
}

/* ---- Measuring ---- */

static double median(double *values)
{
	return bench_quantile(values, ROUNDS, 0.5);
}

static void measure(const char *title, struct graph *ours, struct rte_graph *theirs)
{
	static const uint16_t vectors[] = {1, 4, 32, 256};
	for (int v = 0; v < 4; v++) {
		double ticks[2][ROUNDS];
		vector = vectors[v];
		for (int round = 0; round < ROUNDS; round++)
			for (int side = 0; side < 2; side++) {
				uint64_t start = graph_tsc();
				for (int done = 0; done < PACKETS_A_ROUND; done += vector)
					if (side)
						rte_graph_walk(theirs);
					else
						graph_walk(ours);
				ticks[side][round] = (double)(graph_tsc() - start) / PACKETS_A_ROUND;
				expected += PACKETS_A_ROUND;
			}
		printf("%-26s vector %3u: ours %6.2f, librte_graph %6.2f ticks/packet\n", title, vector,
			   median(ticks[0]), median(ticks[1]));
	}
}

int main(void)
{
	bench_start(0, 64);
	struct graph *passing = ours_make(ours_pass, "pass"),
				 *choosing = ours_make(ours_choose, "choose");
	struct rte_graph *their_passing = theirs_make("pass"), *their_choosing = theirs_make("choose");
	if (!passing || !choosing || !their_passing || !their_choosing)
		return 1;
	printf("librte_graph counts %s; ours always does\n",
		   rte_graph_has_stats_feature() ? "calls, packets and clocks" : "nothing");
	measure("all to one", passing, their_passing);
	measure("each chosen", choosing, their_choosing);
	for (int i = 0; i < MAX_VECTOR; i += 16)
		packets[i].edge = ASTRAY;
	measure("each chosen, 1/16 astray", choosing, their_choosing);
	if (arrived != expected) {
		fprintf(stderr, "%lu packets of %lu arrived\n", arrived, expected);
		return 1;
	}
	graph_destroy(passing);
	graph_destroy(choosing);
	ws_runtime_close();
	return 0;
}
