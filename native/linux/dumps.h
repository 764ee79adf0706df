/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order of the dumps of the kernel's tables, and retries of failed ones.
 *
 * One dump runs at a time. Only one that ended whole tells what has gone: one that was refused,
 * broken off or missed something is made again, at once a few times if it was only interrupted,
 * then after pauses that double. No sockets, no clock of its own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum linux_dump {
	DUMP_LINKS,
	DUMP_ADDRESSES,
	DUMP_NEIGHBORS,
	DUMP_NEXTHOPS, /* before the routes that name them */
	DUMP_ROUTES4,
	DUMP_ROUTES6,
	DUMP_LABELS, /* routes of MPLS */
	DUMP_COUNT
};

struct dumps {
	bool is_running;
	bool is_interrupted; /* the running one missed something */
	enum linux_dump running;
	uint32_t failures[DUMP_COUNT]; /* in a row */
	uint64_t not_before_ns[DUMP_COUNT];
};

/* The one of `wanted` (bits) that may begin at `now_ns`; DUMP_COUNT for none. */
enum linux_dump dumps_next(const struct dumps *dumps, uint32_t wanted, uint64_t now_ns);
void dumps_begin(struct dumps *dumps, enum linux_dump dump);
/* The running one has ended, `refused` when the kernel said so. True when it told of all there is;
 * else it is to be made again, and dumps_next says when. */
bool dumps_end(struct dumps *dumps, bool refused, uint64_t now_ns);
/* No pause for any of them. */
void dumps_hurry(struct dumps *dumps);
