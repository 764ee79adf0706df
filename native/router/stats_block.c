/* SPDX-License-Identifier: Apache-2.0 */
#include "router/stats_block.h"

#include "dev/error.h"
#include "dev/port.h"
#include "router/router.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
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

int stats_block_adopt(struct ws_router *router, uint16_t worker)
{
	struct stats_worker *part = &router->stats.workers[worker];
	struct graph *graph = router->workers[worker]->graph;
	int error = stats_block_check(graph);
	if (error)
		return error;
	/* Nobody is to read by the directory of another graph. */
	__atomic_store_n(&router->stats.header->generation, router->stats.header->generation | 1,
					 __ATOMIC_SEQ_CST);
	graph_move_counts(graph, part->counts);
	router->workers[worker]->totals = &part->totals;
	router->workers[worker]->interfaces = part->interfaces;
	router->stats.is_stale = true;
	return 0;
}

/* ---- The directory ---- */

__attribute__((format(printf, 6, 7))) static void
add_entry(struct stats_block *block, enum stats_kind kind, enum stats_scope scope, uint32_t words,
		  uint64_t offset, const char *format, ...)
{
	uint32_t *count = &block->header->entry_count;
	if (*count == STATS_MAX_ENTRIES)
		return;
	struct stats_entry *entry = &block->entries[(*count)++];
	va_list args;
	va_start(args, format);
	memset(entry, 0, sizeof(*entry));
	vsnprintf(entry->name, sizeof(entry->name), format, args);
	va_end(args);
	entry->kind = (uint16_t)kind;
	entry->scope = (uint16_t)scope;
	entry->words = words;
	entry->offset = offset;
}

/* The main thread's next word or pair of words, for which there is room. */
static void add_main(struct stats_block *block, enum stats_kind kind, uint32_t words,
					 const char *group, const char *of, const char *what)
{
	add_entry(block, kind, STATS_OF_MAIN, words, block->word_count * sizeof(uint64_t), "/%s%s%s/%s",
			  group, *of ? "/" : "", of, what);
	block->word_count += words;
}

static void describe_totals(struct stats_block *block)
{
	static const struct {
		const char *name;
		size_t offset;
	} totals[] = {
		{"loops", offsetof(struct worker_counts, loops)},
		{"sleeps", offsetof(struct worker_counts, sleeps)},
		{"rx", offsetof(struct worker_counts, rx_packets)},
		{"tx", offsetof(struct worker_counts, tx_packets)},
		{"drops", offsetof(struct worker_counts, drops)},
		{"punts", offsetof(struct worker_counts, punts)},
		{"made", offsetof(struct worker_counts, made)},
	};
	for (size_t i = 0; i < RTE_DIM(totals); i++)
		add_entry(block, STATS_COUNTER, STATS_OF_WORKERS, 1,
				  offsetof(struct stats_worker, totals) + totals[i].offset, "/sys/%s",
				  totals[i].name);
}

static void describe_interface(struct stats_block *block, uint16_t index, const char *name)
{
	static const struct {
		const char *name;
		size_t offset;
	} counts[] = {
		{"ip4", offsetof(struct interface_counts, ip4)},
		{"ip6", offsetof(struct interface_counts, ip6)},
		{"mpls", offsetof(struct interface_counts, mpls)},
		{"drops", offsetof(struct interface_counts, drops)},
		{"punts", offsetof(struct interface_counts, punts)},
		{"tx-failed", offsetof(struct interface_counts, tx_failed)},
	};
	size_t start =
		offsetof(struct stats_worker, interfaces) + index * sizeof(struct interface_counts);
	for (size_t i = 0; i < RTE_DIM(counts); i++)
		add_entry(block, STATS_COUNTER, STATS_OF_WORKERS, 1, start + counts[i].offset,
				  "/interfaces/%s/%s", name, counts[i].name);
	if (index < WS_MAX_PORTS)
		return;
	add_entry(block, STATS_COUNTER, STATS_OF_WORKERS, 2,
			  start + offsetof(struct interface_counts, rx_packets), "/interfaces/%s/rx", name);
	add_entry(block, STATS_COUNTER, STATS_OF_WORKERS, 2,
			  start + offsetof(struct interface_counts, tx_packets), "/interfaces/%s/tx", name);
}

/* In the order in which write_port writes. */
static void describe_port(struct stats_block *block, const char *name)
{
	static const char *const singles[] = {"rx-miss", "rx-error", "rx-no-buf", "tx-error"};
	add_main(block, STATS_COUNTER, 2, "interfaces", name, "rx");
	add_main(block, STATS_COUNTER, 2, "interfaces", name, "tx");
	for (size_t i = 0; i < RTE_DIM(singles); i++)
		add_main(block, STATS_COUNTER, 1, "interfaces", name, singles[i]);
}

static void describe_node(struct stats_block *block, const struct graph *graph,
						  const struct graph_node *node, bool with_stats)
{
	static const struct {
		const char *name;
		size_t offset;
	} stats[] = {
		{"calls", offsetof(struct graph_stats, calls)},
		{"vectors", offsetof(struct graph_stats, vectors)},
		{"suspends", offsetof(struct graph_stats, suspends)},
		{"clocks", offsetof(struct graph_stats, clocks)},
	};
	size_t start = offsetof(struct stats_worker, counts);
	size_t own = start + (size_t)((uint8_t *)node->stats - (uint8_t *)graph->counts);
	size_t counters = start + (size_t)((uint8_t *)node->counters - (uint8_t *)graph->counts);
	for (size_t i = 0; with_stats && i < RTE_DIM(stats); i++)
		add_entry(block, STATS_COUNTER, STATS_OF_WORKERS, 1, own + stats[i].offset, "/nodes/%s/%s",
				  node->name, stats[i].name);
	for (uint16_t i = 0; i < node->registration->counter_count; i++)
		add_entry(block, STATS_COUNTER, STATS_OF_WORKERS, 1, counters + i * sizeof(uint64_t),
				  "/err/%s/%s", node->name, node->registration->counters[i].name);
}

static void describe(struct ws_router *router)
{
	struct stats_block *block = &router->stats;
	const struct graph *graph = router->workers[0]->graph;
	block->header->entry_count = 0;
	block->word_count = 0;
	add_main(block, STATS_GAUGE, 1, "buffer-pools", "packets", "total");
	add_main(block, STATS_GAUGE, 1, "buffer-pools", "packets", "available");
	for (uint16_t i = 0; i < ports_count(); i++)
		if (*interface_name(router, i))
			describe_port(block, interface_name(router, i));
	describe_totals(block);
	for (uint16_t i = 0; i < router->interface_count; i++)
		if (*interface_name(router, i))
			describe_interface(block, i, interface_name(router, i));
	for (uint16_t i = 0; i < graph->node_count; i++)
		describe_node(block, graph, graph->nodes[i], !router->config.stats_without_nodes);
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
	enum { OF_POOL = 2, OF_PORT = 8 };
	uint64_t *words = router->stats.words;
	struct ws_pool_info pool;
	if (!ws_pool_info(&pool)) {
		words[0] = pool.total;
		words[1] = pool.available;
	}
	words += OF_POOL;
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
		describe(router);
	}
	write_words(router);
	header->updated_ns = now_ns();
	if (block->is_stale)
		__atomic_store_n(&header->generation, even, __ATOMIC_SEQ_CST);
	block->is_stale = false;
}
