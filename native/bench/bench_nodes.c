/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of a packet in the router's nodes, without I/O: TSC ticks by path, routes, order of
 * destinations and vector size, and by node at vectors of 256.
 *
 *     bench_nodes [--march LEVEL] [--path NAME] [--routes N] [--quick]
 *     bench_nodes --once PACKETS --path NAME --routes N [--vector N]
 *     bench_nodes --list
 *
 * The real router and its graph; only the source and <if>-tx belong to the bench. Paths register
 * themselves, those of features beside their nodes. Rows of one number of routes take turns; a path
 * whose nodes all packets would meet is measured only if --path names it. Each figure is the median
 * of the samples at the machine's highest speed, whose number is in the table (samples.h). --once
 * forwards PACKETS and measures nothing: for a profiler. --list names each path with its routes:
 * the rows of --quick, with those that --path has to name.
 */
#include "bench/bench_setup.h"
#include "bench/node_paths.h"
#include "bench/node_rig.h"
#include "bench/samples.h"
#include "wirespeed/ports.h"
#include "wirespeed/router.h"

#include <getopt.h>
#include <rte_common.h>
#include <string.h>

enum {
	ROUNDS = 300,
	QUICK_ROUNDS = 100,
	LONGEST = 5, /* factor on the number of samples while fewer than these are fast */
	ENOUGH = 50,
	PACKETS_A_ROUND = 1 << 12, /* short: few are disturbed by others on the CPU */
	WARM_UP = 1 << 9,
};

struct options {
	int march;
	const char *path;
	uint32_t routes;
	uint16_t vector;
	uint32_t once;
	bool quick, list;
};

/* ---- Measuring ---- */

static const uint16_t vectors[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
enum { VECTORS = RTE_DIM(vectors) };

/* A row of the table, and its samples. */
struct row {
	const struct node_path *path;
	uint32_t routes;
	enum node_pattern pattern;
	bool quick;
	struct node_load *load;
	struct samples *samples[VECTORS];
};

/* Ticks per packet, for the whole path and for each of its nodes. */
static void measure(struct graph *graph, const struct row *row, int vector)
{
	const struct node_path *path = row->path;
	double ticks[SAMPLES_MAX_FIGURES] = {0};
	node_rig_use(row->load);
	node_rig_walk(graph, vectors[vector], WARM_UP);
	for (int i = 0; i < path->length; i++)
		graph->counts->clocks.at[graph_node(graph, path->nodes[i])->slot] = 0;
	samples_begin(row->samples[vector]);
	node_rig_walk(graph, vectors[vector], PACKETS_A_ROUND);
	for (int i = 0; i < path->length; i++) {
		double clocks = (double)graph_stats(graph, graph_node(graph, path->nodes[i])).clocks;
		ticks[1 + i] = clocks / PACKETS_A_ROUND;
		ticks[0] += ticks[1 + i];
	}
	samples_end(row->samples[vector], ticks);
}

/* The lowest number of fast samples behind any figure of these rows. */
static uint32_t fewest_fast(struct row *const *these, int count)
{
	uint32_t fewest = UINT32_MAX;
	for (int i = 0; i < count; i++)
		for (int v = 0; v < VECTORS; v++)
			fewest = RTE_MIN(fewest, samples_fast(these[i]->samples[v]));
	return fewest;
}

static void show_row(struct row *row)
{
	struct row *const alone[] = {row};
	printf("%-6s %8u %-10s ", row->path->name, row->routes,
		   row->path->aim ? node_pattern_names[row->pattern] : "–");
	for (int v = 0; v < VECTORS; v++)
		printf(" %7.1f", samples_median(row->samples[v], 0));
	printf(" %8u  ", fewest_fast(alone, 1));
	for (int i = 0; i < row->path->length; i++)
		printf(" %s %.1f", row->path->nodes[i],
			   samples_median(row->samples[VECTORS - 1], (uint32_t)i + 1));
	printf("\n");
}

static void set_up(struct ws_router *router, const struct row *row)
{
	paths_have_routes(router, row->path->is_ip6, row->routes);
	if (row->path->set_up)
		row->path->set_up(router);
}

/* ---- Rows ---- */

static struct row *rows;
static int row_count;

static void add_row(const struct node_path *path, const struct node_row *row)
{
	rows = realloc(rows, (size_t)(row_count + 1) * sizeof(*rows));
	if (!rows)
		exit(1);
	int at = row_count++; /* behind the rows with as many routes */
	for (; at && rows[at - 1].routes > row->routes; at--)
		rows[at] = rows[at - 1];
	rows[at] = (struct row){
		.path = path, .routes = row->routes, .pattern = row->pattern, .quick = !row->is_long};
}

static void make_rows(void)
{
	static const struct node_row ten = {.routes = 10};
	for (const struct node_path *path = node_paths; path; path = path->next)
		for (int i = 0; i < (path->rows ? path->row_count : 1); i++)
			add_row(path, path->rows ? &path->rows[i] : &ten);
}

/* Leave the paths that are measured in the list. */
static void choose_paths(const char *name)
{
	for (struct node_path **place = &node_paths; *place;)
		if (name ? strcmp(name, (*place)->name) != 0 : (*place)->is_alone)
			*place = (*place)->next;
		else
			place = &(*place)->next;
}

static bool is_wanted(const struct row *row, const struct options *options)
{
	return (!options->routes || options->routes == row->routes) && (row->quick || !options->quick);
}

static bool any_is_wanted(const struct options *options)
{
	for (int i = 0; i < row_count; i++)
		if (is_wanted(&rows[i], options))
			return true;
	return false;
}

static void run_once(struct ws_router *router, struct graph *graph, const struct options *options)
{
	for (int i = 0; i < row_count; i++)
		if (is_wanted(&rows[i], options)) {
			set_up(router, &rows[i]);
			node_rig_use(node_rig_load(rows[i].path, rows[i].routes, rows[i].pattern));
			CALLGRIND_START_INSTRUMENTATION;
			node_rig_walk(graph, options->vector, options->once);
			CALLGRIND_STOP_INSTRUMENTATION;
			return;
		}
}

/* Measure the rows with one number of routes, one sample of each in turn, so that all are measured
 * at the same machine speed; for longer while the machine is slow. */
static void measure_rows(struct graph *graph, struct row *const *these, int count, int rounds)
{
	for (int done = 0; done < LONGEST * rounds; done++) {
		if (done && done % rounds == 0 && fewest_fast(these, count) >= ENOUGH)
			return;
		for (int i = 0; i < count; i++)
			for (int v = 0; v < VECTORS; v++)
				measure(graph, these[i], v);
	}
}

static void run_all(struct ws_router *router, struct graph *graph, const struct options *options)
{
	struct row **wanted = calloc((size_t)row_count, sizeof(*wanted));
	int count = 0;
	if (!wanted)
		exit(1);
	for (int i = 0; i < row_count; i++)
		if (is_wanted(&rows[i], options))
			wanted[count++] = &rows[i];
	for (int start = 0, end; start < count; start = end) {
		for (end = start; end < count && wanted[end]->routes == wanted[start]->routes; end++) {
			struct row *row = wanted[end];
			set_up(router, row);
			row->load = node_rig_load(row->path, row->routes, row->pattern);
			for (int v = 0; v < VECTORS; v++)
				row->samples[v] = samples_make((uint32_t)row->path->length + 1);
		}
		measure_rows(graph, wanted + start, end - start, options->quick ? QUICK_ROUNDS : ROUNDS);
	}
	printf("x86-64-v%d, TSC %.3f GHz; ticks per packet by vector size\n", ws_march(),
		   (double)ws_tsc_hz() / 1e9);
	samples_show_machine();
	printf("%-6s %8s %-10s ", "path", "routes", "order");
	for (int v = 0; v < VECTORS; v++)
		printf(" %7u", vectors[v]);
	printf(" %8s   by node at 256\n", "samples");
	for (int i = 0; i < count; i++)
		show_row(wanted[i]);
	free(wanted);
}

static bool parse(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{"march", required_argument, NULL, 'm'},  {"path", required_argument, NULL, 'p'},
		{"routes", required_argument, NULL, 'r'}, {"vector", required_argument, NULL, 'v'},
		{"once", required_argument, NULL, 'o'},   {"quick", no_argument, NULL, 'q'},
		{"list", no_argument, NULL, 'l'},         {0},
	};
	*options = (struct options){.vector = GRAPH_FRAME_SIZE};
	for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;)
		switch (option) {
		case 'm':
			options->march = atoi(optarg);
			break;
		case 'p':
			options->path = optarg;
			break;
		case 'r':
			options->routes = (uint32_t)atoi(optarg);
			break;
		case 'v':
			options->vector = (uint16_t)atoi(optarg);
			break;
		case 'o':
			options->once = (uint32_t)atoi(optarg);
			break;
		case 'q':
			options->quick = true;
			break;
		case 'l':
			options->list = true;
			break;
		default:
			return false;
		}
	return optind == argc && options->vector >= 1 && options->vector <= GRAPH_FRAME_SIZE;
}

