/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/worker.h"
#include "dev/port.h"
#include "generator/generator.h"

#include <rte_cycles.h>

enum { RX_BURST = 64, RX_BURSTS_A_LOOP = 4 };

/* Counted and dropped, unseen. */
static uint32_t receive_queue(struct generator_port *port, uint16_t queue)
{
	struct rte_mbuf *packets[RX_BURST];
	uint32_t received = 0;
	for (int i = 0; i < RX_BURSTS_A_LOOP; i++) {
		uint16_t n = port_receive(port->index, queue, packets, RX_BURST);
		uint64_t bytes = (uint64_t)n * FCS_LEN;
		if (!n)
			break;
		for (uint16_t j = 0; j < n; j++)
			bytes += packets[j]->pkt_len;
		rte_pktmbuf_free_bulk(packets, n);
		port->counters.rx_packets += n;
		port->counters.rx_bytes += bytes;
		received += n;
		if (n < RX_BURST)
			break;
	}
	return received;
}

static uint32_t receive(struct generator_port *port)
{
	uint32_t received = 0;
	for (uint16_t queue = 0; queue < port->rx_queues; queue++)
		received += receive_queue(port, queue);
	return received;
}

void generator_worker_run(uint16_t index, void *argument)
{
	struct generator_worker *worker = &((struct ws_generator *)argument)->workers[index];
	uint64_t before = rte_rdtsc();
	while (!workers_stopping) {
		uint32_t moved = 0;
		for (uint16_t i = 0; i < worker->port_count; i++)
			moved += receive(worker->ports[i]);
		for (uint16_t i = 0; i < worker->port_count; i++)
			moved += generator_transmit(worker->ports[i]);
		/* Last, so that counters that are asked for have what is due by now. */
		mailbox_serve(&worker->mailbox);
		uint64_t now = rte_rdtsc();
		worker->stats.total_clocks += now - before;
		worker->stats.busy_clocks += moved ? now - before : 0;
		before = now;
		worker_set_loops(index, ++worker->stats.loops);
	}
}
