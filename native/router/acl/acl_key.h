/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of a packet for ACL rules, in the layout of rte_acl: one byte, then words of four bytes.
 * All are big endian, as on the wire.
 */
#pragma once

#include "wire/ip4.h"
#include "wire/ip6.h"
#include "wire/tcp.h"
#include "wirespeed/acls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Availability of ports. A rule with ports matches later fragments by its other fields, and never a
 * packet that is cut off within the ports. */
enum acl_ports { ACL_PORTS_READ, ACL_PORTS_OF_FIRST_FRAGMENT, ACL_PORTS_CUT_OFF };

enum { ICMP_IDENTIFIER_AT = 4 };

/* Ports of TCP, UDP and SCTP, or type and code of ICMP. */
struct acl_upper {
	uint16_t source, destination;
	uint8_t tcp_flags;
	uint8_t ports;       /* enum acl_ports */
	uint16_t identifier; /* identifier of ICMP echo; 0 if the packet ends before it. Not used by
							rules. */
};

struct acl_ip4_key {
	uint8_t protocol, unused[3];
	uint32_t source, destination;
	struct acl_upper upper;
};

struct acl_ip6_key {
	uint8_t protocol, unused[3];
	uint8_t source[IP6_ADDRESS_LEN], destination[IP6_ADDRESS_LEN];
	struct acl_upper upper;
};

union acl_key {
	struct acl_ip4_key ip4;
	struct acl_ip6_key ip6;
};

/* Number of bytes of the upper header that rules read; 0 for protocols without ports. */
static inline size_t acl_upper_length(uint8_t protocol)
{
	switch (protocol) {
	case IP4_TCP:
		return TCP_FLAGS_AT + 1;
	case IP4_UDP:
	case IP4_SCTP:
		return 4;
	case IP4_ICMP:
	case IP6_ICMP:
		return 2;
	default:
		return 0;
	}
}

/* True if the rule restricts ports. Types and codes of ICMP end at 255. */
static inline bool acl_asks_for_ports(const struct ws_acl_rule *rule)
{
	bool is_icmp = rule->protocol == IP4_ICMP || rule->protocol == IP6_ICMP;
	uint16_t most = is_icmp ? UINT8_MAX : UINT16_MAX;
	return rule->source_first || rule->source_last < most || rule->destination_first ||
		   rule->destination_last < most;
}

static inline void acl_read_upper(struct acl_upper *upper, uint8_t protocol, bool is_later_fragment,
								  const uint8_t *bytes, size_t room)
{
	size_t wanted = acl_upper_length(protocol);
	*upper = (struct acl_upper){0};
	if (is_later_fragment) {
		upper->ports = ACL_PORTS_OF_FIRST_FRAGMENT;
	} else if (room < wanted) {
		upper->ports = ACL_PORTS_CUT_OFF;
	} else if (wanted == 2) {
		upper->source = htobe16(bytes[0]);
		upper->destination = htobe16(bytes[1]);
		if (room >= ICMP_IDENTIFIER_AT + sizeof(upper->identifier))
			memcpy(&upper->identifier, bytes + ICMP_IDENTIFIER_AT, sizeof(upper->identifier));
	} else if (wanted) {
		memcpy(upper, bytes, 4);
		if (protocol == IP4_TCP)
			upper->tcp_flags = bytes[TCP_FLAGS_AT];
	}
}

/* `length` bytes can be read. False if they do not hold a whole IPv4 header. */
static inline bool acl_read_ip4(struct acl_ip4_key *key, const uint8_t *bytes, size_t length)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)bytes;
	if (length < IP4_LEN || ip->version_ihl >> 4 != 4)
		return false;
	uint16_t header = ip4_header_length(ip);
	if (header < IP4_LEN || header > length)
		return false;
	*key = (struct acl_ip4_key){
		.protocol = ip->protocol, .source = ip->source, .destination = ip->destination};
	acl_read_upper(&key->upper, ip->protocol, ip4_is_later_fragment(ip), bytes + header,
				   length - header);
	return true;
}

/* acl_read_ip4 for IPv6; behind headers that cannot be followed, ports count as cut off. */
static inline bool acl_read_ip6(struct acl_ip6_key *key, const uint8_t *bytes, size_t length)
{
	struct ip6_upper found;
	if (length < IP6_LEN || bytes[0] >> 4 != 6)
		return false;
	bool is_cut = ip6_find_upper(bytes, length, &found) != IP6_WALK_OK;
	size_t room = length > found.offset && !is_cut ? length - found.offset : 0;
	key->protocol = found.protocol;
	memset(key->unused, 0, sizeof(key->unused));
	memcpy(key->source, bytes + IP6_ADDRESSES_AT, IP6_ADDRESSES_LEN);
	acl_read_upper(&key->upper, found.protocol, found.is_later_fragment, bytes + found.offset,
				   room);
	if (is_cut)
		key->upper.ports = ACL_PORTS_CUT_OFF;
	return true;
}
