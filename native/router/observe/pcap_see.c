/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's part of a capture. */
#include "router/interface/interface_settings.h"
#include "router/observe/pcap.h"
#include "router/observe/pcap_state.h"
#include "router/observe/trace.h"
#include "router/packet/metadata.h"
#include "wire/frame_addresses.h"

#include <rte_ring.h>
#include <string.h>

bool pcap_wants_drops(const struct pcap *pcap)
{
	return pcap->config.drop;
}

static bool wants_node(const struct pcap *pcap, const struct graph_node *node)
{
	uint8_t takes = node->registration->takes;
	return (pcap->config.rx && takes & TAKES_RECEIVED) || (pcap->config.tx && takes & TAKES_SENT) ||
		   (pcap->config.drop && takes & TAKES_DROPPED);
}

/* Copy the packet, whose frame begins `before` bytes before its data, if the capture wants it. */
static void take_copy(struct pcap *pcap, struct rte_mbuf *packet, int before, uint64_t now)
{
	packet_advance(packet, -before);
	if (!pcap->config.has_filter ||
		frame_touches(packet_data(packet), packet->data_len, &pcap->config.filter)) {
		const struct note note = {.tsc = now, .length = packet->pkt_len};
		struct rte_mbuf *copy = rte_pktmbuf_copy(packet, pcap->pool, 0, pcap->config.snap_len);
		if (copy)
			memcpy(copy->buf_addr, &note, sizeof(note));
		bool is_taken = copy && !rte_ring_mp_enqueue(pcap->ring, copy);
		if (!is_taken)
			rte_pktmbuf_free(copy);
		__atomic_fetch_add(is_taken ? &pcap->taken : &pcap->missed, 1, __ATOMIC_RELAXED);
	}
	packet_advance(packet, before);
}

/* A dropped packet may have the number of a sub-interface. */
static uint16_t port_of(const struct ws_router *router, uint16_t interface)
{
	return interface < WS_MAX_PORTS ? interface : router->settings[interface].parent;
}

void pcap_see(struct pcap *pcap, struct graph *graph, const struct graph_node *node, void **packets,
			  uint16_t n)
{
	if (!wants_node(pcap, node))
		return;
	bool is_tx = node->registration->takes & TAKES_SENT;
	bool is_drop = node->registration->takes & TAKES_DROPPED;
	struct ws_router *router = router_of(graph);
	uint64_t now = graph_tsc();
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *packet = packets[i];
		int before = 0;
		if (pcap->config.interface >= 0 &&
			pcap->config.interface != (is_tx ? node->interface : port_of(router, packet->port)))
			continue;
		if (is_drop && !trace_frame_start(packet, &before))
			continue;
		if (__atomic_load_n(&pcap->taken, __ATOMIC_RELAXED) >= pcap->config.max_packets)
			break;
		take_copy(pcap, packet, before, now);
	}
	if (!rte_ring_empty(pcap->ring))
		event_ring_wake(&router->events);
}
