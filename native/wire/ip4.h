/* SPDX-License-Identifier: Apache-2.0 */
/* IPv4 headers (RFC 791) and the checks of RFC 1812 section 5.2.2. */
#pragma once

#include "wire/checksum.h"

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Fields are big endian. */
struct ip4_header {
	uint8_t version_ihl, tos;
	uint16_t total_length, id, fragment;
	uint8_t ttl, protocol;
	uint16_t checksum;
	uint32_t source, destination;
} __attribute__((packed));

enum {
	IP4_LEN = 20,
	IP4_MAX_LEN = 60,
	IP4_DONT_FRAGMENT = 0x4000,
	IP4_MORE_FRAGMENTS = 0x2000,
	IP4_OFFSET_MASK = 0x1fff,
	IP4_ICMP = 1,
	IP4_TCP = 6,
	IP4_UDP = 17,
	IP4_SCTP = 132,
};

/* Offsets of fields, for readers that have not checked the packet. */
enum {
	IP4_TOTAL_LENGTH_AT = offsetof(struct ip4_header, total_length),
	IP4_ID_AT = offsetof(struct ip4_header, id),
	IP4_PROTOCOL_AT = offsetof(struct ip4_header, protocol),
	IP4_CHECKSUM_AT = offsetof(struct ip4_header, checksum),
	IP4_ADDRESSES_AT = offsetof(struct ip4_header, source),
	IP4_ADDRESSES_LEN = 8, /* both addresses */
};

enum ip4_check {
	IP4_OK = 0,
	IP4_SHORT,         /* fewer bytes than a header */
	IP4_VERSION,       /* not 4 */
	IP4_HEADER_LENGTH, /* below 20 bytes, or beyond the end of the packet */
	IP4_TOTAL_LENGTH,  /* below the header's length, or beyond the end of the packet */
	IP4_CHECKSUM,
};

static inline uint16_t ip4_header_length(const struct ip4_header *ip)
{
	return (uint16_t)((ip->version_ihl & 0xf) * 4);
}

/* Not "this network", loopback, multicast or reserved (RFC 1122 section 3.2.1.3). */
static inline bool ip4_is_host(uint32_t address)
{
	uint32_t octet = address >> 24;
	return octet && octet != 127 && octet < 224;
}

/*
 * `length` bytes can be read at `bytes`; the packet has `packet_length` bytes (more if it is in
 * several buffers). After IP4_OK the header can be read as a struct ip4_header with its options.
 */
static inline enum ip4_check ip4_check(const uint8_t *bytes, size_t length, size_t packet_length)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)bytes;
	if (length < IP4_LEN)
		return IP4_SHORT;
	if (ip->version_ihl >> 4 != 4)
		return IP4_VERSION;
	uint16_t header = ip4_header_length(ip), total = be16toh(ip->total_length);
	if (header < IP4_LEN || header > length)
		return IP4_HEADER_LENGTH;
	if (total < header || total > packet_length)
		return IP4_TOTAL_LENGTH;
	return checksum(bytes, header) ? IP4_CHECKSUM : IP4_OK;
}

static inline bool ip4_is_fragment(const struct ip4_header *ip)
{
	return ip->fragment & htobe16(IP4_MORE_FRAGMENTS | IP4_OFFSET_MASK);
}

static inline bool ip4_is_later_fragment(const struct ip4_header *ip)
{
	return ip->fragment & htobe16(IP4_OFFSET_MASK);
}

/* Copy those options of `from`, a header of `header` bytes, that belong in every fragment, behind
 * the first IP4_LEN bytes of the header `to`, and set its length; returns that length. */
uint16_t ip4_copy_fragment_options(const uint8_t *from, uint16_t header, uint8_t *to);

/* Decrement the TTL, which must not be 0, and update the checksum. */
static inline void ip4_decrement_ttl(struct ip4_header *ip)
{
	/* TTL, protocol and checksum are one word. The TTL is the high byte of its half: 0x100 less
	 * there is 0x100 more in the checksum, in which 0xffff is written as 0. */
	_Static_assert(offsetof(struct ip4_header, checksum) == offsetof(struct ip4_header, ttl) + 2 &&
					   __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
				   "how TTL and checksum lie");
	uint32_t word;
	memcpy(&word, &ip->version_ihl + offsetof(struct ip4_header, ttl), sizeof(word));
	word += 0xffff + ((uint32_t)(word >= 0xfffe0000) << 16);
	memcpy(&ip->version_ihl + offsetof(struct ip4_header, ttl), &word, sizeof(word));
}

/* Set the TTL and update the checksum. */
static inline void ip4_set_ttl(struct ip4_header *ip, uint8_t ttl)
{
	uint16_t before, after;
	memcpy(&before, &ip->ttl, sizeof(before));
	ip->ttl = ttl;
	memcpy(&after, &ip->ttl, sizeof(after));
	ip->checksum = checksum_update(ip->checksum, before, after);
}

static inline void ip4_set_checksum(struct ip4_header *ip)
{
	ip->checksum = 0;
	ip->checksum = checksum(ip, ip4_header_length(ip));
}

/* Write a header without options for a packet of `length` bytes; addresses are in wire order. */
static inline void ip4_write(uint8_t *bytes, uint16_t length, uint8_t protocol, uint8_t ttl,
							 uint32_t source, uint32_t destination)
{
	struct ip4_header *ip = (struct ip4_header *)(void *)bytes;
	*ip = (struct ip4_header){
		.version_ihl = 0x45,
		.total_length = htobe16(length),
		.ttl = ttl,
		.protocol = protocol,
		.source = source,
		.destination = destination,
	};
	ip4_set_checksum(ip);
}

/* A word with the highest `length` bits set. */
static inline uint32_t ip4_mask(uint8_t length)
{
	return length ? ~0u << (32 - length) : 0;
}
