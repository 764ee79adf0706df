/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prefixes of one family in order, each with a value: a binary trie without one-way branches. It is
 * the main thread's own copy of a table; workers do not use it. A node takes 20 bytes for IPv4 and
 * 32 for IPv6, and a table of n prefixes has fewer than 2n nodes. Prefixes must not have host bits,
 * and values are not 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ws_address;
struct ws_prefix;

struct prefix_tree {
	uint8_t *nodes; /* by number; 0: none */
	size_t bytes;
	uint32_t stride, root, made, first_free;
	uint8_t family;
};

/* Reserve address space for that many prefixes. False if there is none. */
bool prefix_tree_init(struct prefix_tree *tree, uint8_t family, uint32_t max_prefixes);
void prefix_tree_close(struct prefix_tree *tree);

/* Add or replace a prefix; returns its previous value, 0 for none. */
uint32_t prefix_tree_set(struct prefix_tree *tree, const struct ws_prefix *prefix, uint32_t value);
/* Remove a prefix, which must exist. `above` becomes the longest remaining one that covers it. */
struct prefix_value {
	uint32_t value; /* 0: none */
	uint8_t length;
};
void prefix_tree_remove(struct prefix_tree *tree, const struct ws_prefix *prefix,
						struct prefix_value *above);
/* The value of exactly this prefix; 0 if there is none. */
uint32_t prefix_tree_get(const struct prefix_tree *tree, const struct ws_prefix *prefix);
/* The longest match. */
struct prefix_value prefix_tree_match(const struct prefix_tree *tree,
									  const struct ws_address *address);

/* Position of a walk through the prefixes in order of (address, length); zeroed at the start,
 * invalid after a change of the tree. */
struct prefix_cursor {
	bool started;
	uint8_t depth;
	uint32_t waiting[130]; /* nodes to visit, the next one last */
};
/* Continue behind a prefix, whether it exists or not. */
void prefix_tree_seek(const struct prefix_tree *tree, struct prefix_cursor *cursor,
					  const struct ws_prefix *after);
bool prefix_tree_next(const struct prefix_tree *tree, struct prefix_cursor *cursor,
					  struct ws_prefix *prefix, uint32_t *value);
