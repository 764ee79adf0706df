/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unicast reverse path forwarding: the interfaces that check the route back to a packet's
 * source.
 */
#pragma once

#include "router/module.h"

enum urpf_direction { URPF_RX, URPF_TX, URPF_DIRECTIONS };

enum {
	URPF_OWN_TABLE = UINT16_MAX, /* that of the interface */
	URPF_MAX_ACCEPTED = 256,     /* searched linearly */
};

/* Sources that need no route. A list is never changed, only replaced. */
struct urpf_accepted {
	uint32_t count;
	struct {
		uint16_t table; /* index of the table */
		struct ws_prefix prefix;
	} at[];
};

/* Settings per interface. */
struct urpf {
	uint8_t modes[URPF_DIRECTIONS][FAMILIES][WS_MAX_INTERFACES]; /* enum ws_urpf_mode */
	uint16_t tables[URPF_DIRECTIONS][FAMILIES][WS_MAX_INTERFACES];
	struct urpf_accepted *accepted; /* NULL: none */
};

extern struct router_module urpf_module;

/* NULL before it is first set. */
static inline struct urpf *urpf_of(const struct ws_router *router)
{
	return module_state(router, &urpf_module);
}

/* The index of the table in which the sources of the interface's packets are looked up. */
static inline uint16_t urpf_table(const struct ws_router *router, const struct urpf *urpf,
								  enum urpf_direction direction, int family, uint16_t interface)
{
	uint16_t table = __atomic_load_n(&urpf->tables[direction][family][interface], __ATOMIC_RELAXED);
	return table == URPF_OWN_TABLE ? interface_table(&router->interfaces[interface], family)
								   : table;
}