static int list_rows(void)
{
	make_rows();
	for (int i = 0; i < row_count; i++)
		if (rows[i].quick)
			printf("%s %u\n", rows[i].path->name, rows[i].routes);
	return 0;
}

int main(int argc, char **argv)
{
	struct options options;
	if (!parse(argc, argv, &options))
		return 2;
	if (options.list)
		return list_rows();
	choose_paths(options.path);
	make_rows();
	if (!any_is_wanted(&options)) {
		fprintf(stderr,
				"bench_nodes: no row has this --path and --routes; --list shows all rows\n");
		return 2;
	}
	bench_start(options.march, 1024);
	struct ws_port_config ports[NODE_RIG_PORTS] = {
		{.name = "e0", .devargs = "ring:bench", .rx_queues = 1, .tx_queues = 1, .mtu = 1500},
		{.name = "e1", .devargs = "ring:bench", .rx_queues = 1, .tx_queues = 1, .mtu = 1500},
		{.name = "e2", .devargs = "ring:itself", .rx_queues = 1, .tx_queues = 1, .mtu = 1500},
		{.name = "e3", .devargs = "ring:another", .rx_queues = 1, .tx_queues = 1, .mtu = 1500},
		{.name = "e4", .devargs = "ring:bonded", .rx_queues = 1, .tx_queues = 1, .mtu = 1500},
		{.name = "e5", .devargs = "ring:bonded", .rx_queues = 1, .tx_queues = 1, .mtu = 1500},
		{.name = "e6", .devargs = "ring:second", .rx_queues = 1, .tx_queues = 1, .mtu = 1500},
		{.name = "e7", .devargs = "ring:second", .rx_queues = 1, .tx_queues = 1, .mtu = 1500},
	};
	bench_expect(ws_ports_open(ports, NODE_RIG_PORTS));
	struct ws_router *router = paths_make_router(options.routes ? options.routes : MAX_ROUTES);
	for (const struct node_path *path = node_paths; path; path = path->next)
		if (path->prepare)
			path->prepare(router);
	struct graph *graph = node_rig_make(router);
	if (options.once)
		run_once(router, graph, &options);
	else
		run_all(router, graph, &options);
	graph_destroy(graph);
	ws_router_destroy(router);
	ws_runtime_close();
	return 0;
}
