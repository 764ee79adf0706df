/* SPDX-License-Identifier: Apache-2.0 */
#include "router/observe/stats_directory.h"

#include "router/router.h"
#include "wirespeed/router.h"
#include "wirespeed/runtime.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Changes ---- */

void stats_lock(struct stats_segment *stats)
{
	if (stats->lock_depth++)
		return;
	__atomic_store_n(&stats->memory->header.in_progress, 1, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* The epoch first: a reader that waited for the end of the change must find another epoch. */
void stats_unlock(struct stats_segment *stats)
{
	struct stats_header *header = &stats->memory->header;
	if (--stats->lock_depth)
		return;
	__atomic_store_n(&header->epoch, header->epoch + 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&header->in_progress, 0, __ATOMIC_SEQ_CST);
}

/* ---- Entries ---- */

/* Free entries are linked by their values. */
static uint32_t take_entry(struct stats_segment *stats)
{
	uint32_t index = stats->free_entry;
	if (index == STATS_NO_ENTRY)
		return stats->memory->directory.length++;
	stats->free_entry = (uint32_t)stats->memory->directory.at[index].value;
	return index;
}

uint32_t stats_entry_add(struct stats_segment *stats, enum stats_type type, uint64_t value,
						 const char *format, ...)
{
	va_list args;
	va_start(args, format);
	uint32_t index = take_entry(stats);
	struct stats_entry *entry = &stats->memory->directory.at[index];
	memset(entry, 0, sizeof(*entry));
	entry->type = type;
	entry->value = value;
	vsnprintf(entry->name, sizeof(entry->name), format, args);
	va_end(args);
	return index;
}

void stats_gauge_set(struct stats_segment *stats, uint32_t index, uint64_t value)
{
	__atomic_store_n(&stats->memory->directory.at[index].value, value, __ATOMIC_RELAXED);
}

void stats_entry_drop(struct stats_segment *stats, uint32_t index)
{
	struct stats_entry *entry = &stats->memory->directory.at[index];
	memset(entry, 0, sizeof(*entry));
	entry->type = STATS_EMPTY;
	entry->value = stats->free_entry;
	stats->free_entry = index;
}

uint32_t stats_link_add(struct stats_segment *stats, enum stats_vector vector, uint32_t index,
						const char *format, ...)
{
	char name[STATS_NAME_LEN];
	va_list args;
	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	uint32_t added = stats_entry_add(stats, STATS_SYMLINK, 0, "%s", name);
	stats->memory->directory.at[added].link.entry = stats->vectors[vector];
	stats->memory->directory.at[added].link.index = index;
	return added;
}

void stats_plain_name(char plain[static WS_NAME_LEN], const char *name)
{
	snprintf(plain, WS_NAME_LEN, "%s", name);
	for (char *c = plain; (c = strchr(c, '/'));)
		*c = '_';
}

/* ---- Entries that always exist ---- */

static const char *const value_names[STATS_POOLS] = {
	[STATS_LAST_STATS_CLEAR] = "/sys/last_stats_clear",
	[STATS_HEARTBEAT] = "/sys/heartbeat",
	[STATS_BOOTTIME] = "/sys/boottime",
	[STATS_LAST_UPDATE] = "/sys/last_update",
	[STATS_NUM_WORKER_THREADS] = "/sys/num_worker_threads",
	[STATS_VECTOR_RATE] = "/sys/vector_rate",
	[STATS_INPUT_RATE] = "/sys/input_rate",
	[STATS_TSC] = "/sys/tsc",
	[STATS_TSC_HZ] = "/sys/tsc-hz",
	[STATS_PID] = "/sys/pid",
	[STATS_STARTED_NS] = "/sys/started-ns",
	[STATS_UPDATED_NS] = "/sys/updated-ns",
};

static const char *const pool_values[STATS_POOL_VALUES] = {
	[STATS_POOL_CACHED] = "cached",
	[STATS_POOL_USED] = "used",
	[STATS_POOL_AVAILABLE] = "available",
};

/* In the order of enum stats_vector; vectors of interfaces have links, too. */
static const struct {
	const char *name;
	enum stats_type type;
	enum stats_row row;
} vectors[STATS_VECTORS] = {
	{"/if/drops", STATS_SIMPLE, STATS_ROW_DROPS},
	{"/if/punt", STATS_SIMPLE, STATS_ROW_PUNTS},
	{"/if/ip4", STATS_SIMPLE, STATS_ROW_IP4},
	{"/if/ip6", STATS_SIMPLE, STATS_ROW_IP6},
	{"/if/mpls", STATS_SIMPLE, STATS_ROW_MPLS},
	{"/if/rx-no-buf", STATS_SIMPLE, STATS_ROW_RX_NO_BUFFER},
	{"/if/rx-miss", STATS_SIMPLE, STATS_ROW_RX_MISSED},
	{"/if/rx-error", STATS_SIMPLE, STATS_ROW_RX_ERRORS},
	{"/if/tx-error", STATS_SIMPLE, STATS_ROW_TX_ERRORS},
	{"/if/rx", STATS_COMBINED, STATS_ROW_RX},
	{"/if/rx-unicast", STATS_COMBINED, STATS_ROW_DETAIL},
	{"/if/rx-multicast", STATS_COMBINED, STATS_ROW_DETAIL},
	{"/if/rx-broadcast", STATS_COMBINED, STATS_ROW_DETAIL},
	{"/if/tx", STATS_COMBINED, STATS_ROW_TX},
	{"/if/tx-unicast", STATS_COMBINED, STATS_ROW_DETAIL},
	{"/if/tx-multicast", STATS_COMBINED, STATS_ROW_DETAIL},
	{"/if/tx-broadcast", STATS_COMBINED, STATS_ROW_DETAIL},
	[STATS_INTERFACE_NAMES] = {"/if/names", STATS_NAMES, STATS_ROWS},
	[STATS_NODE_NAMES] = {"/sys/node/names", STATS_NAMES, STATS_ROWS},
	[STATS_OF_NODES] = {"/sys/node/clocks", STATS_SIMPLE, STATS_ROW_CLOCKS},
	{"/sys/node/vectors", STATS_SIMPLE, STATS_ROW_VECTORS},
	{"/sys/node/calls", STATS_SIMPLE, STATS_ROW_CALLS},
	{"/sys/node/suspends", STATS_SIMPLE, STATS_ROW_SUSPENDS},
	[STATS_WORKERS] = {"/sys/workers", STATS_SIMPLE, STATS_ROW_TOTALS},
	[STATS_COUNTERS] = {"/node/errors", STATS_SIMPLE, STATS_ROW_COUNTERS},
	[STATS_HISTOGRAMS] = {"/sys/vector-sizes", STATS_HISTOGRAM, STATS_ROWS},
	[STATS_VECTOR_RATES] = {"/sys/vector_rate_per_worker", STATS_SIMPLE, STATS_ROWS},
	[STATS_LOOP_RATES] = {"/sys/loops_per_worker", STATS_SIMPLE, STATS_ROWS},
	[STATS_HEAP] = {"/mem/main heap", STATS_SIMPLE, STATS_ROWS},
	[STATS_SEGMENT] = {"/mem/stat segment", STATS_SIMPLE, STATS_ROWS},
};

/* Names of the elements of a worker's row of /sys/workers. */
static const char *const worker_links[] = {
	"rx",
	"tx",
	"drops",
	"punts",
	"loops",
	"sleeps",
	"made",
	"clocks",
	"rest-clocks",
	"idle-clocks",
	"preemptions",
	"preempted-clocks",
	"longest-preemption-clocks",
};
_Static_assert(sizeof(struct worker_counts) >= RTE_DIM(worker_links) * sizeof(uint64_t) &&
				   offsetof(struct worker_counts, preemption.longest) ==
					   (RTE_DIM(worker_links) - 1) * sizeof(uint64_t),
			   "each count of a worker has a name");

/* Former names of the last worker_links, for older readers. */
static const char *const former_links[] = {"absences", "absent-clocks", "longest-absence-clocks"};

/* Offsets of the rows of threads in their parts. */
static const size_t row_offsets[STATS_ROWS] = {
	[STATS_ROW_TOTALS] = offsetof(struct stats_thread, totals),
	[STATS_ROW_RX] = offsetof(struct stats_thread, interfaces.rx.local0),
	[STATS_ROW_TX] = offsetof(struct stats_thread, interfaces.tx.local0),
	[STATS_ROW_DROPS] = offsetof(struct stats_thread, interfaces.drops.local0),
	[STATS_ROW_PUNTS] = offsetof(struct stats_thread, interfaces.punts.local0),
	[STATS_ROW_IP4] = offsetof(struct stats_thread, interfaces.ip4.local0),
	[STATS_ROW_IP6] = offsetof(struct stats_thread, interfaces.ip6.local0),
	[STATS_ROW_MPLS] = offsetof(struct stats_thread, interfaces.mpls.local0),
	[STATS_ROW_RX_NO_BUFFER] = offsetof(struct stats_thread, interfaces.rx_no_buffer.local0),
	[STATS_ROW_RX_MISSED] = offsetof(struct stats_thread, interfaces.rx_missed.local0),
	[STATS_ROW_RX_ERRORS] = offsetof(struct stats_thread, interfaces.rx_errors.local0),
	[STATS_ROW_TX_ERRORS] = offsetof(struct stats_thread, interfaces.tx_errors.local0),
	[STATS_ROW_CALLS] = offsetof(struct stats_thread, nodes.calls.at),
	[STATS_ROW_VECTORS] = offsetof(struct stats_thread, nodes.vectors.at),
	[STATS_ROW_SUSPENDS] = offsetof(struct stats_thread, nodes.suspends.at),
	[STATS_ROW_CLOCKS] = offsetof(struct stats_thread, nodes.clocks.at),
	[STATS_ROW_COUNTERS] = offsetof(struct stats_thread, counters.at),
};

static void make_rows(struct stats_segment *stats)
{
	struct stats_memory *memory = stats->memory;
	for (int row = 0; row < STATS_ROWS; row++) {
		memory->rows[row].length = stats->thread_count;
		for (uint16_t i = 0; i < stats->thread_count; i++)
			memory->rows[row].at[i] =
				row == STATS_ROW_DETAIL
					? stats_address(&memory->nothing.local0)
					: stats_address((uint8_t *)&memory->threads[i] + row_offsets[row]);
	}
	for (uint16_t i = 0; i < stats->thread_count; i++)
		memory->threads[i].totals_length = RTE_DIM(worker_links);
	memory->no_name.length = 1;
	memory->vector_sizes.length = RTE_DIM(memory->vector_sizes.at);
	memory->vector_rates.length = memory->loop_rates.length = stats->thread_count;
	memory->heap.length = memory->segment.length = RTE_DIM(memory->heap.at);
	const void *const only[] = {memory->vector_sizes.at, memory->vector_rates.at,
								memory->loop_rates.at, memory->heap.at, memory->segment.at};
	_Static_assert(RTE_DIM(only) == RTE_DIM(memory->only), "each has its row");
	for (size_t i = 0; i < RTE_DIM(only); i++) {
		memory->only[i].length = 1;
		memory->only[i].at[0] = stats_address(only[i]);
	}
}

/* Address that a vector's entry points to. */
static uint64_t vector_address(const struct stats_memory *memory, int vector)
{
	if (vector == STATS_INTERFACE_NAMES)
		return stats_address(&memory->interface_names.local0);
	if (vector == STATS_NODE_NAMES)
		return stats_address(memory->node_names.at);
	if (vector >= STATS_HISTOGRAMS)
		return stats_address(memory->only[vector - STATS_HISTOGRAMS].at);
	return stats_address(memory->rows[vectors[vector].row].at);
}

static bool is_of_nodes(int vector)
{
	return vector >= STATS_NODE_NAMES && vector < STATS_OF_NODES + STATS_NODE_LINKS;
}

static void add_values(struct stats_segment *stats)
{
	struct ws_pool_info pool;
	for (int i = 0; i < STATS_POOLS; i++)
		stats->values[i] = stats_entry_add(
			stats, i <= STATS_LAST_UPDATE ? STATS_SCALAR : STATS_GAUGE, 0, "%s", value_names[i]);
	for (uint16_t i = 0; i < ws_pool_count() && !ws_pool_info(i, &pool); i++)
		for (int j = 0; j < STATS_POOL_VALUES; j++)
			stats->values[STATS_POOLS + i * STATS_POOL_VALUES + j] = stats_entry_add(
				stats, STATS_GAUGE, 0, "/buffer-pools/%s/%s", pool.name, pool_values[j]);
}

static void add_vectors(struct stats_segment *stats, bool with_nodes)
{
	static const char *const of_heap[] = {"total", "used", "free"};
	for (int i = 0; i < STATS_VECTORS; i++)
		if (with_nodes || !is_of_nodes(i))
			stats->vectors[i] = stats_entry_add(
				stats, vectors[i].type, vector_address(stats->memory, i), "%s", vectors[i].name);
	for (uint32_t i = 0; i < RTE_DIM(worker_links); i++)
		stats_link_add(stats, STATS_WORKERS, i, "/sys/%s", worker_links[i]);
	for (uint32_t i = 0; i < RTE_DIM(former_links); i++)
		stats_link_add(stats, STATS_WORKERS, RTE_DIM(worker_links) - RTE_DIM(former_links) + i,
					   "/sys/%s", former_links[i]);
	for (uint32_t i = 0; i < RTE_DIM(of_heap); i++) {
		stats_link_add(stats, STATS_HEAP, i, "%s/%s", vectors[STATS_HEAP].name, of_heap[i]);
		stats_link_add(stats, STATS_SEGMENT, i, "%s/%s", vectors[STATS_SEGMENT].name, of_heap[i]);
	}
}

void stats_directory_make(struct ws_router *router)
{
	struct stats_segment *stats = &router->stats;
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	stats->free_entry = STATS_NO_ENTRY;
	make_rows(stats);
	add_values(stats);
	add_vectors(stats, !router->config->stats_without_nodes);
	stats_set(stats, STATS_BOOTTIME, (uint64_t)now.tv_sec);
	stats_set(stats, STATS_STARTED_NS, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
	stats_set(stats, STATS_NUM_WORKER_THREADS, router->worker_count);
	stats_set(stats, STATS_TSC_HZ, router->tsc_hz);
	stats_set(stats, STATS_PID, (uint64_t)getpid());
}
