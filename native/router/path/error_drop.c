/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error-drop: frees packets that a node has counted as dropped. error-punt: frees packets whose
 * contents a node has passed to the main thread.
 *
 * Uses: mbuf->port (the interface that the drop or punt is counted for).
 */
#include "router/router.h"
#include "wire/own_count.h"

#include <rte_mbuf.h>

static inline uint16_t free_packets(void **packets, uint16_t n, uint64_t *total,
									uint64_t *by_interface)
{
	own_count_add(total, n);
	for (uint16_t i = 0; i < n; i++)
		own_count_add(&by_interface[((struct rte_mbuf *)packets[i])->port], 1);
	rte_pktmbuf_free_bulk((struct rte_mbuf **)packets, n);
	return n;
}

static uint16_t error_drop_process(struct graph *graph, struct graph_node *node, void **packets,
								   uint16_t n)
{
	struct router_worker *worker = router_worker_of(graph);
	(void)node;
	return free_packets(packets, n, &worker->totals->drops, worker->interfaces->drops.at);
}

static uint16_t error_punt_process(struct graph *graph, struct graph_node *node, void **packets,
								   uint16_t n)
{
	struct router_worker *worker = router_worker_of(graph);
	(void)node;
	return free_packets(packets, n, &worker->totals->punts, worker->interfaces->punts.at);
}

GRAPH_NODE(error_drop, .name = "error-drop", .takes = TAKES_FRAME | TAKES_PACKET | TAKES_DROPPED)
GRAPH_NODE(error_punt, .name = "error-punt", .takes = TAKES_FRAME | TAKES_PACKET)
