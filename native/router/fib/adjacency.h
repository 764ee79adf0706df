/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adjacencies: where a packet goes once its route is known, and what is written in front of it.
 *
 * Workers read them without locks; the main thread writes. The first ones are fixed (drop, local,
 * glean of each interface …). Of the others some are neighbours: an (interface, next hop) with or
 * without a known MAC address, one for each kind of packet that is sent there (link), since the
 * Ethernet type differs. Some stand above another: labels to push or to pop before it. One is taken
 * from the table by a reference (of a path, of the one above it, or of its own MAC address being
 * known) and goes back to it after the last.
 */
#pragma once

#include "wirespeed/address.h"
#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct rte_hash;

/* The edges of ip4-lookup, ip6-lookup and mpls-lookup are in this order (adjacency_nodes.h). */
enum adjacency_kind {
	ADJACENCY_NO_ROUTE = 0,
	ADJACENCY_DROP,
	ADJACENCY_UNREACHABLE,
	ADJACENCY_PROHIBIT, /* the last one that forwards nothing */
	ADJACENCY_LOCAL,
	ADJACENCY_LOAD_BALANCE, /* several paths: a load-balance node chooses */
	ADJACENCY_GLEAN,        /* attached: the destination is the next hop, and its MAC unknown */
	ADJACENCY_INCOMPLETE,   /* an IPv4 next hop whose MAC is unknown */
	ADJACENCY_INCOMPLETE6,  /* an IPv6 one */
	ADJACENCY_REWRITE,
	ADJACENCY_TABLE,    /* look again, in another table */
	ADJACENCY_LABELS,   /* push labels, then `next` */
	ADJACENCY_POP_IP4,  /* the last label went: IPv4 for `next` */
	ADJACENCY_POP_IP6,  /* or IPv6 */
	ADJACENCY_POP_MPLS, /* a label went: those below it for `next` */
	ADJACENCY_KINDS,
};

/* Indices of the fixed ones; those below coincide with their kinds. */
enum {
	ADJACENCY_FIRST_GLEAN = ADJACENCY_GLEAN,
	ADJACENCY_FIRST_NEIGHBOR = ADJACENCY_FIRST_GLEAN + WS_MAX_INTERFACES,
	ADJACENCY_NONE = -1,
};

/* Kind of the packets sent. */
enum adjacency_link { LINK_IP4 = 0, LINK_IP6, LINK_MPLS, LINKS };

enum {
	REWRITE_SIZE = WS_REWRITE_LEN,  /* room for an Ethernet header with two tags */
	ADJACENCY_RX_TABLE = UINT16_MAX /* the table of the interface that a packet came in by */
};

struct adjacency {
	union {
		/* The link's header lies at the end, so that a copy of all before the packet is right. */
		uint8_t rewrite[REWRITE_SIZE];
		/* Label stack entries, outermost first; TTL and class are 0 where those of the packet
		 * apply. */
		uint32_t labels[WS_MAX_LABELS];
	};
	uint8_t kind; /* enum adjacency_kind */
	uint8_t rewrite_len, label_count;
	bool has_own_ttl;      /* some of the labels do */
	uint8_t link;          /* enum adjacency_link, of a neighbour */
	uint16_t tx_interface; /* the logical one */
	uint16_t tx_output;    /* port whose <if>-output node sends it */
	uint16_t mtu;
	uint16_t table;     /* ADJACENCY_TABLE: index of the table, or ADJACENCY_RX_TABLE */
	uint32_t next;      /* adjacency below this one */
	uint64_t asked_tsc; /* when a worker last asked for the next hop's MAC */
} __attribute__((aligned(64)));

/* These change while packets go by it. What goes with a kind is there before the kind is. */
static inline uint8_t adjacency_kind(const struct adjacency *adjacency)
{
	return __atomic_load_n(&adjacency->kind, __ATOMIC_ACQUIRE);
}

static inline uint16_t adjacency_mtu(const struct adjacency *adjacency)
{
	return __atomic_load_n(&adjacency->mtu, __ATOMIC_RELAXED);
}

/* The longest packet that may get the labels of an adjacency of them. */
static inline uint16_t adjacency_unlabelled_mtu(const struct adjacency *adjacencies,
												const struct adjacency *labels)
{
	return (uint16_t)(adjacency_mtu(&adjacencies[labels->next]) -
					  labels->label_count * sizeof(labels->labels[0]));
}

static inline uint16_t adjacency_output(const struct adjacency *adjacency)
{
	return __atomic_load_n(&adjacency->tx_output, __ATOMIC_RELAXED);
}

