/* SPDX-License-Identifier: Apache-2.0 */
/* ICMPv6 (RFC 4443). */
#pragma once

#include "wire/ip6.h"

/* Fields are big endian. */
struct icmp6_header {
	uint8_t type, code;
	uint16_t checksum;
	uint32_t rest; /* id and sequence, the MTU, or the offset of the error */
} __attribute__((packed));

enum { ICMP6_LEN = 8 };

enum icmp6_type {
	ICMP6_UNREACHABLE = 1,
	ICMP6_TOO_BIG = 2,
	ICMP6_TIME_EXCEEDED = 3,
	ICMP6_PARAMETER_PROBLEM = 4,
	ICMP6_FIRST_INFORMATION = 128, /* types below are errors */
	ICMP6_ECHO_REQUEST = 128,
	ICMP6_ECHO_REPLY = 129,
	ICMP6_LISTENER_QUERY = 130,
	ICMP6_ROUTER_SOLICITATION = 133,
	ICMP6_ROUTER_ADVERTISEMENT = 134,
	ICMP6_NEIGHBOR_SOLICITATION = 135,
	ICMP6_NEIGHBOR_ADVERTISEMENT = 136,
	ICMP6_REDIRECT = 137,
	ICMP6_LISTENER_REPORT = 143, /* version 2 */
};

enum icmp6_unreachable_code {
	ICMP6_NO_ROUTE = 0,
	ICMP6_PROHIBITED = 1,
	ICMP6_ADDRESS_UNREACHABLE = 3,
	ICMP6_PORT_UNREACHABLE = 4,
};

enum icmp6_parameter_code { ICMP6_UNKNOWN_NEXT_HEADER = 1 };

/* NULL if the bytes do not hold a whole header. */
static inline const struct icmp6_header *icmp6_parse(const uint8_t *bytes, size_t length)
{
	return length < ICMP6_LEN ? NULL : (const struct icmp6_header *)(const void *)bytes;
}

/* No ICMP error may be sent about an ICMP error (RFC 4443 section 2.4 e). */
static inline bool icmp6_is_error(uint8_t type)
{
	return type < ICMP6_FIRST_INFORMATION || type == ICMP6_REDIRECT;
}

/* For packets without extension headers. */
static inline void icmp6_set_checksum(uint8_t *packet)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)packet;
	struct icmp6_header *icmp = (struct icmp6_header *)(void *)(packet + IP6_LEN);
	uint16_t length = be16toh(ip->payload_length);
	icmp->checksum = 0;
	uint64_t sum = ip6_pseudo_sum(ip, length, IP6_ICMP);
	icmp->checksum = (uint16_t)~checksum_fold(checksum_add(sum, icmp, length));
}
