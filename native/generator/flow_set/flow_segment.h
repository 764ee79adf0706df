/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test frames of a flow set over TCP.
 *
 * A segment with data begins with the words of a datagram (flow_frame.h). SYN, SYN-ACK and ACK have
 * no data, since some devices drop a SYN with data: the flow is in the initiator's initial sequence
 * number, below the generation of LEARN, and the window is FLOW_WINDOW. The responder's initial
 * sequence number differs in the highest bit. So no frame of a device that gives connections other
 * sequence numbers is known again.
 */
#pragma once

#include "generator/flow_set/flow_frame.h"
#include "generator/flow_set/flow_table.h"
#include "wire/tcp.h"

enum {
	FLOW_WINDOW = 0xff00 | FLOW_FRAME_MAGIC,
	FLOW_WINDOW_SCALE = 14,
	/* A port acknowledges whole units of the data that arrived, each much less than a window. */
	FLOW_ACK_SHIFT = 24,
};

/* The responder's, or the initiator's. */
static inline uint32_t flow_first_number(const struct flow_table *table, uint32_t flow,
										 bool responder)
{
	uint32_t initiator = ((uint32_t)table->generation << table->number_bits) + flow;
	return initiator ^ (responder ? 1u << 31 : 0);
}

/* For flow_writer_make, which found the header at `upper_at`: what the template is, and where its
 * fields are. Returns the segment's length, 0 if it cannot be one. */
uint16_t flow_segment_template(struct flow_writer *writer, const uint8_t *frame,
							   uint16_t frame_len);

/* `sequence` is the frame's number, for segments with data. */
static inline __attribute__((always_inline)) void
flow_segment_write(const struct flow_writer *writer, uint8_t *frame, const struct flow_tuple *tuple,
				   uint32_t seq, uint32_t ack, uint32_t flow, uint32_t sequence, const bool ip6)
{
	uint32_t numbers[] = {htobe32(seq), htobe32(ack)};
	uint64_t all = writer->upper_sum + flow_write_tuple(writer, frame, tuple, ip6);
	all += (uint64_t)numbers[0] + numbers[1];
	memcpy(frame + writer->upper_at + TCP_SEQUENCE_AT, numbers, sizeof(numbers));
	if (writer->kind == FLOW_DATA) {
		uint32_t words[] = {htole32(writer->mark), htole32(flow), htole32(sequence), 0};
		memcpy(frame + writer->words_at, words, sizeof(words));
		all += (uint64_t)words[0] + words[1] + words[2];
	}
	uint16_t sum = flow_checksum(all);
	memcpy(frame + writer->sum_at, &sum, sizeof(sum));
}

/* True for a segment of any set. */
bool flow_segment_read(const struct flow_view *view, bool ip6, struct flow_frame *out);
/* Find the flow of a handshake's segment by its numbers. True if all its numbers are right for a
 * connection of this set; `late` tells that it is of an earlier one. */
bool flow_segment_place(const struct flow_table *table, struct flow_frame *frame, bool *late);
