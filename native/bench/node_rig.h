/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drives a router's graph without I/O: a source that makes frames and a sink in place of <if>-tx.
 *
 * The source restores each packet's headers, which leaves them in the cache as a receiving driver
 * would; its own ticks are in no figure.
 */
#ifndef NODE_RIG_H
#define NODE_RIG_H

#include "router/router.h"

#include <stdbool.h>
#include <stdint.h>

enum { NODE_RIG_HEADER = 64, NODE_RIG_FRAME = 60 };

/* Where frames come into the graph. */
enum node_entry { NODE_ENTRY_ETHERNET, NODE_ENTRY_SFLOW, NODE_ENTRY_BOND, NODE_ENTRIES };

/* The nodes whose ticks add up to what a packet costs, and the frames that take this way. */
struct node_path {
	const char *name;
	const char *const *nodes;
	int length;
	uint16_t interface;                                          /* that frames come in by */
	uint16_t frame;                                              /* how long they are */
	void (*make)(uint8_t *header);                               /* once */
	void (*aim)(uint8_t *header, uint32_t route, uint32_t flow); /* each packet; NULL: all alike */
	enum node_entry entry;                                       /* the node they come to first */
};

enum node_pattern { NODE_SEQUENTIAL, NODE_RANDOM, NODE_ZIPF, NODE_PATTERNS };
extern const char *const node_pattern_names[NODE_PATTERNS];

/* The graph of `router`, whose interfaces are e0 to e5; made once. */
struct graph *node_rig_make(struct ws_router *router);
/* Frames for `path`, to `routes` routes in this order. Stays until the program ends. */
struct node_load *node_rig_load(const struct node_path *path, uint32_t routes,
								enum node_pattern pattern);
/* These from now on. */
void node_rig_use(struct node_load *load);
/* Take `packets` through the graph in vectors of `vector`. A function of its own, so that a
 * profiler can be told to look at nothing else. */
void node_rig_walk(struct graph *graph, uint16_t vector, uint32_t packets);

#endif
