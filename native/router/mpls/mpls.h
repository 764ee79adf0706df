/* SPDX-License-Identifier: Apache-2.0 */
/* The table of labels. */
#pragma once

#include "router/module.h"
#include "wire/mpls.h"

/* Number of routes: a label at the bottom of the stack has a route of its own. */
enum { MPLS_ROUTES = 2 * (MPLS_MAX_LABEL + 1) };
static inline uint32_t mpls_route_index(uint32_t label, bool bottom)
{
	return label << 1 | bottom;
}

struct mpls_table {
	uint32_t routes[MPLS_ROUTES]; /* load balances by mpls_route_index */
	/* Main thread: number of routes, and how many of them are the router's own. */
	uint32_t count, reserved;
};

extern struct router_module mpls_module;

/* NULL if there is no table. */
static inline struct mpls_table *mpls_table(const struct ws_router *router)
{
	return module_state(router, &mpls_module);
}
