/* SPDX-License-Identifier: Apache-2.0 */
/* The engine: order, merging, loops, patterns, levels, errors. Packets are numbers. */
#include "cmocka_all.h"
#include "graph/arc.h"
#include "graph/graph.h"
#include "wire/splitmix.h"

#include <errno.h>
#include <stdio.h>

static char order[256]; /* the names of the nodes, in the order in which they ran */
static uint16_t offered;
static uint16_t sunk, sink_calls, largest;
static uint32_t rounds[GRAPH_FRAME_SIZE]; /* number of loops of each packet */

static void ran(const struct graph_node *node)
{
	size_t length = strlen(order);
	snprintf(order + length, sizeof(order) - length, "%s%s", length ? " " : "", node->name);
}

static uint16_t source_process(struct graph *graph, struct graph_node *node, void **packets,
							   uint16_t n)
{
	uint16_t edges[GRAPH_FRAME_SIZE];
	n = offered < n ? offered : n;
	for (uint16_t i = 0; i < n; i++) {
		packets[i] = (void *)(uintptr_t)i;
		edges[i] = i % node->edge_count;
	}
	offered = 0;
	graph_enqueue(graph, node, packets, edges, n);
	return n;
}

/* To each edge in turn. */
static uint16_t spread_process(struct graph *graph, struct graph_node *node, void **packets,
							   uint16_t n)
{
	uint16_t edges[GRAPH_FRAME_SIZE];
	ran(node);
	for (uint16_t i = 0; i < n; i++)
		edges[i] = (uint16_t)((uintptr_t)packets[i] % node->edge_count);
	graph_count(node, 0, n);
	graph_enqueue(graph, node, packets, edges, n);
	return n;
}

/* Edge 0 leads back until a packet has made three loops. */
static uint16_t loop_process(struct graph *graph, struct graph_node *node, void **packets,
							 uint16_t n)
{
	uint16_t edges[GRAPH_FRAME_SIZE];
	ran(node);
	for (uint16_t i = 0; i < n; i++)
		edges[i] = rounds[(uintptr_t)packets[i]]++ >= 3;
	graph_enqueue(graph, node, packets, edges, n);
	return n;
}

static uint16_t sink_process(struct graph *graph, struct graph_node *node, void **packets,
							 uint16_t n)
{
	(void)graph;
	(void)packets;
	ran(node);
	sink_calls++;
	sunk += n;
	largest = n > largest ? n : largest;
	return n;
}

static const struct graph_counter counters[] = {{"packets seen", false}};

