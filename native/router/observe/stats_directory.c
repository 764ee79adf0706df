/* SPDX-License-Identifier: Apache-2.0 */
#include "router/observe/stats_directory.h"

#include "dev/port.h"
#include "router/router.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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
		{"clocks", offsetof(struct worker_counts, clocks)},
		{"rest-clocks", offsetof(struct worker_counts, rest_clocks)},
		{"absences", offsetof(struct worker_counts, absence.count)},
		{"absent-clocks", offsetof(struct worker_counts, absence.ticks)},
	};
	for (size_t i = 0; i < RTE_DIM(totals); i++)
		add_entry(block, STATS_COUNTER, STATS_OF_WORKERS, 1,
				  offsetof(struct stats_worker, totals) + totals[i].offset, "/sys/%s",
				  totals[i].name);
	add_entry(block, STATS_GAUGE, STATS_OF_WORKERS, 1,
			  offsetof(struct stats_worker, totals.absence.longest), "/sys/longest-absence-clocks");
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

void stats_directory_write(struct ws_router *router)
{
	struct stats_block *block = &router->stats;
	const struct graph *graph = router->workers[0]->graph;
	block->header->entry_count = 0;
	block->word_count = 0;
	add_main(block, STATS_GAUGE, 1, "buffer-pools", "packets", "total");
	add_main(block, STATS_GAUGE, 1, "buffer-pools", "packets", "available");
	add_main(block, STATS_GAUGE, 1, "sys", "", "tsc");
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
