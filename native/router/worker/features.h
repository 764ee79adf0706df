/* SPDX-License-Identifier: Apache-2.0 */
/* Which features of arcs are on. */
#ifndef ROUTER_FEATURES_H
#define ROUTER_FEATURES_H

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
/* The same of several: all or none. */
int features_set_all(struct ws_router *router, const struct graph_feature_on *nodes, uint16_t count,
					 bool on);

#endif
