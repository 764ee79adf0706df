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
	FRAME_LLDP,    /* by Ethernet type */
	FRAME_CONTROL, /* other frames to 01:80:c2:…: spanning tree, pause frames, LACP … */
};

enum { FRAME_LOOK_LEN = ETHERNET_LEN + VLAN_TAG_LEN + 10 };

/*
 * A fast check of the first FRAME_LOOK_LEN bytes, for millions of frames per second: true for IPv4
 * other than ICMP, for TCP and UDP over IPv6, and for MPLS, each in at most one VLAN tag.
 * frame_kind decides about all others.
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
 * Kind of a frame of `frame_length` bytes without FCS, of which `length` bytes can be read, in up
 * to two VLAN tags. Incomplete and malformed messages are ordinary. Checksums behind the IP header
 * are not checked.
 */
enum frame_kind frame_kind(const uint8_t *bytes, size_t length, size_t frame_length);
