/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quiescent-state reclamation: each worker reports once per loop that it holds no pointers; the
 * main thread waits for these reports.
 */
#pragma once

#include <rte_rcu_qsbr.h>
#include <stdint.h>

extern struct rte_rcu_qsbr *rcu_state;

int rcu_init(void); /* for all workers */
void rcu_close(void);
/* Main thread: returns when no worker can see what was unlinked before the call. */
void rcu_synchronize(void);

static inline void rcu_online(uint16_t worker)
{
	rte_rcu_qsbr_thread_register(rcu_state, worker);
	rte_rcu_qsbr_thread_online(rcu_state, worker);
}

static inline void rcu_quiescent(uint16_t worker)
{
	rte_rcu_qsbr_quiescent(rcu_state, worker);
}

/* Called around a sleep, in which the worker holds no pointers. */
static inline void rcu_rest(uint16_t worker)
{
	rte_rcu_qsbr_thread_offline(rcu_state, worker);
}

static inline void rcu_wake(uint16_t worker)
{
	rte_rcu_qsbr_thread_online(rcu_state, worker);
}

static inline void rcu_offline(uint16_t worker)
{
	rte_rcu_qsbr_thread_offline(rcu_state, worker);
	rte_rcu_qsbr_thread_unregister(rcu_state, worker);
}
