/* SPDX-License-Identifier: Apache-2.0 */
/* The router's seed for the selection of paths, and the fields of the flow hash. */
#include "dev/error.h"
#include "dev/seed.h"
#include "router/module.h"
#include "router/route/route.h"
#include "wire/splitmix.h"

#include <errno.h>

/* An odd multiplier that depends on all bits of the seed; see flow_hash.h. */
static uint64_t factor_of(uint32_t seed)
{
	uint64_t state = seed;
	return splitmix_draw(&state) | 1;
}

void ws_router_set_flow_hash_seed(struct ws_router *router, uint32_t seed)
{
	router->flow_hash_seed = seed;
	__atomic_store_n(&router->flow_hash_factor, factor_of(seed), __ATOMIC_RELAXED);
}

uint32_t ws_router_flow_hash_seed(const struct ws_router *router)
{
	return router->flow_hash_seed;
}

static bool has_chosen(const struct ws_router *router)
{
	for (int family = 0; family < FAMILIES; family++)
		for (uint32_t i = 0; i < router->table_end[family]; i++) {
			const struct fib_table *table = router->tables[family][i];
			if (table && table->flow_hash != fib_flow_hash(table->family))
				return true;
		}
	return false;
}

int ws_router_set_flow_hash(struct ws_router *router, uint8_t family, uint32_t id, uint32_t fields)
{
	enum { ORDER = WS_FLOW_REVERSE | WS_FLOW_SYMMETRIC };
	struct fib_table *table = router_table(router, family, id);
	if (!table)
		return -ENOENT;
	if (fields & ~(uint32_t)WS_FLOW_FIELDS)
		return fail(-EINVAL, "0x%x has unknown flow-hash fields", fields);
	if (family == WS_IP4)
		fields &= ~(uint32_t)WS_FLOW_LABEL;
	if (!(fields & ~(uint32_t)ORDER))
		return fail(-EINVAL, "the flow hash needs at least one field of IPv%u", family);
	__atomic_store_n(&table->flow_hash, fields, __ATOMIC_RELAXED);
	router_set_extra(router, EXTRA_FLOW_FIELDS, has_chosen(router));
	return 0;
}

static int draw_seed(struct ws_router *router)
{
	ws_router_set_flow_hash_seed(router, (uint32_t)seed_random());
	return 0;
}

ROUTER_MODULE(flow_hash_module, .name = "flow-hash", .is_trunk = true, .make = draw_seed)
