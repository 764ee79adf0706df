/* SPDX-License-Identifier: Apache-2.0 */
/* Hash bucket of a frame's flow. */
#pragma once

#include "router/bond/bond.h"
#include "wire/ethernet.h"
#include "wire/frame_addresses.h"
#include "wire/frame_flow.h"
#include "wire/ip6.h"

enum { BOND_HASH_SEED = 0x6b9d3c51 };

/* Hash of both Ethernet addresses. */
static inline uint64_t bond_hash_l2(const uint8_t *frame)
{
	uint64_t first;
	uint32_t rest;
	memcpy(&first, frame, sizeof(first));
	memcpy(&rest, frame + sizeof(first), sizeof(rest));
	return flow_mix(flow_mix(BOND_HASH_SEED, first), rest);
}

/* Hash of both Ethernet addresses and, in IP frames, both IP addresses. */
static inline uint64_t bond_hash_l23(const uint8_t *frame, size_t length)
{
	size_t at = frame_find_ip(frame, length), room = length - at;
	const uint8_t *ip = frame + at;
	uint8_t version = room ? ip[0] >> 4 : 0;
	bool is_ip4 = version == WS_IP4 && room >= IP4_LEN;
	bool is_ip6 = version == WS_IP6 && room >= IP6_LEN;
	const uint8_t *addresses = is_ip4 ? ip + 12 : ip + 8;
	uint64_t hash = bond_hash_l2(frame), word;
	for (size_t i = 0, end = is_ip4 ? 8 : is_ip6 ? 32 : 0; i < end; i += sizeof(word)) {
		memcpy(&word, addresses + i, sizeof(word));
		hash = flow_mix(hash, word);
	}
	return hash;
}

static inline uint64_t bond_hash_l34(const uint8_t *frame, size_t length)
{
	uint32_t flow = frame_flow_hash(frame, length, false);
	return likely(flow) ? flow : bond_hash_l2(frame);
}

/* All frames of a flow have one bucket. Frames other than IP are hashed by their Ethernet
 * addresses; frames that are too short for those share a bucket. The seed makes the result
 * independent of an earlier choice of a path. */
static inline uint16_t bond_bucket(uint8_t balance, const uint8_t *frame, size_t length)
{
	if (unlikely(length < ETHERNET_LEN))
		return 0;
	uint64_t hash = balance == WS_BOND_L34   ? bond_hash_l34(frame, length)
					: balance == WS_BOND_L23 ? bond_hash_l23(frame, length)
											 : bond_hash_l2(frame);
	return (uint16_t)(flow_fold(flow_mix(hash, BOND_HASH_SEED)) % BOND_BUCKETS);
}
