/* SPDX-License-Identifier: Apache-2.0 */
/* The flow of a frame, from its IP header behind any tags and labels. */
#pragma once

#include "wire/ethernet.h"
#include "wire/flow_mix.h"
#include "wire/ip4.h"

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum frame_flow_protocol { FLOW_TCP = 6, FLOW_UDP = 17, FLOW_SCTP = 132 };
enum { FLOW_PORTS_LEN = 4 };

/* Both addresses of an IPv4 header, and two ports in wire order, or zeros. */
static inline uint32_t frame_flow_of_ip4(const uint8_t *ip, const uint8_t *ports,
										 bool is_symmetrical)
{
	uint32_t from, to, pair;
	memcpy(&from, ip + 12, sizeof(from));
	memcpy(&to, ip + 16, sizeof(to));
	memcpy(&pair, ports, sizeof(pair));
	uint64_t addresses = is_symmetrical ? (uint64_t)from + to : (uint64_t)from << 32 | to;
	if (is_symmetrical)
		pair = (pair & 0xffff) + (pair >> 16);
	return flow_fold(flow_mix(flow_mix(ip[9], addresses), pair));
}

/* True for the usual frames: IPv4 with UDP or TCP, without tags, options and fragments. */
static inline bool frame_is_plain(const uint8_t *frame, size_t length)
{
	enum { PLAIN_LEN = ETHERNET_LEN + IP4_LEN + FLOW_PORTS_LEN };
	if (length < PLAIN_LEN)
		return false;
	const uint8_t *ip = frame + ETHERNET_LEN;
	uint32_t kind;
	uint16_t fragment;
	memcpy(&kind, frame + ETHERNET_LEN - 2, sizeof(kind));
	memcpy(&fragment, ip + 6, sizeof(fragment));
	return (kind & htobe32(0xffffff00)) == htobe32(ETHERNET_IP4 << 16 | 0x4500) &&
		   !(fragment & htobe16(0x3fff)) && (ip[9] == FLOW_UDP || ip[9] == FLOW_TCP);
}

/* frame_flow_hash for any frame. */
uint32_t frame_flow_hash_any(const uint8_t *frame, size_t length, bool is_symmetrical);

/*
 * Flow hash of addresses, protocol and, except for fragments, ports, behind any tags and labels.
 * With `is_symmetrical` both directions have one hash. 0 if the frame has no IP packet.
 */
static inline uint32_t frame_flow_hash(const uint8_t *frame, size_t length, bool is_symmetrical)
{
	if (__builtin_expect(frame_is_plain(frame, length), 1))
		return frame_flow_of_ip4(frame + ETHERNET_LEN, frame + ETHERNET_LEN + IP4_LEN,
								 is_symmetrical);
	return frame_flow_hash_any(frame, length, is_symmetrical);
}
