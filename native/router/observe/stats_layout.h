/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VPP's layout of the statistics segment, version 2, and this router's part. A vector is given by
 * the address of its first element; its length is eight bytes before that. All vectors here have
 * room for the maximum, so that they grow only in length and never move: memory that a slow reader
 * refers to keeps its meaning. Addresses are the router's own; readers subtract the header's
 * `base`.
 */
#pragma once

#include "dev/preemption.h"
#include "graph/graph.h"
#include "wire/own_count.h"
#include "wirespeed/limits.h"

#include <stddef.h>
#include <stdint.h>

enum {
	STATS_VERSION = 2,
	STATS_NAME_LEN = 128,
	STATS_THREADS = WS_MAX_WORKERS + 1, /* the main thread is number 0 */
	STATS_MAX_COUNTERS = 16384,         /* named counters of nodes, for two graphs together */
	STATS_MAX_FIXED = 120,              /* entries that always exist */
	STATS_FIRST_INTERFACE = 1,          /* index of interface 0 for readers */
	STATS_INTERFACE_LINKS = 17,         /* entries of one interface */
	STATS_NODE_LINKS = 4,               /* entries of a node in addition to its counters */
	STATS_MEMBER_GAUGES = 2,            /* entries of a bond member */
	STATS_MAX_ENTRIES = STATS_MAX_FIXED + WS_MAX_ACLS + WS_MAX_PORTS * STATS_MEMBER_GAUGES +
						WS_MAX_INTERFACES * STATS_INTERFACE_LINKS +
						GRAPH_MAX_SLOTS * STATS_NODE_LINKS + STATS_MAX_COUNTERS,
	STATS_VECTOR_SIZES = 9, /* size classes: 1, up to 2, 4 … 256 packets */
};

enum stats_type {
	STATS_SCALAR = 1,
	STATS_SIMPLE = 2,
	STATS_COMBINED = 3,
	STATS_NAMES = 4,
	STATS_EMPTY = 5,
	STATS_SYMLINK = 6,
	STATS_HISTOGRAM = 7,
	STATS_GAUGE = 9,
};

struct stats_header {
	uint64_t version, base;
	uint64_t epoch;       /* changes after each change of the directory or of a length */
	uint64_t in_progress; /* not 0 during a change */
	uint64_t directory;
} __attribute__((aligned(GRAPH_CACHE_LINE)));

struct stats_entry {
	uint32_t type; /* enum stats_type */
	uint32_t unused;
	union {
		uint64_t value; /* or an address */
		struct {
			uint32_t entry, index;
		} link;
	};
	char name[STATS_NAME_LEN];
};
_Static_assert(sizeof(struct stats_entry) == 144, "readers count on it");

#define STATS_VECTOR(type, room)                                                                   \
	struct {                                                                                       \
		uint32_t length, details;                                                                  \
		type at[room];                                                                             \
	}

/* Vector per interface in VPP's numbering: index 0 is local0, interface i is i + 1, as in `show
 * interface` and the binary API. */
#define STATS_INTERFACES(type)                                                                     \
	struct {                                                                                       \
		uint32_t length, details;                                                                  \
		type local0, at[WS_MAX_INTERFACES];                                                        \
	}

/* A worker's totals, as one vector: stats_directory.c names its elements. */
struct worker_counts {
	uint64_t rx_packets, tx_packets, drops, punts, loops, sleeps, made;
	/* TSC ticks since the loop began, up to the start of a pass or the end of a sleep; those spent
	 * in sleeps; and those spent in passes without packets. */
	uint64_t clocks, rest_clocks, idle_clocks;
	struct preemption preemption;
} __attribute__((aligned(GRAPH_CACHE_LINE)));

/* A worker's counters of interfaces. The driver counts received and sent packets of ports; they are
 * in the main thread's part. */
struct interface_counts {
	STATS_INTERFACES(struct own_pair) rx, tx;
	STATS_INTERFACES(uint64_t) drops, punts, ip4, ip6, mpls;
	STATS_INTERFACES(uint64_t) rx_no_buffer, rx_missed, rx_errors, tx_errors;
};

