/* SPDX-License-Identifier: Apache-2.0 */
/* Layer 2: cross-connects, bridge domains and the rewriting of VLAN tags. */
#pragma once

#include "router/l2/l2fib.h"
#include "router/module.h"
#include "wire/vlan.h"
#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

enum { L2_MAX_DOMAINS = 256, L2_NO_DOMAIN = 0, L2_NOWHERE = UINT16_MAX };

/* Layer 2 data of an interface, for workers. */
struct l2_interface {
	uint16_t domain;      /* index of its bridge domain, or L2_NO_DOMAIN */
	uint16_t xconnect_to; /* interface, or L2_NOWHERE */
	uint8_t
		shg; /* split-horizon group: members of a group other than 0 send each other no frames */
	bool is_bvi;
	/* For the usual cases, otherwise L2_NOWHERE: plain_to is the target of all received frames,
	 * unchanged; plain_output is the place in "*-output" for sent frames, without a check of groups
	 * or tags. */
	uint16_t plain_to, plain_output;
	uint16_t longest; /* longest frame of its port, without tags */
	struct vlan_rewrite in, out;
} __attribute__((aligned(32)));

/* The main thread changes these while workers read. */
static inline uint16_t l2_domain_of(const struct l2_interface *interface)
{
	return __atomic_load_n(&interface->domain, __ATOMIC_RELAXED);
}

static inline uint16_t l2_xconnect_to(const struct l2_interface *interface)
{
	return __atomic_load_n(&interface->xconnect_to, __ATOMIC_RELAXED);
}

static inline uint8_t l2_shg(const struct l2_interface *interface)
{
	return __atomic_load_n(&interface->shg, __ATOMIC_RELAXED);
}

static inline bool l2_is_bvi(const struct l2_interface *interface)
{
	return __atomic_load_n(&interface->is_bvi, __ATOMIC_ACQUIRE);
}

static inline uint16_t l2_plain_to(const struct l2_interface *interface)
{
	return __atomic_load_n(&interface->plain_to, __ATOMIC_RELAXED);
}

static inline uint16_t l2_plain_output(const struct l2_interface *interface)
{
	return __atomic_load_n(&interface->plain_output, __ATOMIC_RELAXED);
}

static inline uint16_t l2_longest(const struct l2_interface *interface)
{
	return __atomic_load_n(&interface->longest, __ATOMIC_RELAXED);
}

struct l2_member {
	uint16_t interface;
	uint8_t shg;
	bool is_bvi;
};

struct l2_members {
	uint16_t count;
	struct l2_member at[];
};

struct l2_domain {
	struct l2_members *members; /* NULL: the domain does not exist */
	bool learn, forward, flood, uu_flood;
	uint8_t age_min; /* 0: addresses do not expire */
	uint16_t bvi;    /* interface, or L2_NOWHERE */
	uint32_t id;
};

struct l2_table {
	struct l2_interface interfaces[WS_MAX_INTERFACES];
	struct l2_domain domains[L2_MAX_DOMAINS];
	struct l2fib *fib; /* created with the first domain */
	/* Main thread. */
	uint16_t crossed_to[WS_MAX_INTERFACES]; /* interfaces cross-connected to it */
	uint64_t next_age_tsc;
} __attribute__((aligned(64)));

extern struct router_module l2_module;

static inline struct l2_table *l2_table(const struct ws_router *router)
{
	return module_state(router, &l2_module);
}

/* Update plain_to and plain_output of the interface after a change. */
void l2_update_plain(struct ws_router *router, uint16_t index);
/* Index of the bridge domain with the user's number `id`, or L2_NO_DOMAIN. */
uint16_t l2_find_domain(const struct ws_router *router, uint32_t id);
/* Like l2_find_domain, but makes a missing domain; a negative errno on failure. */
int l2_take_domain(struct ws_router *router, uint32_t id);
void l2_publish_members(struct l2_domain *domain, struct l2_members *members);
/* Direct frames for the MAC address of a BVI to the router. */
int l2_add_own_address(struct ws_router *router, uint16_t index, uint16_t domain);

static inline uint32_t l2_second(uint64_t tsc, uint64_t tsc_hz)
{
	return (uint32_t)(tsc / tsc_hz);
}
