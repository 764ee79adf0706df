/* SPDX-License-Identifier: Apache-2.0 */
#include "router/observe/stats_forwarding.h"

#include "dev/error.h"
#include "router/observe/stats_directory.h"
#include "router/router.h"
#include "wirespeed/router.h"

#include <errno.h>
#include <rte_common.h>
#include <stdio.h>
#include <string.h>

/* Number of elements that are allocated at once. */
enum { STEP = 4096 };

static const char *const names[STATS_FORWARDING] = {
	[STATS_ROUTE_TO] = "/net/route/to",
	[STATS_ROUTE_VIA] = "/net/route/via",
	[STATS_ADJACENCY] = "/net/adjacency",
};

/* ---- Layout: rows that point to the threads' lanes, followed by these ---- */

static size_t head_bytes(uint16_t threads)
{
	return RTE_ALIGN_CEIL(sizeof(uint64_t) + threads * sizeof(uint64_t), (size_t)GRAPH_CACHE_LINE);
}

/* A lane's length is in the cache line before it. */
static size_t lane_bytes(const struct stats_forwarding_vector *vector)
{
	return RTE_ALIGN_CEIL(GRAPH_CACHE_LINE + vector->most * sizeof(struct own_pair),
						  (size_t)GRAPH_CACHE_LINE);
}

static size_t vector_bytes(const struct stats_segment *stats,
						   const struct stats_forwarding_vector *vector)
{
	return head_bytes(stats->thread_count) + stats->thread_count * lane_bytes(vector);
}

void stats_forwarding_plan(struct ws_router *router)
{
	struct stats_forwarding_vector *of = router->stats.forwarding;
	const struct ws_router_config *config = router->config;
	uint32_t balances =
		router->load_balances.most + config->max_ip4_routes + config->max_ip6_routes;
	of[STATS_ROUTE_TO].most = of[STATS_ROUTE_VIA].most =
		RTE_MIN(balances, (uint32_t)FIB_TRIE_VALUE_MASK + 1);
	of[STATS_ADJACENCY].most = router->adjacencies.size;
}

size_t stats_forwarding_size(const struct stats_segment *stats)
{
	size_t size = 0;
	for (int i = 0; i < STATS_FORWARDING; i++)
		size += vector_bytes(stats, &stats->forwarding[i]);
	return size;
}

void stats_forwarding_place(struct stats_segment *stats, size_t offset)
{
	for (int i = 0; i < STATS_FORWARDING; i++) {
		stats->forwarding[i].offset = offset;
		offset += vector_bytes(stats, &stats->forwarding[i]);
	}
}

static uint8_t *start_of(const struct stats_segment *stats, enum stats_forwarding which)
{
	return (uint8_t *)stats->memory + stats->forwarding[which].offset;
}

static uint64_t *rows_of(const struct stats_segment *stats, enum stats_forwarding which)
{
	return (uint64_t *)(void *)(start_of(stats, which) + sizeof(uint64_t));
}

struct own_pair *stats_forwarding_of(const struct stats_segment *stats, enum stats_forwarding which,
									 uint16_t thread)
{
	uint8_t *lanes = start_of(stats, which) + head_bytes(stats->thread_count);
	size_t lane = thread * lane_bytes(&stats->forwarding[which]) + GRAPH_CACHE_LINE;
	return (struct own_pair *)(void *)(lanes + lane);
}

/* A vector's length is eight bytes before it. */
static uint32_t *length_of(void *vector)
{
	return (uint32_t *)vector - 2;
}

/* ---- Length ---- */

static int reserve(struct ws_router *router, enum stats_forwarding which, uint32_t count)
{
	struct stats_segment *stats = &router->stats;
	struct stats_forwarding_vector *vector = &stats->forwarding[which];
	if (count <= vector->capacity)
		return 0;
	if (count > vector->most)
		return fail(-ENOSPC, "%u routes already count, the maximum", vector->most);
	uint32_t capacity = RTE_MIN(RTE_ALIGN_CEIL(count, (uint32_t)STEP), vector->most);
	const uint8_t *head = start_of(stats, which);
	size_t more = (capacity - vector->capacity) * sizeof(struct own_pair) * stats->thread_count;
	int error = stats_reserve_counters(router, more, head, rows_of(stats, which) + 1);
	for (uint16_t i = 0; i < stats->thread_count && !error; i++) {
		const struct own_pair *lane = stats_forwarding_of(stats, which, i);
		error = stats_reserve_counters(router, i ? 0 : more,
									   (const uint8_t *)lane - sizeof(uint64_t), lane + capacity);
	}
	if (error)
		return error;
	stats->spare -= more + (vector->capacity ? 0 : head_bytes(stats->thread_count));
	vector->capacity = capacity;
	return 0;
}

static void set_length(struct stats_segment *stats, enum stats_forwarding which, uint32_t length)
{
	struct stats_forwarding_vector *vector = &stats->forwarding[which];
	stats_lock(stats);
	for (uint16_t i = 0; i < stats->thread_count; i++)
		*length_of(stats_forwarding_of(stats, which, i)) = length;
	vector->length = length;
	stats_unlock(stats);
}

int stats_forwarding_show(struct ws_router *router, enum stats_forwarding which, uint32_t count)
{
	struct stats_segment *stats = &router->stats;
	struct stats_forwarding_vector *vector = &stats->forwarding[which];
	int error = reserve(router, which, count);
	if (error)
		return error;
	uint64_t *rows = rows_of(stats, which);
	for (uint16_t i = 0; i < stats->thread_count; i++) {
		struct own_pair *lane = stats_forwarding_of(stats, which, i);
		memset(lane, 0, vector->capacity * sizeof(*lane));
		rows[i] = stats_address(lane);
	}
	*length_of(rows) = stats->thread_count;
	stats_lock(stats);
	set_length(stats, which, count);
	vector->entry = stats_entry_add(stats, STATS_COMBINED, stats_address(rows), "%s", names[which]);
	vector->is_shown = true;
	stats_unlock(stats);
	return 0;
}

void stats_forwarding_hide(struct ws_router *router, enum stats_forwarding which)
{
	struct stats_segment *stats = &router->stats;
	struct stats_forwarding_vector *vector = &stats->forwarding[which];
	if (!vector->is_shown)
		return;
	stats_lock(stats);
	stats_entry_drop(stats, vector->entry);
	stats_unlock(stats);
	vector->is_shown = false;
}

int stats_forwarding_begin(struct ws_router *router, enum stats_forwarding which, uint32_t index)
{
	struct stats_segment *stats = &router->stats;
	const struct stats_forwarding_vector *vector = &stats->forwarding[which];
	int error = reserve(router, which, index + 1);
	if (error)
		return error;
	for (uint16_t i = 0; i < stats->thread_count; i++)
		stats_forwarding_of(stats, which, i)[index] = (struct own_pair){0};
	if (index >= vector->length)
		set_length(stats, which, RTE_MIN(RTE_ALIGN_CEIL(index + 1, 64u), vector->capacity));
	return 0;
}
