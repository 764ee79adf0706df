/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets and bytes of objects with many parts that come and go, such as the rules of ACLs. Each
 * object has a vector of its own in the statistics segment, in which workers count.
 */
#pragma once

#include "router/observe/stats_layout.h"

struct stats_segment;
struct ws_router;

struct stats_pairs {
	void *block;            /* NULL: none */
	struct own_pair *first; /* the first worker's */
	uint32_t lane_len;      /* from one worker's to the next one's */
	uint32_t entry;         /* its name, while it has one */
};

/* `count` pairs, all 0, without a name yet; -ENOSPC with its line. */
int stats_pairs_make(struct ws_router *router, uint32_t count, struct stats_pairs *out);
/* Nobody counts in it any more. */
void stats_pairs_free(struct ws_router *router, struct stats_pairs *pairs);
/* Give it a name, and take the name from it. */
void stats_pairs_show(struct ws_router *router, struct stats_pairs *pairs, const char *name);
void stats_pairs_hide(struct ws_router *router, struct stats_pairs *pairs);

/* So many bytes at the end of the segment are theirs, of so many threads. */
size_t stats_pairs_size(uint16_t threads);
/* Have the first `used` of them, in stats_backing.c; -ENOSPC with its line. */
int stats_reserve_pairs(struct ws_router *router, size_t used);
