/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drives a router's graph without I/O: a source that makes frames, and a sink in place of <if>-tx.
 * The source restores each packet's headers, which leaves them in the cache as a receiving driver
 * would; its ticks are not part of any figure.
 */
#pragma once

#include "router/router.h"

#include <stdbool.h>
#include <stdint.h>

enum { NODE_RIG_HEADER = 64, NODE_RIG_FRAME = 60, NODE_RIG_PORTS = 8 };

enum node_pattern { NODE_SEQUENTIAL, NODE_RANDOM, NODE_ZIPF, NODE_PATTERNS };
extern const char *const node_pattern_names[NODE_PATTERNS];

/* A row of the table: the number of routes, and the order of their use. */
struct node_row {
	uint32_t routes;
	enum node_pattern pattern;
	bool is_long; /* not measured with --quick */
};

/* The nodes whose ticks add up to the cost of a packet, and the frames that take this path. */
struct node_path {
	const char *name;
	const char *const *nodes;
	int length;
	uint16_t interface; /* interface that receives the frames; e0 is 0 */
	uint16_t frame;     /* length of the frames; 0: NODE_RIG_FRAME */
	const char *entry;  /* the first node; NULL: ethernet-input */
	bool is_ip6;        /* routes are IPv6, too */
	bool is_alone; /* packets of all paths would pass its nodes: measured only if --path names it */
	void (*make)(uint8_t *header); /* called once */
	void (*aim)(uint8_t *header, uint32_t route,
				uint32_t flow);                /* called per packet; NULL: all are alike */
	void (*prepare)(struct ws_router *router); /* called once, before the graph is made; or NULL */
	void (*set_up)(struct ws_router *router);  /* called after that, before each row; or NULL */
	const struct node_row *rows;               /* NULL: ten routes in order */
	int row_count;
	uint16_t edge; /* set by node_rig_make */
	struct node_path *next;
};

/* Registered paths, by name. The bench removes the paths that it does not measure. */
extern struct node_path *node_paths;
void node_path_register(struct node_path *path);

/* Placed at the foot of a file. */
#define NODE_PATH(path)                                                                            \
	__attribute__((constructor)) static void node_path_register_##path(void)                       \
	{                                                                                              \
		node_path_register(&(path));                                                               \
	}
#define NODE_PATH_ROWS(list) .rows = list, .row_count = sizeof(list) / sizeof(*(list))
#define NODE_PATH_NODES(list) .nodes = list, .length = sizeof(list) / sizeof(*(list))

/* The graph of `router`, with interfaces e0 to e7 and an entry for each of node_paths; made once.
 */
struct graph *node_rig_make(struct ws_router *router);
/* Frames for `path`, to `routes` routes in this order. They stay until the program ends. */
struct node_load *node_rig_load(const struct node_path *path, uint32_t routes,
								enum node_pattern pattern);
/* Use these frames from now on. */
void node_rig_use(struct node_load *load);
/* Send `packets` through the graph in vectors of `vector`. A function of its own, so that a
 * profiler can be restricted to it. */
void node_rig_walk(struct graph *graph, uint16_t vector, uint32_t packets);