/* A thread's part; only that thread writes it. */
struct stats_thread {
	uint64_t unused[7];
	uint32_t totals_length, totals_details;
	struct worker_counts totals;
	struct interface_counts interfaces;
	struct graph_counts nodes;
	STATS_VECTOR(uint64_t, STATS_MAX_COUNTERS) counters;
	uint64_t vector_sizes[STATS_VECTOR_SIZES];
} __attribute__((aligned(GRAPH_CACHE_LINE)));

/* Two workers never write to one cache line, and a vector's length is where readers expect it. */
_Static_assert(sizeof(struct stats_thread) % GRAPH_CACHE_LINE == 0, "parts begin with a line");
_Static_assert(offsetof(struct stats_thread, totals) ==
				   offsetof(struct stats_thread, totals_length) + sizeof(uint64_t),
			   "a length stands eight bytes before its vector");

typedef STATS_VECTOR(char, WS_NAME_LEN) stats_text; /* its length includes the NUL */
typedef STATS_VECTOR(uint64_t, STATS_THREADS) stats_per_thread;

/* The vectors with a row per thread. */
enum stats_row {
	STATS_ROW_TOTALS,
	STATS_ROW_RX,
	STATS_ROW_TX,
	STATS_ROW_DETAIL, /* counters by kind of address: always 0 */
	STATS_ROW_DROPS,
	STATS_ROW_PUNTS,
	STATS_ROW_IP4,
	STATS_ROW_IP6,
	STATS_ROW_MPLS,
	STATS_ROW_RX_NO_BUFFER,
	STATS_ROW_RX_MISSED,
	STATS_ROW_RX_ERRORS,
	STATS_ROW_TX_ERRORS,
	STATS_ROW_CALLS,
	STATS_ROW_VECTORS,
	STATS_ROW_SUSPENDS,
	STATS_ROW_CLOCKS,
	STATS_ROW_COUNTERS,
	STATS_ROWS,
};

/* Entries of vectors, those of the interfaces first, in the order of stats_directory.c. */
enum stats_vector {
	STATS_OF_INTERFACES = 0,
	STATS_INTERFACE_NAMES = STATS_INTERFACE_LINKS,
	STATS_NODE_NAMES,
	STATS_OF_NODES,
	STATS_WORKERS = STATS_OF_NODES + STATS_NODE_LINKS,
	STATS_COUNTERS,
	STATS_HISTOGRAMS,
	STATS_VECTOR_RATES,
	STATS_LOOP_RATES,
	STATS_HEAP,
	STATS_SEGMENT,
	STATS_VECTORS,
};

enum { STATS_NO_ENTRY = UINT32_MAX };

/* The mapping. */
struct stats_memory {
	struct stats_header header;
	STATS_VECTOR(struct stats_entry, STATS_MAX_ENTRIES) directory;
	STATS_INTERFACES(uint64_t) interface_names; /* addresses of texts */
	STATS_VECTOR(uint64_t, GRAPH_MAX_SLOTS) node_names;
	stats_text interface_texts[WS_MAX_INTERFACES], node_texts[GRAPH_MAX_SLOTS];
	stats_text local0;
	stats_text no_name; /* for interfaces and nodes that do not exist */
	stats_per_thread rows[STATS_ROWS];
	/* Vectors of one row, whose elements are threads or other objects. */
	STATS_VECTOR(uint64_t, 1) only[5];
	/* Sums over the workers, after an exponent, which is 0. There is one row, since VPP's exporter
	 * to Prometheus writes a TYPE line for each row. */
	STATS_VECTOR(uint64_t, 1 + STATS_VECTOR_SIZES) vector_sizes;
	stats_per_thread vector_rates, loop_rates;
	STATS_VECTOR(uint64_t, 3) heap, segment; /* total, used, free */
	STATS_INTERFACES(struct own_pair) nothing;
	struct stats_thread threads[]; /* then the area of stats_pairs.h, and a cache line at the end,
									  which some readers expect */
};
