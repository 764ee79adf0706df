/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Impairment: a port acts as a bad link on purpose and counts each fault to the packet, as a
 * reference for whoever measures loss, delay, reordering or duplicates.
 *
 * Each worker draws for itself, each kind of fault from a row of random numbers of its own, so that
 * the same seed and packets have the same fate, whatever else is set.
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
	uint64_t random[FAULTS];  /* states */
	uint64_t chances[FAULTS]; /* chance of 2^64 that a packet has it; loss: that a burst begins */
	uint64_t burst_end;       /* chance of 2^64 that a lost packet is the last of its burst */
	uint64_t delay_tsc, jitter_tsc;
	uint64_t patience_tsc; /* longest wait of a packet for one to change places with */
	bool is_losing;
	uint64_t last_due_tsc;
	struct rte_mbuf *turned; /* is to go behind the next packet; NULL: none is */
	uint64_t turned_until_tsc;
	uint32_t head, tail, slots; /* both only grow; slots is a power of two */
	struct held_packet *held;
} __attribute__((aligned(64)));

struct impairment {
	struct ws_impairment settings;
	struct impairment_lane lanes[WS_MAX_WORKERS];
};

/* By port; NULL where there is none, changed in pauses. */
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

/* Losses in a row end by a draw of their own (Gilbert's model). */
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

/* False when there is no room. */
static inline bool impairment_hold(struct impairment_lane *lane, struct rte_mbuf *packet,
								   uint64_t due_tsc)
{
	if (lane->tail - lane->head == lane->slots)
		return false;
	lane->held[lane->tail++ & (lane->slots - 1)] = (struct held_packet){packet, due_tsc};
	return true;
}

/* When a packet that comes now is due, never before the one ahead of it. */
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
