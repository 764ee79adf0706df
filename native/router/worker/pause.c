/* SPDX-License-Identifier: Apache-2.0 */
/* Pauses: workers wait outside of their graphs while data that they must not see half changed is
 * changed. */
#include "dev/rcu.h"
#include "dev/worker.h"
#include "router/router.h"
#include "router/worker/call.h"

void router_park(struct ws_router *router, uint16_t index)
{
	uint64_t since = graph_tsc();
	rcu_offline(index);
	__atomic_add_fetch(&router->parked, 1, __ATOMIC_ACQ_REL);
	for (uint32_t looks = 0; router_is_paused(router) && !workers_are_stopping(); looks++)
		wait_for_thread(looks);
	__atomic_sub_fetch(&router->parked, 1, __ATOMIC_ACQ_REL);
	rcu_online(index);
	worker_has_rested(router->workers[index], since, UINT64_MAX);
}

void router_pause(struct ws_router *router)
{
	if (router->pause_depth++ || !router->running)
		return;
	__atomic_store_n(&router->paused, true, __ATOMIC_RELEASE);
	workers_wake();
	for (uint32_t looks = 0;
		 __atomic_load_n(&router->parked, __ATOMIC_ACQUIRE) < router->worker_count; looks++)
		wait_for_thread(looks);
}

/* All workers have left the pause before this returns, so that the next pause counts from 0. */
void router_resume(struct ws_router *router)
{
	if (--router->pause_depth)
		return;
	__atomic_store_n(&router->paused, false, __ATOMIC_RELEASE);
	for (uint32_t looks = 0; __atomic_load_n(&router->parked, __ATOMIC_ACQUIRE); looks++)
		wait_for_thread(looks);
}
