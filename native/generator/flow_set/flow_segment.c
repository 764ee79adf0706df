/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/flow_set/flow_segment.h"

enum { PAYLOAD = WS_FLOW_SET_PAYLOAD };

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t get32(const uint8_t *at)
{
	return (uint32_t)get16(at) << 16 | get16(at + 2);
}

/* Number of bytes behind the IP header, according to that header. */
static uint32_t length_behind(const uint8_t *ip, uint32_t header, bool ip6)
{
	uint32_t length = get16(ip + (ip6 ? IP6_PAYLOAD_LENGTH_AT : IP4_TOTAL_LENGTH_AT));
	return ip6 ? length : length < header ? 0 : length - header;
}

/* Kind of a segment, by its flags and the length of its data. FLOW_DATAGRAM: not of a flow set. */
static enum flow_kind kind_of(const uint8_t *tcp, uint32_t data)
{
	switch (tcp[TCP_FLAGS_AT]) {
	case TCP_SYN:
		return data ? FLOW_DATAGRAM : FLOW_SYN;
	case TCP_SYN | TCP_ACK:
		return data ? FLOW_DATAGRAM : FLOW_SYN_ACK;
	case TCP_ACK:
		return data ? FLOW_DATAGRAM : FLOW_ACK;
	case TCP_PSH | TCP_ACK:
		return data < PAYLOAD ? FLOW_DATAGRAM : FLOW_DATA;
	default:
		return FLOW_DATAGRAM;
	}
}

uint16_t flow_segment_template(struct flow_writer *writer, const uint8_t *frame, uint16_t frame_len)
{
	const uint8_t *ip = frame + writer->ip_at, *tcp = frame + writer->upper_at;
	uint32_t length = length_behind(ip, writer->upper_at - writer->ip_at, writer->ip6);
	if (writer->upper_at + TCP_LEN > frame_len || writer->upper_at + length > frame_len)
		return 0;
	uint32_t header = (tcp[TCP_OFFSET_AT] >> 4) * 4u;
	if (header < TCP_LEN || header > length)
		return 0;
	writer->kind = kind_of(tcp, length - header);
	if (writer->kind == FLOW_DATAGRAM)
		return 0;
	writer->sum_at = writer->upper_at + TCP_CHECKSUM_AT;
	if (writer->kind == FLOW_DATA) {
		writer->words_at = (uint16_t)(writer->upper_at + header);
		writer->length = (uint16_t)(length - header);
	}
	return (uint16_t)length;
}

bool flow_segment_read(const struct flow_view *view, bool ip6, struct flow_frame *out)
{
	uint32_t header;
	const uint8_t *ip = flow_ip_of(view, ip6, IP4_TCP, TCP_LEN, &header);
	if (!ip)
		return false;
	/* Each byte is read once, since the peer of a memif may still write. */
	uint8_t tcp[TCP_LEN];
	uint32_t length = length_behind(ip, header, ip6);
	memcpy(tcp, ip + header, sizeof(tcp));
	flow_end_reading();
	uint32_t offset = (tcp[TCP_OFFSET_AT] >> 4) * 4u;
	uint32_t room = view->head_len - (uint32_t)(ip - view->head) - header;
	if (offset < TCP_LEN || offset > length)
		return false;
	*out = (struct flow_frame){
		.kind = kind_of(tcp, length - offset),
		.seq = get32(tcp + TCP_SEQUENCE_AT),
		.ack = get32(tcp + TCP_SEQUENCE_AT + 4),
		.length = length - offset,
	};
	if (out->kind == FLOW_DATA)
		return room >= offset + PAYLOAD && (ip6 ? flow_frame_take(ip, header, offset, out, true)
												: flow_frame_take(ip, header, offset, out, false));
	memcpy(out->tuple.addresses, ip + (ip6 ? 8 : 12), ip6 ? 32 : 8);
	memcpy(&out->tuple.ports, tcp, sizeof(out->tuple.ports));
	flow_end_reading();
	return out->kind != FLOW_DATAGRAM && get16(tcp + TCP_WINDOW_AT) == FLOW_WINDOW;
}

bool flow_segment_place(const struct flow_table *table, struct flow_frame *frame, bool *late)
{
	bool back = frame->kind == FLOW_SYN_ACK;
	uint32_t first = back ? frame->ack - 1 : frame->seq - (frame->kind == FLOW_ACK);
	frame->flow = first & ((1u << table->number_bits) - 1);
	*late = (first ^ flow_first_number(table, 0, false)) >> table->number_bits;
	if (frame->flow >= table->flows)
		return false;
	uint32_t other = flow_first_number(table, frame->flow, true);
	return *late || frame->kind == FLOW_SYN || (back ? frame->seq : frame->ack - 1) == other;
}
