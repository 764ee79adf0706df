/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statistics block: all that the router counts, in shared memory that others may map to read.
 *
 * Workers count right in it, each in a part of its own, so readers cost them nothing and a word is
 * never older than the worker's last store. A directory names the words. docs/statistics.md tells
 * the layout for those who read it; `version` changes with it.
 */
#ifndef ROUTER_STATS_BLOCK_H
#define ROUTER_STATS_BLOCK_H

#include "dev/absence.h"
#include "graph/graph.h"
#include "wirespeed.h"

#include <stdint.h>

struct ws_router;
struct router_worker;

enum {
	STATS_VERSION = 1,
	STATS_MAX_ENTRIES = 16384,
	STATS_MAX_WORDS = 8192,       /* of the main thread */
	STATS_MAX_COUNTS = 96 * 1024, /* bytes of a graph's counts */
};

enum stats_kind { STATS_COUNTER = 0, STATS_GAUGE = 1 };
enum stats_scope { STATS_OF_WORKERS = 0, STATS_OF_MAIN = 1 };

struct stats_header {
	char magic[8]; /* "WSSTATS", with its NUL */
	uint32_t version, header_size, entry_size, entry_count;
	uint64_t generation; /* odd while the directory changes; else even and another than before */
	uint64_t pid, started_ns; /* since 1970 */
	uint64_t updated_ns; /* when the main thread last wrote its words; 0 once the router ended */
	uint64_t tsc_hz;
	uint64_t entries_offset, main_offset, workers_offset, worker_size;
	uint32_t worker_count, interval_ms;
};

struct stats_entry {
	char name[144];
	uint16_t kind, scope;
	uint32_t words;  /* 1, or 2: packets and bytes */
	uint64_t offset; /* from main_offset, or from each worker's part */
};

/* What one worker counted of everything; written by it alone. */
struct worker_counts {
	uint64_t rx_packets, tx_packets, drops, punts, loops, sleeps, made;
	/* TSC ticks that went by since the loop began, up to the start of a turn or the end of a rest;
	 * those of them that it rested. */
	uint64_t clocks, rest_clocks;
	struct absence absence;
} __attribute__((aligned(GRAPH_CACHE_LINE)));

/* What one worker counted of one interface. The driver counts what a port receives and sends. */
struct interface_counts {
	uint64_t rx_packets, rx_bytes, tx_packets, tx_bytes;
	uint64_t ip4, ip6, mpls, drops, punts, tx_failed;
};

/* One worker's part; its graph's counts follow the interfaces'. */
struct stats_worker {
	struct worker_counts totals;
	struct interface_counts interfaces[WS_MAX_INTERFACES];
	uint8_t counts[STATS_MAX_COUNTS] __attribute__((aligned(GRAPH_CACHE_LINE)));
} __attribute__((aligned(GRAPH_CACHE_LINE)));

/* No two workers write to one line. */
_Static_assert(sizeof(struct stats_worker) % GRAPH_CACHE_LINE == 0, "parts begin with a line");

/* Main thread only. */
struct stats_block {
	struct stats_header *header; /* the start of the mapping */
	struct stats_entry *entries;
	uint64_t *words;
	struct stats_worker *workers;
	size_t size;
	uint32_t word_count;
	bool is_stale; /* the directory no longer tells what there is */
	uint64_t next_tsc;
};

/* Make it, as the configuration says: in a file, or in memory of this process. */
int stats_block_open(struct ws_router *router);
void stats_block_close(struct ws_router *router);
/* -ENOSPC when the graph counts more than a worker's part of the block holds. */
int stats_block_check(const struct graph *graph);
/* Main thread, before workers get other graphs: nobody is to read by the directory of the old ones.
 */
void stats_block_begin_change(struct ws_router *router);
/* Have a worker that is not inside its graph, which has passed the check, count in the block. */
void stats_block_adopt(struct ws_router *router, uint16_t worker);
/* Write the directory anew if it is stale, and the main thread's words if they are due. */
void stats_block_update(struct ws_router *router);

#endif
