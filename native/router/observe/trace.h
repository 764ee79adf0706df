/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracing: packets marked at one node are recorded at every node that they enter. The mark is a
 * dynamic mbuf flag, with the packet's number in a dynamic field. Each worker writes to its own
 * buffer of steps and stops when it is full. This code runs only during a trace.
 */
#pragma once

#include "graph/graph.h"

#include <rte_mbuf.h>

#ifdef NDEBUG
enum { TRACE_CHECKS = false };
#else
enum { TRACE_CHECKS = true }; /* trace_check runs, for which all packets are marked */
#endif

struct router_worker;
struct ws_router;
struct ws_trace_acl;

/* Copy the remaining numbers of packets to mark from the old graph to its replacement. */
void trace_carry_over(struct router_worker *worker, struct graph *graph, struct graph *old);
void trace_free(struct router_worker *worker);

/*
 * Track the place of the Ethernet header in marked packets as they enter nodes. A source of frames
 * from outside clears their marks. With `mark_all` all packets get marks that only hold this place,
 * which error-drop and nodes behind tunnels could not know otherwise.
 */
void trace_follow(const struct graph_node *node, void **packets, uint16_t n, bool mark_all);
/* Distance from the Ethernet header to the data; false for a packet without a mark. */
bool trace_frame_start(const struct rte_mbuf *packet, int *before_data);

/* Panic if a packet that enters is not of a kind that the node's registration declares
 * (enum packet_takes); debug builds call it for each frame. */
void trace_check(struct graph *graph, struct graph_node *node, void **packets, uint16_t n);

/* Mark packets, and record marked ones. */
void trace_packets(struct graph *graph, struct graph_node *node, void **packets, uint16_t n);

/* Record the verdict of ACLs at `node`, if the packet is traced. */
void trace_acl(struct graph *graph, const struct graph_node *node, const struct rte_mbuf *packet,
			   const struct ws_trace_acl *acl);

/* The Ethernet header of a packet, if it is marked, has moved by `bytes` (backward when negative).
 */
void trace_moved(struct rte_mbuf *packet, int bytes);
