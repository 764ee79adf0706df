/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ethernet_header {
	uint8_t destination[6], source[6];
	uint16_t type; /* big endian */
} __attribute__((packed));

enum {
	ETHERNET_LEN = 14,
	ETHERNET_ADDRESS_LEN = 6,
	VLAN_TAG_LEN = 4,
	ETHERNET_MAX_LEN = ETHERNET_LEN + 2 * VLAN_TAG_LEN, /* longest header that is written */
	ETHERNET_TYPE_AT = 12,
	ETHERNET_FCS_LEN = 4,        /* follows each frame on the wire; not in memory */
	ETHERNET_FRAME_MIN_LEN = 60, /* without FCS */
};

enum ethernet_type {
	ETHERNET_IP4 = 0x0800,
	ETHERNET_ARP = 0x0806,
	ETHERNET_VLAN = 0x8100,
	ETHERNET_IP6 = 0x86dd,
	ETHERNET_MPLS = 0x8847, /* downstream-assigned labels; RFC 5332 */
	ETHERNET_QINQ = 0x88a8,
	ETHERNET_SLOW = 0x8809, /* LACP, markers */
};

/* NULL if the bytes do not hold a whole header. */
static inline const struct ethernet_header *ethernet_parse(const uint8_t *bytes, size_t length)
{
	return length < ETHERNET_LEN ? NULL : (const struct ethernet_header *)(const void *)bytes;
}

/* An address as one number, for comparisons; reads the two bytes behind it, too. */
static inline uint64_t ethernet_load_destination(const uint8_t *bytes)
{
	uint64_t word;
	memcpy(&word, bytes, sizeof(word));
	return be64toh(word) >> 16;
}

static inline uint64_t ethernet_address_number(const uint8_t *address)
{
	uint8_t bytes[8] = {0};
	memcpy(bytes, address, ETHERNET_ADDRESS_LEN);
	return ethernet_load_destination(bytes);
}

static inline bool ethernet_is_group(const uint8_t *address)
{
	return address[0] & 1;
}

static inline bool ethernet_is_zero(const uint8_t *address)
{
	static const uint8_t zero[ETHERNET_ADDRESS_LEN];
	return !memcmp(address, zero, sizeof(zero));
}

static inline bool ethernet_is_broadcast(const uint8_t *address)
{
	static const uint8_t ones[ETHERNET_ADDRESS_LEN] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	return !memcmp(address, ones, sizeof(ones));
}

static inline void ethernet_write(uint8_t *bytes, const uint8_t *destination, const uint8_t *source,
								  enum ethernet_type type)
{
	uint16_t field = htobe16((uint16_t)type);
	memcpy(bytes, destination, ETHERNET_ADDRESS_LEN);
	memcpy(bytes + 6, source, ETHERNET_ADDRESS_LEN);
	memcpy(bytes + 12, &field, sizeof(field));
}
