/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test frames of a flow set: written over copies of a template, and read on reception.
 *
 * Four little-endian words follow the UDP header: a mark (FLOW_FRAME_MAGIC, the sending worker, the
 * generation of the phase), the flow, the number of the frame, the time or 0. They fit into IPv4
 * frames of 64 bytes and IPv6 frames of 82. Checksums are correct. flow_segment.h has the frames of
 * TCP. Nothing here needs DPDK.
 */
#pragma once

#include "generator/flow_set/flow_tuples.h"

#include "generator/observe/flow_wire.h"
#include "wire/checksum.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/ip6.h"
#include "wire/udp.h"

#include <endian.h>

enum {
	FLOW_FRAME_MAGIC = 0x5d,
	FLOW_FRAME_TIME_SHIFT =
		4, /* low bits of the clock left out; the 32 bits above wrap after seconds */
};

static inline uint32_t flow_mark_of(uint8_t sender, uint16_t generation)
{
	return FLOW_FRAME_MAGIC | (uint32_t)sender << 8 | (uint32_t)generation << 16;
}

/* Kinds of frames: a datagram, a segment of the handshake, a segment with data. */
enum flow_kind { FLOW_DATAGRAM, FLOW_SYN, FLOW_SYN_ACK, FLOW_ACK, FLOW_DATA };

struct flow_writer {
	bool ip6;
	enum flow_kind kind;
	uint16_t ip_at, upper_at, sum_at, words_at; /* offsets in the frame */
	uint16_t length;                            /* of the data in a segment */
	uint32_t mark;
	uint64_t ip_sum, upper_sum; /* sum over the bytes that all frames share */
};

/* `frame` is the template: a UDP packet or TCP segment whose addresses, ports and payload are
 * replaced. Returns 0, or the code of an error with a message. */
int flow_writer_make(struct flow_writer *writer, uint32_t stream, const uint8_t *frame,
					 uint16_t frame_len, bool ip6, bool tcp, uint32_t mark);

static inline uint64_t flow_sum_addresses(const struct flow_tuple *tuple, bool ip6)
{
	uint64_t sum = 0;
	for (int i = 0; i < (ip6 ? 4 : 1); i++)
		sum += (uint32_t)tuple->addresses[i] + (tuple->addresses[i] >> 32);
	return sum;
}

/* A UDP checksum of 0 would mean that the frame has none. */
static inline uint16_t flow_checksum(uint64_t sum)
{
	uint16_t folded = (uint16_t)~checksum_fold(sum);
	return folded ? folded : 0xffff;
}

/* Write addresses and ports; returns their checksum sum. */
static inline __attribute__((always_inline)) uint64_t
flow_write_tuple(const struct flow_writer *writer, uint8_t *frame, const struct flow_tuple *tuple,
				 const bool ip6)
{
	uint8_t *ip = frame + writer->ip_at;
	uint64_t addresses = flow_sum_addresses(tuple, ip6);
	memcpy(ip + (ip6 ? 8 : 12), tuple->addresses, ip6 ? 32 : 8);
	if (!ip6) {
		uint16_t header = (uint16_t)~checksum_fold(writer->ip_sum + addresses);
		memcpy(ip + 10, &header, sizeof(header));
	}
	memcpy(frame + writer->upper_at, &tuple->ports, sizeof(tuple->ports));
	return addresses + tuple->ports;
}

static inline void flow_write_words(uint8_t *at, uint32_t mark, uint32_t flow, uint32_t sequence)
{
	uint32_t words[] = {htole32(mark), htole32(flow), htole32(sequence), 0};
	memcpy(at, words, sizeof(words));
}

/* Write a datagram. */
static inline __attribute__((always_inline)) void
flow_write(const struct flow_writer *writer, uint8_t *frame, const struct flow_tuple *tuple,
		   uint32_t flow, uint32_t sequence, const bool ip6)
{
	uint8_t *udp = frame + writer->upper_at;
	uint64_t all = writer->upper_sum + flow_write_tuple(writer, frame, tuple, ip6);
	uint16_t sum = flow_checksum(all + htole32(writer->mark) + htole32(flow) + htole32(sequence));
	memcpy(udp + 6, &sum, sizeof(sum));
	flow_write_words(udp + UDP_LEN, writer->mark, flow, sequence);
}

