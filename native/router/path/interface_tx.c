/* SPDX-License-Identifier: Apache-2.0 */
/*
 * <if>-tx: passes frames to the driver, in this worker's TX queue, under a lock if it is shared.
 *
 * Packets that the driver does not take are offered again for about a microsecond, then dropped.
 *
 * Next: error-drop.
 */
#include "dev/port.h"
#include "router/router.h"
#include "wire/own_count.h"

enum edge { EDGE_DROP };
static const char *const edges[] = {[EDGE_DROP] = "error-drop"};

enum counter { TX_FAILED };
static const struct graph_counter counters[] = {
	[TX_FAILED] = {"Tx packet drops (dpdk tx failure)", true},
};

/* About a microsecond: in that time a peer that processes a frame frees slots. */
enum { RETRIES = 32 };

struct context {
	struct port_tx tx;
};

static int interface_tx_init(struct graph *graph, struct graph_node *node)
{
	struct context *context = (struct context *)node->context;
	context->tx = port_tx_of(node->interface, graph->worker);
	return 0;
}

/* Returns how many the driver took. */
static uint16_t offer(const struct port_tx *tx, uint16_t port, struct rte_mbuf **packets,
					  uint16_t n)
{
	if (likely(!tx->lock))
		return port_transmit(port, tx->queue, packets, n);
	rte_spinlock_lock(tx->lock);
	uint16_t sent = port_transmit(port, tx->queue, packets, n);
	rte_spinlock_unlock(tx->lock);
	return sent;
}

static uint16_t interface_tx_process(struct graph *graph, struct graph_node *node, void **packets,
									 uint16_t n)
{
	struct router_worker *worker = router_worker_of(graph);
	const struct context *context = (const struct context *)node->context;
	uint16_t sent = 0;
	for (int attempt = 0; sent < n && attempt <= RETRIES; attempt++)
		sent += offer(&context->tx, node->interface, (struct rte_mbuf **)packets + sent, n - sent);
	own_count_add(&worker->totals->tx_packets, sent);
	if (unlikely(sent < n)) {
		graph_count(node, TX_FAILED, n - sent);
		own_count_add(&worker->interfaces->tx_errors.at[node->interface], n - sent);
		graph_enqueue_all(graph, node, EDGE_DROP, packets + sent, n - sent);
	}
	return n;
}

GRAPH_NODE(interface_tx, .name = "%-tx", .takes = TAKES_FRAME | TAKES_SENT,
		   .init = interface_tx_init, GRAPH_EDGES(edges), GRAPH_COUNTERS(counters))
