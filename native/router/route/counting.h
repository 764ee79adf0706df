/* SPDX-License-Identifier: Apache-2.0 */
/* Routes outside the IPv4 and IPv6 tables that have counters as well. */
#pragma once

#include "router/router.h"

struct counted_routes {
	/* Put counting_value() in the place of what stands for each route; a negative errno ends it. */
	int (*settle)(struct ws_router *router);
	struct counted_routes *next;
};

void counted_routes_register(struct counted_routes *routes);
/* The value of a route in place of `before`, or a negative errno. The caller releases `before` if
 * the value is another one. */
int64_t counting_value(struct load_balance_table *table, uint32_t before);

/* At the foot of a control file. */
#define COUNTED_ROUTES(function)                                                                   \
	__attribute__((constructor)) static void counted_routes_##function(void)                       \
	{                                                                                              \
		static struct counted_routes routes = {.settle = (function)};                              \
		counted_routes_register(&routes);                                                          \
	}
