/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Impairment: a port deliberately acts as a bad link and counts each fault, as a reference for
 * measurements of loss, delay, reordering or duplicates. Each worker draws separately, and each
 * kind of fault from its own sequence of random numbers: the same seed and packets give the same
 * faults, independent of other settings.
 */
#pragma once

#include "router/module.h"
#include "wire/splitmix.h"
#include "wirespeed/impairment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rte_mbuf;

enum impairment_fault { FAULT_LOSS, FAULT_DUPLICATE, FAULT_REORDER, FAULT_JITTER, FAULTS };

/* Counters of the node, in this order. */
enum impairment_counter {
	IMPAIRMENT_LOST,
	IMPAIRMENT_DUPLICATED,
	IMPAIRMENT_REORDERED,
	IMPAIRMENT_DELAYED,
	IMPAIRMENT_NO_ROOM,
	IMPAIRMENT_NO_COPY,
	IMPAIRMENT_COUNTERS,
};

struct held_packet {
	struct rte_mbuf *packet;
	uint64_t due_tsc;
};

/* Lane of a worker and port: written by the worker, and in pauses by the main thread. */
struct impairment_lane {
	uint64_t random[FAULTS];  /* state of the random sequences */
	uint64_t chances[FAULTS]; /* chance, of 2^64, that a packet has the fault; loss: that a burst
								 begins */
	uint64_t burst_end;       /* chance, of 2^64, that a lost packet is the last one of its burst */
	uint64_t delay_tsc, jitter_tsc;
	uint64_t patience_tsc; /* maximum wait of a reordered packet for the next one */
	bool is_losing;
	uint64_t last_due_tsc;
	struct rte_mbuf *turned; /* waits to follow the next packet; NULL: none */
	uint64_t turned_until_tsc;
	uint32_t head, tail, slots; /* head and tail are never reduced; slots is a power of two */
	struct held_packet *held;
} __attribute__((aligned(64)));

struct impairment {
	struct ws_impairment settings;
	struct impairment_lane lanes[WS_MAX_WORKERS];
};

/* By port; NULL: none. Changed in pauses. */
struct impairments {
	struct impairment *of[WS_MAX_PORTS];
};

extern struct router_module impairment_module;

/* The impairment of a port, or NULL. */
static inline struct impairment *impairment_at(const struct ws_router *router, uint16_t port)
{
	const struct impairments *all = module_state(router, &impairment_module);
	return all ? __atomic_load_n(&all->of[port], __ATOMIC_ACQUIRE) : NULL;
}

static inline bool impairment_befalls(struct impairment_lane *lane, enum impairment_fault fault)
{
	return lane->chances[fault] && splitmix_draw(&lane->random[fault]) < lane->chances[fault];
}

/* Consecutive losses end by a draw of their own (Gilbert's model). */
static inline bool impairment_loses(struct impairment_lane *lane)
{
	if (lane->is_losing && lane->burst_end)
		lane->is_losing = splitmix_draw(&lane->random[FAULT_LOSS]) >= lane->burst_end;
	else
		lane->is_losing = impairment_befalls(lane, FAULT_LOSS);
	return lane->is_losing;
}

/* Number of held packets, including one that waits to be reordered. */
static inline uint32_t impairment_held(const struct impairment_lane *lane)
{
	return lane->tail - lane->head + (lane->turned != NULL);
}

/* False if there is no room. */
static inline bool impairment_hold(struct impairment_lane *lane, struct rte_mbuf *packet,
								   uint64_t due_tsc)
{
	if (lane->tail - lane->head == lane->slots)
		return false;
	lane->held[lane->tail++ & (lane->slots - 1)] = (struct held_packet){packet, due_tsc};
	return true;
}

/* Due time of a packet that comes now, never before that of its predecessor. */
static inline uint64_t impairment_due(struct impairment_lane *lane, uint64_t now)
{
	uint64_t due = now + lane->delay_tsc;
	if (lane->jitter_tsc)
		due += (uint64_t)((unsigned __int128)splitmix_draw(&lane->random[FAULT_JITTER]) *
							  lane->jitter_tsc >>
						  64);
	if (due < lane->last_due_tsc)
		due = lane->last_due_tsc;
	return lane->last_due_tsc = due;
}
