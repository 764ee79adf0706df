/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bonds as workers read them. A change is one word, or a new copy; the old one is freed after a
 * grace period.
 */
#pragma once

#include "router/bond/lacp.h"
#include "router/module.h"
#include "wirespeed/bonds.h"

enum { BOND_BUCKETS = 256, BOND_HELD = UINT16_MAX };

/* Senders of a bond: the active members, and the member of each hash bucket. */
struct bond_spread {
	uint16_t count; /* 0: no member sends */
	uint16_t members[WS_MAX_PORTS];
	uint16_t buckets[BOND_BUCKETS]; /* BOND_HELD: no member, while its flows move */
};

struct bond_turn {
	uint32_t next;
} __attribute__((aligned(64)));

enum { BOND_GAUGE_STATE, BOND_GAUGE_PARTNER_STATE };

struct bond_member {
	uint16_t port;
	uint16_t number;    /* number in LACP, from 1 */
	uint8_t own_mac[6]; /* the port's own address, restored when it leaves */
	bool is_leaving;    /* it may finish sending, but gets no new packets */
	struct lacp_choices choices;
	struct lacp_port lacp;
	uint32_t gauges[STATS_MEMBER_GAUGES]; /* entries of the statistics, for members with LACP */
};

struct bond {
	struct bond_spread *spread; /* never NULL */
	struct bond *next;          /* for the main thread */
	uint16_t interface;
	uint8_t mode, balance;
	struct bond_turn turns[WS_MAX_WORKERS]; /* round-robin positions */

	/* Main thread: settings. */
	struct ws_bond given;
	uint16_t member_count;
	struct bond_member members[WS_MAX_PORTS];
};

/* State of a port in its bond. */
enum bond_port_flag {
	BOND_MEMBER = 1,
	BOND_TAKES = 2,       /* its packets are received by the bond */
	BOND_TAKES_HOSTS = 4, /* … except to groups: the active member receives these too */
	BOND_FLAG_BITS = 3,
};

struct bond_heard {
	uint32_t port;
	struct lacp_pdu pdu;
	uint8_t padding[2]; /* the size of a ring's elements is a multiple of a word */
};

struct bond_state {
	uint32_t ports[WS_MAX_PORTS]; /* interface << BOND_FLAG_BITS | flags; 0: not in a bond */
	struct bond *by_interface[WS_MAX_INTERFACES]; /* bonds and their sub-interfaces */
	struct bond *first;                           /* list of all bonds; main thread */
	struct rte_ring *heard;                       /* LACPDUs for the main thread */
	uint32_t question; /* number of the last marker sent, and number of its replies */
	uint32_t answers;
	uint16_t count;
};

extern struct router_module bond_module;

/* NULL before the first bond. */
static inline struct bond_state *bond_state(const struct ws_router *router)
{
	return module_state(router, &bond_module);
}

/* The bond of an interface, or of its parent; NULL if there is none, or it is being deleted. */
static inline struct bond *bond_of(const struct ws_router *router, uint16_t interface)
{
	const struct bond_state *state = bond_state(router);
	return state ? __atomic_load_n(&state->by_interface[interface], __ATOMIC_ACQUIRE) : NULL;
}

/* The state, created if necessary; NULL if memory is short. */
struct bond_state *bond_make_state(struct ws_router *router);
void bond_free(struct bond *bond);

/* From any worker; false if there is no room. */
bool bond_hear(const struct ws_router *router, const struct bond_heard *heard);

/* From any worker: the other end has received all packets sent before the marker with that number.
 */
static inline void bond_is_answered(const struct ws_router *router, uint32_t question)
{
	struct bond_state *state = bond_state(router);
	if (question == __atomic_load_n(&state->question, __ATOMIC_ACQUIRE))
		__atomic_add_fetch(&state->answers, 1, __ATOMIC_RELEASE);
}

/* Main thread: send markers on those members whose flows move and which keep sending, and wait for
 * replies, but only for a short time. */
void bond_ask(struct ws_router *router, struct bond *bond, const struct bond_spread *before,
			  const struct bond_spread *after);
/* True if the member can send. */
bool bond_member_can_send(const struct ws_router *router, const struct bond *bond,
						  const struct bond_member *member);
bool bond_can_send(const struct ws_router *router, struct bond *bond, uint16_t port);
/* Move the member's flows while it can still send. */
void bond_leave(struct ws_router *router, struct bond *bond, uint16_t port);
/* Apply changes of the members' ability to send or receive. */
void bond_refresh(struct ws_router *router, struct bond *bond);
/* Announce the bond's addresses after another member has begun to send. */
void bond_announce(struct ws_router *router, const struct bond *bond);
void bond_lacp_begin(struct ws_router *router, struct bond *bond, struct bond_member *member);
/* Add the LACP states of both ends to the statistics, and remove them with the member. */
void bond_gauges_add(struct ws_router *router, const struct bond *bond, struct bond_member *member);
void bond_gauges_drop(struct ws_router *router, const struct bond *bond,
					  const struct bond_member *member);
void bond_gauges_write(struct ws_router *router, const struct bond *bond);
/* Address of the member, or NULL. */
struct bond_member *bond_find_member(struct bond *bond, uint16_t port);
void bond_remove_member(struct ws_router *router, struct bond *bond, uint16_t port);
