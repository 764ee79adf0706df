/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adjacencies: where a packet goes once its route is known, and what is written in front of it.
 *
 * Workers read them without locks; the main thread writes. The first ones are fixed (drop, local,
 * glean of each interface …), the others are neighbours: an (interface, next hop) with or without a
 * known MAC address. One is taken from the table by a reference (of a route's path, or of its own
 * MAC address being known) and goes back to it after the last.
 */
#ifndef ROUTER_ADJACENCY_H
#define ROUTER_ADJACENCY_H

#include "wirespeed.h"

#include <stdbool.h>
#include <stdint.h>

struct rte_hash;

/* ip4-lookup's edges are in this order. */
enum adjacency_kind {
	ADJACENCY_NO_ROUTE = 0,
	ADJACENCY_DROP,
	ADJACENCY_LOCAL,
	ADJACENCY_LOAD_BALANCE, /* several paths: ip4-load-balance chooses */
	ADJACENCY_GLEAN,        /* attached: the destination is the next hop, and its MAC unknown */
	ADJACENCY_INCOMPLETE,   /* a next hop whose MAC is unknown */
	ADJACENCY_REWRITE,
};

/* Indices of the fixed ones; those below coincide with their kinds. */
enum {
	ADJACENCY_FIRST_GLEAN = ADJACENCY_GLEAN,
	ADJACENCY_FIRST_NEIGHBOR = ADJACENCY_FIRST_GLEAN + WS_MAX_PORTS,
	ADJACENCY_NONE = -1,
};

struct adjacency {
	uint8_t rewrite[14]; /* Ethernet header */
	uint16_t tx_interface;
	uint16_t mtu;
	uint8_t kind;       /* enum adjacency_kind */
	uint32_t next_hop;  /* 0 for a glean */
	uint64_t asked_tsc; /* when a worker last sent an ARP request for next_hop */
} __attribute__((aligned(64)));

/* What only the main thread needs to know of a neighbour. */
struct neighbor {
	uint32_t references;
	uint32_t next_free; /* of a free one: the next, 0 at the end */
	bool used, is_static;
	uint64_t updated_tsc;
};

struct adjacency_table {
	struct adjacency *adjacencies;
	struct neighbor *neighbors; /* same index */
	struct rte_hash *by_next_hop;
	uint32_t size, first_free, used;
};

int adjacency_table_init(struct adjacency_table *table, uint32_t max_neighbors);
void adjacency_table_close(struct adjacency_table *table);

/* The neighbour (interface, next_hop), or ADJACENCY_NONE. */
int64_t adjacency_find(const struct adjacency_table *table, uint16_t interface, uint32_t next_hop);
/* As above, made incomplete when there is none, with one reference more; -ENOSPC when full. */
int64_t adjacency_take(struct adjacency_table *table, uint16_t interface, uint32_t next_hop,
					   uint16_t mtu);
/* One reference less; the last one frees it, after the workers have let go of it. */
void adjacency_release(struct adjacency_table *table, uint32_t index);

/* Resolve the neighbour to `mac`, from `own_mac`; an old rewrite is never seen half changed. */
void adjacency_resolve(struct adjacency_table *table, uint32_t index, const uint8_t *mac,
					   const uint8_t *own_mac);
void adjacency_unresolve(struct adjacency_table *table, uint32_t index);
/* The interface's MAC address or MTU changed. */
void adjacency_set_source(struct adjacency_table *table, uint16_t interface,
						  const uint8_t *own_mac);
void adjacency_set_mtu(struct adjacency_table *table, uint16_t interface, uint16_t mtu);

static inline bool adjacency_is_resolved(const struct adjacency_table *table, uint32_t index)
{
	return table->adjacencies[index].kind == ADJACENCY_REWRITE;
}

#endif
