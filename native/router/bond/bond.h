/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bonds as workers see them. A change is one word, or a new copy; the old one is freed after a
 * grace period.
 */
#pragma once

#include "router/bond/lacp.h"
#include "router/module.h"
#include "wirespeed/bonds.h"

enum { BOND_BUCKETS = 256, BOND_HELD = UINT16_MAX };

/* Senders of a bond: the active members, and the member of each bucket of flows. */
struct bond_spread {
	uint16_t count; /* 0: nobody */
	uint16_t members[WS_MAX_PORTS];
	uint16_t buckets[BOND_BUCKETS]; /* BOND_HELD: by nobody, while its flows move */
};

struct bond_turn {
	uint32_t next;
} __attribute__((aligned(64)));

enum { BOND_GAUGE_STATE, BOND_GAUGE_PARTNER_STATE };

struct bond_member {
	uint16_t port;
	uint16_t number;    /* LACP's, from 1 */
	uint8_t own_mac[6]; /* that it had before */
	bool is_leaving;    /* it still sends, and gets no more to send */
	struct lacp_choices choices;
	struct lacp_port lacp;
	uint32_t gauges[STATS_MEMBER_GAUGES]; /* entries of the statistics, where there is LACP */
};

struct bond {
	struct bond_spread *spread; /* never NULL */
	struct bond *next;          /* main thread */
	uint16_t interface;
	uint8_t mode, balance;
	struct bond_turn turns[WS_MAX_WORKERS]; /* turns of round-robin */

	/* Main thread only. */
	struct ws_bond given;
	uint16_t member_count;
	struct bond_member members[WS_MAX_PORTS];
};

/* State of a port in its bond. */
enum bond_port_flag {
	BOND_MEMBER = 1,
	BOND_TAKES = 2,       /* its packets are the bond's */
	BOND_TAKES_HOSTS = 4, /* … unless it is for groups, which the active one brings as well */
	BOND_FLAG_BITS = 3,
};

struct bond_heard {
	uint32_t port;
	struct lacp_pdu pdu;
	uint8_t padding[2]; /* a ring's elements are whole words */
};

struct bond_state {
	uint32_t ports[WS_MAX_PORTS]; /* interface << BOND_FLAG_BITS | flags; 0: of no bond */
	struct bond *by_interface[WS_MAX_INTERFACES]; /* bonds and their sub-interfaces */
	struct bond *first;                           /* list of all bonds; main thread */
	struct rte_ring *heard;                       /* LACPDUs for the main thread */
	uint32_t question; /* the number of our last markers, and how many of them were answered */
	uint32_t answers;
	uint16_t count;
};

extern struct router_module bond_module;

/* NULL before the first bond. */
static inline struct bond_state *bond_state(const struct ws_router *router)
{
	return module_state(router, &bond_module);
}

/* The bond that an interface is, or is a sub-interface of; NULL when it is none, or going. */
static inline struct bond *bond_of(const struct ws_router *router, uint16_t interface)
{
	const struct bond_state *state = bond_state(router);
	return state ? __atomic_load_n(&state->by_interface[interface], __ATOMIC_ACQUIRE) : NULL;
}

/* The state, made now if need be; NULL for want of memory. */
struct bond_state *bond_make_state(struct ws_router *router);
void bond_free(struct bond *bond);

/* Any worker; false when there is no room. */
bool bond_hear(const struct ws_router *router, const struct bond_heard *heard);

/* Any worker: the other end has an end of what it got before that question. */
static inline void bond_is_answered(const struct ws_router *router, uint32_t question)
{
	struct bond_state *state = bond_state(router);
	if (question == __atomic_load_n(&state->question, __ATOMIC_ACQUIRE))
		__atomic_add_fetch(&state->answers, 1, __ATOMIC_RELEASE);
}

/* Main thread: ask the members whose flows leave them, all that go on, whether what they sent has
 * arrived, and wait for that, but not for long. */
void bond_ask(struct ws_router *router, struct bond *bond, const struct bond_spread *before,
			  const struct bond_spread *after);
/* True if the member can send. */
bool bond_member_can_send(const struct ws_router *router, const struct bond *bond,
						  const struct bond_member *member);
bool bond_can_send(const struct ws_router *router, struct bond *bond, uint16_t port);
/* Move its flows while it can still send. */
void bond_leave(struct ws_router *router, struct bond *bond, uint16_t port);
/* A member may send or take now, or no longer. */
void bond_refresh(struct ws_router *router, struct bond *bond);
/* Tell its neighbours, after another member began to send. */
void bond_announce(struct ws_router *router, const struct bond *bond);
void bond_lacp_begin(struct ws_router *router, struct bond *bond, struct bond_member *member);
/* The states of its ends in the statistics: they come and go with the member. */
void bond_gauges_add(struct ws_router *router, const struct bond *bond, struct bond_member *member);
void bond_gauges_drop(struct ws_router *router, const struct bond *bond,
					  const struct bond_member *member);
void bond_gauges_write(struct ws_router *router, const struct bond *bond);
/* The member's place, or NULL. */
struct bond_member *bond_find_member(struct bond *bond, uint16_t port);
void bond_remove_member(struct ws_router *router, struct bond *bond, uint16_t port);
