/* SPDX-License-Identifier: Apache-2.0 */
/* The node test-upper, which takes packets for an upper layer and drops them. */
#pragma once

#include "router/packet/metadata.h"
#include "router/packet/takes.h"
#include "router/packet/upper.h"

static const char *const upper_edges[] = {"error-drop"};
static const struct graph_counter upper_counters[] = {{"taken", true}};
static uint8_t taken_begins; /* the first byte of the last packet */

static uint16_t upper_process(struct graph *graph, struct graph_node *node, void **packets,
							  uint16_t n)
{
	taken_begins = packet_data(packets[n - 1])[0];
	graph_count(node, 0, n);
	graph_enqueue_all(graph, node, 0, packets, n);
	return n;
}

GRAPH_NODE(upper, .name = "test-upper", .takes = TAKES_PACKET, GRAPH_EDGES(upper_edges),
		   GRAPH_COUNTERS(upper_counters))
