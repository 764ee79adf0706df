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

int features_set(struct ws_router *router, const char *node, uint16_t interface, bool on)
{
	struct features *features = &router->features, before = *features;
	uint16_t at = find_feature(features, node, interface);
	if ((at < features->count) == on)
		return 0;
	if (on && features->count == FEATURES_MAX_ON)
		return fail(-ENOSPC, "%d features are on, which is the most", FEATURES_MAX_ON);
	if (on)
		features->on[features->count++] = (struct graph_feature_on){node, interface};
	else
		features->on[at] = features->on[--features->count];
	int error = router_remake_graphs(router);
	if (error)
		*features = before;
	return error;
}
