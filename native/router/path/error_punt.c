/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error-punt: frees packets whose contents a node has handed to the main thread.
 *
 * Uses: mbuf->port (the punt is its interface's).
 */
#include "router/router.h"
#include "wire/own_count.h"

#include <rte_mbuf.h>

static uint16_t error_punt_process(struct graph *graph, struct graph_node *node, void **packets,
								   uint16_t n)
{
	struct router_worker *worker = router_worker_of(graph);
	(void)node;
	own_count_add(&worker->totals->punts, n);
	for (uint16_t i = 0; i < n; i++)
		own_count_add(&worker->interfaces->punts.at[((struct rte_mbuf *)packets[i])->port], 1);
	rte_pktmbuf_free_bulk((struct rte_mbuf **)packets, n);
	return n;
}

GRAPH_NODE(error_punt, .name = "error-punt", .takes = TAKES_FRAME | TAKES_PACKET)
