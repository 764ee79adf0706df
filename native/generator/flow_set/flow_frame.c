/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/flow_set/flow_frame.h"

#include "dev/error.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>

enum { PAYLOAD = WS_FLOW_SET_PAYLOAD, NEEDED = UDP_LEN + PAYLOAD };

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

/* The offset of the UDP header, 0 when the packet is no whole datagram with room for the words. */
static uint16_t udp_at(const uint8_t *frame, uint16_t frame_len, uint16_t ip_at, bool ip6)
{
	const uint8_t *ip = frame + ip_at;
	uint32_t header = ip6 ? IP6_LEN : (ip[0] & 0xf) * 4u, length;
	if (ip_at + header + NEEDED > frame_len || header < IP4_LEN)
		return 0;
	if (ip6 ? ip[IP6_NEXT_AT] != IP6_UDP
			: ip[IP4_PROTOCOL_AT] != IP4_UDP ||
				  get16(ip + 6) & (IP4_MORE_FRAGMENTS | IP4_OFFSET_MASK))
		return 0;
	length = get16(ip + header + 4);
	if (length < NEEDED || ip_at + header + length > frame_len)
		return 0;
	return (uint16_t)(ip_at + header);
}

int flow_writer_make(struct flow_writer *writer, uint32_t stream, const uint8_t *frame,
					 uint16_t frame_len, bool ip6, uint32_t mark)
{
	int version;
	uint16_t ip_at = flow_find_ip(frame, frame_len, &version);
	uint16_t at = version == (ip6 ? 6 : 4) ? udp_at(frame, frame_len, ip_at, ip6) : 0;
	if (!at)
		return fail(-EINVAL,
					"stream %u: a flow set of IPv%c sends UDP over it, with %d bytes of payload or "
					"more",
					stream, ip6 ? '6' : '4', PAYLOAD);
	uint8_t *copy = malloc(frame_len);
	if (!copy)
		return fail(-ENOMEM, "no memory for the packet of stream %u", stream);
	memcpy(copy, frame, frame_len);
	uint8_t *ip = copy + ip_at, *udp = copy + at;
	uint16_t length = get16(udp + 4), pseudo[] = {htobe16(IP4_UDP), htobe16(length)};
	memset(ip + (ip6 ? 8 : 12), 0, ip6 ? 32 : 8);
	if (!ip6)
		memset(ip + IP4_CHECKSUM_AT, 0, 2);
	memset(udp, 0, 4);
	memset(udp + 6, 0, 2 + PAYLOAD);
	*writer = (struct flow_writer){
		.ip6 = ip6,
		.ip_at = ip_at,
		.udp_at = at,
		.mark = mark,
		.ip_sum = checksum_add(0, ip, at - ip_at),
		.udp_sum = checksum_add(checksum_add(0, pseudo, sizeof(pseudo)), udp, length),
	};
	free(copy);
	return 0;
}

bool flow_frame_read(const struct flow_view *view, bool ip6, struct flow_frame *out)
{
	const uint8_t *head = view->head;
	uint32_t at = ETHERNET_TYPE_AT, length = view->head_len, header = ip6 ? IP6_LEN : IP4_LEN;
	if (length < ETHERNET_LEN + header + NEEDED)
		return false;
	uint16_t type = get16(head + at);
	for (int tags = 0; tags < 2 && (type == ETHERNET_VLAN || type == ETHERNET_QINQ); tags++) {
		at += VLAN_TAG_LEN;
		type = get16(head + at);
	}
	const uint8_t *ip = head + at + 2;
	if (type != (ip6 ? ETHERNET_IP6 : ETHERNET_IP4))
		return false;
	if (!ip6)
		header = (ip[0] & 0xfu) * 4;
	if (at + 2 + header + NEEDED > length || header < IP4_LEN)
		return false;
	if (ip6 ? ip[IP6_NEXT_AT] != IP6_UDP
			: ip[IP4_PROTOCOL_AT] != IP4_UDP || get16(ip + 6) & IP4_OFFSET_MASK)
		return false;
	return ip6 ? flow_frame_take(ip, header, out, true) : flow_frame_take(ip, header, out, false);
}
