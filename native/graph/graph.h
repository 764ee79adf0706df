/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A graph of packet-processing nodes, walked by one worker.
 *
 * A node takes a frame of up to GRAPH_FRAME_SIZE packets and appends each to the frame of one of
 * its next nodes. Nodes are sorted topologically when the graph is made. The scheduler is a bit set
 * of the nodes with packets in their frame: the walk always runs the lowest one. So streams that
 * meet again merge into one frame. An edge back to an earlier node, or to the node itself, just
 * sets that bit again.
 *
 * All sources together bring in at most GRAPH_FRAME_SIZE packets per walk, and nodes do not
 * multiply packets, so no frame can overflow. Packets are opaque here. Nothing in this folder needs
 * DPDK.
 */
#pragma once

#include "wire/own_count.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define GRAPH_FRAME_SIZE 256
#define GRAPH_MAX_NODES 2048
#define GRAPH_MAX_SLOTS 4096 /* while one graph replaces another, both have slots */
#define GRAPH_CACHE_LINE 64

struct graph;
struct graph_node;

/* Handles `n` packets and returns `n`; a source returns the number of packets that it brought in.
 */
typedef uint16_t graph_process_fn(struct graph *graph, struct graph_node *node, void **packets,
								  uint16_t n);

/* While a trace is on: called with the packets that enter `node`, before its process function. */
typedef void graph_trace_fn(struct graph *graph, struct graph_node *node, void **packets,
							uint16_t n);

struct graph_counter {
	const char *name;
	bool is_error;
};

/*
 * Registration of a node by its file. `edges` are node names and may be patterns: "%-tx" is the tx
 * node of this node's own interface; "*-output" stands for the output nodes of all interfaces, in
 * their order, or for the node `absent` if there is none; "?x" leads to node x, or to `absent` if
 * no node of that name is registered; "&x" stands for all edges of the set x. A name that begins
 * with '%' registers a template, of which each interface gets a node. A name may be registered at
 * several march levels: the graph takes the highest allowed one.
 */
struct graph_registration {
	const char *name;
	graph_process_fn *process;
	int (*init)(struct graph *graph,
				struct graph_node *node); /* negative errno: the graph is not made */
	bool is_source;
	uint8_t takes; /* kinds of packets that enter, or that a source brings; flags of the user */
	int march;
	uint16_t edge_count;
	const char *const *edges;
	uint16_t counter_count;
	const struct graph_counter *counters;
	struct graph_registration *next;
};

/* The edges and the counters of a registration, arrays whose sizes count them. */
#define GRAPH_EDGES(list) .edges = list, .edge_count = sizeof(list) / sizeof(*(list))
#define GRAPH_COUNTERS(list) .counters = list, .counter_count = sizeof(list) / sizeof(*(list))

/* Edges that several nodes share, in the same order; the name begins with '&'. */
struct graph_edge_set {
	const char *name;
	const char *const *edges;
	uint16_t count;
	struct graph_edge_set *next;
};

/* Counters of a node; the last two are those of its most expensive call. */
struct graph_stats {
	uint64_t calls, vectors, suspends, clocks;
	uint64_t max_clocks, max_clocks_vectors;
};

/* A number per node, by the node's slot. `head` belongs to the owner of the memory. */
struct graph_vector {
	uint64_t head;
	uint64_t at[GRAPH_MAX_SLOTS];
};

/* Per-worker counters of nodes: written by the worker, read by any thread. Each counter has a
 * vector of its own, since readers copy whole vectors. */
struct graph_counts {
	struct graph_vector calls, vectors, suspends, clocks;
	struct {
		uint64_t clocks, vectors;
	} maxima[GRAPH_MAX_SLOTS];
};

struct graph_node {
	graph_process_fn *process;
	struct graph_node **edges;
	void **frame;
	uint64_t *counters;
	uint16_t slot;  /* index in the vectors of counts */
	uint16_t count; /* packets in frame */
	uint16_t index; /* position in the walk */
	uint16_t interface;
	uint16_t edge_count;
	uint8_t context[GRAPH_CACHE_LINE] __attribute__((aligned(GRAPH_CACHE_LINE)));
	const struct graph_registration *registration;
	char name[64];
} __attribute__((aligned(GRAPH_CACHE_LINE)));

struct graph {
	uint64_t pending[GRAPH_MAX_NODES / 64];
	void **spare;        /* the frame being processed, or an unused one */
	uint16_t processing; /* packets in the frame being processed */
	uint16_t worker;
	uint16_t source_count, node_count;
	struct graph_node **sources;
	struct graph_node **nodes; /* in walking order */
	graph_trace_fn *trace;     /* graph_set_trace */
	graph_trace_fn *check;     /* graph_config's */
	uint64_t walk_began;       /* TSC at the start of the last walk */
	struct graph_counts *counts;
	void *own_counts; /* NULL if it counts elsewhere */
	void *app;        /* the router, shared by the nodes */
};

