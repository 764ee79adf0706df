/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "router/module.h"
#include "wirespeed/dad.h"
#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

enum { DAD_MOST_CONFLICTS = 64 }; /* conflicts kept until they are read; further ones are dropped */

struct dad_probe {
	struct ws_address address;
	uint16_t interface;
	uint8_t sent;
	bool is_duplicate;
	uint64_t due_tsc;
};

struct dad {
	uint8_t transmits; /* default for new interfaces */
	struct dad_probe *probes;
	uint32_t count, capacity;
	uint32_t conflict_count;
	struct ws_dad_conflict conflicts[DAD_MOST_CONFLICTS];
	bool begins_anew[WS_MAX_INTERFACES]; /* the interface came up: its addresses are tentative again
										  */
	uint32_t anew_count;
};

extern struct router_module dad_module;

/* NULL before an address is first probed. */
static inline struct dad *dad_of(const struct ws_router *router)
{
	return module_state(router, &dad_module);
}

/* address.c: add an address of the interface to those in use, or remove it. */
int address_settle(struct ws_router *router, uint16_t index, const struct ws_address *address,
				   bool is_used);
