/* SPDX-License-Identifier: Apache-2.0 */
/* Making a graph: names to nodes, patterns to edges, topological order, memory. The walk is in
 * graph.h. */
#include "graph.h"
#include "graph/arc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static struct graph_registration *registrations;
static struct graph_edge_set *edge_sets;

void graph_register(struct graph_registration *registration)
{
	registration->next = registrations;
	registrations = registration;
}

void graph_register_edges(struct graph_edge_set *set)
{
	set->next = edge_sets;
	edge_sets = set;
}

enum { NAME_BUCKETS = 2 * GRAPH_MAX_NODES, MAX_EXPANSIONS = 8 };

struct builder {
	const struct graph_config *config;
	struct graph *graph;
	struct graph_node *found[GRAPH_MAX_NODES]; /* in order of discovery */
	uint16_t found_count;
	uint16_t by_name[NAME_BUCKETS]; /* index in `found` plus 1; 0: free */
	/* Expansions of "*-output" and similar texts, cached for all nodes. */
	struct {
		const char *text;
		struct graph_node **nodes;
	} expansions[MAX_EXPANSIONS];
	uint16_t place; /* next free position of the walk, counted down */
	bool visited[GRAPH_MAX_NODES];
	char *error;
	size_t error_len;
};

__attribute__((format(printf, 2, 3))) static int fail(struct builder *b, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(b->error, b->error_len, format, args);
	va_end(args);
	return -EINVAL;
}

static void *zalloc(size_t size)
{
	void *memory = aligned_alloc(GRAPH_CACHE_LINE, (size + 63) & ~(size_t)63);
	if (memory)
		memset(memory, 0, (size + 63) & ~(size_t)63);
	return memory;
}

static const struct graph_registration *best_registration(const struct graph_config *config,
														  const char *name)
{
	const struct graph_registration *best = NULL;
	for (const struct graph_registration *r = registrations; r; r = r->next)
		if (!strcmp(r->name, name) && r->march <= config->march &&
			(!best || r->march > best->march))
			best = r;
	return best;
}

/* The registration behind a node name; also the interface if it is a template's. */
static const struct graph_registration *resolve(struct builder *b, const char *name,
												uint16_t *interface)
{
	const struct graph_registration *r = best_registration(b->config, name);
	*interface = UINT16_MAX;
	for (uint16_t i = 0; !r && i < b->config->template_count; i++) {
		const char *owner = b->config->interfaces[i];
		size_t length = owner ? strlen(owner) : 0;
		char pattern[64];
		if (!owner || strncmp(name, owner, length) || name[length] != '-')
			continue;
		snprintf(pattern, sizeof(pattern), "%%%s", name + length);
		r = best_registration(b->config, pattern);
		*interface = i;
	}
	return r;
}

static int allocate(struct graph_node *node, uint16_t edge_count)
{
	node->edge_count = edge_count;
	node->frame = zalloc(GRAPH_FRAME_SIZE * sizeof(void *));
	node->edges = zalloc((edge_count + 1) * sizeof(*node->edges));
	return node->frame && node->edges ? 0 : -ENOMEM;
}

static struct graph_node *discover(struct builder *b, const char *name);

static bool recall(const struct builder *b, const char *text, struct graph_node **out)
{
	int i = 0;
	while (i < MAX_EXPANSIONS && b->expansions[i].text && strcmp(b->expansions[i].text, text))
		i++;
	if (i == MAX_EXPANSIONS || !b->expansions[i].text)
		return false;
	memcpy(out, b->expansions[i].nodes, b->config->interface_count * sizeof(struct graph_node *));
	return true;
}

/* `nodes` are edges of a node, which do not move. */
static void remember(struct builder *b, const char *text, struct graph_node **nodes)
{
	int i = 0;
	while (i < MAX_EXPANSIONS && b->expansions[i].text)
		i++;
	if (i == MAX_EXPANSIONS)
		return;
	b->expansions[i].text = text;
	b->expansions[i].nodes = nodes;
}

/* "*-output": a node per interface. Some interfaces may have no such node, but not all. */
static int expand_all(struct builder *b, const char *text, struct graph_node **out)
{
	uint16_t owners = 0, named = 0, unused;
	struct graph_node *absent = NULL;
	char name[64];
	if (recall(b, text, out))
		return b->config->interface_count;
	for (uint16_t i = 0; i < b->config->interface_count; i++) {
		const char *owner = b->config->interfaces[i];
		snprintf(name, sizeof(name), "%s%s", owner ? owner : "", text + 1);
		bool is_there = owner && resolve(b, name, &unused);
		owners += owner != NULL;
		named += is_there;
		if (is_there)
			out[i] = discover(b, name);
		else
			out[i] = absent ? absent : (absent = discover(b, b->config->absent));
		if (!out[i])
			return -EINVAL;
	}
	if (owners && !named)
		return fail(b, "no interface has a node called %s", text);
	remember(b, text, out);
	return b->config->interface_count;
}

