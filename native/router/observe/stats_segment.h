/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statistics segment: all that the router counts, in shared memory that others may map to read.
 *
 * Workers count right in it, each in a part of its own, so readers cost them nothing and a word is
 * never older than the worker's last store. The main thread alone changes the directory and the
 * lengths of vectors, between stats_lock and stats_unlock, which readers notice by the epoch.
 * docs/develop/statistics.md tells the names.
 */
#pragma once

#include "router/observe/stats_forwarding.h"
#include "router/observe/stats_layout.h"

struct graph;
struct stats_nodes;
struct ws_router;

/* Values per packet pool. */
enum { STATS_POOL_CACHED, STATS_POOL_USED, STATS_POOL_AVAILABLE, STATS_POOL_VALUES };

/* Entries whose value the main thread writes. */
enum stats_value {
	STATS_LAST_STATS_CLEAR,
	STATS_HEARTBEAT,
	STATS_BOOTTIME,
	STATS_LAST_UPDATE,
	STATS_NUM_WORKER_THREADS,
	STATS_VECTOR_RATE,
	STATS_INPUT_RATE,
	STATS_TSC,
	STATS_TSC_HZ,
	STATS_PID,
	STATS_STARTED_NS,
	STATS_UPDATED_NS, /* 0 once the router ended */
	STATS_POOLS,      /* one per pool from here on */
	STATS_VALUES = STATS_POOLS + WS_MAX_POOLS * STATS_POOL_VALUES,
};

/* A worker's counters at the last update, from which rates are computed. */
struct stats_before {
	uint64_t loops, rx_packets, calls, vectors;
};

/* Main thread only. */
struct stats_segment {
	struct stats_memory *memory; /* NULL before it is made */
	size_t size;                 /* size of the mapping; its pages are used as interfaces come */
	uint32_t interface_capacity; /* for so many there are pages */
	int fd;                      /* -1: memory of the process's own */
	uint16_t lock_depth, thread_count;
	uint32_t free_entry;             /* the first of a list of empty entries, or STATS_NO_ENTRY */
	uint32_t values[STATS_VALUES];   /* entries */
	uint32_t vectors[STATS_VECTORS]; /* entries */
	uint32_t links[WS_MAX_INTERFACES][STATS_INTERFACE_LINKS]; /* entries of interfaces */
	size_t spare; /* bytes of the areas of stats_pairs.h and stats_forwarding.h without pages */
	size_t pairs_used;    /* used pairs of the area of stats_pairs.h */
	void *free_pairs[32]; /* its free blocks, by the power of two of their rooms */
	struct stats_forwarding_vector forwarding[STATS_FORWARDING];
	struct stats_nodes *nodes;
	struct stats_before before[WS_MAX_WORKERS];
	uint64_t started_tsc, updated_tsc, interval_ticks;
};

/* Between these the main thread changes what readers go by. They nest. */
void stats_lock(struct stats_segment *stats);
void stats_unlock(struct stats_segment *stats);

/* Memory for the interface's numbers; -ENOSPC, with its line, when there is none. */
int stats_reserve(struct ws_router *router, uint16_t index);
/* Size of the segment for so many interfaces. */
size_t stats_bytes(const struct stats_segment *stats, uint32_t interfaces);

/* Memory from here to there for counters, `more` bytes beyond what they have; -ENOSPC, likewise. */
int stats_reserve_counters(struct ws_router *router, size_t more, const void *from,
						   const void *end);

/* There is local0 alone. */
void stats_begin_interfaces(struct stats_segment *stats);
/* The interface has come, all its counters are 0; it goes. */
void stats_add_interface(struct ws_router *router, uint16_t index);
void stats_drop_interface(struct ws_router *router, uint16_t index);

/*
 * Have the worker's graph, which is not walked yet, count in the segment: nodes of names that are
 * known count on. -ENOSPC when there is no room for its counters.
 */
int stats_adopt_graph(struct ws_router *router, uint16_t worker, struct graph *graph);
/* The workers have their graphs: tell of new nodes, forget those that are in no graph. */
void stats_follow_graphs(struct ws_router *router);
/* Forget nodes of graphs that nobody got. */
void stats_forget_graphs(struct ws_router *router);

/* Write what the main thread tells, if that is due. */
void stats_update(struct ws_router *router);
