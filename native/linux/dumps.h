/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order of the dumps of the kernel's tables, and retries of failed ones. One dump runs at a time.
 * Only a complete dump shows which objects are gone. A dump that was refused, broken off or
 * incomplete is repeated: a few times immediately if it was only interrupted, then after pauses
 * that double. No sockets, no clock of its own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum linux_dump {
	DUMP_LINKS,
	DUMP_ADDRESSES,
	DUMP_NEIGHBORS,
	DUMP_NEXTHOPS, /* before the routes that refer to them */
	DUMP_ROUTES4,
	DUMP_ROUTES6,
	DUMP_LABELS, /* routes of MPLS */
	DUMP_COUNT
};

struct dumps {
	bool is_running;
	bool is_interrupted; /* the running dump missed something */
	enum linux_dump running;
	uint32_t failures[DUMP_COUNT]; /* consecutive failures */
	uint64_t not_before_ns[DUMP_COUNT];
};

/* The dump of `wanted` (bits) that may start at `now_ns`; DUMP_COUNT: none. */
enum linux_dump dumps_next(const struct dumps *dumps, uint32_t wanted, uint64_t now_ns);
void dumps_begin(struct dumps *dumps, enum linux_dump dump);
/* The running dump has ended; `refused`: the kernel refused it. True if it was complete; otherwise
 * it has to be repeated, when dumps_next returns it. */
bool dumps_end(struct dumps *dumps, bool refused, uint64_t now_ns);
/* End the pauses of all dumps. */
void dumps_hurry(struct dumps *dumps);
