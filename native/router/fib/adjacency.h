/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adjacencies: the target of a packet after the route lookup, and the header for it. Workers read
 * them without locks; the main thread writes.
 *
 * The first ones are fixed (drop, local, glean of each interface …). Of the others some are
 * neighbours: an (interface, next hop) with or without a known MAC address, one per kind of packet
 * (link), since Ethernet types differ. Others stand in front of another adjacency: they push or pop
 * labels. Adjacencies have reference counts: a path, another adjacency or the neighbour's own MAC
 * address holds a reference. The last release frees the adjacency.
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
	ADJACENCY_PROHIBIT, /* the last kind that does not forward */
	ADJACENCY_LOCAL,
	ADJACENCY_LOAD_BALANCE, /* several paths: a load-balance node chooses */
	ADJACENCY_GLEAN,       /* attached: the destination is the next hop, with unknown MAC address */
	ADJACENCY_INCOMPLETE,  /* an IPv4 next hop with unknown MAC address */
	ADJACENCY_INCOMPLETE6, /* an IPv6 next hop with unknown MAC address */
	ADJACENCY_REWRITE,
	ADJACENCY_TABLE,    /* another lookup, in another table */
	ADJACENCY_LABELS,   /* push labels, then `next` */
	ADJACENCY_POP_IP4,  /* last label popped: an IPv4 packet for `next` */
	ADJACENCY_POP_IP6,  /* last label popped: an IPv6 packet for `next` */
	ADJACENCY_POP_MPLS, /* label popped: a packet with further labels for `next` */
	ADJACENCY_KINDS,
};

/* Indices of the fixed adjacencies; lower indices equal the kinds. */
enum {
	ADJACENCY_FIRST_GLEAN = ADJACENCY_GLEAN,
	ADJACENCY_FIRST_NEIGHBOR = ADJACENCY_FIRST_GLEAN + WS_MAX_INTERFACES,
	ADJACENCY_NONE = -1,
};

/* Kind of the packets sent. */
enum adjacency_link { LINK_IP4 = 0, LINK_IP6, LINK_MPLS, LINKS };

enum {
	REWRITE_SIZE = WS_REWRITE_LEN,  /* room for an Ethernet header with two tags */
	ADJACENCY_RX_TABLE = UINT16_MAX /* the table of the packet's RX interface */
};

struct adjacency {
	union {
		/* The header is right-aligned, so that the whole array can be copied in front of the
		 * packet. */
		uint8_t rewrite[REWRITE_SIZE];
		/* Label stack entries, outermost first; TTL and class are 0 if the packet's apply. */
		uint32_t labels[WS_MAX_LABELS];
	};
	uint8_t kind; /* enum adjacency_kind */
	uint8_t rewrite_len, label_count;
	bool has_own_ttl;      /* some label has a TTL of its own */
	uint8_t link;          /* enum adjacency_link; for neighbours */
	uint16_t tx_interface; /* logical interface */
	uint16_t tx_output;    /* port whose <if>-output node sends the packet */
	uint16_t mtu;
	uint16_t table;     /* ADJACENCY_TABLE: index of the table, or ADJACENCY_RX_TABLE */
	uint32_t next;      /* the next adjacency */
	uint64_t asked_tsc; /* when a worker last asked for the next hop's MAC */
} __attribute__((aligned(64)));

/* These change while packets pass. Data that belongs to a kind is written before the kind. */
static inline uint8_t adjacency_kind(const struct adjacency *adjacency)
{
	return __atomic_load_n(&adjacency->kind, __ATOMIC_ACQUIRE);
}

static inline uint16_t adjacency_mtu(const struct adjacency *adjacency)
{
	return __atomic_load_n(&adjacency->mtu, __ATOMIC_RELAXED);
}

/* The longest packet that fits with the labels of a label adjacency. */
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

/* Data of an adjacency that the packet path does not use. */
struct neighbor {
	struct ws_address next_hop;
	uint32_t generation; /* read by workers with adjacency_generation; kept by free_adjacency */
	uint32_t references;
	uint32_t next_free;            /* next free entry, 0 at the end */
	uint32_t links[LINKS];         /* neighbour: its adjacencies for other links; 0: none */
	uint32_t next_on, previous_on; /* neighbours in the list of its interface; 0: none */
	bool used;                     /* a neighbour on the link of its own family */
	bool is_static;
	bool is_of_linux;  /* last set by Linux */
	bool is_learnt;    /* resolved dynamically, and counted as learnt */
	bool is_proven;    /* … and it has replied to a request since */
	uint8_t state;     /* enum ws_neighbor_state of a resolved neighbour that is not static */
	uint8_t probes;    /* sent since the last message from it, in WS_NEIGHBOR_PROBE */
	uint16_t due_slot; /* its slot of neighbor_due plus 1; 0: none */
	uint32_t next_due, previous_due;
	uint32_t older, newer; /* list of learnt, unproven neighbours; 0: none */
	uint64_t updated_tsc;  /* time of the last message from it */
	uint64_t state_tsc;    /* time of the last change of its state, or of the last probe */
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

	/* Main thread: not in the cache lines above. */
	struct neighbor *neighbors __attribute__((aligned(64))); /* same index */
	struct rte_hash *by_next_hop;
	struct adjacency_interface interfaces[WS_MAX_INTERFACES];
	uint32_t first_on[WS_MAX_INTERFACES]; /* neighbours by interface, unordered; 0: none */
	uint32_t size, first_free;
	uint32_t end; /* entries from here on were never used; debug builds check packets against it */
	uint32_t used, most;       /* neighbours */
	adjacency_watch_fn *watch; /* or NULL */
	void *watch_context;
};

/* Room for `max_neighbors` neighbours and `max_others` other adjacencies. */
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
/* A new label adjacency in front of `next`. It takes over the caller's reference of `next`, even on
 * failure. */
int64_t adjacency_push(struct adjacency_table *table, const uint32_t *labels, uint8_t count,
					   uint32_t next);
int64_t adjacency_pop(struct adjacency_table *table, enum adjacency_kind kind, uint32_t next);
int64_t adjacency_lookup(struct adjacency_table *table, uint16_t index);
/* Drop a reference. The last one frees the adjacency after a grace period. Fixed ones stay. */
void adjacency_release(struct adjacency_table *table, uint32_t index);

/*
 * For a worker that stores an index between walks: the index is valid while the generation is the
 * stored one and alive; this holds until the end of the walk.
 */
static inline uint32_t adjacency_generation(const struct adjacency_table *table, uint32_t index)
{
	return __atomic_load_n(&table->neighbors[index].generation, __ATOMIC_ACQUIRE);
}

static inline bool adjacency_lives(uint32_t generation)
{
	return generation % 2 == 0;
}

/* Set the neighbour's MAC address. If it had another one, workers must be paused, since they must
 * not read a half-changed rewrite. */
void adjacency_resolve(struct adjacency_table *table, uint32_t index, const uint8_t *mac);
void adjacency_unresolve(struct adjacency_table *table, uint32_t index);
/*
 * Iterate over the adjacencies with a next hop on the interface, of all links; 0 after the last.
 * The current one is held by a reference, so it may be released by others.
 */
uint32_t adjacency_first_on(struct adjacency_table *table, uint16_t interface);
uint32_t adjacency_next_on(struct adjacency_table *table, uint32_t index);

/* Apply a change of the interface's MTU, or of its header; the latter while workers are paused. */
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
