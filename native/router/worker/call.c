/* SPDX-License-Identifier: Apache-2.0 */
#include "router/worker/call.h"

#include "dev/worker.h"
#include "router/router.h"

static bool is_answered(const struct ws_router *router)
{
	for (uint16_t i = 0; i < router->worker_count; i++)
		if (__atomic_load_n(&router->workers[i]->call, __ATOMIC_ACQUIRE))
			return false;
	return true;
}

void workers_call(struct ws_router *router, worker_call_fn *function, void *argument)
{
	const struct worker_call call = {function, argument};
	if (!router->running || router->pause_depth) {
		for (uint16_t i = 0; i < router->worker_count; i++)
			function(router, i, argument);
		return;
	}
	for (uint16_t i = 0; i < router->worker_count; i++)
		__atomic_store_n(&router->workers[i]->call, &call, __ATOMIC_RELEASE);
	workers_wake();
	for (uint32_t looks = 0; !is_answered(router); looks++)
		wait_for_thread(looks);
}

void worker_answer(struct ws_router *router, uint16_t index)
{
	struct router_worker *worker = router->workers[index];
	const struct worker_call *call = __atomic_load_n(&worker->call, __ATOMIC_ACQUIRE);
	call->function(router, index, call->argument);
	__atomic_store_n(&worker->call, NULL, __ATOMIC_RELEASE);
}
