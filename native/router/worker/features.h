/* SPDX-License-Identifier: Apache-2.0 */
/* Features of arcs that are on. */
#pragma once

#include "graph/graph.h"

struct ws_router;

enum { FEATURES_MAX_ON = 256 };

struct features {
	uint16_t count;
	struct graph_feature_on on[FEATURES_MAX_ON];
};

/*
 * Put the feature's node into the graphs, or remove it; a template's node for that interface only.
 * On failure nothing changes. Counters of a removed node are lost.
 */
int features_set(struct ws_router *router, const char *node, uint16_t interface, bool on);
/* features_set for several features: all or none. */
int features_set_all(struct ws_router *router, const struct graph_feature_on *nodes, uint16_t count,
					 bool on);

enum { FEATURES_MAX_OF_OUTPUT = 4 };
/*
 * Features that do one thing at an output (place in "*-output"): on the arcs that begin at its node
 * "<name>-output", those whose name ends in `suffix`, for features_set_all. Returns their number.
 */
uint16_t features_of_output(uint16_t output, const char *suffix,
							struct graph_feature_on nodes[FEATURES_MAX_OF_OUTPUT]);
