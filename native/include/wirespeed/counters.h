/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the packets that routes and adjacencies forward, on request. */
#pragma once

#include "wirespeed/address.h"
#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

/* Objects with counters, as bits. */
enum ws_counting { WS_COUNT_ROUTES = 1, WS_COUNT_ADJACENCIES = 2 };

/*
 * Off, it costs the packet path nothing: other nodes take the place of those that forward. All
 * begins at 0 when it is switched on. -ENOSPC when the statistics or the table of load balances
 * have no room, of which each route that counts takes one for its own.
 */
int ws_router_set_counting(struct ws_router *router, int32_t what, bool on);
/* The bits of what counts. */
int ws_router_counting(const struct ws_router *router);

struct ws_counts {
	uint64_t packets, bytes;
};

/*
 * Counts of the route with this index (struct ws_route), over all workers. `to`: packets whose
 * longest match is its prefix. `via`: packets of other routes that found their next hop by it.
 * Bytes count from the IP header, or from the label. -ENOENT while routes do not count.
 */
int ws_router_route_counts(struct ws_router *router, uint32_t index, struct ws_counts *to,
						   struct ws_counts *via);

enum ws_link { WS_LINK_IP4 = 0, WS_LINK_IP6, WS_LINK_MPLS };

/* A next hop as one kind of packets is sent to it. Bytes are those of frames. */
struct ws_adjacency {
	uint32_t index;
	uint16_t interface;
	uint8_t link; /* enum ws_link */
	bool is_resolved;
	uint16_t mtu;
	uint8_t rewrite_len, rewrite[WS_REWRITE_LEN]; /* resolved adjacency: the header */
	struct ws_address next_hop;
	struct ws_counts counts; /* 0 while adjacencies do not count */
};

/* In order of index, those from `index` on; returns how many were written. */
int ws_router_adjacencies(struct ws_router *router, uint32_t index, struct ws_adjacency *out,
						  uint32_t max);
