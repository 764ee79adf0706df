/* SPDX-License-Identifier: Apache-2.0 */
/* Workers: the state of each, and how the main thread creates, stops and feeds them. */
#pragma once

#include "dev/preemption.h"
#include "router/worker/glean_throttle.h"
#include "router/worker/hold.h"
#include "router/worker/pace.h"
#include "router/worker/recirculate.h"
#include "router/worker/rest.h"
#include "router/worker/token_bucket.h"
#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct graph;
struct graph_set;
struct interface_counts;
struct own_pair;
struct trace;
struct worker_call;
struct worker_counts;
struct ws_router;

struct rx_queue {
	uint16_t port, queue;
	bool hands_off;     /* to the workers of its interface's hand-off */
	uint32_t interval;  /* ticks between two polls (pace.h) */
	uint64_t next_look; /* TSC */
	uint64_t received;  /* packets since the pace's window began */
};

/* Written by one worker, except for the call, which the main thread makes, and the trace, which
 * changes only while the worker does not observe. */
struct router_worker {
	struct graph *graph;
	struct trace *trace;
	struct worker_counts *totals; /* this and the next two are in the statistics segment */
	struct interface_counts *interfaces;
	struct own_pair *routes_to, *routes_via, *adjacencies; /* these are too, by index */
	uint64_t *vector_sizes; /* number of walks that brought in 1, up to 2, 4 … packets */
	struct token_bucket icmp;
	const struct worker_call *call; /* NULL: no call */
	struct rest rest;
	struct pace pace;
	uint64_t turn_began; /* TSC */
	struct preemption_watch watch;
	bool is_holding; /* packets wait to be sent later, so the worker may not sleep */
	uint16_t queue_count;
	struct rx_queue queues[WS_MAX_PORTS * WS_MAX_QUEUES];
	struct glean_throttle glean;
	struct hold hold;
	struct recirculate_queue recirculate;
} __attribute__((aligned(64)));

/* Make the graphs of all workers; and free them. */
int router_make_workers(struct ws_router *router);
void router_free_workers(struct ws_router *router);
/*
 * Between these calls no worker is inside its graph. They nest. While the router is stopped there
 * is nothing to wait for.
 */
void router_pause(struct ws_router *router);
void router_resume(struct ws_router *router);
/* On the worker: the turn that began at `turn_began` ends, and the next one begins. `idle`: it
 * brought no packets. */
void worker_end_turn(struct router_worker *worker, uint64_t now, bool idle);
/* On the worker: it slept, by choice or on request, from `since` (a TSC) until now, for at most
 * `asked` ticks. */
void worker_has_rested(struct router_worker *worker, uint64_t since, uint64_t asked);
/* A worker that sees a pause waits here until its end. */
void router_park(struct ws_router *router, uint16_t worker);

/* A graph for each worker. */
struct graph_set {
	struct graph *of[WS_MAX_WORKERS];
};
enum { NO_PORT = UINT16_MAX };
/*
 * Make graphs for the current ports and features, without the port `leaving` if it is one, while
 * the workers continue with their old ones. Pass the set to graphs_swap.
 */
int graphs_make(struct ws_router *router, uint16_t leaving, struct graph_set *set);
/* Each worker takes its new graph between two walks; counters continue. */
void graphs_swap(struct ws_router *router, struct graph_set *set);
/* graphs_make and graphs_swap. On failure the old graphs stay. */
int router_remake_graphs(struct ws_router *router);
/* The initial enum ws_rx_mode of a port's queues. */
uint8_t router_default_rx_mode(uint16_t port);
/* Distribute the RX queues according to their placement; workers with unchanged queues are not
 * affected. */
void router_place_queues(struct ws_router *router);
