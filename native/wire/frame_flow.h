/* SPDX-License-Identifier: Apache-2.0 */
/* Which flow a frame is of, wherever its IP header is. */
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

/* Both addresses of an IPv4 header, and two ports as they are on the wire or zeros. */
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

/* What nearly all frames are: IPv4 without tags and options, no fragment, of UDP or TCP. */
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

/* The same of any frame; 0 for what is no IP. */
uint32_t frame_flow_hash_any(const uint8_t *frame, size_t length, bool is_symmetrical);

/*
 * The same for all packets of a flow, tags and labels aside: of addresses, protocol and ports, the
 * latter unless the packet is a fragment. With `is_symmetrical` the same for both directions. 0 for
 * what is no IP.
 */
static inline uint32_t frame_flow_hash(const uint8_t *frame, size_t length, bool is_symmetrical)
{
	if (__builtin_expect(frame_is_plain(frame, length), 1))
		return frame_flow_of_ip4(frame + ETHERNET_LEN, frame + ETHERNET_LEN + IP4_LEN,
								 is_symmetrical);
	return frame_flow_hash_any(frame, length, is_symmetrical);
}
