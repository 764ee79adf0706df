/* SPDX-License-Identifier: Apache-2.0 */
/* IPv6 headers (RFC 8200) and the kinds of addresses (RFC 4291). */
#pragma once

#include "wire/checksum.h"

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Fields are big endian. */
struct ip6_header {
	uint32_t version_class_flow;
	uint16_t payload_length;
	uint8_t next_header, hop_limit;
	uint8_t source[16], destination[16];
} __attribute__((packed));

enum {
	IP6_LEN = 40,
	IP6_ADDRESS_LEN = 16,
	IP6_MIN_MTU = 1280,
	/* Maximum number of extension headers; packets with more are not worth the time. */
	IP6_MAX_EXTENSIONS = 8,
	IP6_FRAGMENT_LEN = 8,
};

/* Offsets of fields, for readers that have not checked the packet. */
enum {
	IP6_FLOW_LABEL_AT = 2, /* its low 16 bits */
	IP6_PAYLOAD_LENGTH_AT = offsetof(struct ip6_header, payload_length),
	IP6_NEXT_AT = offsetof(struct ip6_header, next_header),
	IP6_ADDRESSES_AT = offsetof(struct ip6_header, source),
	IP6_ADDRESSES_LEN = 2 * IP6_ADDRESS_LEN,
};

enum ip6_next_header {
	IP6_HOP_BY_HOP = 0,
	IP6_TCP = 6,
	IP6_UDP = 17,
	IP6_ROUTING = 43,
	IP6_FRAGMENT = 44,
	IP6_AUTHENTICATION = 51,
	IP6_ICMP = 58,
	IP6_NO_NEXT_HEADER = 59,
	IP6_DESTINATION_OPTIONS = 60,
	IP6_SCTP = 132,
};

enum ip6_check {
	IP6_OK = 0,
	IP6_SHORT,   /* fewer bytes than a header */
	IP6_VERSION, /* not 6 */
	IP6_LENGTH,  /* payload longer than the packet */
};

/* The payload length in the header, plus the length of the header. */
static inline uint32_t ip6_packet_length(const struct ip6_header *ip)
{
	return be16toh(ip->payload_length) + (uint32_t)IP6_LEN;
}

/*
 * `length` bytes can be read at `bytes`; the packet has `packet_length` bytes (more if it is in
 * several buffers). After IP6_OK the header can be read as a struct ip6_header.
 */
static inline enum ip6_check ip6_check(const uint8_t *bytes, size_t length, size_t packet_length)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)bytes;
	if (length < IP6_LEN)
		return IP6_SHORT;
	if (bytes[0] >> 4 != 6)
		return IP6_VERSION;
	return ip6_packet_length(ip) > packet_length ? IP6_LENGTH : IP6_OK;
}

/* The protocol behind the extension headers. Offsets are from the start of the IPv6 header. */
struct ip6_upper {
	uint8_t protocol;
	uint16_t offset;
	uint16_t named_at; /* offset of the field that names `protocol` */
	bool is_fragment, is_later_fragment;
};

enum ip6_walk {
	IP6_WALK_OK = 0,
	IP6_WALK_SHORT, /* a header extends beyond the readable bytes */
	IP6_WALK_LONG,  /* more than IP6_MAX_EXTENSIONS */
};

static inline bool ip6_is_extension(uint8_t next_header)
{
	return next_header == IP6_HOP_BY_HOP || next_header == IP6_ROUTING ||
		   next_header == IP6_FRAGMENT || next_header == IP6_AUTHENTICATION ||
		   next_header == IP6_DESTINATION_OPTIONS;
}

/*
 * `length` bytes can be read from the IPv6 header on, which is whole. A hop-by-hop header anywhere
 * but first is an unknown protocol, not an extension (RFC 8200 section 4). Nothing is read behind
 * the header of a non-first fragment.
 */
static inline enum ip6_walk ip6_find_upper(const uint8_t *bytes, size_t length,
										   struct ip6_upper *upper)
{
	*upper = (struct ip6_upper){.protocol = bytes[6], .offset = IP6_LEN, .named_at = 6};
	for (int n = 0; ip6_is_extension(upper->protocol); n++) {
		const uint8_t *header = bytes + upper->offset;
		size_t room = length - upper->offset;
		if (upper->protocol == IP6_HOP_BY_HOP && n)
			return IP6_WALK_OK;
		if (n == IP6_MAX_EXTENSIONS)
			return IP6_WALK_LONG;
		if (room < 8)
			return IP6_WALK_SHORT;
		size_t size = (header[1] + 1u) * 8u;
		if (upper->protocol == IP6_AUTHENTICATION)
			size = (header[1] + 2u) * 4u;
		if (upper->protocol == IP6_FRAGMENT) {
			uint16_t field = (uint16_t)(header[2] << 8 | header[3]);
			size = IP6_FRAGMENT_LEN;
			/* A whole datagram in one fragment does not count as a fragment (RFC 6946). */
			upper->is_fragment |= field & 0xfff9;
			upper->is_later_fragment |= field & 0xfff8;
		}
		if (room < size)
			return IP6_WALK_SHORT;
		upper->protocol = header[0];
		upper->named_at = upper->offset;
		upper->offset = (uint16_t)(upper->offset + size);
		if (upper->is_later_fragment)
			return IP6_WALK_OK;
	}
	return IP6_WALK_OK;
}

