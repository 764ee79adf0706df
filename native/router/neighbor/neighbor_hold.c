/* SPDX-License-Identifier: Apache-2.0 */
/* Packets held for neighbours: listed, and dropped with their RX or TX interface. */
#include "dev/rcu.h"
#include "router/interface/interface_change.h"
#include "router/router.h"
#include "wirespeed/neighbors.h"

#include <rte_cycles.h>

static int watch_held(struct ws_router *router, uint16_t index, enum interface_change change)
{
	if (change != INTERFACE_LEAVES)
		return 0;
	/* Wait for packets received before the interface went down. */
	rcu_synchronize();
	if (!hold_is_used(router))
		return 0;
	router_pause(router);
	for (uint16_t i = 0; i < router->worker_count; i++)
		hold_forget(router->workers[i], index);
	router_resume(router);
	return 0;
}
INTERFACE_WATCH(watch_held)

static uint32_t list_held(const struct ws_router *router, uint16_t worker, struct ws_held *out,
						  uint32_t max)
{
	const struct hold *hold = &router->workers[worker]->hold;
	uint64_t now = rte_rdtsc();
	uint32_t n = 0;
	for (uint32_t i = 0; i < HOLD_HOPS; i++) {
		const struct held_hop *hop = &hold->hops[i];
		if (!hop->count || n++ >= max)
			continue;
		out[n - 1] = (struct ws_held){
			.next_hop = hop->to.next_hop,
			.interface = hop->to.interface,
			.worker = worker,
			.packets = hop->count,
			.waiting_s = (double)(now - hop->since_tsc) / (double)router->tsc_hz,
		};
	}
	return n;
}

int ws_router_held(struct ws_router *router, struct ws_held *out, uint32_t max)
{
	uint32_t n = 0;
	if (!hold_is_used(router))
		return 0;
	router_pause(router);
	for (uint16_t i = 0; i < router->worker_count; i++)
		n += list_held(router, i, n < max ? out + n : out, n < max ? max - n : 0);
	router_resume(router);
	return (int)n;
}
