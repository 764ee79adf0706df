/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distribution of a profile's streams over the workers of a port.
 *
 * A stream without an end is spread: worker w of n sends its packets w, w + n, …, each when it is
 * due by the one schedule, so that shares are exact and all of them together are the stream. What
 * has an order to keep stays whole on one worker: bursts and the streams that follow one another,
 * latency streams, programs that cannot be divided, and what is pinned to a core. Those are dealt
 * out by rate, the fastest first, each to the worker with the least.
 */
#pragma once

#include "generator/program/program.h"

struct ws_stream;

/* A worker's streams. The caller owns their packets and programs. */
struct worker_streams {
	struct ws_stream *streams;
	struct stream_part *parts;
	uint32_t count;
};

/*
 * `allowed`: the workers that may send, as bits. 0, or the code of an error whose line is told:
 * a stream pinned to none of them, or memory that is short; nothing is to be freed then.
 */
int split_streams(const struct ws_stream *streams, uint32_t count, uint16_t workers,
				  uint64_t allowed, struct worker_streams *out);
void split_free(struct worker_streams *split, uint16_t workers);
