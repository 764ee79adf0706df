/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/node_rig.h"

#include "bench/bench_setup.h"
#include "dev/pool.h"
#include "router/interface_kind.h"
#include "router/packet/metadata.h"

#include <math.h>
#include <string.h>

enum {
	PACKETS = 512,    /* number of packets that a pool's cache reuses */
	ORDER = 1u << 20, /* length of the sequence of routes, which then repeats */
	FLOWS = 1u << 16,
};

const char *const node_pattern_names[NODE_PATTERNS] = {"sequential", "random", "zipf"};

static struct rte_mbuf *packets[PACKETS];
static uint16_t vector_size;

struct node_load {
	const struct node_path *path;
	uint32_t position;
	uint8_t header[NODE_RIG_HEADER];
	uint32_t order[ORDER];
};
static struct node_load *load;

static uint16_t bench_input_process(struct graph *graph, struct graph_node *node, void **frame,
									uint16_t n)
{
	const struct node_path *path = load->path;
	uint32_t position = load->position;
	uint16_t length = path->frame ? path->frame : NODE_RIG_FRAME;
	n = vector_size;
	for (uint16_t i = 0; i < n; i++, position++) {
		struct rte_mbuf *packet = packets[position % PACKETS];
		packet->data_off = RTE_PKTMBUF_HEADROOM;
		packet->data_len = length;
		packet->pkt_len = length;
		packet->port = path->interface;
		memcpy(packet_data(packet), load->header, sizeof(load->header));
		if (path->aim)
			path->aim(packet_data(packet), load->order[position % ORDER], position % FLOWS);
		frame[i] = packet;
	}
	load->position = position;
	graph_enqueue_all(graph, node, path->edge, frame, n);
	return n;
}

enum { MOST_ENTRIES = 16 };
static const char *bench_input_edges[MOST_ENTRIES];
static struct graph_registration bench_input = {
	.name = "bench-input",
	.process = bench_input_process,
	.is_source = true,
	.edges = bench_input_edges,
};

struct node_path *node_paths;

void node_path_register(struct node_path *path)
{
	struct node_path **place = &node_paths;
	while (*place && strcmp((*place)->name, path->name) < 0)
		place = &(*place)->next;
	path->next = *place;
	*place = path;
}

/* Make an edge for each entry node of the paths. */
static void make_entries(void)
{
	uint16_t count = 0;
	for (struct node_path *path = node_paths; path; path = path->next) {
		const char *entry = path->entry ? path->entry : "ethernet-input";
		uint16_t edge = 0;
		while (edge < count && strcmp(bench_input_edges[edge], entry) != 0)
			edge++;
		if (edge == MOST_ENTRIES) {
			fprintf(stderr, "paths begin with more than %d nodes\n", MOST_ENTRIES);
			exit(1);
		}
		bench_input_edges[edge] = entry;
		count = RTE_MAX(count, (uint16_t)(edge + 1));
		path->edge = edge;
	}
	bench_input.edge_count = count;
}

static uint16_t bench_tx_process(struct graph *graph, struct graph_node *node, void **frame,
								 uint16_t n)
{
	(void)graph;
	(void)node;
	(void)frame;
	return n;
}

static struct graph_registration bench_tx = {.name = "%-tx", .process = bench_tx_process};

struct graph *node_rig_make(struct ws_router *router)
{
	static const char *const sources[] = {"bench-input"};
	const char *interfaces[OUTPUTS] = {"e0", "e1", "e2", "e3", "e4", "e5", "e6", "e7"};
	interface_outputs(interfaces);
	struct graph_config config = {
		.sources = sources,
		.source_count = 1,
		.interfaces = interfaces,
		.interface_count = OUTPUTS,
		.template_count = WS_MAX_PORTS,
		.absent = "error-drop",
		.features = router->features.on,
		.feature_count = router->features.count,
		.march = ws_march(),
		.app = router,
	};
	char why[128];
	make_entries();
	/* Registered before the router's own nodes of the same level. */
	bench_input.march = bench_tx.march = ws_march();
	graph_register(&bench_input);
	graph_register(&bench_tx);
	struct graph *graph = graph_create(&config, why, sizeof(why));
	struct rte_mempool *pool = pool_create("bench", PACKETS + 1024, NODE_RIG_HEADER);
	if (!graph || !pool) {
		fprintf(stderr, "the bench's graph cannot be made: %s\n", graph ? "no memory" : why);
		exit(1);
	}
	for (int i = 0; i < PACKETS; i++)
		packets[i] = rte_pktmbuf_alloc(pool);
	return graph;
}

static double uniform(void)
{
	static uint64_t state = 1;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 11) / (double)(1ull << 53);
}

static uint32_t route_at(uint32_t routes, enum node_pattern pattern, uint32_t i)
{
	if (pattern == NODE_SEQUENTIAL)
		return i % routes;
	if (pattern == NODE_RANDOM)
		return (uint32_t)(uniform() * routes);
	/* Rank r is chosen in proportion to 1/r; ranks are scattered over the routes. */
	uint64_t rank = (uint64_t)exp(uniform() * log((double)routes + 1)) - 1;
	return (uint32_t)(rank * 2654435761u % routes);
}

struct node_load *node_rig_load(const struct node_path *path, uint32_t routes,
								enum node_pattern pattern)
{
	struct node_load *made = calloc(1, sizeof(*made));
	if (!made)
		exit(1);
	made->path = path;
	path->make(made->header);
	for (uint32_t i = 0; i < ORDER; i++)
		made->order[i] = route_at(routes, pattern, i);
	return made;
}

void node_rig_use(struct node_load *to)
{
	load = to;
}

void __attribute__((noinline)) node_rig_walk(struct graph *graph, uint16_t vector, uint32_t count)
{
	vector_size = vector;
	for (uint32_t done = 0; done < count; done += vector)
		graph_walk(graph);
}
