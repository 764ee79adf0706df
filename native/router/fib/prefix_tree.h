/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prefixes of one family in order, each with a value: a binary trie without one-way branches.
 *
 * The main thread's own copy of a table; workers have no part in it. A node takes 20 bytes for IPv4
 * and 32 for IPv6, and a table of n prefixes has fewer than 2n of them. Prefixes given have no host
 * bits. Values are not 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ws_address;
struct ws_prefix;

struct prefix_tree {
	uint8_t *nodes; /* by number; 0 is none */
	size_t bytes;
	uint32_t stride, root, made, first_free;
	uint8_t family;
};

/* Room for so many prefixes, of address space alone. False when there is none. */
bool prefix_tree_init(struct prefix_tree *tree, uint8_t family, uint32_t max_prefixes);
void prefix_tree_close(struct prefix_tree *tree);

/* Adds or replaces it; returns the value that it had, 0 for none. */
uint32_t prefix_tree_set(struct prefix_tree *tree, const struct ws_prefix *prefix, uint32_t value);
/* Takes it out; it must be there. `above` is the longest one left that covers it. */
struct prefix_value {
	uint32_t value; /* 0: there is none */
	uint8_t length;
};
void prefix_tree_remove(struct prefix_tree *tree, const struct ws_prefix *prefix,
						struct prefix_value *above);
/* The value of exactly this prefix, 0 for none. */
uint32_t prefix_tree_get(const struct prefix_tree *tree, const struct ws_prefix *prefix);
/* The longest match. */
struct prefix_value prefix_tree_match(const struct prefix_tree *tree,
									  const struct ws_address *address);

/* Walks the prefixes in order of (address, length); zeroed at the start, and of no use any more
 * once the tree has changed. */
struct prefix_cursor {
	bool started;
	uint8_t depth;
	uint32_t waiting[130]; /* nodes whose turn comes, the next one last */
};
/* Go on behind a prefix, whether it is there or not. */
void prefix_tree_seek(const struct prefix_tree *tree, struct prefix_cursor *cursor,
					  const struct ws_prefix *after);
bool prefix_tree_next(const struct prefix_tree *tree, struct prefix_cursor *cursor,
					  struct ws_prefix *prefix, uint32_t *value);
