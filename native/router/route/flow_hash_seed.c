/* SPDX-License-Identifier: Apache-2.0 */
/* The router's own number in the choice of paths. */
#include "router/router.h"

/* Odd, and of all its bits: what flow_hash.h multiplies by (David Stafford's mix 13). */
static uint64_t factor_of(uint32_t seed)
{
	uint64_t bits = seed + 0x9e3779b97f4a7c15u;
	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
	return (bits ^ bits >> 31) | 1;
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
