/* SPDX-License-Identifier: Apache-2.0 */
/* Periodic update of the statistics segment by the main thread. */
#include "dev/port.h"
#include "router/interface/interface_settings.h"
#include "router/module.h"
#include "router/observe/stats_directory.h"
#include "wire/own_count.h"
#include "wirespeed/ports.h"
#include "wirespeed/runtime.h"

#include <rte_malloc.h>
#include <time.h>

static void write_word(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/* The driver counts for all workers; its counters are in the main thread's row. */
static void write_port(struct interface_counts *row, uint16_t port)
{
	struct ws_port_counters counters;
	if (ws_port_counters(port, &counters))
		return;
	write_word(&row->rx.at[port].packets, counters.rx_packets);
	write_word(&row->rx.at[port].bytes, counters.rx_bytes);
	write_word(&row->tx.at[port].packets, counters.tx_packets);
	write_word(&row->tx.at[port].bytes, counters.tx_bytes);
	write_word(&row->rx_missed.at[port], counters.rx_missed);
	write_word(&row->rx_errors.at[port], counters.rx_errors);
	write_word(&row->rx_no_buffer.at[port], counters.rx_no_buffer);
	write_word(&row->tx_errors.at[port], counters.tx_errors);
}

static void write_pools(struct stats_segment *stats)
{
	struct ws_pool_info pool;
	for (uint16_t i = 0; i < ws_pool_count() && !ws_pool_info(i, &pool); i++) {
		int first = STATS_POOLS + i * STATS_POOL_VALUES;
		stats_set(stats, first + STATS_POOL_CACHED, pool.cached);
		stats_set(stats, first + STATS_POOL_USED, pool.total - pool.available);
		stats_set(stats, first + STATS_POOL_AVAILABLE, pool.available - pool.cached);
	}
}

static void write_heap(uint64_t *words, uint64_t total, uint64_t used)
{
	write_word(&words[0], total);
	write_word(&words[1], used);
	write_word(&words[2], total - used);
}

static void write_heaps(struct stats_segment *stats)
{
	struct stats_memory *memory = stats->memory;
	uint64_t total = 0, used = 0;
	for (unsigned int i = 0; i < rte_socket_count(); i++) {
		struct rte_malloc_socket_stats heap;
		if (rte_malloc_get_socket_stats(rte_socket_id_by_idx(i), &heap))
			continue;
		total += heap.heap_totalsz_bytes;
		used += heap.heap_allocsz_bytes;
	}
	write_heap(memory->heap.at, total, used);
	write_heap(memory->segment.at, stats->size, stats_bytes(stats, stats->interface_capacity));
}

/* ---- Rates since the last update ---- */

static struct stats_before count(const struct router_worker *worker)
{
	struct stats_before now = {
		.loops = own_count_read(&worker->totals->loops),
		.rx_packets = own_count_read(&worker->totals->rx_packets),
	};
	for (uint16_t i = 0; i < worker->graph->node_count; i++) {
		const struct graph_node *node = worker->graph->nodes[i];
		if (node->registration->is_source)
			continue;
		now.calls += own_count_read(&worker->graph->counts->calls.at[node->slot]);
		now.vectors += own_count_read(&worker->graph->counts->vectors.at[node->slot]);
	}
	return now;
}

/* The difference; 0 if deleted nodes have reduced the sum. */
static uint64_t grown(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static void write_rates(struct ws_router *router, uint64_t ticks)
{
	struct stats_segment *stats = &router->stats;
	double seconds = (double)ticks / (double)router->tsc_hz, vector_rates = 0, received = 0;
	for (uint16_t i = 0; i < router->worker_count; i++) {
		struct stats_before now = count(router->workers[i]), *before = &stats->before[i];
		uint64_t calls = grown(now.calls, before->calls);
		double vector_rate =
			calls ? (double)grown(now.vectors, before->vectors) / (double)calls : 0.0;
		vector_rates += vector_rate;
		received += (double)(now.rx_packets - before->rx_packets);
		write_word(&stats->memory->vector_rates.at[i + 1], (uint64_t)vector_rate);
		write_word(&stats->memory->loop_rates.at[i + 1],
				   (uint64_t)((double)(now.loops - before->loops) / seconds));
		*before = now;
	}
	stats_set(stats, STATS_VECTOR_RATE, (uint64_t)(vector_rates / router->worker_count));
	stats_set(stats, STATS_INPUT_RATE, (uint64_t)(received / seconds));
}

static void write_vector_sizes(struct ws_router *router)
{
	struct stats_memory *memory = router->stats.memory;
	for (int size = 0; size < STATS_VECTOR_SIZES; size++) {
		uint64_t sum = 0;
		for (uint16_t i = 0; i < router->worker_count; i++)
			sum += own_count_read(&memory->threads[i + 1].vector_sizes[size]);
		write_word(&memory->vector_sizes.at[1 + size], sum);
	}
}

void stats_update(struct ws_router *router)
{
	struct stats_segment *stats = &router->stats;
	uint64_t now = graph_tsc();
	if (stats->updated_tsc && now - stats->updated_tsc < stats->interval_ticks)
		return;
	for (uint16_t i = 0; i < ports_count(); i++)
		if (*interface_name(router, i))
			write_port(&stats->memory->threads[0].interfaces, i);
	write_pools(stats);
	write_heaps(stats);
	write_vector_sizes(router);
	write_rates(router, now - (stats->updated_tsc ? stats->updated_tsc : stats->started_tsc));
	stats->updated_tsc = now;
	struct timespec time;
	clock_gettime(CLOCK_REALTIME, &time);
	stats_set(stats, STATS_TSC, now);
	stats_set(stats, STATS_LAST_UPDATE, (now - stats->started_tsc) / router->tsc_hz);
	stats_set(stats, STATS_UPDATED_NS,
			  (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec);
	uint32_t heartbeat = stats->values[STATS_HEARTBEAT];
	write_word(&stats->memory->directory.at[heartbeat].value,
			   stats->memory->directory.at[heartbeat].value + 1);
}

ROUTER_MODULE(stats_update_module, .name = "stats-update", .is_trunk = true,
			  .after = {"links", "neighbors"}, .poll = stats_update)
