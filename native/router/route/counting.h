/* SPDX-License-Identifier: Apache-2.0 */
/* Routes with counters outside of the IPv4 and IPv6 tables. */
#pragma once

#include "router/router.h"

struct counted_routes {
	/* Replace the value of each route by that of counting_value(); a negative errno ends it. */
	int (*settle)(struct ws_router *router);
	struct counted_routes *next;
};

void counted_routes_register(struct counted_routes *routes);
/* The value of a route that replaces `before`, or a negative errno. If it differs, the caller
 * releases `before`. */
int64_t counting_value(struct load_balance_table *table, uint32_t before);

/* Placed at the foot of a control file. */
#define COUNTED_ROUTES(function)                                                                   \
	__attribute__((constructor)) static void counted_routes_##function(void)                       \
	{                                                                                              \
		static struct counted_routes routes = {.settle = (function)};                              \
		counted_routes_register(&routes);                                                          \
	}
