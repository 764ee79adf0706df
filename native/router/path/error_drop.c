/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error-drop: frees packets that a node has counted as dropped.
 *
 * Uses: mbuf->port (the drop is its interface's).
 */
#include "router/router.h"
#include "wire/own_count.h"

#include <rte_mbuf.h>

static uint16_t error_drop_process(struct graph *graph, struct graph_node *node, void **packets,
								   uint16_t n)
{
	struct router_worker *worker = router_worker_of(graph);
	(void)node;
	own_count_add(&worker->totals->drops, n);
	for (uint16_t i = 0; i < n; i++)
		own_count_add(&worker->interfaces->drops.at[((struct rte_mbuf *)packets[i])->port], 1);
	rte_pktmbuf_free_bulk((struct rte_mbuf **)packets, n);
	return n;
}

GRAPH_NODE(error_drop, .name = "error-drop", .takes = TAKES_FRAME | TAKES_PACKET | TAKES_DROPPED)
