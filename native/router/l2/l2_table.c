/* SPDX-License-Identifier: Apache-2.0 */
/* The table of layer 2, which lives as long as the router. */
#include "router/l2/l2.h"

#include <stdlib.h>

static int l2_make(struct ws_router *router)
{
	struct l2_table *table = l2_table(router);
	for (int i = 0; i < WS_MAX_INTERFACES; i++)
		table->interfaces[i] = (struct l2_interface){
			.xconnect_to = L2_NOWHERE,
			.plain_to = L2_NOWHERE,
			.plain_output = L2_NOWHERE,
		};
	return 0;
}

static void l2_free(struct ws_router *router)
{
	struct l2_table *table = l2_table(router);
	if (!table)
		return;
	for (int i = 0; i < L2_MAX_DOMAINS; i++)
		free(table->domains[i].members);
	free(table->fib);
}

ROUTER_MODULE_EXTERN(l2_module, .name = "l2", .state_size = sizeof(struct l2_table),
					 .make = l2_make, .free = l2_free)
