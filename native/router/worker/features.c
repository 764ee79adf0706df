/* SPDX-License-Identifier: Apache-2.0 */
#include "router/worker/features.h"

#include "dev/error.h"
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
			return fail(-ENOSPC, "%d features are on, which is the most", FEATURES_MAX_ON);
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