static const struct graph_edge_set *find_set(const char *name)
{
	const struct graph_edge_set *set = edge_sets;
	while (set && strcmp(set->name, name))
		set = set->next;
	return set;
}

static int expand(struct builder *b, const struct graph_node *node, const char *text,
				  struct graph_node **out);

/* Sets hold plain names only, each of which is one edge. */
static int expand_set(struct builder *b, const struct graph_node *node, const char *name,
					  struct graph_node **out)
{
	const struct graph_edge_set *set = find_set(name);
	for (uint16_t i = 0; set && i < set->count; i++)
		if (expand(b, node, set->edges[i], out + i) < 0)
			return -EINVAL;
	return set ? set->count : fail(b, "no set of edges is called %s", name);
}

/* Upper bound of the number of edges that the text stands for. */
static uint16_t edge_width(const struct builder *b, const char *text)
{
	const struct graph_edge_set *set = text[0] == '&' ? find_set(text) : NULL;
	return text[0] == '*' ? b->config->interface_count : set ? set->count : 1;
}

/* Expand an edge text: a name, "?name", "%-tx" or "*-output". Writes its nodes to `out`; returns
 * their number, or an error. Arcs name their ends without '?'. */
static int expand(struct builder *b, const struct graph_node *node, const char *text,
				  struct graph_node **out)
{
	char name[64];
	uint16_t unused;
	if (text[0] == '&')
		return expand_set(b, node, text, out);
	bool may_be_absent = text[0] == '?';
	text =
		graph_arc_edge(b->config, node->registration->name, node->interface, text + may_be_absent);
	if (text[0] == '*')
		return expand_all(b, text, out);
	if (text[0] == '%' && node->interface == UINT16_MAX)
		return fail(b, "node %s has edge %s but no interface", node->name, text);
	if (text[0] == '%')
		snprintf(name, sizeof(name), "%s%s", b->config->interfaces[node->interface], text + 1);
	else
		snprintf(name, sizeof(name), "%s", text);
	if (may_be_absent && !resolve(b, name, &unused))
		snprintf(name, sizeof(name), "%s", b->config->absent);
	out[0] = discover(b, name);
	return out[0] ? 1 : -EINVAL;
}

static int discover_edges(struct builder *b, struct graph_node *node)
{
	const struct graph_registration *r = node->registration;
	uint16_t total = 0;
	for (uint16_t i = 0; i < r->edge_count; i++)
		total += edge_width(b, r->edges[i]);
	if (allocate(node, total))
		return fail(b, "no memory for node %s", node->name);
	total = 0;
	for (uint16_t i = 0; i < r->edge_count; i++) {
		int n = expand(b, node, r->edges[i], node->edges + total);
		if (n < 0)
			return n;
		total += (uint16_t)n;
	}
	return 0;
}

