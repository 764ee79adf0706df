/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statistics segment: all counters of the router, in shared memory that others may map for
 * reading. Workers count directly in it, each in a part of its own, so readers cost them nothing
 * and each word is as recent as the worker's last store. Only the main thread changes the directory
 * and the lengths of vectors, between stats_lock and stats_unlock; readers notice this by the
 * epoch. docs/develop/statistics.md has the names.
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
	STATS_UPDATED_NS, /* 0 once the router has ended */
	STATS_POOLS,      /* from here on one per pool */
	STATS_VALUES = STATS_POOLS + WS_MAX_POOLS * STATS_POOL_VALUES,
};

/* A worker's counters at the last update, from which rates are computed. */
struct stats_before {
	uint64_t loops, rx_packets, calls, vectors;
};

/* Main thread only. */
struct stats_segment {
	struct stats_memory *memory; /* NULL before it is created */
	size_t size; /* size of the mapping; pages are allocated as interfaces are added */
	uint32_t interface_capacity; /* number of interfaces with pages */
	int fd;                      /* -1: private memory of the process */
	uint16_t lock_depth, thread_count;
	uint32_t free_entry;             /* the first of a list of empty entries, or STATS_NO_ENTRY */
	uint32_t values[STATS_VALUES];   /* entries */
	uint32_t vectors[STATS_VECTORS]; /* entries */
	uint32_t links[WS_MAX_INTERFACES][STATS_INTERFACE_LINKS]; /* entries of interfaces */
	size_t spare; /* bytes of the areas of stats_pairs.h and stats_forwarding.h without pages */
	size_t pairs_used;    /* used bytes of the area of stats_pairs.h */
	void *free_pairs[32]; /* its free blocks, by the power of two of their capacity */
	struct stats_forwarding_vector forwarding[STATS_FORWARDING];
	struct stats_nodes *nodes;
	struct stats_before before[WS_MAX_WORKERS];
	uint64_t started_tsc, updated_tsc, interval_ticks;
};

/* Between these calls the main thread changes structures that readers follow. They nest. */
void stats_lock(struct stats_segment *stats);
void stats_unlock(struct stats_segment *stats);

/* Allocate memory for the interface's counters; -ENOSPC, with an error text, if there is none. */
int stats_reserve(struct ws_router *router, uint16_t index);
/* Size of the segment for that many interfaces. */
size_t stats_bytes(const struct stats_segment *stats, uint32_t interfaces);

/* Allocate the memory from `begin` to `end` for counters, `more` bytes beyond what they have;
 * -ENOSPC with an error text. */
int stats_reserve_counters(struct ws_router *router, size_t more, const void *from,
						   const void *end);

/* Add local0, the only interface at first. */
void stats_begin_interfaces(struct stats_segment *stats);
/* The interface was added, with all counters 0, or is being removed. */
void stats_add_interface(struct ws_router *router, uint16_t index);
void stats_drop_interface(struct ws_router *router, uint16_t index);

/*
 * Let the worker's graph, which is not walked yet, count in the segment; counters of nodes with
 * known names continue. -ENOSPC if there is no room for its counters.
 */
int stats_adopt_graph(struct ws_router *router, uint16_t worker, struct graph *graph);
/* The workers have new graphs: add entries for new nodes and remove those of nodes in no graph. */
void stats_follow_graphs(struct ws_router *router);
/* Release the slots of graphs that no worker got. */
void stats_forget_graphs(struct ws_router *router);

/* Write the values of the main thread, if they are due. */
void stats_update(struct ws_router *router);
