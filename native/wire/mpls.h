/* SPDX-License-Identifier: Apache-2.0 */
/* MPLS label stacks (RFC 3032) and reserved labels (RFC 7274). */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* An entry has 20 bits of label, 3 of traffic class (EXP), one for the bottom of the stack, 8 of
 * TTL. */
enum {
	MPLS_LEN = 4,
	MPLS_LABEL_SHIFT = 12,
	MPLS_CLASS_SHIFT = 9,
	MPLS_BOTTOM = 1 << 8,
	MPLS_MAX_LABEL = (1 << 20) - 1,
	MPLS_MAX_CLASS = 7,
	MPLS_TTL_MASK = 0xff,
};

enum mpls_reserved {
	MPLS_IP4_EXPLICIT_NULL = 0,
	MPLS_ROUTER_ALERT = 1,
	MPLS_IP6_EXPLICIT_NULL = 2,
	MPLS_IMPLICIT_NULL = 3, /* never in a packet */
	MPLS_FIRST_FREE = 16,
};

/* The entry at `bytes`, of MPLS_LEN bytes, as a number. */
static inline uint32_t mpls_load(const uint8_t *bytes)
{
	uint32_t entry;
	memcpy(&entry, bytes, sizeof(entry));
	return be32toh(entry);
}

static inline void mpls_store(uint8_t *bytes, uint32_t entry)
{
	entry = htobe32(entry);
	memcpy(bytes, &entry, sizeof(entry));
}

static inline uint32_t mpls_label(uint32_t entry)
{
	return entry >> MPLS_LABEL_SHIFT;
}

static inline uint8_t mpls_class(uint32_t entry)
{
	return entry >> MPLS_CLASS_SHIFT & 7;
}

static inline bool mpls_is_bottom(uint32_t entry)
{
	return entry & MPLS_BOTTOM;
}

static inline uint8_t mpls_ttl(uint32_t entry)
{
	return (uint8_t)entry;
}
