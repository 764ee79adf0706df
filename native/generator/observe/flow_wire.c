/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/observe/flow_wire.h"

#include "dev/error.h"
#include "wire/checksum.h"
#include "wire/ip4.h"
#include "wire/ip6.h"
#include "wire/vlan.h"
#include "wirespeed/flows.h"

#include <errno.h>
#include <string.h>

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static void put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

uint16_t flow_find_ip(const uint8_t *frame, uint32_t frame_len, int *version)
{
	uint16_t type = 0;
	size_t at = frame_payload(frame, frame_len, &type);
	*version = 0;
	if (type == ETHERNET_IP4 && at + IP4_LEN <= frame_len && frame[at] >> 4 == 4)
		*version = 4;
	if (type == ETHERNET_IP6 && at + IP6_LEN <= frame_len && frame[at] >> 4 == 6)
		*version = 6;
	return (uint16_t)at;
}

/* Offset of the payload: behind the known headers; without IP, behind Ethernet. */
static uint32_t payload_at(const uint8_t *frame, uint16_t l3, int version, uint32_t len)
{
	if (!version)
		return ETHERNET_LEN;
	const uint8_t *ip = frame + l3;
	uint32_t l4 = l3 + (version == 4 ? (ip[0] & 0xf) * 4u : IP6_LEN);
	switch (ip[version == 4 ? IP4_PROTOCOL_AT : IP6_NEXT_AT]) {
	case IP4_UDP:
	case IP4_ICMP:
	case IP6_ICMP:
		return l4 + 8;
	case IP4_TCP:
		return l4 + (l4 + 12 < len ? (frame[l4 + 12] >> 4) * 4u : IP4_LEN);
	default:
		return l4;
	}
}

/* Replace 16 bits of an IPv4 header; a right checksum stays right and a wrong one wrong. */
static void change_ip4(uint8_t *ip, uint16_t at, uint16_t value)
{
	uint8_t *field = ip + IP4_CHECKSUM_AT;
	put16(field, checksum_update(get16(field), get16(ip + at), value));
	put16(ip + at, value);
}

static void mark_ip(uint8_t *ip, int version, uint16_t id)
{
	if (version == 6) {
		ip[1] = (ip[1] & 0xf0) | 0x10; /* the upper 4 bits of the flow label are 0 */
		put16(ip + IP6_FLOW_LABEL_AT, id);
		return;
	}
	change_ip4(ip, 0, get16(ip) | 1);
	change_ip4(ip, IP4_ID_AT, id);
}

/* Clear bit 12 of an ID from FLOW_IP_ID on, so that packets of uncounted streams do not look like
 * counted ones. */
static void keep_apart(uint8_t *frame, uint16_t frame_len)
{
	int version;
	uint8_t *ip = frame + flow_find_ip(frame, frame_len, &version);
	uint16_t id = version ? get16(ip + (version == 4 ? IP4_ID_AT : IP6_FLOW_LABEL_AT)) : 0;
	uint16_t apart = id & FLOW_IP_NOT_COUNTED;
	if (version == 4 && id >= FLOW_IP_ID) {
		change_ip4(ip, IP4_ID_AT, apart);
	} else if (version == 6 && (id >= FLOW_IP_ID || ip[1] & 0xf)) {
		ip[1] &= 0xf0;
		put16(ip + IP6_FLOW_LABEL_AT, apart);
	}
}

static bool has_signature(const struct ws_stream *stream)
{
	return stream->flow_kind == WS_FLOW_STATS && stream->flow_signature;
}

