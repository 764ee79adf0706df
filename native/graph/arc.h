/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feature arcs: places in the graph where nodes can be inserted between two others.
 *
 * The file of the arc's first or last node registers the arc with its name and end. The file of a
 * feature's node registers the feature with the arc, and the features that it runs before or after.
 * When a graph is made, it is known which features are on: the first node's edge leads to the first
 * of them, and each one's edge to the arc's end leads to the next. A feature that is off is not in
 * the graph and costs nothing.
 */
#pragma once

#include "graph/graph.h"

enum { GRAPH_ARC_MAX_STARTS = 4, GRAPH_ARC_MAX_FEATURES = 32, GRAPH_FEATURE_MAX_ORDERS = 8 };

/* Names are those of registrations: "%-tx" is the tx node of the start node's interface. */
struct graph_arc {
	const char *name;
	/* NULL-terminated if short. Empty: the arc begins at all nodes that have an edge to its end. */
	const char *starts[GRAPH_ARC_MAX_STARTS];
	const char *end;
	struct graph_arc *next;
};

/* Names in runs_before and runs_after without a node are ignored. */
struct graph_feature {
	const char *node, *arc;
	const char *runs_before[GRAPH_FEATURE_MAX_ORDERS], *runs_after[GRAPH_FEATURE_MAX_ORDERS];
	const char *source; /* a source that is in the graph while the feature is on, or NULL */
	struct graph_feature *next;
};

void graph_arc_register(struct graph_arc *arc);
void graph_feature_register(struct graph_feature *feature);

/* Registers an arc, or a feature; the other arguments are members. */
#define GRAPH_ARC(arc, ...)                                                                        \
	static struct graph_arc arc = {__VA_ARGS__};                                                   \
	__attribute__((constructor)) static void graph_register_arc_##arc(void)                        \
	{                                                                                              \
		graph_arc_register(&arc);                                                                  \
	}

#define GRAPH_FEATURE(feature, ...)                                                                \
	static struct graph_feature feature = {__VA_ARGS__};                                           \
	__attribute__((constructor)) static void graph_register_feature_##feature(void)                \
	{                                                                                              \
		graph_feature_register(&feature);                                                          \
	}

/* The edges of a GRAPH_FILTER. */
enum graph_filter_edge { FILTER_PASS, FILTER_DROP };

/*
 * Registers a feature that passes packets on along its arc or drops them: a node with the function
 * `decide`, counters `counts`, and `pass` as the arc's end. The other arguments are members of the
 * feature.
 */
#define GRAPH_FILTER(symbol, decide, kinds, counts, node_name, pass, ...)                          \
	static const char *const symbol##_edges[] = {                                                  \
		[FILTER_PASS] = (pass), [FILTER_DROP] = "error-drop"};                                     \
	static struct graph_registration symbol = {                                                    \
		.name = (node_name),                                                                       \
		.process = (decide),                                                                       \
		.takes = (kinds),                                                                          \
		GRAPH_EDGES(symbol##_edges),                                                               \
		GRAPH_COUNTERS(counts),                                                                    \
	};                                                                                             \
	GRAPH_REGISTER(symbol)                                                                         \
	GRAPH_FEATURE(symbol##_feature, .node = (node_name), __VA_ARGS__)

/* Iterates over all arcs, by name: `arc` is NULL for the first one; returns NULL after the last
 * one. */
const struct graph_arc *graph_arc_after(const struct graph_arc *arc);
/* The arc's features in the order in which packets meet them; returns their number, or -ELOOP if
 * they cannot be ordered. */
int graph_arc_features(const struct graph_arc *arc,
					   const struct graph_feature *features[GRAPH_ARC_MAX_FEATURES]);
/* NULL if no feature's node has that name. */
const struct graph_feature *graph_feature(const char *node);

/*
 * Target of a node's edge, as a registered name: `edge` itself, unless the node is on an arc that
 * ends there and further features follow. `interface` is that of the node, or UINT16_MAX.
 */
const char *graph_arc_edge(const struct graph_config *config, const char *node, uint16_t interface,
						   const char *edge);
