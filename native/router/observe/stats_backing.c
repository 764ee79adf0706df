/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocation of the statistics segment's pages. The file has room for the maximum, which takes no
 * memory. Pages are allocated step by step before they are written, since a write to a page that
 * cannot be allocated would kill the process.
 */
#include "dev/error.h"
#include "dev/numa.h"
#include "router/observe/stats_pairs.h"
#include "router/router.h"
#include "wirespeed/router.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { STEP = 512 }; /* interfaces per step */

/* Vectors of interfaces in each thread's part: offset of the first element, and element size. */
#define VECTOR(name)                                                                               \
	{                                                                                              \
		offsetof(struct stats_thread, interfaces.name),                                            \
			sizeof(((struct stats_thread *)0)->interfaces.name.local0)                             \
	}
static const struct {
	size_t offset, element;
} vectors[] = {
	VECTOR(rx),        VECTOR(tx),        VECTOR(drops),     VECTOR(punts),
	VECTOR(ip4),       VECTOR(ip6),       VECTOR(mpls),      VECTOR(rx_no_buffer),
	VECTOR(rx_missed), VECTOR(rx_errors), VECTOR(tx_errors),
};
enum { HEAD = sizeof(uint64_t) }; /* the vector's length */

static uint32_t entries_with(uint32_t interfaces)
{
	return STATS_MAX_ENTRIES - (WS_MAX_INTERFACES - interfaces) * STATS_INTERFACE_LINKS;
}

static size_t of_interface(uint16_t threads)
{
	size_t size = STATS_INTERFACE_LINKS * sizeof(struct stats_entry) + sizeof(uint64_t) +
				  sizeof(stats_text) + sizeof(struct own_pair);
	for (size_t i = 0; i < RTE_DIM(vectors); i++)
		size += threads * vectors[i].element;
	return size;
}

static int back(const struct stats_segment *stats, const void *from, const void *end)
{
	size_t page = (size_t)getpagesize(), base = (size_t)(uintptr_t)stats->memory;
	size_t first = RTE_ALIGN_FLOOR((size_t)(uintptr_t)from - base, page);
	size_t last = RTE_MIN(RTE_ALIGN_CEIL((size_t)(uintptr_t)end - base, page), stats->size);
	/* Not for memory without a file: it is private and allocated when it is written. */
	return stats->fd < 0 ? 0 : -posix_fallocate(stats->fd, (off_t)first, (off_t)(last - first));
}

/* Allocate on the node of the thread that counts; 0 is the main thread. */
static void near(uint16_t thread)
{
	if (thread)
		numa_for_worker(thread - 1);
	else
		numa_for_all();
}

static int back_interfaces(const struct stats_segment *stats, uint32_t count)
{
	struct stats_memory *memory = stats->memory;
	int error = back(stats, memory, &memory->directory.at[entries_with(count)]);
	if (!error)
		error = back(stats, &memory->interface_names, &memory->interface_names.at[count]);
	if (!error)
		error = back(stats, memory->interface_texts, &memory->interface_texts[count]);
	if (!error)
		error = back(stats, &memory->nothing, &memory->nothing.at[count]);
	for (uint16_t t = 0; t < stats->thread_count; t++) {
		near(t);
		for (size_t i = 0; i < RTE_DIM(vectors) && !error; i++) {
			uint8_t *begin = (uint8_t *)&memory->threads[t] + vectors[i].offset;
			error = back(stats, begin, begin + HEAD + (count + 1) * vectors[i].element);
		}
	}
	numa_for_all();
	return error;
}

/* Allocate the parts that do not depend on the interfaces. */
static int back_rest(const struct stats_segment *stats)
{
	struct stats_memory *memory = stats->memory;
	int error = back(stats, &memory->node_names, &memory->interface_texts);
	if (!error)
		error = back(stats, memory->node_texts, &memory->nothing);
	for (uint16_t t = 0; t < stats->thread_count && !error; t++) {
		struct stats_thread *thread = &memory->threads[t];
		near(t);
		error = back(stats, thread, &thread->interfaces);
		if (!error)
			error = back(stats, &thread->nodes, thread + 1);
	}
	numa_for_all();
	/* The cache line at the end. */
	const uint8_t *end = (uint8_t *)memory + stats->size;
	return error ? error : back(stats, end - GRAPH_CACHE_LINE, end);
}

size_t stats_bytes(const struct stats_segment *stats, uint32_t interfaces)
{
	return stats->size - (WS_MAX_INTERFACES - interfaces) * of_interface(stats->thread_count) -
		   stats->spare;
}

static int check_size(const struct ws_router *router, uint32_t interfaces)
{
	size_t most = router->config->stats_max_kb * (size_t)1024;
	size_t wanted = stats_bytes(&router->stats, interfaces);
	return !most || wanted <= most
			   ? 0
			   : fail(
					 -ENOSPC,
					 "statistics of %u workers and %u interfaces take %zu kB, and statseg { size } "
					 "allows %zu kB; allow more",
					 router->worker_count, interfaces, wanted / 1024, most / 1024);
}

int stats_reserve(struct ws_router *router, uint16_t index)
{
	struct stats_segment *stats = &router->stats;
	if (!stats->memory || index < stats->interface_capacity)
		return 0;
	uint32_t count =
		RTE_MIN(RTE_ALIGN_CEIL(index + 1u, (uint32_t)STEP), (uint32_t)WS_MAX_INTERFACES);
	int error = check_size(router, count);
	if (error)
		return error;
	error = back_interfaces(stats, count);
	if (!error && !stats->interface_capacity)
		error = back_rest(stats);
	if (error)
		return fail(error, "statistics of %u interfaces cannot be kept in %s: %s", count,
					router->config->stats_path, strerror(-error));
	stats->interface_capacity = count;
	return 0;
}

int stats_reserve_counters(struct ws_router *router, size_t more, const void *from, const void *end)
{
	struct stats_segment *stats = &router->stats;
	size_t most = router->config->stats_max_kb * (size_t)1024;
	size_t wanted = stats_bytes(stats, stats->interface_capacity) + more;
	if (most && wanted > most)
		return fail(-ENOSPC,
					"statistics with these counters take %zu kB, and statseg { size } allows "
					"%zu kB; allow more",
					wanted / 1024, most / 1024);
	int error = back(stats, from, end);
	return error ? fail(error, "these counters cannot be kept in %s: %s",
						router->config->stats_path, strerror(-error))
				 : 0;
}

int stats_reserve_pairs(struct ws_router *router, size_t used)
{
	struct stats_segment *stats = &router->stats;
	const uint8_t *area = (const uint8_t *)&stats->memory->threads[stats->thread_count];
	return stats_reserve_counters(router, used - stats->pairs_used, area + stats->pairs_used,
								  area + used);
}
