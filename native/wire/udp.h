/* SPDX-License-Identifier: Apache-2.0 */
/* UDP (RFC 768). */
#pragma once

#include <endian.h>
#include <stddef.h>
#include <stdint.h>

/* Fields are big endian. */
struct udp_header {
	uint16_t source, destination, length, checksum;
} __attribute__((packed));

enum { UDP_LEN = 8 };

/*
 * NULL if the `length` readable bytes do not hold a whole header, or the header's length exceeds
 * the `datagram_length` bytes of the IP packet.
 */
static inline const struct udp_header *udp_parse(const uint8_t *bytes, size_t length,
												 size_t datagram_length)
{
	const struct udp_header *udp = (const struct udp_header *)(const void *)bytes;
	if (length < UDP_LEN || be16toh(udp->length) < UDP_LEN ||
		be16toh(udp->length) > datagram_length)
		return NULL;
	return udp;
}
