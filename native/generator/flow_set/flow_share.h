/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A flow set as one worker of one of its ports has it: what it sends, and what it makes of what it
 * receives. Nothing here needs DPDK, allocates or looks at the clock.
 */
#pragma once

#include "generator/flow_set/flow_segment.h"
#include "generator/program/program.h"
#include "generator/receive/sequence.h"

enum { FLOW_BURST = PROGRAM_BATCH, FLOW_OF_RESPONDER = 0x80, FLOW_QUEUE = 1 << 16 };

/* Flows to answer, by the worker that received what it answers. */
struct flow_queue {
	uint32_t *flows; /* FLOW_QUEUE; NULL over UDP */
	uint32_t head, tail;
};

/* The latency of the frame that came last of one worker. */
struct flow_delay {
	uint32_t sequence;
	bool is_known;
	uint64_t ns;
};

struct flow_share {
	const struct flow_tuples *tuples;
	struct flow_table *table; /* of all shares of both ports */
	bool responder;
	uint16_t number;  /* among the port's workers */
	uint16_t senders; /* workers of the other port */
	uint32_t phase;
	uint16_t generation;
	uint32_t latency_mask; /* of numbers; UINT32_MAX: no latency is taken */
	double ns_per_tick;
	uint32_t sequence;         /* number of the next frame that it writes */
	struct sequence *received; /* by the worker that sent them, as these: */
	struct flow_delay *delays;
	struct flow_queue answers;
	struct ws_flow_counts counts;
};

/* Who sent a frame: the worker's number, and its port. */
static inline uint8_t flow_sender_of(const struct flow_share *share)
{
	return (uint8_t)(share->number | (share->responder ? FLOW_OF_RESPONDER : 0));
}

/* A stream of a share's frames. */
struct flow_writing {
	struct flow_share *share;
	struct flow_writer writer;
	uint32_t order;             /* enum ws_flow_order */
	bool learnt;                /* over flows that were learnt, not over all */
	bool shared;                /* other workers send over the same flows */
	uint64_t next;              /* EACH: the place or the flow that comes next */
	uint32_t first, step, mine; /* RANDOM: flows `first`, `first` + `step` …, `mine` of them */
	uint32_t drawn, left;       /* the next flow of the group that was drawn, and what is left */
	struct tuple_order learnt_order;
	uint64_t random;
};

/* 0, or the code of an error whose line is told. */
int flow_writing_make(struct flow_writing *writing, struct flow_share *share, uint32_t stream,
					  uint32_t order, struct stream_part part, const uint8_t *frame,
					  uint16_t frame_len);
/* ANSWER: frames that can be written now. */
uint32_t flow_writing_available(const struct flow_writing *writing);
/* Write up to FLOW_BURST frames over copies of the template. */
void flow_writing_fill(struct flow_writing *writing, uint8_t *const *frames, uint16_t n);

/* The share of a port that does not send; its counts become 0. */
void flow_share_begin(struct flow_share *share, uint32_t phase, uint16_t generation,
					  uint32_t latency_every);
/* Up to FLOW_BURST frames that arrived by `now`. */
void flow_share_receive(struct flow_share *share, const struct flow_view *views, uint16_t n,
						uint64_t now);
