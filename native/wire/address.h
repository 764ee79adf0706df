/* SPDX-License-Identifier: Apache-2.0 */
/* IP addresses and prefixes of either family, as in the seam. */
#pragma once

#include "wirespeed/address.h"

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { ADDRESS_TEXT_LEN = 46 };

/* Conversion from and to an IPv4 address in host byte order. */
static inline struct ws_address address_of_ip4(uint32_t ip4)
{
	struct ws_address address = {.family = WS_IP4};
	ip4 = htobe32(ip4);
	memcpy(address.bytes, &ip4, sizeof(ip4));
	return address;
}

static inline uint32_t address_ip4(const struct ws_address *address)
{
	uint32_t ip4;
	memcpy(&ip4, address->bytes, sizeof(ip4));
	return be32toh(ip4);
}

static inline struct ws_address address_of_ip6(const uint8_t bytes[16])
{
	struct ws_address address = {.family = WS_IP6};
	memcpy(address.bytes, bytes, sizeof(address.bytes));
	return address;
}

static inline uint8_t address_bits(uint8_t family)
{
	return family == WS_IP4 ? 32 : 128;
}

static inline bool address_equal(const struct ws_address *a, const struct ws_address *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static inline bool prefix_equal(const struct ws_prefix *a, const struct ws_prefix *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static inline struct ws_prefix prefix_of_host(struct ws_address address)
{
	return (struct ws_prefix){address, address_bits(address.family)};
}

/* Set the bits behind the prefix's length to `bit`. */
static inline void prefix_fill(struct ws_prefix *prefix, bool bit)
{
	int bits = address_bits(prefix->address.family);
	for (int i = 0; i < (int)sizeof(prefix->address.bytes) && i * 8 < bits; i++) {
		int kept = prefix->length - i * 8;
		uint8_t host = kept <= 0 ? 0xff : kept < 8 ? 0xff >> kept : 0;
		prefix->address.bytes[i] &= (uint8_t)~host;
		if (bit)
			prefix->address.bytes[i] |= host;
	}
}

/* The prefix with its host bits 0. */
static inline struct ws_prefix prefix_network(struct ws_prefix prefix)
{
	prefix_fill(&prefix, false);
	return prefix;
}

/* An address as a number; an IPv4 address is in the highest 32 bits. */
static inline unsigned __int128 address_number(const struct ws_address *address)
{
	unsigned __int128 number = 0;
	for (int i = 0; i < 16; i++)
		number = number << 8 | address->bytes[i];
	return number;
}

/* True if there is an n-th prefix of this length after `prefix`, which has no host bits. */
static inline bool prefix_has_nth(const struct ws_prefix *prefix, uint32_t n)
{
	unsigned __int128 number = address_number(&prefix->address);
	if (!prefix->length)
		return !n;
	return n <= ~number >> (128 - prefix->length);
}

static inline struct ws_prefix prefix_nth(const struct ws_prefix *prefix, uint32_t n)
{
	struct ws_prefix nth = *prefix;
	if (!n)
		return nth;
	unsigned __int128 number = address_number(&prefix->address);
	number += (unsigned __int128)n << (128 - prefix->length);
	for (int i = 15; i >= 0; i--, number >>= 8)
		nth.address.bytes[i] = (uint8_t)number;
	return nth;
}

static inline bool prefix_covers(const struct ws_prefix *prefix, const struct ws_address *address)
{
	uint8_t whole = prefix->length / 8, rest = prefix->length % 8;
	if (prefix->address.family != address->family ||
		memcmp(prefix->address.bytes, address->bytes, whole))
		return false;
	return !rest || !((prefix->address.bytes[whole] ^ address->bytes[whole]) >> (8 - rest));
}

/* True for addresses that a host may have: not multicast, "this network" or loopback. */
static inline bool address_is_unicast(const struct ws_address *address)
{
	static const uint8_t zero[15];
	if (address->family == WS_IP4)
		return address->bytes[0] != 0 && address->bytes[0] != 127 && address->bytes[0] < 224;
	if (address->family != WS_IP6 || address->bytes[0] == 0xff)
		return false;
	return memcmp(address->bytes, zero, sizeof(zero)) != 0 || address->bytes[15] > 1;
}

static inline bool address_is_link_local(const struct ws_address *address)
{
	return address->family == WS_IP6 && address->bytes[0] == 0xfe &&
		   (address->bytes[1] & 0xc0) == 0x80;
}

/* Writes to `text`, of ADDRESS_TEXT_LEN characters, and returns it. */
const char *address_format(char *text, const struct ws_address *address);

/* For error texts: valid until the end of the enclosing block. */
#define ADDRESS_TEXT(address) address_format((char[ADDRESS_TEXT_LEN]){0}, (address))
