/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VXLAN tunnels as workers read them. Both tables change by replacement, as a whole or in one word.
 * Old ones are freed after a grace period.
 */
#pragma once

#include "router/module.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/ip6.h"
#include "wire/udp.h"
#include "wire/vxlan.h"
#include "wirespeed/vxlan.h"

#include <string.h>

/* Headers in front of a frame. The first bytes are room for an Ethernet header, which nodes expect
 * in front of a packet. */
enum {
	VXLAN_IP4_OVERHEAD = IP4_LEN + UDP_LEN + VXLAN_LEN,
	VXLAN_IP6_OVERHEAD = IP6_LEN + UDP_LEN + VXLAN_LEN,
	VXLAN_MAX_HEADERS = ETHERNET_LEN + VXLAN_IP6_OVERHEAD,
};

/* Key of a tunnel: both addresses, the table, and the VNI. */
struct vxlan_key {
	union {
		struct {
			uint8_t remote[16], local[16];
			uint32_t vni;           /* network byte order, as in packets */
			uint16_t table, family; /* little endian */
		};
		/* Words of the size in which they are read: other sizes would prevent store forwarding. */
		uint64_t words[5];
	};
};

struct vxlan_tunnel {
	struct vxlan_key key;
	uint16_t interface;
	uint8_t decap; /* enum ws_vxlan_decap */
	uint8_t headers[VXLAN_MAX_HEADERS];
	struct ws_vxlan_tunnel given;
};

/* Open addressing; at least half of the slots are free. */
struct vxlan_ends {
	uint32_t count, mask;
	struct vxlan_tunnel *slots[];
};

struct vxlan_state {
	struct vxlan_ends *ends;
	struct vxlan_tunnel *by_interface[WS_MAX_INTERFACES]; /* sub-interfaces included */
};

/* The word of the key after the addresses. */
static inline uint64_t vxlan_last_word(uint32_t vni, uint16_t table, uint8_t family)
{
	return htole64(le32toh(vni) | (uint64_t)table << 32 | (uint64_t)family << 48);
}

static inline uint32_t vxlan_hash(const struct vxlan_key *key)
{
	uint64_t hash = 0;
	for (int i = 0; i < 5; i++) {
		hash = (hash ^ key->words[i]) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	return (uint32_t)hash;
}

static inline bool vxlan_is_key(const struct vxlan_key *a, const struct vxlan_key *b)
{
	uint64_t differs = 0;
	for (int i = 0; i < 5; i++)
		differs |= a->words[i] ^ b->words[i];
	return !differs;
}

/* NULL if there is none. */
static inline struct vxlan_tunnel *vxlan_find(const struct vxlan_ends *ends,
											  const struct vxlan_key *key)
{
	for (uint32_t slot = vxlan_hash(key) & ends->mask; ends->slots[slot];
		 slot = (slot + 1) & ends->mask)
		if (vxlan_is_key(&ends->slots[slot]->key, key))
			return ends->slots[slot];
	return NULL;
}

extern struct router_module vxlan_module;

/* NULL before the first tunnel. */
static inline struct vxlan_state *vxlan_state(const struct ws_router *router)
{
	return module_state(router, &vxlan_module);
}

/* The tunnel of an interface or of its parent; NULL if there is none, or it is being deleted. */
static inline const struct vxlan_tunnel *vxlan_tunnel(const struct ws_router *router,
													  uint16_t interface)
{
	const struct vxlan_state *state = vxlan_state(router);
	return state ? __atomic_load_n(&state->by_interface[interface], __ATOMIC_ACQUIRE) : NULL;
}
