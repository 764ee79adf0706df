/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the statistics segment, and the epoch by which readers notice changes. */
#include "router/observe/stats_segment.h"

#include "dev/error.h"
#include "router/module.h"
#include "router/observe/stats_directory.h"
#include "router/observe/stats_nodes.h"
#include "router/observe/stats_pairs.h"
#include "wirespeed/router.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DEFAULT_INTERVAL_MS = 1000 };

static int open_file(const char *path, size_t size)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return fail(-errno, "statistics file %s cannot be made: %s", path, strerror(errno));
	if (!ftruncate(fd, (off_t)size))
		return fd;
	int error = -errno;
	close(fd);
	unlink(path);
	return fail(error, "statistics file %s of %zu kB cannot be made: %s", path, size / 1024,
				strerror(-error));
}

/* Some readers take a vector that ends at the end of the file for one that is too long. */
static size_t size_of(struct stats_segment *stats)
{
	uint16_t threads = stats->thread_count;
	stats->spare = stats_pairs_size(threads) + stats_forwarding_size(stats);
	size_t size = sizeof(struct stats_memory) + threads * sizeof(struct stats_thread) +
				  stats_pairs_size(threads);
	size = RTE_ALIGN_CEIL(size, (size_t)GRAPH_CACHE_LINE);
	stats_forwarding_place(stats, size);
	size += stats_forwarding_size(stats);
	return RTE_ALIGN_CEIL(size + GRAPH_CACHE_LINE, (size_t)getpagesize());
}

static int map(struct ws_router *router)
{
	struct stats_segment *stats = &router->stats;
	const char *path = router->config->stats_path;
	size_t size = size_of(stats);
	int fd = *path ? open_file(path, size) : -1;
	if (*path && fd < 0)
		return fd;
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
						fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED, fd, 0);
	stats->fd = fd;
	if (memory == MAP_FAILED)
		return fail(-errno, "no memory for statistics: %s", strerror(errno));
	stats->memory = memory;
	stats->size = size;
	return stats_reserve(router, 0);
}

/* Create the segment in a file, or in memory of this process. */
static int stats_open(struct ws_router *router)
{
	struct stats_segment *stats = &router->stats;
	uint32_t interval_ms = router->config->stats_interval_ms;
	stats->thread_count = router->worker_count + 1;
	stats->started_tsc = graph_tsc();
	stats->interval_ticks =
		router->tsc_hz / 1000 * (interval_ms ? interval_ms : (uint32_t)DEFAULT_INTERVAL_MS);
	stats->nodes = calloc(1, sizeof(*stats->nodes));
	if (!stats->nodes)
		return fail(-ENOMEM, "no memory for statistics");
	stats_forwarding_plan(router);
	int error = map(router);
	if (error)
		return error;
	struct stats_header *header = &stats->memory->header;
	header->base = (uint64_t)(uintptr_t)stats->memory;
	header->directory = (uint64_t)(uintptr_t)stats->memory->directory.at;
	header->epoch = 1;
	stats_lock(stats);
	stats_directory_make(router);
	stats_begin_interfaces(stats);
	stats_unlock(stats);
	/* Written last: before that the segment is not valid. */
	__atomic_store_n(&header->version, STATS_VERSION, __ATOMIC_RELEASE);
	return 0;
}

static void stats_close(struct ws_router *router)
{
	struct stats_segment *stats = &router->stats;
	free(stats->nodes);
	stats->nodes = NULL;
	if (stats->memory && stats->fd >= 0)
		close(stats->fd);
	if (!stats->memory)
		return;
	stats_set(stats, STATS_UPDATED_NS, 0);
	munmap(stats->memory, stats->size);
	stats->memory = NULL;
}

ROUTER_MODULE(stats_module, .name = "stats", .is_trunk = true, .make = stats_open,
			  .free = stats_close)
