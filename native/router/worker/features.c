/* SPDX-License-Identifier: Apache-2.0 */
#include "router/worker/features.h"

#include "dev/error.h"
#include "graph/arc.h"
#include "router/interface_kind.h"
#include "router/router.h"

#include <errno.h>
#include <stdio.h>

static uint16_t find_feature(const struct features *features, const char *node, uint16_t interface)
{
	uint16_t i = 0;
	while (i < features->count &&
		   (features->on[i].interface != interface || strcmp(features->on[i].node, node)))
		i++;
	return i;
}

int features_set_all(struct ws_router *router, const struct graph_feature_on *nodes, uint16_t count,
					 bool on)
{
	struct features *features = &router->features, before = *features;
	bool is_changed = false;
	for (uint16_t i = 0; i < count; i++) {
		uint16_t at = find_feature(features, nodes[i].node, nodes[i].interface);
		if ((at < features->count) == on)
			continue;
		if (on && features->count == FEATURES_MAX_ON) {
			*features = before;
			return fail(-ENOSPC, "%d features are on, the maximum; turn one off first",
						FEATURES_MAX_ON);
		}
		if (on)
			features->on[features->count++] = nodes[i];
		else
			features->on[at] = features->on[--features->count];
		is_changed = true;
	}
	int error = is_changed ? router_remake_graphs(router) : 0;
	if (error)
		*features = before;
	return error;
}

int features_set(struct ws_router *router, const char *node, uint16_t interface, bool on)
{
	const struct graph_feature_on feature = {node, interface};
	return features_set_all(router, &feature, 1, on);
}

static bool ends_in(const char *text, const char *suffix)
{
	size_t length = strlen(text), behind = strlen(suffix);
	return length >= behind && !strcmp(text + length - behind, suffix);
}

static bool begins_at(const struct graph_arc *arc, const char *node)
{
	for (int i = 0; i < GRAPH_ARC_MAX_STARTS && arc->starts[i]; i++)
		if (!strcmp(arc->starts[i], node))
			return true;
	return false;
}

uint16_t features_of_output(uint16_t output, const char *suffix,
							struct graph_feature_on nodes[FEATURES_MAX_OF_OUTPUT])
{
	const struct graph_feature *of_arc[GRAPH_ARC_MAX_FEATURES];
	bool is_port = output < (uint16_t)WS_MAX_PORTS;
	uint16_t count = 0;
	char start[64];
	snprintf(start, sizeof(start), "%s-output",
			 is_port ? "%" : interface_kind((uint8_t)(output - WS_MAX_PORTS))->output);
	for (const struct graph_arc *arc = NULL; (arc = graph_arc_after(arc));) {
		int features = begins_at(arc, start) ? graph_arc_features(arc, of_arc) : 0;
		for (int i = 0; i < features && count < FEATURES_MAX_OF_OUTPUT; i++)
			if (ends_in(of_arc[i]->node, suffix))
				nodes[count++] = (struct graph_feature_on){of_arc[i]->node,
														   is_port ? output : (uint16_t)NO_PORT};
	}
	return count;
}
