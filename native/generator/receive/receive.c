/* SPDX-License-Identifier: Apache-2.0 */
/* Reception: packets are counted and dropped, unless they are captured or served. */
#include "generator/receive/receive.h"

#include "dev/port.h"
#include "generator/observe/flow_wire.h"
#include "generator/observe/watch.h"
#include "generator/port_extension.h"
#include "generator/receive/flow_meter.h"
#include "generator/tagged/tagged.h"
#include "wire/frame_kind.h"

#include <rte_cycles.h>
#include <rte_prefetch.h>

/* A single burst per loop, so that due packets are sent before the next burst is read. */
enum { RX_BURST = 64 };

/* View of a packet of at least FLOW_TAIL_LEN bytes; the tail is copied to `tail` if it spans
 * segments. */
static inline __attribute__((always_inline)) struct flow_packet
flow_packet_of(const struct rte_mbuf *packet, uint8_t tail[FLOW_TAIL_LEN])
{
	return (struct flow_packet){
		.head = rte_pktmbuf_mtod(packet, const uint8_t *),
		.tail = rte_pktmbuf_read(packet, packet->pkt_len - FLOW_TAIL_LEN, FLOW_TAIL_LEN, tail),
		.head_len = packet->data_len,
		.bytes = packet->pkt_len + ETHERNET_FCS_LEN,
	};
}

static void meter_burst(struct generator_port *port, struct rte_mbuf *const *packets, uint16_t n,
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
		struct flow_packet seen = flow_packet_of(packet, tail);
		flow_meter_count(port->watch->meter, port->flows, &seen, now);
	}
}

static void count_tagged(struct generator_port *port, struct rte_mbuf *const *packets, uint16_t n)
{
	uint8_t tail[FLOW_TAIL_LEN];
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *packet = packets[i];
		if (packet->pkt_len < FLOW_TAIL_LEN)
			continue;
		struct flow_packet seen = flow_packet_of(packet, tail);
		tagged_receive(port->tagged, &seen);
	}
}

static void watch_burst(struct generator_port *port, struct rte_mbuf *const *packets, uint16_t n)
{
	struct watch *watch = port->watch;
	uint64_t now = rte_rdtsc();
	if (watch->meters)
		meter_burst(port, packets, n, now);
	if (port->tagged && port->tagged->map)
		count_tagged(port, packets, n);
	if (port->extension)
		port->extension->receive(port->extension, packets, n, now);
	if (watch->captures.rx_ports >> port->index & 1) {
		captures_stage(&watch->captures, port->index, false, packets, n, now);
		captures_commit(&watch->captures, n);
	}
}

static void count_kind(struct ws_frame_kinds *kinds, const struct rte_mbuf *packet)
{
	switch (
		frame_kind(rte_pktmbuf_mtod(packet, const uint8_t *), packet->data_len, packet->pkt_len)) {
	case FRAME_ICMP_ERROR:
		kinds->icmp_error++;
		break;
	case FRAME_ICMP6_ERROR:
		kinds->icmp6_error++;
		break;
	case FRAME_ARP:
		kinds->arp++;
		break;
	case FRAME_ND:
		kinds->nd++;
		break;
	case FRAME_LLDP:
		kinds->lldp++;
		break;
	case FRAME_CONTROL:
		kinds->control++;
		break;
	case FRAME_ORDINARY:
		break;
	}
}

static bool looks_ordinary(const struct rte_mbuf *packet)
{
	return packet->data_len >= FRAME_LOOK_LEN &&
		   frame_looks_ordinary(rte_pktmbuf_mtod(packet, const uint8_t *));
}

static uint32_t receive_queue(struct generator_port *port, uint16_t queue)
{
	struct rte_mbuf *packets[RX_BURST];
	uint16_t n = port_receive(port->index, queue, packets, RX_BURST);
	uint64_t bytes = (uint64_t)n * ETHERNET_FCS_LEN;
	if (!n)
		return 0;
	for (uint16_t i = 0; i < n; i++) {
		bytes += packets[i]->pkt_len;
		if (__builtin_expect(!looks_ordinary(packets[i]), 0))
			count_kind(&port->counters.rx_kinds, packets[i]);
	}
	const struct watch *watch = port->watch;
	if (__builtin_expect(watch->meters || watch->extended || watch->captures.rx_ports, 0))
		watch_burst(port, packets, n);
	rte_pktmbuf_free_bulk(packets, n);
	port->counters.rx_packets += n;
	port->counters.rx_bytes += bytes;
	return n;
}

uint32_t generator_receive(struct generator_port *port)
{
	uint32_t received = 0;
	for (uint16_t queue = port->first_rx; queue < port->rx_queues; queue += port->rx_step)
		received += receive_queue(port, queue);
	return received;
}
