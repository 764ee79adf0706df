/* SPDX-License-Identifier: Apache-2.0 */
/* An extra copy of a packet, for flooding and broadcasts. */
#pragma once

#include "dev/pool.h"
#include "router/observe/trace.h"
#include "router/router.h"
#include "wire/own_count.h"

/* A copy for recirculate_put, which has room for it. NULL if there is no room or memory: the copy
 * is then counted as made and as dropped, and the caller counts the reason. */
static inline struct rte_mbuf *copy_aside(struct graph *graph, const struct rte_mbuf *packet)
{
	struct router_worker *worker = router_worker_of(graph);
	struct rte_mbuf *copy = recirculate_free(&worker->recirculate)
								? rte_pktmbuf_copy(packet, ports_pool(), 0, UINT32_MAX)
								: NULL;
	own_count_add(&worker->totals->made, 1);
	if (likely(copy)) {
		trace_moved(copy, copy->data_off - packet->data_off);
	} else {
		own_count_add(&worker->totals->drops, 1);
		own_count_add(&worker->interfaces->drops.at[packet->port], 1);
	}
	return copy;
}
