/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of the area at the end of the segment. A slow reader may follow a block while it gets
 * another owner. So a block keeps its structure, a vector of threads that point to vectors of
 * pairs: capacities are powers of two, and a free block is reused for its own capacity.
 */
#include "router/observe/stats_pairs.h"

#include "dev/error.h"
#include "router/observe/stats_directory.h"
#include "router/router.h"

#include <errno.h>
#include <rte_common.h>
#include <string.h>

enum {
	LEAST_ROOM = GRAPH_CACHE_LINE / sizeof(struct own_pair),
	PAIRS_A_THREAD = 1 << 19,
};

/* In front of the rows; workers do not write to it. */
struct block {
	void *next; /* next free block */
	uint32_t rows_length, rows_details;
	uint64_t rows[];
};

/* A vector's length is in the cache line before it. */
static size_t lane_bytes(uint32_t capacity)
{
	return capacity * sizeof(struct own_pair) + GRAPH_CACHE_LINE;
}

static size_t head_bytes(uint16_t threads)
{
	size_t rows = sizeof(struct block) + threads * sizeof(uint64_t);
	return RTE_ALIGN_CEIL(rows + sizeof(uint64_t), (size_t)GRAPH_CACHE_LINE);
}

size_t stats_pairs_size(uint16_t threads)
{
	return threads * (size_t)PAIRS_A_THREAD * sizeof(struct own_pair);
}

static uint32_t capacity_for(uint32_t count)
{
	return RTE_MAX(rte_align32pow2(count), (uint32_t)LEAST_ROOM);
}

/* Free blocks of a capacity, by its power of two. */
static void **free_blocks(struct stats_segment *stats, uint32_t capacity)
{
	return &stats->free_pairs[__builtin_ctz(capacity)];
}

static void *take_block(struct ws_router *router, uint32_t count)
{
	struct stats_segment *stats = &router->stats;
	uint32_t capacity = capacity_for(count);
	void **place = free_blocks(stats, capacity), *block = *place;
	if (block) {
		*place = ((struct block *)block)->next;
		return block;
	}
	size_t wanted = head_bytes(stats->thread_count) + stats->thread_count * lane_bytes(capacity);
	if (wanted > stats_pairs_size(stats->thread_count) - stats->pairs_used) {
		fail(-ENOSPC, "the statistics have no room for the counters of %u rules more; delete some",
			 count);
		return NULL;
	}
	if (stats_reserve_pairs(router, stats->pairs_used + wanted))
		return NULL;
	block = (uint8_t *)&stats->memory->threads[stats->thread_count] + stats->pairs_used;
	stats->pairs_used += wanted;
	stats->spare -= wanted;
	return block;
}

int stats_pairs_make(struct ws_router *router, uint32_t count, struct stats_pairs *out)
{
	uint16_t threads = router->stats.thread_count;
	struct block *block = take_block(router, count);
	if (!block)
		return -ENOSPC;
	block->rows_length = threads;
	for (uint16_t i = 0; i < threads; i++) {
		uint8_t *lane =
			(uint8_t *)block + head_bytes(threads) + i * lane_bytes(capacity_for(count));
		memset(lane, 0, count * sizeof(struct own_pair));
		((uint32_t *)(void *)lane)[-2] = count;
		block->rows[i] = stats_address(lane);
	}
	*out = (struct stats_pairs){
		.block = block,
		.first = (struct own_pair *)(uintptr_t)block->rows[1],
		.lane_len = (uint32_t)(lane_bytes(capacity_for(count)) / sizeof(struct own_pair)),
		.entry = STATS_NO_ENTRY,
	};
	return 0;
}

void stats_pairs_free(struct ws_router *router, struct stats_pairs *pairs)
{
	struct block *block = pairs->block;
	if (!block)
		return;
	uint32_t capacity = pairs->lane_len - GRAPH_CACHE_LINE / (uint32_t)sizeof(struct own_pair);
	void **place = free_blocks(&router->stats, capacity);
	block->next = *place;
	*place = block;
	pairs->block = NULL;
}

void stats_pairs_show(struct ws_router *router, struct stats_pairs *pairs, const char *name)
{
	struct stats_segment *stats = &router->stats;
	const struct block *block = pairs->block;
	stats_lock(stats);
	pairs->entry = stats_entry_add(stats, STATS_COMBINED, stats_address(block->rows), "%s", name);
	stats_unlock(stats);
}

void stats_pairs_hide(struct ws_router *router, struct stats_pairs *pairs)
{
	if (pairs->entry == STATS_NO_ENTRY)
		return;
	stats_lock(&router->stats);
	stats_entry_drop(&router->stats, pairs->entry);
	stats_unlock(&router->stats);
	pairs->entry = STATS_NO_ENTRY;
}
