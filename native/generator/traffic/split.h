/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distribution of a profile's streams over the workers of a port.
 *
 * An endless stream is spread: worker w of n sends packets w, w + n, …, each when it is due by the
 * common schedule. So the shares are exact, and together they are the stream. Streams whose order
 * matters stay whole on one worker: bursts and chained streams, latency streams, streams whose
 * program cannot be divided, and streams pinned to a core. They are distributed by rate, the
 * fastest first, each to the worker with the lowest load.
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
 * `allowed`: bit set of the workers that may send. Returns 0, or a negative errno with an error
 * text: a stream is pinned to a core that may not send, or memory is short. After an error there is
 * nothing to free.
 */
int split_streams(const struct ws_stream *streams, uint32_t count, uint16_t workers,
				  uint64_t allowed, struct worker_streams *out);
void split_free(struct worker_streams *split, uint16_t workers);
