/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets and bytes of objects with many parts that are created and deleted, such as rules of ACLs.
 * Each object has a vector of its own in the statistics segment, in which workers count.
 */
#pragma once

#include "router/observe/stats_layout.h"

struct stats_segment;
struct ws_router;

struct stats_pairs {
	void *block;            /* NULL: none */
	struct own_pair *first; /* pairs of the first worker */
	uint32_t lane_len;      /* number of pairs from one worker's to the next one's */
	uint32_t entry;         /* entry with its name, while it has one */
};

/* `count` pairs, all 0, without a name; -ENOSPC with an error text. */
int stats_pairs_make(struct ws_router *router, uint32_t count, struct stats_pairs *out);
/* No worker may count in it any more. */
void stats_pairs_free(struct ws_router *router, struct stats_pairs *pairs);
/* Give it a name, or remove the name. */
void stats_pairs_show(struct ws_router *router, struct stats_pairs *pairs, const char *name);
void stats_pairs_hide(struct ws_router *router, struct stats_pairs *pairs);

/* Size in bytes of this area at the end of the segment, for that many threads. */
size_t stats_pairs_size(uint16_t threads);
/* Allocate the first `used` bytes of the area (stats_backing.c); -ENOSPC with an error text. */
int stats_reserve_pairs(struct ws_router *router, size_t used);
