/* SPDX-License-Identifier: Apache-2.0 */
#include "router/observe/stats_block.h"

#include "dev/error.h"
#include "dev/port.h"
#include "router/observe/stats_directory.h"
#include "router/router.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_INTERVAL_MS = 1000 };

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- Making it ---- */

/* All pages are had at once: one that is missing later would end the process. */
static int open_file(const char *path, size_t size)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return fail(-errno, "statistics file %s cannot be made: %s", path, strerror(errno));
	int error = posix_fallocate(fd, 0, (off_t)size);
	if (!error)
		return fd;
	close(fd);
	unlink(path);
	return fail(-error, "statistics file %s of %zu kB cannot be made: %s", path, size / 1024,
				strerror(error));
}

int stats_block_open(struct ws_router *router)
{
	struct stats_block *block = &router->stats;
	const char *path = router->config.stats_path;
	size_t head = RTE_ALIGN_CEIL(sizeof(struct stats_header), (size_t)GRAPH_CACHE_LINE);
	size_t entries = STATS_MAX_ENTRIES * sizeof(struct stats_entry);
	size_t words = STATS_MAX_WORDS * sizeof(uint64_t);
	block->size = head + entries + words + router->worker_count * sizeof(struct stats_worker);
	int fd = *path ? open_file(path, block->size) : -1;
	if (*path && fd < 0)
		return fd;
	void *memory = mmap(NULL, block->size, PROT_READ | PROT_WRITE,
						fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
	int error = errno;
	if (fd >= 0)
		close(fd);
	if (memory == MAP_FAILED)
		return fail(-error, "no memory for statistics: %s", strerror(error));
	block->header = memory;
	block->entries = (void *)((uint8_t *)memory + head);
	block->words = (void *)((uint8_t *)memory + head + entries);
	block->workers = (void *)((uint8_t *)memory + head + entries + words);
	block->is_stale = true;
	*block->header = (struct stats_header){
		.version = STATS_VERSION,
		.header_size = sizeof(struct stats_header),
		.entry_size = sizeof(struct stats_entry),
		.generation = 1,
		.pid = (uint64_t)getpid(),
		.started_ns = now_ns(),
		.tsc_hz = router->tsc_hz,
		.entries_offset = head,
		.main_offset = head + entries,
		.workers_offset = head + entries + words,
		.worker_size = sizeof(struct stats_worker),
		.worker_count = router->worker_count,
		.interval_ms = router->config.stats_interval_ms ? router->config.stats_interval_ms
														: DEFAULT_INTERVAL_MS,
	};
	memcpy(block->header->magic, "WSSTATS", sizeof(block->header->magic));
	return 0;
}

void stats_block_close(struct ws_router *router)
{
	struct stats_block *block = &router->stats;
	if (!block->header)
		return;
	block->header->updated_ns = 0;
	munmap(block->header, block->size);
	block->header = NULL;
}

int stats_block_check(const struct graph *graph)
{
	return graph->counts_size <= STATS_MAX_COUNTS
			   ? 0
			   : fail(-ENOSPC, "the counters of %u nodes take more than the %d kB there are",
					  graph->node_count, STATS_MAX_COUNTS / 1024);
}

void stats_block_begin_change(struct ws_router *router)
{
	__atomic_store_n(&router->stats.header->generation, router->stats.header->generation | 1,
					 __ATOMIC_SEQ_CST);
	router->stats.is_stale = true;
}

void stats_block_adopt(struct ws_router *router, uint16_t worker)
{
	struct stats_worker *part = &router->stats.workers[worker];
	graph_move_counts(router->workers[worker]->graph, part->counts);
	router->workers[worker]->totals = &part->totals;
	router->workers[worker]->interfaces = part->interfaces;
}

/* ---- The main thread's words ---- */

static void write_port(uint16_t port, uint64_t *words)
{
	struct ws_port_counters counters;
	if (ws_port_counters(port, &counters))
		return;
	const uint64_t values[] = {
		counters.rx_packets, counters.rx_bytes,  counters.tx_packets,   counters.tx_bytes,
		counters.rx_missed,  counters.rx_errors, counters.rx_no_buffer, counters.tx_errors,
	};
	for (size_t i = 0; i < RTE_DIM(values); i++)
		__atomic_store_n(&words[i], values[i], __ATOMIC_RELAXED);
}

static void write_words(const struct ws_router *router)
{
	enum { OF_POOL = 2, OF_ALL = 3, OF_PORT = 8 };
	uint64_t *words = router->stats.words;
	struct ws_pool_info pool;
	if (!ws_pool_info(&pool)) {
		words[0] = pool.total;
		words[1] = pool.available;
	}
	__atomic_store_n(&words[OF_POOL], graph_tsc(), __ATOMIC_RELAXED);
	words += OF_ALL;
	for (uint16_t i = 0; i < ports_count(); i++)
		if (*interface_name(router, i)) {
			write_port(i, words);
			words += OF_PORT;
		}
}

void stats_block_update(struct ws_router *router)
{
	struct stats_block *block = &router->stats;
	struct stats_header *header = block->header;
	uint64_t now = graph_tsc(), even = (header->generation | 1) + 1;
	if (!block->is_stale && now < block->next_tsc)
		return;
	block->next_tsc = now + router->tsc_hz / 1000 * header->interval_ms;
	if (block->is_stale) {
		__atomic_store_n(&header->generation, even - 1, __ATOMIC_SEQ_CST);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		stats_directory_write(router);
	}
	write_words(router);
	header->updated_ns = now_ns();
	if (block->is_stale)
		__atomic_store_n(&header->generation, even, __ATOMIC_SEQ_CST);
	block->is_stale = false;
}
