/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The share of a flow set that one worker of one port has: the frames that it sends, and the counts
 * of those that it receives. Nothing here needs DPDK, allocates or reads the clock.
 */
#pragma once

#include "generator/flow_set/flow_segment.h"
#include "generator/program/program.h"
#include "generator/receive/sequence.h"

enum { FLOW_BURST = PROGRAM_BATCH, FLOW_OF_RESPONDER = 0x80, FLOW_QUEUE = 1 << 16 };
/* Flows of a draw, and the draws of a burst. */
enum { FLOW_GROUP = 16, FLOW_DRAWS = FLOW_BURST / FLOW_GROUP };

/* Flows to answer: filled and emptied by the worker that received their SYN or SYN-ACK. */
struct flow_queue {
	uint32_t *flows; /* FLOW_QUEUE; NULL over UDP */
	uint32_t head, tail;
};

/* The latency of the last frame from one sending worker. */
struct flow_delay {
	uint32_t sequence;
	bool is_known;
	uint64_t ns;
};

struct flow_share {
	const struct flow_tuples *tuples;
	struct flow_table *table; /* of all shares of both ports */
	bool responder;
	uint16_t number;  /* of this worker among those of the port */
	uint16_t senders; /* workers of the other port */
	uint32_t phase;
	uint16_t generation;
	uint32_t latency_mask; /* frames whose number has none of these bits set are timed; UINT32_MAX:
							  none */
	double ns_per_tick;
	uint32_t sequence;         /* number of the next frame to write */
	struct sequence *received; /* by sending worker, as is the next member */
	struct flow_delay *delays;
	struct flow_queue answers;
	struct ws_flow_counts counts;
};

/* The sender of a frame: the number of the worker, and its role. */
static inline uint8_t flow_sender_of(const struct flow_share *share)
{
	return (uint8_t)(share->number | (share->responder ? FLOW_OF_RESPONDER : 0));
}

/* A stream of test frames that a share sends. */
struct flow_writing {
	struct flow_share *share;
	struct flow_writer writer;
	uint32_t order;             /* enum ws_flow_order */
	bool learnt;                /* over learnt flows only */
	bool shared;                /* other workers send over the same flows */
	uint64_t next;              /* EACH: the place or the flow that comes next */
	uint32_t first, step, mine; /* RANDOM: flows `first`, `first` + `step` …, `mine` of them */
	uint32_t drawn, left;       /* next flow of the drawn group, and number of flows left in it */
	uint32_t draws[FLOW_DRAWS]; /* first flows of the groups that follow */
	uint32_t draw;              /* number of groups sent */
	uint8_t ahead; /* flows per prefetch when they are drawn; 0: none is prefetched then */
	struct tuple_order learnt_order;
	uint64_t random;
};

/* Returns 0, or the code of an error with a message. */
int flow_writing_make(struct flow_writing *writing, struct flow_share *share, uint32_t stream,
					  uint32_t order, struct stream_part part, const uint8_t *frame,
					  uint16_t frame_len);
/* ANSWER: number of frames that can be written now. */
uint32_t flow_writing_available(const struct flow_writing *writing);
/* Write up to FLOW_BURST frames over copies of the template. */
void flow_writing_fill(struct flow_writing *writing, uint8_t *const *frames, uint16_t n);

/* Begin a phase: counts become 0. The port must not send. */
void flow_share_begin(struct flow_share *share, uint32_t phase, uint16_t generation,
					  uint32_t latency_every);
/* Count up to FLOW_BURST frames that arrived by `now`. */
void flow_share_receive(struct flow_share *share, const struct flow_view *views, uint16_t n,
						uint64_t now);