/* Data of an adjacency outside of the packet path. */
struct neighbor {
	struct ws_address next_hop;
	uint32_t generation; /* workers read it: adjacency_generation; free_adjacency leaves it */
	uint32_t references;
	uint32_t next_free;            /* next free entry, 0 at the end */
	uint32_t links[LINKS];         /* neighbour: its adjacencies for other links, 0 none */
	uint32_t next_on, previous_on; /* neighbours in the list of its interface; 0: none */
	bool used;                     /* used as a neighbour on its own family's link */
	bool is_static;
	bool is_of_linux;  /* Linux told of it last */
	bool is_learnt;    /* resolved, and counted as such: not static */
	bool is_proven;    /* … and it has answered a question since */
	uint8_t state;     /* enum ws_neighbor_state of a resolved one that is not static */
	uint8_t probes;    /* sent since it was last heard of, in WS_NEIGHBOR_PROBE */
	uint16_t due_slot; /* one more than its slot of neighbor_due; 0: in none */
	uint32_t next_due, previous_due;
	uint32_t older, newer; /* neighbours in the list of learnt, unproven ones; 0: none */
	uint64_t updated_tsc;  /* when it was heard of */
	uint64_t state_tsc;    /* when it came into its state, or was last probed */
};

/* An interface for adjacencies: header, longest packet, and output node. */
struct adjacency_interface {
	uint8_t mac[6];
	uint8_t tags[8]; /* VLAN tags as on the wire: type and tag, outer first */
	uint8_t tags_len;
	uint16_t mtus[LINKS], output;
};

/* Called before an adjacency gets this index; a negative errno prevents it. */
typedef int adjacency_watch_fn(void *context, uint32_t index);

struct adjacency_table {
	struct adjacency *adjacencies;

	/* The main thread's: not in the line above. */
	struct neighbor *neighbors __attribute__((aligned(64))); /* same index */
	struct rte_hash *by_next_hop;
	struct adjacency_interface interfaces[WS_MAX_INTERFACES];
	uint32_t first_on[WS_MAX_INTERFACES]; /* with a next hop, in no order; 0: none */
	uint32_t size, first_free;
	uint32_t end; /* entries from here on were never used; debug builds check packets by it */
	uint32_t used, most;       /* neighbours */
	adjacency_watch_fn *watch; /* or NULL */
	void *watch_context;
};

/* Room for `max_neighbors`, and for `max_others` that stand above them. */
int adjacency_table_init(struct adjacency_table *table, uint32_t max_neighbors,
						 uint32_t max_others);
void adjacency_table_close(struct adjacency_table *table);

/* The neighbour (interface, next_hop), or ADJACENCY_NONE. */
int64_t adjacency_find(const struct adjacency_table *table, uint16_t interface,
					   const struct ws_address *next_hop);
/* Like adjacency_find, with a new reference; an unknown next hop gets an incomplete adjacency.
 * -ENOSPC when full. */
int64_t adjacency_take_own(struct adjacency_table *table, uint16_t interface,
						   const struct ws_address *next_hop);
/* adjacency_take_own for packets of `link`. */
int64_t adjacency_take(struct adjacency_table *table, uint16_t interface,
					   const struct ws_address *next_hop, enum adjacency_link link);
/* A new adjacency on top of `next`. It keeps the caller's reference of `next`, even on failure. */
int64_t adjacency_push(struct adjacency_table *table, const uint32_t *labels, uint8_t count,
					   uint32_t next);
int64_t adjacency_pop(struct adjacency_table *table, enum adjacency_kind kind, uint32_t next);
int64_t adjacency_lookup(struct adjacency_table *table, uint16_t index);
/* Drop a reference. The last one frees the adjacency after a grace period. Fixed ones stay. */
void adjacency_release(struct adjacency_table *table, uint32_t index);

/*
 * For a worker that keeps an index from walk to walk: it may use it as long as the generation is
 * the one that it was, and lives; which holds to the end of the walk.
 */
static inline uint32_t adjacency_generation(const struct adjacency_table *table, uint32_t index)
{
	return __atomic_load_n(&table->neighbors[index].generation, __ATOMIC_ACQUIRE);
}

static inline bool adjacency_lives(uint32_t generation)
{
	return generation % 2 == 0;
}

/* Resolve the neighbour to `mac`. In a pause of the workers if it has another MAC address, since
 * they must not read a rewrite that is half changed. */
void adjacency_resolve(struct adjacency_table *table, uint32_t index, const uint8_t *mac);
void adjacency_unresolve(struct adjacency_table *table, uint32_t index);
/*
 * Iterate over the adjacencies with a next hop on the interface, of all links; 0 after the last.
 * The current one is held by a reference, so it may be released meanwhile.
 */
uint32_t adjacency_first_on(struct adjacency_table *table, uint16_t interface);
uint32_t adjacency_next_on(struct adjacency_table *table, uint32_t index);

/* The interface's MTU changed; or its header, in a pause of the workers. */
void adjacency_set_interface(struct adjacency_table *table, uint16_t interface,
							 const struct adjacency_interface *config);

static inline bool adjacency_is_resolved(const struct adjacency_table *table, uint32_t index)
{
	return table->adjacencies[index].kind == ADJACENCY_REWRITE;
}

/* The MAC address of a resolved neighbour. */
static inline const uint8_t *adjacency_mac(const struct adjacency *adjacency)
{
	return adjacency->rewrite + REWRITE_SIZE - adjacency->rewrite_len;
}