/* Write the time into a finished frame with words, and update its checksum. */
static inline void flow_stamp(const struct flow_writer *writer, uint8_t *frame, uint64_t tsc)
{
	uint8_t *time = frame + writer->words_at + 12, *at = frame + writer->sum_at;
	uint32_t before, now = htole32((uint32_t)(tsc >> FLOW_FRAME_TIME_SHIFT) | 1);
	uint16_t sum;
	memcpy(&before, time, sizeof(before));
	memcpy(&sum, at, sizeof(sum));
	sum = flow_checksum((uint64_t)(uint16_t)~sum + (uint32_t)~before + now);
	memcpy(time, &now, sizeof(now));
	memcpy(at, &sum, sizeof(sum));
}

/* A received frame: its readable bytes, and its length without FCS. */
struct flow_view {
	const uint8_t *head;
	uint32_t head_len, length;
};

/* The words are 0 in segments of a handshake; `seq`, `ack` and `length` (of the data) are of TCP.
 */
struct flow_frame {
	struct flow_tuple tuple;
	uint32_t mark, flow, sequence, time;
	uint32_t seq, ack, length;
	enum flow_kind kind;
};

static inline uint16_t flow_frame_generation(const struct flow_frame *frame)
{
	return (uint16_t)(frame->mark >> 16);
}

static inline uint8_t flow_frame_sender(const struct flow_frame *frame)
{
	return (uint8_t)(frame->mark >> 8);
}

/* Read the four words `words_at` behind the IP header, and the addresses and ports before them.
 * Each byte is read once, since the peer of a memif may still write. */
static inline __attribute__((always_inline)) bool
flow_frame_take(const uint8_t *ip, uint32_t header, uint32_t words_at, struct flow_frame *out,
				const bool ip6)
{
	uint32_t words[WS_FLOW_SET_PAYLOAD / sizeof(uint32_t)];
	memcpy(words, ip + header + words_at, sizeof(words));
	memcpy(out->tuple.addresses, ip + (ip6 ? 8 : 12), ip6 ? 32 : 8);
	memcpy(&out->tuple.ports, ip + header, sizeof(out->tuple.ports));
	flow_end_reading();
	out->mark = le32toh(words[0]);
	out->flow = le32toh(words[1]);
	out->sequence = le32toh(words[2]);
	out->time = le32toh(words[3]);
	return (out->mark & 0xff) == FLOW_FRAME_MAGIC;
}

/* The IP header of a packet of `protocol` with at least `needed` bytes behind it; `header` becomes
 * its length. NULL for any other frame. */
const uint8_t *flow_ip_of(const struct flow_view *view, bool ip6, uint8_t protocol, uint32_t needed,
						  uint32_t *header);
/* True for a test frame of any set. */
bool flow_frame_read(const struct flow_view *view, bool ip6, struct flow_frame *out);

/* flow_frame_read with a fast path for frames without tags and options, which most are. */
static inline __attribute__((always_inline)) bool
flow_frame_look(const struct flow_view *view, struct flow_frame *out, const bool ip6)
{
	const uint8_t *ip = view->head + ETHERNET_LEN;
	uint32_t header = ip6 ? IP6_LEN : IP4_LEN, first, second;
	if (view->head_len < ETHERNET_LEN + header + UDP_LEN + WS_FLOW_SET_PAYLOAD)
		return flow_frame_read(view, ip6, out);
	/* `first`: Ethertype, version, length of an IPv4 header. `second`: fragment offset, protocol.
	 */
	memcpy(&first, ip - 2, sizeof(first));
	memcpy(&second, ip + (ip6 ? 4 : 6), sizeof(second));
	bool plain =
		ip6 ? (be32toh(first) >> 12) == 0x86dd6 && (be32toh(second) & 0xff00) == IP6_UDP << 8
			: (be32toh(first) >> 8) == 0x080045 && (be32toh(second) & 0x1fff00ff) == IP4_UDP;
	return plain ? flow_frame_take(ip, header, UDP_LEN, out, ip6) : flow_frame_read(view, ip6, out);
}
