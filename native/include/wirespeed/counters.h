/* SPDX-License-Identifier: Apache-2.0 */
/* Optional counters of packets that routes and adjacencies forward. */
#pragma once

#include "wirespeed/address.h"
#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

/* Objects with counters, as bits. */
enum ws_counting { WS_COUNT_ROUTES = 1, WS_COUNT_ADJACENCIES = 2 };

/*
 * Counting that is off costs the packet path nothing, since it uses other nodes. All counters start
 * at 0 when it is switched on. -ENOSPC if there is no room in the statistics, or in the table of
 * load balances, of which each counted route needs one.
 */
int ws_router_set_counting(struct ws_router *router, int32_t what, bool on);
/* Bit set of the objects that are counted. */
int ws_router_counting(const struct ws_router *router);

struct ws_counts {
	uint64_t packets, bytes;
};

/*
 * Counters of the route with this index (struct ws_route), summed over workers. `to`: packets whose
 * longest match is its prefix. `via`: packets of other routes whose next hop was resolved through
 * it. Bytes start at the IP header, or at the label. -ENOENT while routes are not counted.
 */
int ws_router_route_counts(struct ws_router *router, uint32_t index, struct ws_counts *to,
						   struct ws_counts *via);

enum ws_link { WS_LINK_IP4 = 0, WS_LINK_IP6, WS_LINK_MPLS };

/* A next hop for packets of one kind. Bytes are those of frames. */
struct ws_adjacency {
	uint32_t index;
	uint16_t interface;
	uint8_t link; /* enum ws_link */
	bool is_resolved;
	uint16_t mtu;
	uint8_t rewrite_len, rewrite[WS_REWRITE_LEN]; /* if resolved: the header to write */
	struct ws_address next_hop;
	struct ws_counts counts; /* 0 while adjacencies are not counted */
};

/* In order of index, from `index` on; returns the number written. */
int ws_router_adjacencies(struct ws_router *router, uint32_t index, struct ws_adjacency *out,
						  uint32_t max);
