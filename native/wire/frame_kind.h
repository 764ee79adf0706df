/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of the network itself: errors, address resolution, link control. */
#pragma once

#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/ip6.h"

enum frame_kind {
	FRAME_ORDINARY = 0,
	FRAME_ICMP_ERROR,
	FRAME_ICMP6_ERROR,
	FRAME_ARP,
	FRAME_ND,      /* IPv6 neighbour discovery */
	FRAME_LLDP,    /* by its type */
	FRAME_CONTROL, /* others to 01:80:c2:…: spanning tree, pauses, LACP … */
};

enum { FRAME_LOOK_LEN = ETHERNET_LEN + VLAN_TAG_LEN + 10 };

/*
 * A look at the first FRAME_LOOK_LEN bytes, as cheap as it must be for each of millions a second:
 * true of IPv4 other than ICMP, of TCP and UDP over IPv6, and of MPLS, each in one VLAN tag at
 * most. Of the others frame_kind knows.
 */
static inline bool frame_looks_ordinary(const uint8_t *bytes)
{
	const uint8_t *payload = bytes + ETHERNET_LEN;
	uint16_t type;
	memcpy(&type, payload - sizeof(type), sizeof(type));
	for (;; payload += VLAN_TAG_LEN) {
		if (type == htobe16(ETHERNET_IP4))
			return payload[IP4_PROTOCOL_AT] != IP4_ICMP;
		if (type == htobe16(ETHERNET_IP6))
			return payload[IP6_NEXT_AT] == IP6_UDP || payload[IP6_NEXT_AT] == IP6_TCP;
		if (type != htobe16(ETHERNET_VLAN) || payload != bytes + ETHERNET_LEN)
			return type == htobe16(ETHERNET_MPLS);
		memcpy(&type, payload + VLAN_TAG_LEN - sizeof(type), sizeof(type));
	}
}

/*
 * `length` bytes can be read; the frame has `frame_length`, without FCS, in up to two VLAN tags.
 * A message that is not whole and well-formed is ordinary; checksums behind the IP header are
 * not looked at.
 */
enum frame_kind frame_kind(const uint8_t *bytes, size_t length, size_t frame_length);
