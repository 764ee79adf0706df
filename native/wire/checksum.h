/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The internet checksum (RFC 1071) and its incremental update (RFC 1624). Sums are in wire byte
 * order without swapping: the ones' complement sum works in either order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Add `length` bytes, the first of which is at an even offset; a last odd byte is padded with 0. */
static inline uint64_t checksum_add(uint64_t sum, const void *bytes, size_t length)
{
	const uint8_t *at = bytes;
	uint32_t word;
	for (; length >= sizeof(word); at += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		sum += word;
	}
	word = 0;
	if (length)
		memcpy(&word, at, length);
	return sum + word;
}

/* A 16-bit ones' complement sum, not inverted. */
static inline uint16_t checksum_fold(uint64_t sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)((sum & 0xffff) + (sum >> 16));
}

/* Value for a checksum field that was 0; 0 for bytes with a right checksum. */
static inline uint16_t checksum(const void *bytes, size_t length)
{
	return (uint16_t)~checksum_fold(checksum_add(0, bytes, length));
}

/* True if the bytes, not all of them 0, have a right checksum: then their sum is a multiple of
 * 0xffff, since 2^16 is 1 modulo 0xffff. */
static inline bool checksum_is_right(const void *bytes, size_t length)
{
	return checksum_add(0, bytes, length) % 0xffff == 0;
}

/* The checksum after a covered 16-bit word changes from `before` to `after`; RFC 1624 eqn 3. */
static inline uint16_t checksum_update(uint16_t field, uint16_t before, uint16_t after)
{
	uint32_t sum = (uint16_t)~field + (uint32_t)(uint16_t)~before + after;
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t) ~(sum + (sum >> 16));
}
