/* SPDX-License-Identifier: Apache-2.0 */
/* The features of arcs that are on. */
#pragma once

#include "graph/graph.h"

struct ws_router;

enum { FEATURES_MAX_ON = 256 };

struct features {
	uint16_t count;
	struct graph_feature_on on[FEATURES_MAX_ON];
};

/*
 * Have the graphs go through the feature's node from now on, or no longer; a template's for that
 * interface alone. On failure all stays. What a node of one that goes off has counted is gone.
 */
int features_set(struct ws_router *router, const char *node, uint16_t interface, bool on);
/* features_set for several: all or none. */
int features_set_all(struct ws_router *router, const struct graph_feature_on *nodes, uint16_t count,
					 bool on);

enum { FEATURES_MAX_OF_OUTPUT = 4 };
/*
 * The features by which a way out (interface_way_out) does one thing: of the arcs that begin at its
 * node "<name>-output", those whose name ends in `suffix`, for features_set_all. Returns how many.
 */
uint16_t features_of_output(uint16_t output, const char *suffix,
							struct graph_feature_on nodes[FEATURES_MAX_OF_OUTPUT]);
