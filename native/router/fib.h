/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of routes of one family: prefix to load balance, LOAD_BALANCE_NO_ROUTE where nothing
 * matches. What is behind it is in fib_trie.h.
 *
 * Workers look up in `trie`; the main thread writes. Prefixes given have no host bits.
 */
#ifndef ROUTER_FIB_H
#define ROUTER_FIB_H

#include "router/fib_trie.h"
#include "wirespeed.h"

#include <stdbool.h>
#include <stdint.h>

struct fib_table {
	uint8_t family;
	uint16_t index; /* in its family; 0 is the default table */
	uint32_t id;    /* as the user calls it */
	char name[WS_NAME_LEN];
	struct fib_trie trie;
};

int fib_init(struct fib_table *table, uint32_t max_routes);
void fib_close(struct fib_table *table);

int fib_set(struct fib_table *table, const struct ws_prefix *prefix, uint32_t value);
/* The prefix must be there. */
void fib_remove(struct fib_table *table, const struct ws_prefix *prefix);
bool fib_get(const struct fib_table *table, const struct ws_prefix *prefix, uint32_t *value);
/* The longest match. */
bool fib_match(const struct fib_table *table, const struct ws_address *address,
			   struct ws_prefix *prefix, uint32_t *value);
uint32_t fib_count(const struct fib_table *table);
/* Counts changes, which invalidate cursors. */
uint64_t fib_generation(const struct fib_table *table);

/* Walks the prefixes in order of (address, length); zeroed at the start. */
bool fib_next(const struct fib_table *table, struct prefix_cursor *cursor, struct ws_prefix *prefix,
			  uint32_t *value);

#endif
