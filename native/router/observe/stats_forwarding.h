/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets and bytes of routes and adjacencies: vectors at the end of the statistics segment,
 * with an element for each possible load balance or adjacency. They have memory and names while
 * counting is on.
 */
#pragma once

#include "router/observe/stats_layout.h"

#include <stdbool.h>

struct stats_segment;
struct ws_router;

enum stats_forwarding { STATS_ROUTE_TO, STATS_ROUTE_VIA, STATS_ADJACENCY, STATS_FORWARDING };

struct stats_forwarding_vector {
	size_t offset;     /* in the segment */
	uint32_t most;     /* maximum number of elements */
	uint32_t capacity; /* number of elements with memory */
	uint32_t length;   /* length for readers */
	uint32_t entry;    /* entry of the directory */
	bool is_shown;
};

/* Largest number of elements, before the segment is made. */
void stats_forwarding_plan(struct ws_router *router);
/* Size in bytes of this area at the end of the segment. */
size_t stats_forwarding_size(const struct stats_segment *stats);
/* Offset of the first one. */
void stats_forwarding_place(struct stats_segment *stats, size_t offset);

/* Make all elements below `count`, with value 0, and the vector's entry for readers. */
int stats_forwarding_show(struct ws_router *router, enum stats_forwarding which, uint32_t count);
void stats_forwarding_hide(struct ws_router *router, enum stats_forwarding which);
/* Make an element with value 0, in which nothing counts yet. -ENOSPC with an error text. */
int stats_forwarding_begin(struct ws_router *router, enum stats_forwarding which, uint32_t index);
/* Thread 0 is the main thread. */
struct own_pair *stats_forwarding_of(const struct stats_segment *stats, enum stats_forwarding which,
									 uint16_t thread);