/* Initial sum for the checksum of an upper protocol with `length` bytes (RFC 8200 section 8.1). */
static inline uint64_t ip6_pseudo_sum(const struct ip6_header *ip, uint32_t length,
									  uint8_t protocol)
{
	uint64_t sum = checksum_add(0, ip->source, sizeof(ip->source) + sizeof(ip->destination));
	return sum + htobe32(length) + htobe32(protocol);
}

/* Write a header with traffic class and flow label 0. */
static inline void ip6_write(uint8_t *bytes, uint16_t payload_length, uint8_t next_header,
							 uint8_t hop_limit, const uint8_t *source, const uint8_t *destination)
{
	struct ip6_header *ip = (struct ip6_header *)(void *)bytes;
	ip->version_class_flow = htobe32(6u << 28);
	ip->payload_length = htobe16(payload_length);
	ip->next_header = next_header;
	ip->hop_limit = hop_limit;
	memmove(ip->source, source, sizeof(ip->source));
	memmove(ip->destination, destination, sizeof(ip->destination));
}

/* ---- Addresses, of 16 bytes ---- */

static inline bool ip6_is_equal(const uint8_t *a, const uint8_t *b)
{
	return !memcmp(a, b, IP6_ADDRESS_LEN);
}

static inline bool ip6_is_unspecified(const uint8_t *address)
{
	static const uint8_t zero[IP6_ADDRESS_LEN];
	return ip6_is_equal(address, zero);
}

static inline bool ip6_is_loopback(const uint8_t *address)
{
	static const uint8_t one[IP6_ADDRESS_LEN] = {[15] = 1};
	return ip6_is_equal(address, one);
}

static inline bool ip6_is_multicast(const uint8_t *address)
{
	return address[0] == 0xff;
}

static inline bool ip6_is_link_local(const uint8_t *address)
{
	return address[0] == 0xfe && (address[1] & 0xc0) == 0x80;
}

/* True for IPv4-mapped addresses, and those in ::/96 other than unspecified and loopback: never on
 * a wire. */
static inline bool ip6_is_ip4(const uint8_t *address)
{
	static const uint8_t zero[10];
	return !memcmp(address, zero, sizeof(zero)) &&
		   ((!address[10] && !address[11]) || (address[10] == 0xff && address[11] == 0xff));
}

/* The link-local address that is derived from the MAC address (RFC 4291 appendix A). */
static inline void ip6_link_local(uint8_t *out, const uint8_t *mac)
{
	memset(out, 0, IP6_ADDRESS_LEN);
	out[0] = 0xfe;
	out[1] = 0x80;
	out[8] = mac[0] ^ 2;
	out[9] = mac[1];
	out[10] = mac[2];
	out[11] = 0xff;
	out[12] = 0xfe;
	out[13] = mac[3];
	out[14] = mac[4];
	out[15] = mac[5];
}

/* The solicited-node group of an address, ff02::1:ffXX:XXXX. */
static inline void ip6_solicited_node(uint8_t *out, const uint8_t *address)
{
	static const uint8_t start[13] = {0xff, 0x02, [11] = 1, [12] = 0xff};
	uint8_t end[3] = {address[13], address[14], address[15]};
	memcpy(out, start, sizeof(start));
	memcpy(out + sizeof(start), end, sizeof(end));
}

/* ff02::1 and ff02::2 */
static inline void ip6_all_nodes(uint8_t *out)
{
	static const uint8_t group[IP6_ADDRESS_LEN] = {0xff, 0x02, [15] = 1};
	memcpy(out, group, sizeof(group));
}

static inline void ip6_all_routers(uint8_t *out)
{
	static const uint8_t group[IP6_ADDRESS_LEN] = {0xff, 0x02, [15] = 2};
	memcpy(out, group, sizeof(group));
}

/* True for Ethernet addresses of IPv6 groups (RFC 2464 section 7). */
static inline bool ip6_is_multicast_mac(const uint8_t *mac)
{
	return mac[0] == 0x33 && mac[1] == 0x33;
}

/* The Ethernet address of an IPv6 group. */
static inline void ip6_multicast_mac(uint8_t *mac, const uint8_t *group)
{
	mac[0] = mac[1] = 0x33;
	memcpy(mac + 2, group + 12, 4);
}
