/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the neighbour discovery nodes. */
#pragma once

#include "router/packet/metadata.h"
#include "router/router.h"
#include "wire/address.h"
#include "wire/ethernet.h"
#include "wire/nd.h"

/* Reasons why a message is invalid (RFC 4861 sections 6.1 and 7.1). */
enum nd_fault {
	ND_FINE = 0,
	ND_FAULT_HOP_LIMIT,
	ND_FAULT_SHORT,
	ND_FAULT_CODE,
	ND_FAULT_OPTION_LENGTH,
	ND_FAULT_TARGET,
	ND_FAULT_ADDRESSES,
	ND_FAULT_MAC,
	ND_FAULTS, /* number of entries, ND_FINE included */
};

/* Further counters of a node. */
#define ND_FAULT_COUNTERS                                                                          \
	[ND_FAULT_HOP_LIMIT] = {"hop_limit != 255", true},                                             \
	[ND_FAULT_SHORT] = {"payload length too small for type", true},                                \
	[ND_FAULT_CODE] = {"invalid code for type", true},                                             \
	[ND_FAULT_OPTION_LENGTH] = {"option has zero length or is too long", true},                    \
	[ND_FAULT_TARGET] = {"target is multicast", true},                                             \
	[ND_FAULT_ADDRESSES] = {"source or destination does not go with the message", true},           \
	[ND_FAULT_MAC] = {"link-layer address is a group", true}

/* The message behind the IPv6 header at the start of the data, checked. It must be in the first
 * buffer as a whole; otherwise it counts as too short. */
static inline enum nd_fault nd_take(const struct rte_mbuf *packet, struct nd_message *message)
{
	static const enum nd_fault faults[] = {
		[ND_OK] = ND_FINE,
		[ND_SHORT] = ND_FAULT_SHORT,
		[ND_CODE] = ND_FAULT_CODE,
		[ND_OPTION_LENGTH] = ND_FAULT_OPTION_LENGTH,
		[ND_TARGET] = ND_FAULT_TARGET,
		[ND_ADDRESSES] = ND_FAULT_ADDRESSES,
	};
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet_data(packet);
	uint16_t length = be16toh(ip->payload_length);
	if (ip->hop_limit != ND_HOP_LIMIT)
		return ND_FAULT_HOP_LIMIT;
	if (packet->data_len < IP6_LEN + (uint32_t)length)
		return ND_FAULT_SHORT;
	enum nd_check check = nd_parse(packet_data(packet) + IP6_LEN, length, message);
	if (!check)
		check = nd_check_addresses(message, ip->source, ip->destination);
	if (!check && message->has_mac &&
		(ethernet_is_group(message->mac) || ethernet_is_zero(message->mac)))
		return ND_FAULT_MAC;
	return faults[check];
}

/* Another station has the address, or wants it: notify the main thread. False for a frame of the
 * router that came back, and if the ring is full. */
static inline bool nd_taken(struct ws_router *router, const struct rte_mbuf *packet,
							const uint8_t *target)
{
	const uint8_t *from = packet_data(packet) - ETHERNET_LEN + ETHERNET_ADDRESS_LEN;
	struct router_event event = {
		.kind = EVENT_ADDRESS_TAKEN,
		.interface = packet->port,
		.address = address_of_ip6(target),
	};
	memcpy(event.mac, from, sizeof(event.mac));
	return memcmp(from, router->interfaces[packet->port].mac, sizeof(event.mac)) &&
		   event_ring_put(&router->events, &event);
}
