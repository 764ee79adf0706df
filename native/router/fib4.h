/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The IPv4 routes: prefix to a 31-bit value (a load balance), 0 where nothing matches.
 *
 * rte_fib (DIR24-8) with its own RIB as the only copy of the prefixes. Workers look up `fib` with
 * rte_fib_lookup_bulk at any time; the main thread writes.
 */
#ifndef ROUTER_FIB4_H
#define ROUTER_FIB4_H

#include "wire/ip4.h"

#include <stdbool.h>
#include <stdint.h>

struct rte_fib;
struct rte_rib;
struct rte_rib_node;

struct fib4 {
	struct rte_fib *fib;
	struct rte_rib *rib;
	uint32_t count, max;
	uint64_t generation; /* counts changes, which invalidate cursors */
	bool group_freed;    /* a tbl8 group may be free that a worker still reads */
};

int fib4_init(struct fib4 *fib, uint32_t max_routes);
void fib4_close(struct fib4 *fib);

int fib4_set(struct fib4 *fib, struct ip4_prefix prefix, uint32_t value);
/* The prefix must be there. */
void fib4_remove(struct fib4 *fib, struct ip4_prefix prefix);
bool fib4_get(const struct fib4 *fib, struct ip4_prefix prefix, uint32_t *value);
/* The longest match. */
bool fib4_match(const struct fib4 *fib, uint32_t address, struct ip4_prefix *prefix,
				uint32_t *value);

/* Walks the prefixes in order of (address, length); zeroed at the start. */
struct fib4_cursor {
	bool started;
	uint8_t depth; /* of the stack of prefixes whose more specific ones are being walked */
	struct {
		struct ip4_prefix prefix;
		struct rte_rib_node *last;
	} stack[34];
};

bool fib4_next(const struct fib4 *fib, struct fib4_cursor *cursor, struct ip4_prefix *prefix,
			   uint32_t *value);

#endif