#define NODE(variable, text, function, source, ...)                                                \
	static const char *const variable##_edges[] = {__VA_ARGS__};                                   \
	static struct graph_registration variable = {                                                  \
		.name = text,                                                                              \
		.process = function,                                                                       \
		.is_source = source,                                                                       \
		.edge_count = sizeof(variable##_edges) / sizeof(char *),                                   \
		.edges = variable##_edges,                                                                 \
		.counter_count = 1,                                                                        \
		.counters = counters,                                                                      \
	};                                                                                             \
	GRAPH_REGISTER(variable)

/* The short path first: a walk in order of discovery would run the sink too early. */
NODE(diamond, "diamond", source_process, true, "short", "long-1")
NODE(short_way, "short", spread_process, false, "sink")
NODE(long_1, "long-1", spread_process, false, "long-2")
NODE(long_2, "long-2", spread_process, false, "sink")
NODE(looping, "looping", source_process, true, "self-loop", "before-loop")
NODE(self_loop, "self-loop", loop_process, false, "self-loop", "sink")
NODE(before_loop, "before-loop", spread_process, false, "back-loop")
NODE(back_loop, "back-loop", loop_process, false, "before-loop", "sink")
NODE(ports, "ports", source_process, true, "*-out", "sink")
NODE(out, "%-out", spread_process, false, "%-wire", "sink")
NODE(wire, "%-wire", sink_process, false)
NODE(astray, "astray", source_process, true, "nobody")
NODE(misspelt, "misspelt", source_process, true, "*-uot")
NODE(choosy, "choosy", source_process, true, "?nobody", "?sink", "?e1-out", "?e0-out", "?arc-end")
NODE(unowned, "unowned", source_process, true, "%-wire")
static struct graph_registration sink = {.name = "sink", .process = sink_process};
GRAPH_REGISTER(sink)

/* Two arcs: one at a single node, one at each interface's node. */
NODE(arc_start, "arc-start", source_process, true, "arc-end", "sink")
NODE(arc_end, "arc-end", spread_process, false, "sink")
NODE(first_feature, "z-first", spread_process, false, "arc-end")
NODE(second_feature, "y-second", spread_process, false, "arc-end")
NODE(third_feature, "x-third", spread_process, false, "arc-end")
NODE(own_feature, "%-own", spread_process, false, "%-wire")
NODE(last_feature, "last-feature", spread_process, false, "sink")
static struct graph_arc test_arc = {
	.name = "test-arc", .starts = {"arc-start", "choosy"}, .end = "arc-end"};
static struct graph_arc own_arc = {.name = "own-arc", .starts = {"%-out"}, .end = "%-wire"};
static struct graph_arc last_arc = {.name = "last-arc", .end = "sink"};
static struct graph_feature features[] = {
	{.node = "last-feature", .arc = "last-arc"},
	{.node = "x-third", .arc = "test-arc", .runs_after = {"y-second", "nobody-there"}},
	{.node = "y-second", .arc = "test-arc"},
	{.node = "z-first", .arc = "test-arc", .runs_before = {"y-second"}},
	{.node = "%-own", .arc = "own-arc"},
};
static const struct graph_feature_on *features_on;
static uint16_t features_on_count;

__attribute__((constructor)) static void register_arcs(void)
{
	graph_arc_register(&test_arc);
	graph_arc_register(&own_arc);
	graph_arc_register(&last_arc);
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		graph_feature_register(&features[i]);
}

static struct graph *make(const char *source, int march, char *error)
{
	static const char *const interfaces[] = {"e0", "memif1/0", "loopback"};
	char unused[128];
	struct graph_config config = {
		.sources = &source,
		.source_count = 1,
		.interfaces = interfaces,
		.interface_count = 3,
		.template_count = 2,
		.absent = "sink",
		.features = features_on,
		.feature_count = features_on_count,
		.march = march,
	};
	memset(order, 0, sizeof(order));
	memset(rounds, 0, sizeof(rounds));
	sunk = sink_calls = largest = 0;
	return graph_create(&config, error ? error : unused, 128);
}

static void runs_in_order_and_merges(void **state)
{
	(void)state;
	struct graph *graph = make("diamond", 1, NULL);
	assert_non_null(graph);
	for (int i = 1; i <= 3; i++) {
		order[0] = 0;
		offered = GRAPH_FRAME_SIZE;
		assert_int_equal(graph_walk(graph), GRAPH_FRAME_SIZE);
		assert_int_equal(sunk, i * GRAPH_FRAME_SIZE);
		assert_int_equal(sink_calls, i);
	}
	assert_int_equal(largest, GRAPH_FRAME_SIZE);
	const char *last = strrchr(order, ' ');
	assert_string_equal(last, " sink");
	assert_true(strstr(order, "long-1") < strstr(order, "long-2"));
	struct graph_node *node = graph_node(graph, "long-2");
	assert_int_equal(graph_stats(graph, node).calls, 3);
	assert_int_equal(graph_stats(graph, node).vectors, 3 * GRAPH_FRAME_SIZE / 2);
	assert_int_equal(node->counters[0], 3 * GRAPH_FRAME_SIZE / 2);
	assert_true(graph_stats(graph, node).max_clocks <= graph_stats(graph, node).clocks);
	assert_int_equal(graph_stats(graph, node).max_clocks_vectors, GRAPH_FRAME_SIZE / 2);
	assert_int_equal(graph_walk(graph), 0);
	assert_int_equal(graph_stats(graph, node).calls, 3);
	assert_int_equal(graph_stats(graph, graph_node(graph, "diamond")).calls, 4);
	graph_destroy(graph);
}

/* Random edges; the last two lead to one node. */
static void packets_of_each_edge_keep_their_order(void **state)
{
	enum { TARGETS = 3, EDGES = 4, ROUNDS = 64 };
	static struct graph graph;
	static struct graph_node targets[TARGETS], node;
	static void *frames[TARGETS][GRAPH_FRAME_SIZE], *packets[GRAPH_FRAME_SIZE];
	struct graph_node *to[EDGES] = {&targets[0], &targets[1], &targets[2], &targets[2]};
	uint16_t edges[GRAPH_FRAME_SIZE] = {0};
	uint64_t row = 1;
	(void)state;
	node.edges = to;
	for (uint16_t i = 0; i < GRAPH_FRAME_SIZE; i++)
		packets[i] = &rounds[i];
	for (int round = 0; round < ROUNDS * EDGES * EDGES; round++) {
		uint16_t first = round % EDGES, last = round / EDGES % EDGES, counts[TARGETS] = {0};
		uint16_t n = 1 + (uint16_t)(splitmix_draw(&row) % GRAPH_FRAME_SIZE);
		graph.pending[0] = 0;
		for (uint16_t i = 0; i < (uint16_t)TARGETS; i++)
			targets[i] = (struct graph_node){.frame = frames[i], .index = i};
		for (uint16_t i = 0; i < n; i++)
			edges[i] = first <= last ? first + splitmix_draw(&row) % (last - first + 1)
									 : (splitmix_draw(&row) & 1 ? first : last);
		graph_enqueue_spread(&graph, &node, packets, edges, n);
		for (uint16_t i = 0; i < n; i++) {
			uint16_t target = (uint16_t)(to[edges[i]] - targets);
			assert_ptr_equal(targets[target].frame[counts[target]++], packets[i]);
		}
		for (uint16_t i = 0; i < (uint16_t)TARGETS; i++) {
			assert_int_equal(targets[i].count, counts[i]);
			assert_int_equal(graph.pending[0] >> i & 1, counts[i] > 0);
		}
	}
}

static void loops_to_itself_and_back(void **state)
{
	(void)state;
	struct graph *graph = make("looping", 1, NULL);
	offered = GRAPH_FRAME_SIZE;
	graph_walk(graph);
	assert_int_equal(sunk, GRAPH_FRAME_SIZE);
	for (int i = 0; i < GRAPH_FRAME_SIZE; i++)
		assert_int_equal(rounds[i], 4);
	assert_int_equal(graph_stats(graph, graph_node(graph, "self-loop")).calls, 4);
	assert_int_equal(graph_stats(graph, graph_node(graph, "before-loop")).calls, 4);
	assert_int_equal(sink_calls, 1); /* all come together before the last node runs */
	graph_destroy(graph);
}

static void expands_patterns(void **state)
{
	(void)state;
	struct graph *graph = make("ports", 1, NULL);
	struct graph_node *source = graph_node(graph, "ports");
	assert_int_equal(source->edge_count, 4);
	assert_string_equal(source->edges[0]->name, "e0-out");
	assert_string_equal(source->edges[1]->name, "memif1/0-out");
	assert_string_equal(source->edges[2]->name, "sink"); /* loopbacks do not have that node */
	assert_string_equal(source->edges[3]->name, "sink");
	assert_int_equal(source->edges[1]->interface, 1);
	assert_string_equal(source->edges[1]->edges[0]->name, "memif1/0-wire");
	assert_int_equal(source->interface, UINT16_MAX);
	assert_null(graph_node(graph, "e1-out"));
	offered = 9;
	graph_walk(graph);
	assert_int_equal(sunk, 9);
	graph_destroy(graph);
}

static void edges_to_nodes_that_may_be_absent(void **state)
{
	(void)state;
	const struct graph_feature_on on[] = {{"y-second", UINT16_MAX}};
	for (features_on_count = 0; features_on_count < 2; features_on_count++) {
		features_on = on;
		struct graph *graph = make("choosy", 1, NULL);
		assert_non_null(graph);
		assert_string_equal(graph->sources[0]->edges[0]->name, "sink");
		assert_string_equal(graph->sources[0]->edges[1]->name, "sink");
		assert_string_equal(graph->sources[0]->edges[2]->name, "sink"); /* no such interface */
		assert_string_equal(graph->sources[0]->edges[3]->name, "e0-out");
		assert_string_equal(graph->sources[0]->edges[4]->name,
							features_on_count ? "y-second" : "arc-end");
		graph_destroy(graph);
	}
	features_on_count = 0;
}

static void refuses_names_that_nobody_has(void **state)
{
	(void)state;
	char error[128];
	assert_null(make("astray", 1, error));
	assert_string_equal(error, "no node is called nobody");
	assert_null(make("no-such-source", 1, error));
	assert_string_equal(error, "no node is called no-such-source");
	assert_null(make("unowned", 1, error));
	assert_string_equal(error, "node unowned has edge %-wire but no interface");
	assert_null(make("misspelt", 1, error));
	assert_string_equal(error, "no interface has a node called *-uot");
}

static void takes_the_best_level_allowed(void **state)
{
	(void)state;
	static struct graph_registration levels[] = {
		{.name = "levels", .process = source_process, .march = 3},
		{.name = "levels", .process = source_process, .march = 2},
		{.name = "levels", .process = source_process, .march = 4},
	};
	for (int i = 0; i < 3; i++)
		graph_register(&levels[i]);
	assert_null(make("levels", 1, NULL));
	for (int march = 2; march <= 5; march++) {
		struct graph *graph = make("levels", march, NULL);
		assert_int_equal(graph->sources[0]->registration->march, march < 4 ? march : 4);
		graph_destroy(graph);
	}
}

static int refuse(struct graph *graph, struct graph_node *node)
{
	(void)graph;
	(void)node;
	return -EIO;
}

static int note_interface(struct graph *graph, struct graph_node *node)
{
	(void)graph;
	node->context[0] = 42;
	return 0;
}

static void starts_its_nodes(void **state)
{
	(void)state;
	static struct graph_registration bad = {
		.name = "bad-start", .process = source_process, .init = refuse};
	static struct graph_registration good = {
		.name = "good-start", .process = source_process, .init = note_interface};
	char error[128];
	graph_register(&bad);
	graph_register(&good);
	assert_null(make("bad-start", 1, error));
	assert_string_equal(error, "node bad-start could not start");
	struct graph *graph = make("good-start", 1, NULL);
	assert_int_equal(graph->sources[0]->context[0], 42);
	graph_destroy(graph);
}

static uint16_t traced;
static void trace(struct graph *graph, struct graph_node *node, void **packets, uint16_t n)
{
	(void)graph;
	(void)node;
	(void)packets;
	traced += n;
}

static void shows_packets_to_the_trace(void **state)
{
	(void)state;
	struct graph *graph = make("diamond", 1, NULL);
	graph->trace = trace;
	offered = 10;
	graph_walk(graph);
	/* 5 through short, 5 through long-1 and long-2, all into sink; sources call it themselves. */
	assert_int_equal(traced, 5 + 5 + 5 + 10);
	graph->trace = NULL;
	offered = 10;
	graph_walk(graph);
	assert_int_equal(traced, 25);
	graph_destroy(graph);
}

/* Check the first target of packets from the node, with these features on. */
static void assert_leads(const char *from, const char *to, const struct graph_feature_on *on,
						 uint16_t count, const char *ran_in_order)
{
	features_on = on;
	features_on_count = count;
	struct graph *graph = make("arc-start", 1, NULL);
	assert_non_null(graph);
	assert_string_equal(graph_node(graph, from)->edges[0]->name, to);
	offered = 1;
	graph_walk(graph);
	assert_string_equal(order, ran_in_order);
	graph_destroy(graph);
	features_on_count = 0;
}

static void features_run_in_their_order_and_only_while_on(void **state)
{
	(void)state;
	const struct graph_feature_on one[] = {{"y-second", UINT16_MAX}};
	const struct graph_feature_on ends[] = {{"x-third", UINT16_MAX}, {"z-first", UINT16_MAX}};
	const struct graph_feature_on all[] = {
		{"x-third", UINT16_MAX}, {"y-second", UINT16_MAX}, {"z-first", UINT16_MAX}};
	assert_leads("arc-start", "arc-end", NULL, 0, "arc-end sink");
	assert_leads("arc-start", "y-second", one, 1, "y-second arc-end sink");
	assert_leads("z-first", "x-third", ends, 2, "z-first x-third arc-end sink");
	assert_leads("y-second", "x-third", all, 3, "z-first y-second x-third arc-end sink");
}

static void an_arc_without_starts_begins_at_all_that_lead_to_its_end(void **state)
{
	(void)state;
	const struct graph_feature_on last[] = {{"last-feature", UINT16_MAX}};
	assert_leads("arc-start", "arc-end", last, 1, "arc-end last-feature sink");
	assert_leads("arc-end", "last-feature", last, 1, "arc-end last-feature sink");
	assert_leads("last-feature", "sink", last, 1, "arc-end last-feature sink");
}

static void a_template_is_on_for_its_interface_alone(void **state)
{
	(void)state;
	const struct graph_feature_on on[] = {{"%-own", 1}};
	features_on = on;
	features_on_count = 1;
	struct graph *graph = make("ports", 1, NULL);
	assert_string_equal(graph_node(graph, "e0-out")->edges[0]->name, "e0-wire");
	assert_string_equal(graph_node(graph, "memif1/0-out")->edges[0]->name, "memif1/0-own");
	assert_string_equal(graph_node(graph, "memif1/0-own")->edges[0]->name, "memif1/0-wire");
	assert_int_equal(graph_node(graph, "memif1/0-own")->interface, 1);
	assert_null(graph_node(graph, "e0-own"));
	graph_destroy(graph);
	features_on_count = 0;
}

/* The last test: from here on no graph can be made. */
static void features_that_wait_for_each_other_are_refused(void **state)
{
	(void)state;
	static struct graph_feature chicken = {
		.node = "chicken", .arc = "test-arc", .runs_before = {"egg"}};
	static struct graph_feature egg = {
		.node = "egg", .arc = "test-arc", .runs_before = {"chicken"}};
	char error[128];
	graph_feature_register(&chicken);
	graph_feature_register(&egg);
	assert_null(make("diamond", 1, error));
	assert_string_equal(error, "the order of the features of arc test-arc is a loop");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_in_order_and_merges),
		cmocka_unit_test(packets_of_each_edge_keep_their_order),
		cmocka_unit_test(loops_to_itself_and_back),
		cmocka_unit_test(expands_patterns),
		cmocka_unit_test(edges_to_nodes_that_may_be_absent),
		cmocka_unit_test(refuses_names_that_nobody_has),
		cmocka_unit_test(takes_the_best_level_allowed),
		cmocka_unit_test(starts_its_nodes),
		cmocka_unit_test(shows_packets_to_the_trace),
		cmocka_unit_test(features_run_in_their_order_and_only_while_on),
		cmocka_unit_test(an_arc_without_starts_begins_at_all_that_lead_to_its_end),
		cmocka_unit_test(a_template_is_on_for_its_interface_alone),
		cmocka_unit_test(features_that_wait_for_each_other_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
