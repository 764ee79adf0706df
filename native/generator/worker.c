/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/worker.h"
#include "dev/port.h"
#include "generator/generator.h"

#include <rte_cycles.h>
#include <rte_prefetch.h>

/* One burst a loop: what is due is to be sent before the next one is looked at. */
enum { RX_BURST = 64 };

static void meter(struct generator_port *port, struct rte_mbuf *const *packets, uint16_t n,
				  uint64_t now)
{
	enum { AHEAD = 4 };
	uint8_t tail[FLOW_TAIL_LEN];
	for (uint16_t i = 0; i < AHEAD && i < n; i++)
		rte_prefetch0(rte_pktmbuf_mtod(packets[i], void *));
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		if (i + AHEAD < n)
			rte_prefetch0(rte_pktmbuf_mtod(packets[i + AHEAD], void *));
		if (packet->pkt_len < FLOW_TAIL_LEN)
			continue;
		struct flow_packet seen = {
			.head = rte_pktmbuf_mtod(packet, const uint8_t *),
			.tail = rte_pktmbuf_read(packet, packet->pkt_len - FLOW_TAIL_LEN, FLOW_TAIL_LEN, tail),
			.head_len = packet->data_len,
			.bytes = packet->pkt_len + FCS_LEN,
		};
		flow_meter_count(port->worker->meter, port->flows, &seen, now);
	}
}

static void look_at(struct generator_port *port, struct rte_mbuf *const *packets, uint16_t n)
{
	struct generator_worker *worker = port->worker;
	uint64_t now = rte_rdtsc();
	if (worker->meters)
		meter(port, packets, n, now);
	if (worker->captures.rx_ports >> port->index & 1) {
		captures_stage(&worker->captures, port->index, false, packets, n, now);
		captures_commit(&worker->captures, n);
	}
}

/* Counted and dropped, unless somebody wants to look at them. */
static uint32_t receive_queue(struct generator_port *port, uint16_t queue)
{
	struct rte_mbuf *packets[RX_BURST];
	uint16_t n = port_receive(port->index, queue, packets, RX_BURST);
	uint64_t bytes = (uint64_t)n * FCS_LEN;
	if (!n)
		return 0;
	for (uint16_t i = 0; i < n; i++)
		bytes += packets[i]->pkt_len;
	if (__builtin_expect(port->worker->meters || port->worker->captures.rx_ports, 0))
		look_at(port, packets, n);
	rte_pktmbuf_free_bulk(packets, n);
	port->counters.rx_packets += n;
	port->counters.rx_bytes += bytes;
	return n;
}

uint32_t generator_receive(struct generator_port *port)
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
			moved += generator_receive(worker->ports[i]);
		for (uint16_t i = 0; i < worker->port_count; i++)
			moved += generator_transmit(worker->ports[i]);
		for (uint16_t i = 0; i < worker->port_count; i++)
			if (__builtin_expect(worker->ports[i]->push != NULL, 0))
				moved += generator_transmit_pushed(worker->ports[i]);
		/* Last, so that counters that are asked for have what is due by now. */
		mailbox_serve(&worker->mailbox);
		uint64_t now = rte_rdtsc();
		worker->stats.total_clocks += now - before;
		worker->stats.busy_clocks += moved ? now - before : 0;
		before = now;
		worker_set_loops(index, ++worker->stats.loops);
	}
}
