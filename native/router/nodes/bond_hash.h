/* SPDX-License-Identifier: Apache-2.0 */
/* Which share of a bond's flows a frame is of. */
#ifndef ROUTER_BOND_HASH_H
#define ROUTER_BOND_HASH_H

#include "router/bond/bond.h"
#include "router/nodes/flow_hash.h"
#include "wire/ethernet.h"
#include "wire/frame_addresses.h"

enum { BOND_HASH_SEED = 0x6b9d3c51 };

/* Of both Ethernet addresses. */
static inline uint64_t bond_hash_l2(const uint8_t *frame)
{
	uint64_t first;
	uint32_t rest;
	memcpy(&first, frame, sizeof(first));
	memcpy(&rest, frame + sizeof(first), sizeof(rest));
	return flow_hash_mix(flow_hash_mix(BOND_HASH_SEED, first), rest);
}

static inline uint64_t bond_hash_l23(const uint8_t *frame, size_t length)
{
	struct ws_address ends[2];
	uint64_t hash = bond_hash_l2(frame), word;
	if (!frame_addresses(frame, length, &ends[0], &ends[1]))
		return hash;
	for (size_t at = 0; at < 2 * sizeof(ends[0].bytes); at += sizeof(word)) {
		memcpy(&word, ends[at / sizeof(ends[0].bytes)].bytes + at % sizeof(ends[0].bytes),
			   sizeof(word));
		hash = flow_hash_mix(hash, word);
	}
	return hash;
}

/* All frames of a flow have one bucket; what is no IP goes by its Ethernet addresses, and what is
 * too short for those in one. The seed keeps it apart from the choice of a path before. */
static inline uint16_t bond_bucket(uint8_t balance, const uint8_t *frame, size_t length)
{
	if (unlikely(length < ETHERNET_LEN))
		return 0;
	uint32_t flow = balance == WS_BOND_L34 ? frame_flow_hash(frame, length, false) : 0;
	uint64_t hash = flow                     ? flow_hash_mix(BOND_HASH_SEED, flow)
					: balance == WS_BOND_L23 ? bond_hash_l23(frame, length)
											 : bond_hash_l2(frame);
	return (uint16_t)(flow_hash_fold(flow_hash_mix(hash, BOND_HASH_SEED)) % BOND_BUCKETS);
}

#endif
