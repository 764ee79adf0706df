/* SPDX-License-Identifier: Apache-2.0 */
/* A router's graph and the counters of its nodes. */
#pragma once

#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

enum ws_node_state {
	WS_NODE_ACTIVE = 0,
	WS_NODE_POLLING = 1,
	WS_NODE_INTERRUPT = 2, /* its worker sleeps until packets come */
};

/* Counters of a node on a worker since the router was created. */
struct ws_node_stats {
	char name[WS_NAME_LEN];
	int32_t state; /* enum ws_node_state */
	uint64_t calls, vectors, suspends, clocks;
	uint64_t max_clocks, max_clocks_vectors; /* the most expensive call */
};

/* A named counter of a node on a worker. */
struct ws_node_counter {
	char node[WS_NAME_LEN], reason[WS_NAME_LEN];
	bool is_error; /* false: information, such as packets answered */
	uint64_t count;
};

/* Read without stopping the worker; returns their number (writes at most max). */
int ws_router_node_stats(struct ws_router *router, uint16_t worker, struct ws_node_stats *out,
						 uint32_t max);
int ws_router_node_counters(struct ws_router *router, uint16_t worker, struct ws_node_counter *out,
							uint32_t max);

/* An edge of the graph. Each next node of a node is listed once, in the order of slots. */
struct ws_node_edge {
	char node[WS_NAME_LEN], next[WS_NAME_LEN];
	uint16_t slot;
};
/* Edges of a worker's graph, by node in walking order; returns their number. */
int ws_router_node_edges(struct ws_router *router, uint16_t worker, struct ws_node_edge *out,
						 uint32_t max);

/* Features of an arc in the order in which packets meet them. */
struct ws_feature {
	char arc[WS_NAME_LEN],
		node[WS_NAME_LEN]; /* "%-x": each port has a node of its own; empty: none */
};
int ws_router_features(struct ws_router *router, struct ws_feature *out, uint32_t max);

/* Reset the most expensive calls. */
void ws_router_clear_maxima(struct ws_router *router);

/* Received and made packets are eventually sent, dropped or punted. Held packets are waiting for
 * their next hop now. */
struct ws_router_totals {
	uint64_t rx_packets, tx_packets, drops, punts, loops, sleeps;
	uint64_t made; /* copies and fragments */
	uint64_t held;
};
int ws_router_totals(struct ws_router *router, uint16_t worker, struct ws_router_totals *out);
