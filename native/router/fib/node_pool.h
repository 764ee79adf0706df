/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes of one size that workers read while the main thread changes their links. A removed node
 * stays unchanged for a grace period.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node_pool {
	uint8_t *nodes;
	size_t node_bytes;
	uint32_t *links;   /* for a used node the owner's; for an unused node the next one */
	uint32_t capacity; /* size of the arrays */
	uint32_t made;     /* entries from here on were never used */
	uint32_t used;
	uint32_t first_free, first_retired; /* UINT32_MAX: none; workers may still read retired ones */
	uint32_t free_count, retired_count;
};

/* The nodes are in `memory`, which is zeroed and belongs to the caller. False if there is no
 * address space for that many links. */
bool node_pool_init(struct node_pool *pool, void *memory, uint32_t capacity, size_t node_bytes);
void node_pool_close(struct node_pool *pool);
/* True if `wanted` nodes can be taken; may wait for a grace period. */
bool node_pool_reserve(struct node_pool *pool, uint32_t wanted);
/* There must be room. The node still has its previous content; its link is 0. */
void *node_pool_take(struct node_pool *pool);
/* Nothing may lead to the node any more. */
void node_pool_retire(struct node_pool *pool, const void *node);
/* The owner's word for a used node. */
uint32_t *node_pool_link(const struct node_pool *pool, const void *node);
