/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons for which packets are handed to Linux. */
#include "router/punt/punt.h"
#include "wire/ethernet.h"
#include "wire/icmp6.h"
#include "wire/ip4.h"
#include "wire/ip6.h"

enum {
	PORTS_LEN = 4,
	PORT_BGP = 179,
	PORT_RIP = 520,
	PORT_RIPNG = 521,
	PORT_LDP = 646,
	PORT_BFD = 3784,
	PORT_BFD_ECHO = 3785,
	PORT_BFD_MULTIHOP = 4784,
	PORT_BFD_BONDS = 6784,
	PROTOCOL_OSPF = 89,
	PROTOCOL_PIM = 103,
	PROTOCOL_VRRP = 112,
	FIRST_TYPE = 0x600, /* lower values are lengths (IEEE 802.3) */
	ISO_SAP = 0xfe,     /* IS-IS */
	FIRST_GROUP = 224,  /* first octet of multicast addresses; broadcast counts too */
};

static bool is_routing_port(uint8_t protocol, uint16_t port)
{
	if (protocol == IP4_TCP)
		return port == PORT_BGP || port == PORT_LDP;
	return port == PORT_RIP || port == PORT_RIPNG || port == PORT_LDP || port == PORT_BFD ||
		   port == PORT_BFD_ECHO || port == PORT_BFD_MULTIHOP || port == PORT_BFD_BONDS;
}

/* True if the upper layer is a routing protocol, by its number or either port. */
static bool is_routing(uint8_t protocol, const uint8_t *upper, size_t length)
{
	if (protocol == PROTOCOL_OSPF || protocol == PROTOCOL_PIM || protocol == PROTOCOL_VRRP)
		return true;
	if ((protocol != IP4_TCP && protocol != IP4_UDP) || length < PORTS_LEN)
		return false;
	uint16_t from = (uint16_t)(upper[0] << 8 | upper[1]), to = (uint16_t)(upper[2] << 8 | upper[3]);
	return is_routing_port(protocol, from) || is_routing_port(protocol, to);
}

enum ws_punt_reason punt_reason_of_ip4(const uint8_t *bytes, size_t length)
{
	const struct ip4_header *ip = (const struct ip4_header *)(const void *)bytes;
	if (length < IP4_LEN)
		return WS_PUNT_IP4;
	size_t header = ip4_header_length(ip);
	bool has_start = header >= IP4_LEN && header <= length && !ip4_is_later_fragment(ip);
	if (ip->protocol == IP4_ICMP)
		return WS_PUNT_ICMP;
	if (is_routing(ip->protocol, bytes + header, has_start ? length - header : 0))
		return WS_PUNT_ROUTING;
	return bytes[IP4_ADDRESSES_AT + 4] >= FIRST_GROUP ? WS_PUNT_MULTICAST : WS_PUNT_IP4;
}

static enum ws_punt_reason reason_of_icmp6(const struct icmp6_header *icmp)
{
	bool is_nd = icmp && icmp->type >= ICMP6_ROUTER_SOLICITATION && icmp->type <= ICMP6_REDIRECT;
	return is_nd || (icmp && icmp->type == ICMP6_LISTENER_QUERY) ? WS_PUNT_ND : WS_PUNT_ICMP;
}

/* Extension headers are followed only within the readable bytes; behind them the reason is "other".
 */
enum ws_punt_reason punt_reason_of_ip6(const uint8_t *bytes, size_t length)
{
	const struct ip6_header *ip = (const struct ip6_header *)(const void *)bytes;
	struct ip6_upper upper;
	if (length < IP6_LEN)
		return WS_PUNT_IP6;
	if (!ip6_find_upper(bytes, (uint16_t)length, &upper) && !upper.is_fragment) {
		const uint8_t *start = bytes + upper.offset;
		size_t left = length - upper.offset;
		if (upper.protocol == IP6_ICMP)
			return reason_of_icmp6(icmp6_parse(start, left));
		if (is_routing(upper.protocol, start, left))
			return WS_PUNT_ROUTING;
	}
	return ip6_is_multicast(ip->destination) ? WS_PUNT_MULTICAST : WS_PUNT_IP6;
}

enum ws_punt_reason punt_reason_of_frame(const uint8_t *bytes, size_t length)
{
	const struct ethernet_header *header = ethernet_parse(bytes, length);
	uint16_t type = header ? be16toh(header->type) : 0;
	const uint8_t *behind = bytes + ETHERNET_LEN;
	size_t left = header ? length - ETHERNET_LEN : 0;
	switch (type) {
	case ETHERNET_ARP:
		return WS_PUNT_ARP;
	case ETHERNET_SLOW:
		return WS_PUNT_LACP;
	case ETHERNET_IP4:
		return punt_reason_of_ip4(behind, left);
	case ETHERNET_IP6:
		return punt_reason_of_ip6(behind, left);
	default:
		return type < FIRST_TYPE && left >= 2 && behind[0] == ISO_SAP && behind[1] == ISO_SAP
				   ? WS_PUNT_ROUTING
				   : WS_PUNT_OTHER;
	}
}
