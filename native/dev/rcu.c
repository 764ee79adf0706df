/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/rcu.h"

#include "dev/error.h"
#include "dev/worker.h"

#include <errno.h>
#include <rte_malloc.h>

struct rte_rcu_qsbr *rcu_state;

int rcu_init(void)
{
	size_t size = rte_rcu_qsbr_get_memsize(workers_count());
	rcu_state = rte_zmalloc("rcu", size, RTE_CACHE_LINE_SIZE);
	if (!rcu_state || rte_rcu_qsbr_init(rcu_state, workers_count()))
		return fail(-ENOMEM, "no memory for the state of %u workers", workers_count());
	return 0;
}

void rcu_close(void)
{
	rte_free(rcu_state);
	rcu_state = NULL;
}

void rcu_synchronize(void)
{
	if (!rcu_state)
		return; /* so there is no worker that reads */
	uint64_t token = rte_rcu_qsbr_start(rcu_state);
	for (uint32_t looks = 0; rte_rcu_qsbr_check(rcu_state, token, false) != 1; looks++)
		wait_for_thread(looks);
}
