/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracing: packets marked at one node are recorded at every node that they enter.
 *
 * The mark is a dynamic mbuf flag, with the packet's number in a dynamic field. Each worker writes
 * its own buffer of steps, which ends when it is full; nothing of this runs unless a trace was
 * asked for.
 */
#ifndef ROUTER_TRACE_H
#define ROUTER_TRACE_H

#include "graph/graph.h"
#include "wirespeed.h"

#include <rte_mbuf.h>

struct router_worker;
struct ws_router;

/* Register the flag and the field, once a process. */
int trace_init(void);
void trace_free(struct router_worker *worker);

/* The graph's trace hook; sources call it for what they received. */
void trace_packets(struct graph *graph, struct graph_node *node, void **packets, uint16_t n);

/* The Ethernet header of a packet, if it is marked, has moved by `bytes` (backward when negative).
 */
void trace_moved(struct rte_mbuf *packet, int bytes);

#endif
