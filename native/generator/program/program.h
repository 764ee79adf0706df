/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Field programs: the changes that make the packets of a stream differ from its template.
 *
 * A program runs over a batch of packets, one instruction after the other, each over the whole
 * batch. Packets are independent, so the result is the same as packet by packet. All offsets, sizes
 * and ranges are checked when it is compiled; running it cannot fail.
 *
 * The first packet carries the initial values; a variable advances after each packet. As in T-Rex
 * the range of a counting variable is widened until the step divides it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { PROGRAM_BATCH = 64 };

struct program;
struct ws_stream;

/* The packets of a stream whose numbers are `number`, `number` + `of`, and so on. */
struct stream_part {
	uint16_t number, of;
};
static const struct stream_part WHOLE_STREAM = {0, 1};

/* From now on programs use the code for this march level (ws_march()); level 1 at first. */
void program_use_march(int level);

/* True if the packets can be divided into parts that together equal the whole. Random values are
 * not divided: each part draws its own, from a seed of its own. */
bool program_spreads(const struct ws_stream *stream);

/*
 * `template`: the stream's packet, padded to `frame_len` bytes and marked. Returns NULL if the
 * stream has no instructions (*error is 0) or invalid ones (*error is negative, with an error
 * text).
 */
struct program *program_compile(const struct ws_stream *stream, struct stream_part part,
								const uint8_t *template, uint16_t frame_len, int *error);
void program_free(struct program *program);

/* Number of packets after which the program repeats exactly; UINT64_MAX: too many to compute, or
 * random. */
uint64_t program_period(const struct program *program);
/* True if the program can run again over packets that it has changed before: the result is the same
 * as on the template. */
bool program_may_repeat(const struct program *program);
/* True if all packets have the template's length. */
bool program_keeps_length(const struct program *program);

/*
 * Turn the next `n` (at most PROGRAM_BATCH) copies of the template into packets. `lengths` hold the
 * template's length on entry and the packets' on return.
 */
void program_run(struct program *program, uint8_t *const *packets, uint16_t *lengths, uint16_t n);
