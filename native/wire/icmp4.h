/* SPDX-License-Identifier: Apache-2.0 */
/* ICMP (RFC 792). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fields are big endian. */
struct icmp4_header {
	uint8_t type, code;
	uint16_t checksum;
	uint16_t rest[2]; /* id and sequence, or an unused word and the next hop's MTU (RFC 1191) */
} __attribute__((packed));

enum { ICMP4_LEN = 8 };

enum icmp4_type {
	ICMP4_ECHO_REPLY = 0,
	ICMP4_UNREACHABLE = 3,
	ICMP4_SOURCE_QUENCH = 4,
	ICMP4_REDIRECT = 5,
	ICMP4_ECHO_REQUEST = 8,
	ICMP4_TIME_EXCEEDED = 11,
	ICMP4_PARAMETER_PROBLEM = 12,
};

enum icmp4_unreachable_code {
	ICMP4_NET_UNREACHABLE = 0,
	ICMP4_HOST_UNREACHABLE = 1,
	ICMP4_PROTOCOL_UNREACHABLE = 2,
	ICMP4_PORT_UNREACHABLE = 3,
	ICMP4_FRAGMENTATION_NEEDED = 4,
	ICMP4_PROHIBITED = 13, /* communication administratively prohibited, RFC 1812 */
};

/* NULL if the bytes do not hold a whole header. */
static inline const struct icmp4_header *icmp4_parse(const uint8_t *bytes, size_t length)
{
	return length < ICMP4_LEN ? NULL : (const struct icmp4_header *)(const void *)bytes;
}

/* No ICMP error may be sent about an ICMP error (RFC 1812 section 4.3.2.7). */
static inline bool icmp4_is_error(uint8_t type)
{
	return type == ICMP4_UNREACHABLE || type == ICMP4_SOURCE_QUENCH || type == ICMP4_REDIRECT ||
		   type == ICMP4_TIME_EXCEEDED || type == ICMP4_PARAMETER_PROBLEM;
}