static int check_flow(const struct ws_stream *stream, const uint8_t *frame, uint16_t frame_len,
					  uint16_t l3, int version)
{
	bool latency = stream->flow_kind == WS_FLOW_LATENCY;
	bool tagged = stream->flow_kind == WS_FLOW_TAGGED;
	bool has_tail = latency || tagged || has_signature(stream);
	uint32_t ids = latency ? WS_LATENCY_FLOWS : WS_FLOWS;
	if (stream->flow_kind < WS_FLOW_NONE || stream->flow_kind > WS_FLOW_TAGGED)
		return fail(-EINVAL, "stream %u: flow type %d does not exist", stream->id,
					stream->flow_kind);
	if (!tagged && stream->flow_id >= ids)
		return fail(-EINVAL, "stream %u: a flow id of %u; 0 to %u is possible", stream->id,
					stream->flow_id, ids - 1);
	if (!version && !has_tail)
		return fail(
			-EINVAL,
			"stream %u: flow statistics need an IPv4 or IPv6 packet; VLAN tags may precede it",
			stream->id);
	uint32_t header = version == 4 ? (frame[l3] & 0xf) * 4u : IP6_LEN;
	if (version && (header < IP4_LEN || l3 + header > frame_len))
		return fail(-EINVAL, "stream %u: an IP header of %u bytes does not fit the packet",
					stream->id, header);
	uint32_t payload = payload_at(frame, l3, version, frame_len);
	if (has_tail && payload + FLOW_TAIL_LEN > frame_len)
		return fail(-EINVAL, "stream %u: its packet has %d bytes of payload; %s takes %d",
					stream->id, payload < frame_len ? (int)(frame_len - payload) : 0,
					latency  ? "latency"
					: tagged ? "a tagged packet group"
							 : "the flow signature",
					FLOW_TAIL_LEN);
	return 0;
}

int ws_stream_check_flow(const struct ws_stream *stream)
{
	uint8_t padded[ETHERNET_FRAME_MIN_LEN] = {0};
	const uint8_t *frame = stream->packet;
	uint16_t frame_len = stream->packet_len;
	if (stream->flow_kind == WS_FLOW_NONE || stream->flow_kind == WS_FLOW_SET)
		return 0;
	if (frame_len < sizeof(padded)) {
		memcpy(padded, frame, frame_len);
		frame = padded;
		frame_len = sizeof(padded);
	}
	int version;
	uint16_t l3 = flow_find_ip(frame, frame_len, &version);
	return check_flow(stream, frame, frame_len, l3, version);
}

int flow_mark(const struct ws_stream *stream, uint8_t start, uint8_t *frame, uint16_t frame_len,
			  struct flow_tail *tail)
{
	*tail = (struct flow_tail){0};
	if (stream->flow_kind == WS_FLOW_NONE || stream->flow_kind == WS_FLOW_SET) {
		keep_apart(frame, frame_len);
		return 0;
	}
	int version;
	bool latency = stream->flow_kind == WS_FLOW_LATENCY;
	bool signature = has_signature(stream);
	bool tagged = stream->flow_kind == WS_FLOW_TAGGED;
	uint16_t l3 = flow_find_ip(frame, frame_len, &version);
	int error = check_flow(stream, frame, frame_len, l3, version);
	if (error)
		return error;
	uint16_t id = (uint16_t)stream->flow_id;
	if (tagged)
		keep_apart(frame, frame_len);
	else if (version && !signature)
		mark_ip(frame + l3, version, latency ? FLOW_IP_LATENCY : (uint16_t)(FLOW_IP_ID + id));
	if (latency)
		*tail = (struct flow_tail){
			.magic = FLOW_MAGIC_LATENCY, .start = start, .id = id, .sequence = FLOW_FIRST_SEQUENCE};
	if (signature)
		*tail = (struct flow_tail){.magic = FLOW_MAGIC_SIGNATURE,
								   .id = id,
								   .sequence = FLOW_FIRST_SEQUENCE,
								   .tsc = flow_signature(0, FLOW_FIRST_SEQUENCE)};
	if (tagged) {
		*tail = (struct flow_tail){.magic = FLOW_MAGIC_TAGGED,
								   .start = FLOW_START_TAGGED,
								   .id = FLOW_ID_TAGGED,
								   .tsc = stream->flow_id};
		flow_put_tagged(frame + frame_len - FLOW_TAIL_LEN, tail, 0);
		return 0;
	}
	if (tail->magic)
		flow_put_tail(frame + frame_len - FLOW_TAIL_LEN, tail);
	return 0;
}
