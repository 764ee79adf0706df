/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/frame_kind.h"

#include "wire/arp.h"
#include "wire/icmp4.h"
#include "wire/icmp6.h"
#include "wire/vlan.h"

enum { LLDP = 0x88cc };

static enum frame_kind kind_of_ip4(const uint8_t *bytes, size_t length, size_t packet_length)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)bytes;
	if (ip4_check(bytes, length, packet_length) != IP4_OK || ip->protocol != IP4_ICMP ||
		ip4_is_later_fragment(ip))
		return FRAME_ORDINARY;
	uint16_t header = ip4_header_length(ip);
	size_t there = be16toh(ip->total_length) < length ? be16toh(ip->total_length) : length;
	const struct icmp4_header *icmp = icmp4_parse(bytes + header, there - header);
	return icmp && icmp4_is_error(icmp->type) ? FRAME_ICMP_ERROR : FRAME_ORDINARY;
}

static enum frame_kind kind_of_ip6(const uint8_t *bytes, size_t length, size_t packet_length)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)bytes;
	struct ip6_upper upper;
	if (ip6_check(bytes, length, packet_length) != IP6_OK)
		return FRAME_ORDINARY;
	size_t there = ip6_packet_length(ip) < length ? ip6_packet_length(ip) : length;
	if (ip6_find_upper(bytes, there, &upper) != IP6_WALK_OK || upper.protocol != IP6_ICMP ||
		upper.is_later_fragment)
		return FRAME_ORDINARY;
	const struct icmp6_header *icmp = icmp6_parse(bytes + upper.offset, there - upper.offset);
	if (!icmp)
		return FRAME_ORDINARY;
	if (icmp->type < ICMP6_FIRST_INFORMATION)
		return FRAME_ICMP6_ERROR;
	return icmp->type >= ICMP6_ROUTER_SOLICITATION && icmp->type <= ICMP6_REDIRECT ? FRAME_ND
																				   : FRAME_ORDINARY;
}

static bool is_link_control(const uint8_t *destination)
{
	static const uint8_t prefix[] = {0x01, 0x80, 0xc2};
	return !memcmp(destination, prefix, sizeof(prefix));
}

enum frame_kind frame_kind(const uint8_t *bytes, size_t length, size_t frame_length)
{
	uint16_t type = 0;
	size_t at = frame_payload(bytes, length, &type);
	struct arp arp;
	if (!at)
		return FRAME_ORDINARY;
	switch (at <= ETHERNET_MAX_LEN ? type : ETHERNET_VLAN) {
	case ETHERNET_IP4:
		return kind_of_ip4(bytes + at, length - at, frame_length - at);
	case ETHERNET_IP6:
		return kind_of_ip6(bytes + at, length - at, frame_length - at);
	case ETHERNET_ARP:
		return arp_parse(bytes + at, length - at, &arp) == ARP_OK ? FRAME_ARP : FRAME_ORDINARY;
	case ETHERNET_MPLS:
		return FRAME_ORDINARY;
	case LLDP:
		return FRAME_LLDP;
	default:
		return is_link_control(bytes) ? FRAME_CONTROL : FRAME_ORDINARY;
	}
}