/* The bucket with the name, or the free bucket for it. */
static uint16_t *bucket_of(struct builder *b, const char *name)
{
	uint32_t hash = 2166136261u; /* FNV-1a */
	for (const char *c = name; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 16777619u;
	while (b->by_name[hash % NAME_BUCKETS] &&
		   strcmp(b->found[b->by_name[hash % NAME_BUCKETS] - 1]->name, name))
		hash++;
	return &b->by_name[hash % NAME_BUCKETS];
}

static struct graph_node *discover(struct builder *b, const char *name)
{
	uint16_t *bucket = bucket_of(b, name), interface;
	if (*bucket)
		return b->found[*bucket - 1];
	const struct graph_registration *r = resolve(b, name, &interface);
	struct graph_node *node = r && b->found_count < GRAPH_MAX_NODES ? zalloc(sizeof(*node)) : NULL;
	if (!node) {
		fail(b, r ? "no room for node %s" : "no node is called %s", name);
		return NULL;
	}
	snprintf(node->name, sizeof(node->name), "%s", name);
	node->registration = r;
	node->process = r->process;
	node->interface = interface;
	node->index = b->found_count;
	b->found[b->found_count++] = node;
	*bucket = b->found_count;
	return discover_edges(b, node) ? NULL : node;
}

/* Reverse postorder of a depth-first search is a topological order, back edges aside. */
static void place(struct builder *b, struct graph_node *node)
{
	uint16_t discovery = node->index;
	b->visited[discovery] = true;
	for (uint16_t i = 0; i < node->edge_count; i++)
		if (!b->visited[node->edges[i]->index])
			place(b, node->edges[i]);
	b->graph->nodes[--b->place] = node;
}

static int sort(struct builder *b)
{
	struct graph *g = b->graph;
	g->node_count = b->place = b->found_count;
	g->nodes = zalloc((b->found_count + 1) * sizeof(*g->nodes));
	g->spare = zalloc(GRAPH_FRAME_SIZE * sizeof(void *));
	if (!g->nodes || !g->spare)
		return fail(b, "no memory for a graph of %u nodes", b->found_count);
	for (uint16_t i = 0; i < g->source_count; i++)
		if (!b->visited[g->sources[i]->index])
			place(b, g->sources[i]);
	for (uint16_t i = 0; i < g->node_count; i++)
		g->nodes[i]->index = i;
	return 0;
}

/* Allocate the graph's own slots, in walking order. */
static int make_counts(struct builder *b)
{
	struct graph *g = b->graph;
	struct graph_place places[GRAPH_MAX_NODES];
	uint16_t counters = 0;
	for (uint16_t i = 0; i < g->node_count; i++) {
		places[i] = (struct graph_place){i, counters};
		counters += g->nodes[i]->registration->counter_count;
	}
	struct graph_counts *own = zalloc(sizeof(*own) + counters * sizeof(uint64_t));
	if (!own)
		return fail(b, "no memory for the counters of %u nodes", g->node_count);
	graph_count_in(g, own, (uint64_t *)(own + 1), places);
	g->own_counts = own;
	return 0;
}

void graph_count_in(struct graph *graph, struct graph_counts *counts, uint64_t *counters,
					const struct graph_place *places)
{
	free(graph->own_counts);
	graph->own_counts = NULL;
	graph->counts = counts;
	for (uint16_t i = 0; i < graph->node_count; i++) {
		graph->nodes[i]->slot = places[i].slot;
		graph->nodes[i]->counters = counters + places[i].counter;
	}
}

static int check_arcs(struct builder *b)
{
	const struct graph_feature *features[GRAPH_ARC_MAX_FEATURES];
	for (const struct graph_arc *arc = NULL; (arc = graph_arc_after(arc));)
		if (graph_arc_features(arc, features) < 0)
			return fail(b, "the order of the features of arc %s is a loop", arc->name);
	return 0;
}

static int build(struct builder *b)
{
	struct graph *g = b->graph;
	if (check_arcs(b))
		return -EINVAL;
	g->sources = zalloc((b->config->source_count + 1) * sizeof(*g->sources));
	if (!g->sources)
		return fail(b, "no memory for the sources");
	for (uint16_t i = 0; i < b->config->source_count; i++) {
		g->sources[i] = discover(b, b->config->sources[i]);
		if (!g->sources[i])
			return -EINVAL;
		g->source_count++;
	}
	int error = sort(b);
	if (!error)
		error = make_counts(b);
	for (uint16_t i = 0; !error && i < g->node_count; i++) {
		const struct graph_registration *r = g->nodes[i]->registration;
		if (r->init && r->init(g, g->nodes[i]) < 0)
			error = fail(b, "node %s could not start", g->nodes[i]->name);
	}
	return error;
}

static void free_node(struct graph_node *node)
{
	free(node->frame);
	free(node->edges);
	free(node);
}

struct graph *graph_create(const struct graph_config *config, char *error, size_t error_len)
{
	struct builder b = {.config = config, .error = error, .error_len = error_len};
	b.graph = zalloc(sizeof(*b.graph));
	if (!b.graph) {
		fail(&b, "no memory for a graph");
		return NULL;
	}
	b.graph->app = config->app;
	b.graph->worker = config->worker;
	b.graph->check = config->check;
	if (!build(&b))
		return b.graph;
	for (uint16_t i = 0; i < b.found_count; i++)
		free_node(b.found[i]);
	free(b.graph->nodes);
	free(b.graph->sources);
	free(b.graph->spare);
	free(b.graph->own_counts);
	free(b.graph);
	return NULL;
}

void graph_destroy(struct graph *graph)
{
	if (!graph)
		return;
	for (uint16_t i = 0; i < graph->node_count; i++)
		free_node(graph->nodes[i]);
	free(graph->nodes);
	free(graph->sources);
	free(graph->spare);
	free(graph->own_counts);
	free(graph);
}

struct graph_node *graph_node(struct graph *graph, const char *name)
{
	for (uint16_t i = 0; i < graph->node_count; i++)
		if (!strcmp(graph->nodes[i]->name, name))
			return graph->nodes[i];
	return NULL;
}

struct graph_stats graph_stats(const struct graph *graph, const struct graph_node *node)
{
	const struct graph_counts *counts = graph->counts;
	return (struct graph_stats){
		.calls = own_count_read(&counts->calls.at[node->slot]),
		.vectors = own_count_read(&counts->vectors.at[node->slot]),
		.suspends = own_count_read(&counts->suspends.at[node->slot]),
		.clocks = own_count_read(&counts->clocks.at[node->slot]),
		.max_clocks = own_count_read(&counts->maxima[node->slot].clocks),
		.max_clocks_vectors = own_count_read(&counts->maxima[node->slot].vectors),
	};
}
