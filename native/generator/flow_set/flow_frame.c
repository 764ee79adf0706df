/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/flow_set/flow_frame.h"

enum { NEEDED = UDP_LEN + WS_FLOW_SET_PAYLOAD };

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

const uint8_t *flow_ip_of(const struct flow_view *view, bool ip6, uint8_t protocol, uint32_t needed,
						  uint32_t *header)
{
	const uint8_t *head = view->head;
	uint32_t at = ETHERNET_TYPE_AT, length = view->head_len;
	*header = ip6 ? IP6_LEN : IP4_LEN;
	if (length < ETHERNET_LEN + *header + needed)
		return NULL;
	uint16_t type = get16(head + at);
	for (int tags = 0; tags < 2 && (type == ETHERNET_VLAN || type == ETHERNET_QINQ); tags++) {
		at += VLAN_TAG_LEN;
		type = get16(head + at);
	}
	const uint8_t *ip = head + at + 2;
	if (type != (ip6 ? ETHERNET_IP6 : ETHERNET_IP4))
		return NULL;
	if (!ip6)
		*header = (ip[0] & 0xfu) * 4;
	if (at + 2 + *header + needed > length || *header < IP4_LEN)
		return NULL;
	if (ip6 ? ip[IP6_NEXT_AT] != protocol
			: ip[IP4_PROTOCOL_AT] != protocol || get16(ip + 6) & IP4_OFFSET_MASK)
		return NULL;
	return ip;
}

bool flow_frame_read(const struct flow_view *view, bool ip6, struct flow_frame *out)
{
	uint32_t header;
	const uint8_t *ip = flow_ip_of(view, ip6, IP4_UDP, NEEDED, &header);
	if (!ip)
		return false;
	return ip6 ? flow_frame_take(ip, header, UDP_LEN, out, true)
			   : flow_frame_take(ip, header, UDP_LEN, out, false);
}
