/* SPDX-License-Identifier: Apache-2.0 */
/* The Ethernet header, with VLAN tags, of frames that an interface sends. */
#pragma once

#include "router/observe/trace.h"
#include "router/packet/metadata.h"
#include "router/router.h"
#include "wire/ethernet.h"

/* Writes ETHERNET_LEN + interface->tag_len bytes and returns that number. */
static inline uint8_t interface_write_header(const struct interface *interface, uint8_t *bytes,
											 const uint8_t *destination, enum ethernet_type type)
{
	ethernet_write(bytes, destination, interface->mac, type);
	if (interface->tag_len) {
		memcpy(bytes + ETHERNET_LEN - 2 + interface->tag_len, bytes + ETHERNET_LEN - 2, 2);
		memcpy(bytes + ETHERNET_LEN - 2, interface->tags, interface->tag_len);
	}
	return (uint8_t)(ETHERNET_LEN + interface->tag_len);
}

/*
 * Write the adjacency's header in front of the packet and of the `pushed` bytes that the caller has
 * written there. A header without tags begins where the received one did, at the start of a cache
 * line, and the line before it is not written. For a header with tags the maximum length is copied;
 * the bytes before a shorter one are unused.
 */
static inline void packet_rewrite(struct rte_mbuf *packet, const struct adjacency *adjacency,
								  uint16_t pushed)
{
	const uint8_t *rewrite = adjacency->rewrite;
	uint8_t *start = packet_data(packet) - pushed - REWRITE_SIZE;
	memcpy(start + REWRITE_SIZE - ETHERNET_LEN, rewrite + REWRITE_SIZE - ETHERNET_LEN,
		   ETHERNET_LEN);
	if (unlikely(adjacency->rewrite_len > ETHERNET_LEN))
		memcpy(start, rewrite, REWRITE_SIZE - ETHERNET_LEN);
	packet_prepend(packet, (uint16_t)(pushed + adjacency->rewrite_len));
	packet_set_tx_interface(packet, adjacency->tx_interface);
}

/* The packet, a frame, is for interface `index`. Returns its place in "*-output". */
static inline uint16_t packet_send(const struct ws_router *router, struct rte_mbuf *packet,
								   uint16_t index)
{
	packet_set_tx_interface(packet, index);
	return interface_way_out(&router->interfaces[index]);
}

/*
 * Make the data, which a node wrote itself, a frame for interface `index`. Returns its place in
 * "*-output". The caller must have checked the headroom.
 */
static inline uint16_t packet_frame(const struct ws_router *router, struct rte_mbuf *packet,
									uint16_t index, const uint8_t *destination,
									enum ethernet_type type)
{
	const struct interface *interface = &router->interfaces[index];
	packet_advance(packet, -(ETHERNET_LEN + interface->tag_len));
	trace_moved(packet, -interface->tag_len);
	interface_write_header(interface, packet_data(packet), destination, type);
	return packet_send(router, packet, index);
}
