/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/arc.h"

#include <errno.h>

static struct graph_arc *arcs;
static struct graph_feature *features;

/* A file that is compiled for several march levels registers its arc several times; the first time
 * suffices. */
void graph_arc_register(struct graph_arc *arc)
{
	for (const struct graph_arc *other = arcs; other; other = other->next)
		if (!strcmp(other->name, arc->name))
			return;
	arc->next = arcs;
	arcs = arc;
}

void graph_feature_register(struct graph_feature *feature)
{
	if (graph_feature(feature->node))
		return;
	feature->next = features;
	features = feature;
}

const struct graph_feature *graph_feature(const char *node)
{
	for (const struct graph_feature *feature = features; feature; feature = feature->next)
		if (!strcmp(feature->node, node))
			return feature;
	return NULL;
}

const struct graph_arc *graph_arc_after(const struct graph_arc *arc)
{
	const struct graph_arc *best = NULL;
	for (const struct graph_arc *other = arcs; other; other = other->next)
		if ((!arc || strcmp(other->name, arc->name) > 0) &&
			(!best || strcmp(other->name, best->name) < 0))
			best = other;
	return best;
}

static bool is_among(const char *const *names, uint16_t count, const char *name)
{
	for (uint16_t i = 0; i < count && names[i]; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static bool has_to_wait(const struct graph_feature *feature, const struct graph_feature *other)
{
	return is_among(feature->runs_after, GRAPH_FEATURE_MAX_ORDERS, other->node) ||
		   is_among(other->runs_before, GRAPH_FEATURE_MAX_ORDERS, feature->node);
}

/* The first feature by name, of those left, that waits for no other feature left; `count` if there
 * is none. */
static int choose(const struct graph_feature *const *left, int count)
{
	int best = count;
	for (int i = 0; i < count; i++) {
		bool waits = false;
		for (int other = 0; other < count; other++)
			waits |= other != i && has_to_wait(left[i], left[other]);
		if (!waits && (best == count || strcmp(left[i]->node, left[best]->node) < 0))
			best = i;
	}
	return best;
}

int graph_arc_features(const struct graph_arc *arc,
					   const struct graph_feature *sorted[GRAPH_ARC_MAX_FEATURES])
{
	const struct graph_feature *left[GRAPH_ARC_MAX_FEATURES];
	int count = 0;
	for (const struct graph_feature *feature = features; feature; feature = feature->next)
		if (!strcmp(feature->arc, arc->name) && count < GRAPH_ARC_MAX_FEATURES)
			left[count++] = feature;
	for (int placed = 0, rest = count; rest; placed++) {
		int chosen = choose(left, rest);
		if (chosen == rest)
			return -ELOOP;
		sorted[placed] = left[chosen];
		left[chosen] = left[--rest];
	}
	return count;
}

static bool is_on(const struct graph_config *config, const char *node, uint16_t interface)
{
	for (uint16_t i = 0; i < config->feature_count; i++)
		if (!strcmp(config->features[i].node, node) &&
			(node[0] != '%' || config->features[i].interface == interface))
			return true;
	return false;
}

/* Target of the node's edge to the arc's end, if the node is on the arc. */
static const char *follow(const struct graph_config *config, const struct graph_arc *arc,
						  const char *node, uint16_t interface)
{
	const struct graph_feature *on_arc[GRAPH_ARC_MAX_FEATURES];
	int count = graph_arc_features(arc, on_arc), next = 0;
	while (next < count && strcmp(on_arc[next]->node, node))
		next++;
	if (next < count)
		next++; /* the node is a feature of the arc */
	else if (!arc->starts[0] || is_among(arc->starts, GRAPH_ARC_MAX_STARTS, node))
		next = 0;
	while (next < count && !is_on(config, on_arc[next]->node, interface))
		next++;
	return next < count ? on_arc[next]->node : arc->end;
}

const char *graph_arc_edge(const struct graph_config *config, const char *node, uint16_t interface,
						   const char *edge)
{
	for (const struct graph_arc *arc = arcs; arc; arc = arc->next)
		if (!strcmp(arc->end, edge))
			return follow(config, arc, node, interface);
	return edge;
}
