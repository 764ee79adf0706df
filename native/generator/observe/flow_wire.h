/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks by which a receiver recognizes packets of a flow.
 *
 * As in T-Rex, WS_FLOW_STATS sets the IPv4 ID, or the low 16 bits of the IPv6 flow label, to
 * FLOW_IP_ID + the flow's id, and the lowest bit of the traffic class. WS_FLOW_LATENCY sets them to
 * FLOW_IP_LATENCY, and its packets end in a tail with flow, start, sequence number and time.
 * Without an IP header the tail alone is the mark.
 *
 * Streams that are not counted have bit 12 of such an ID cleared; flow labels from FLOW_IP_ID on
 * also lose all bits from 16 on.
 *
 * Not in T-Rex: a stream with flow_signature keeps its headers and ends its packets in a tail of
 * the same form. Each worker numbers its packets of the stream in a series of its own. In place of
 * the time the tail has the number's complement, so that no checksum changes, the series and a
 * constant.
 */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct ws_stream;

enum {
	FLOW_IP_ID = 0xfc00,
	FLOW_IP_NOT_COUNTED = 0xefff, /* highest IP ID of packets that are not counted */
	FLOW_IP_LATENCY = 0xffff,
	FLOW_MAGIC_LATENCY = 0xab,
	FLOW_MAGIC_SIGNATURE = 0xac,
	FLOW_MAGIC_TAGGED = 0xc1, /* first byte of a tagged packet group's magic word */
	FLOW_START_TAGGED = 0x5c,
	FLOW_ID_TAGGED = 0xe50b,
	FLOW_TAIL_LEN = 16,
	FLOW_SERIES = 65536,
};
/* Two packets before the sequence wraps. */
#define FLOW_FIRST_SEQUENCE 0xfffffffeu

/* The last 16 bytes of a packet, little-endian. In a tagged packet group the first four bytes are
 * its magic word and `tsc` is the group; flow_put_tagged writes it. */
struct flow_tail {
	uint8_t magic, start;
	uint16_t id;
	uint32_t sequence;
	uint64_t tsc;
};

/* Offset of the bytes behind Ethernet header and VLAN tags, 0 if the frame is too short; *version
 * is 4 or 6 if a whole IP header follows, else 0. */
uint16_t flow_find_ip(const uint8_t *frame, uint32_t frame_len, int *version);

/*
 * Mark the template `frame` (of stream->packet_len bytes, padded to `frame_len`) as the stream's
 * flow requires, and fill in `tail`, the end of its packets; its magic is 0 if there is none.
 * -EINVAL if the packet has no room for the tail, or neither an IP header nor a tail to recognize
 * it by.
 */
int flow_mark(const struct ws_stream *stream, uint8_t start, uint8_t *frame, uint16_t frame_len,
			  struct flow_tail *tail);

/* Compiler barrier: use the values that were read, since the sender may still write to the packet.
 */
static inline void flow_end_reading(void)
{
	__asm__ volatile("" ::: "memory");
}

/* On the wire the tail is two words; the sequence number is the upper half of the first. */
static inline uint64_t flow_first_word(const struct flow_tail *tail)
{
	return tail->magic | (uint64_t)tail->start << 8 | (uint64_t)tail->id << 16 |
		   (uint64_t)tail->sequence << 32;
}

static inline void flow_put_words(uint8_t *at, uint64_t first, uint64_t second)
{
	uint64_t wire[] = {htole64(first), htole64(second)};
	memcpy(at, wire, sizeof(wire));
}

static inline void flow_put_tail(uint8_t *at, const struct flow_tail *tail)
{
	flow_put_words(at, flow_first_word(tail), tail->tsc);
}

static inline void flow_put_tagged(uint8_t *at, const struct flow_tail *tail, uint32_t number)
{
	flow_put_words(at, (uint32_t)flow_first_word(tail) | tail->tsc << 32, number);
}

static inline struct flow_tail flow_get_tail(const uint8_t *at)
{
	uint64_t wire[2];
	memcpy(wire, at, sizeof(wire));
	flow_end_reading();
	uint64_t first = le64toh(wire[0]);
	return (struct flow_tail){
		.magic = (uint8_t)first,
		.start = (uint8_t)(first >> 8),
		.id = (uint16_t)(first >> 16),
		.sequence = (uint32_t)(first >> 32),
		.tsc = le64toh(wire[1]),
	};
}

/* A signature holds this number in place of a time. */
static inline uint64_t flow_signature(uint16_t series, uint32_t sequence)
{
	static const uint64_t RARE = 0x6a09;
	return RARE << 48 | (uint64_t)series << 32 | (uint32_t)~sequence;
}

static inline uint16_t flow_series(const struct flow_tail *tail)
{
	return (uint16_t)(tail->tsc >> 32);
}

static inline bool flow_is_signature(const struct flow_tail *tail)
{
	return tail->tsc == flow_signature(flow_series(tail), tail->sequence);
}
