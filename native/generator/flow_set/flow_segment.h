/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test frames of a flow set over TCP.
 *
 * The data of a segment begins with the words of a datagram (flow_frame.h). SYN, SYN-ACK and ACK
 * have no data, since some devices drop a SYN with data. Their flow is in the lower bits of the
 * initiator's initial sequence number, the generation of LEARN in the upper ones, and the window is
 * FLOW_WINDOW. The responder's initial sequence number differs in the highest bit. Frames are
 * therefore not recognised behind a device that replaces sequence numbers.
 */
#pragma once

#include "generator/flow_set/flow_frame.h"
#include "generator/flow_set/flow_table.h"
#include "wire/tcp.h"

enum {
	FLOW_WINDOW = 0xff00 | FLOW_FRAME_MAGIC,
	FLOW_WINDOW_SCALE = 14,
	/* Acknowledgements advance by whole units of the received data, each much less than a window.
	 */
	FLOW_ACK_SHIFT = 24,
};

/* Initial sequence number of the responder or the initiator. */
static inline uint32_t flow_first_number(const struct flow_table *table, uint32_t flow,
										 bool responder)
{
	uint32_t initiator = ((uint32_t)table->generation << table->number_bits) + flow;
	return initiator ^ (responder ? 1u << 31 : 0);
}

/* For flow_writer_make: set the kind of the template, whose TCP header is at `upper_at`, and the
 * offsets of its fields. Returns the length of the segment, 0 if the template is unusable. */
uint16_t flow_segment_template(struct flow_writer *writer, const uint8_t *frame,
							   uint16_t frame_len);

/* Write a segment. `sequence` is the number of the frame, for segments with data. */
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

/* True for a test segment of any set. */
bool flow_segment_read(const struct flow_view *view, bool ip6, struct flow_frame *out);
/* Find the flow of a handshake segment by its sequence numbers. True if they fit a connection of
 * this generation; `late` if they fit an earlier one. */
bool flow_segment_place(const struct flow_table *table, struct flow_frame *frame, bool *late);