#ifndef GRAPH_MARCH
#define GRAPH_MARCH 1
#endif

void graph_register(struct graph_registration *registration);
void graph_register_edges(struct graph_edge_set *set);

#define GRAPH_REGISTER(node)                                                                       \
	__attribute__((constructor)) static void graph_register_##node(void)                           \
	{                                                                                              \
		node.march = GRAPH_MARCH;                                                                  \
		graph_register(&node);                                                                     \
	}

/* Registers the node of the function `node`_process; the other arguments are members of the
 * registration. */
#define GRAPH_NODE(node, ...)                                                                      \
	static struct graph_registration node = {.process = node##_process, __VA_ARGS__};              \
	GRAPH_REGISTER(node)

/* A feature of an arc (arc.h) that is on: its node, and the interface if that is a template. */
struct graph_feature_on {
	const char *node;
	uint16_t interface;
};

struct graph_config {
	const char *const
		*sources; /* names of source nodes; other nodes are found through the names of edges */
	uint16_t source_count;
	const char *const *interfaces; /* NULL for numbers without an interface */
	uint16_t interface_count;
	uint16_t template_count; /* number of leading interfaces with nodes of templates */
	const char *absent;      /* target of "*" without interfaces, and of "?" without the node */
	const struct graph_feature_on *features;
	uint16_t feature_count;
	int march;
	uint16_t worker;
	graph_trace_fn *check; /* debug builds: called with all packets that enter nodes; may be NULL */
	void *app;
};

/* NULL on error; `error` (of `error_len` bytes) is then the reason. */
struct graph *graph_create(const struct graph_config *config, char *error, size_t error_len);
void graph_destroy(struct graph *graph);
struct graph_node *graph_node(struct graph *graph, const char *name); /* NULL when there is none */
struct graph_stats graph_stats(const struct graph *graph, const struct graph_node *node);

/* Counter slots of a node: its own, and that of the first of its counters. */
struct graph_place {
	uint16_t slot, counter;
};
/*
 * Let the graph count in other memory, which outlives it, before it is walked; counters continue
 * from the values there. `places` are those of its nodes in walking order.
 */
void graph_count_in(struct graph *graph, struct graph_counts *counts, uint64_t *counters,
					const struct graph_place *places);

static inline uint64_t graph_tsc(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	uint64_t ticks;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#endif
}

/*
 * A whole frame that finds the frame of `next` empty changes its owner instead of being copied. So
 * a node must not write to `packets` after it has passed them on.
 */
static inline void graph_append(struct graph *graph, struct graph_node *next, void **packets,
								uint16_t n)
{
	if (packets == graph->spare && n == graph->processing && !next->count) {
		graph->spare = next->frame;
		next->frame = packets;
	} else {
		memcpy(next->frame + next->count, packets, n * sizeof(*packets));
	}
	next->count += n;
	graph->pending[next->index / 64] |= 1ULL << (next->index % 64);
}

/* All `n` packets go along one edge. */
static inline void graph_enqueue_all(struct graph *graph, struct graph_node *node, uint16_t edge,
									 void **packets, uint16_t n)
{
	graph_append(graph, node->edges[edge], packets, n);
}

/* True if all packets take one edge; many are compared at once. */
static inline bool graph_is_one_edge(const uint16_t *edges, uint16_t n)
{
	uint16_t differences = 0;
	for (uint16_t i = 1; i < n; i++)
		differences |= edges[i] ^ edges[0]; /* NOLINT(clang-analyzer-core*) all are given */
	return !differences && n;
}

/*
 * Packet i goes along edge edges[i]. Usually all take one edge; otherwise each run of one edge is
 * moved as a whole.
 */
static inline void graph_enqueue(struct graph *graph, struct graph_node *node, void **packets,
								 const uint16_t *edges, uint16_t n)
{
	uint16_t start = 0;
	if (graph_is_one_edge(edges, n)) {
		graph_append(graph, node->edges[edges[0]], packets, n);
		return;
	}
	while (start < n) {
		uint16_t end = start + 1;
		while (end < n && edges[end] == edges[start])
			end++;
		graph_append(graph, node->edges[edges[start]], packets + start, end - start);
		start = end;
	}
}

/* graph_enqueue_spread for two edges, without a branch per packet; false if there are more. */
static inline bool graph_enqueue_two(struct graph *graph, struct graph_node *node, void **packets,
									 const uint16_t *edges, uint16_t n)
{
	uint16_t one = edges[0], other = one, third = 0;
	for (uint16_t i = 1; i < n; i++)
		other = other == one ? edges[i] : other;
	for (uint16_t i = 1; i < n; i++)
		third |= (edges[i] != one) & (edges[i] != other);
	struct graph_node *first = node->edges[one], *second = node->edges[other];
	if (third || first == second)
		return false;
	void **to_first = first->frame + first->count, **to_second = second->frame + second->count;
	for (uint16_t i = 0; i < n; i++) {
		bool is_other = edges[i] != one;
		*to_first = *to_second = packets[i];
		to_first += !is_other;
		to_second += is_other;
	}
	first->count = (uint16_t)(to_first - first->frame);
	second->count = (uint16_t)(to_second - second->frame);
	graph->pending[first->index / 64] |= 1ULL << (first->index % 64);
	graph->pending[second->index / 64] |= 1ULL << (second->index % 64);
	return true;
}

/* graph_enqueue for edges that change at random: runs are short and their ends unpredictable, so
 * packets are moved one by one. */
static inline void graph_enqueue_spread(struct graph *graph, struct graph_node *node,
										void **packets, const uint16_t *edges, uint16_t n)
{
	enum { MANY = 16 };
	if (graph_is_one_edge(edges, n)) {
		graph_append(graph, node->edges[edges[0]], packets, n);
		return;
	}
	if (n >= MANY && graph_enqueue_two(graph, node, packets, edges, n))
		return;
	for (uint16_t i = 0; i < n; i++) {
		struct graph_node *next = node->edges[edges[i]];
		if (!next->count)
			graph->pending[next->index / 64] |= 1ULL << (next->index % 64);
		next->frame[next->count++] = packets[i];
	}
}

static inline void graph_count(struct graph_node *node, uint16_t counter, uint64_t n)
{
	own_count_add(&node->counters[counter], n);
}

/* Defines drop(), which counts a packet for a reason and returns the drop edge. */
#define GRAPH_DROP(edge)                                                                           \
	static inline uint16_t drop(struct graph_node *node, uint16_t reason)                          \
	{                                                                                              \
		graph_count(node, reason, 1);                                                              \
		return edge;                                                                               \
	}

/* Set the function that is called with all packets that enter nodes, or NULL; from any thread. */
static inline void graph_set_trace(struct graph *graph, graph_trace_fn *trace)
{
	__atomic_store_n(&graph->trace, trace, __ATOMIC_RELEASE);
}

/* The acquire load orders reads of the function's state, such as a worker's trace, after it. */
static inline bool graph_is_traced(const struct graph *graph)
{
	return __atomic_load_n(&graph->trace, __ATOMIC_ACQUIRE) != NULL;
}

/* Call the trace and the check function. */
static inline void graph_show(struct graph *graph, struct graph_node *node, void **packets,
							  uint16_t n)
{
	graph_trace_fn *trace = __atomic_load_n(&graph->trace, __ATOMIC_ACQUIRE);
#ifndef NDEBUG
	if (graph->check)
		graph->check(graph, node, packets, n);
#endif
	if (__builtin_expect(trace != NULL, 0))
		trace(graph, node, packets, n);
}

static inline uint64_t graph_account(struct graph_counts *counts, const struct graph_node *node,
									 uint16_t vectors, uint64_t before)
{
	uint64_t now = graph_tsc(), clocks = now - before;
	uint16_t slot = node->slot;
	own_count_add(&counts->calls.at[slot], 1);
	own_count_add(&counts->vectors.at[slot], vectors);
	own_count_add(&counts->clocks.at[slot], clocks);
	/* Only this thread writes it: a plain load. An atomic load took 20 ticks per node (bench_nodes,
	 * AMD). */
	if (clocks > counts->maxima[slot].clocks) {
		own_count_set(&counts->maxima[slot].clocks, clocks);
		own_count_set(&counts->maxima[slot].vectors, vectors);
	}
	return now;
}

/* Run the first `source_count` sources once, and all packets that they brought in to their end;
 * returns the number of packets. */
static inline uint32_t graph_walk_from(struct graph *graph, uint16_t source_count)
{
	struct graph_counts *counts = graph->counts;
	uint64_t now = graph_tsc();
	uint32_t received = 0;
	graph->walk_began = now;
	for (uint16_t i = 0; i < source_count; i++) {
		struct graph_node *source = graph->sources[i];
		uint16_t n =
			source->process(graph, source, source->frame, GRAPH_FRAME_SIZE - (uint16_t)received);
		now = graph_account(counts, source, n, now);
		received += n;
	}
	for (uint16_t word = 0; word * 64 < graph->node_count;) {
		if (!graph->pending[word]) {
			word++;
			continue;
		}
		struct graph_node *node = graph->nodes[word * 64 + __builtin_ctzll(graph->pending[word])];
		void **packets = node->frame;
		uint16_t n = node->count;
		graph->pending[word] &= graph->pending[word] - 1;
		node->frame = graph->spare;
		graph->spare = packets;
		graph->processing = n;
		node->count = 0;
		graph_show(graph, node, packets, n);
		node->process(graph, node, packets, n);
		now = graph_account(counts, node, n, now);
		word = 0;
	}
	return received;
}

static inline uint32_t graph_walk(struct graph *graph)
{
	return graph_walk_from(graph, graph->source_count);
}
