/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Field programs: the changes that make the packets of a stream differ from its template.
 *
 * A program is run over a batch of packets, one instruction after the other, each over the whole
 * batch: packets do not see each other, so the result is that of running it packet by packet. All
 * offsets, sizes and ranges are checked when it is compiled; running it cannot fail.
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

/* The packets of a stream with the numbers `number`, `number` + `of`, … */
struct stream_part {
	uint16_t number, of;
};
static const struct stream_part WHOLE_STREAM = {0, 1};

/* Programs use code for this level of CPU (ws_march()) from now on; 1 at first. */
void program_use_march(int level);

/* Its packets can be divided into parts, so that these together are what the whole is; random
 * values are not divided, but drawn by each part from a seed of its own. */
bool program_spreads(const struct ws_stream *stream);

/*
 * For copies of `template`, `frame_len` bytes: the stream's packet, padded and marked. NULL when
 * the stream has no instructions (*error is 0) or wrong ones (*error and ws_error() tell).
 */
struct program *program_compile(const struct ws_stream *stream, struct stream_part part,
								const uint8_t *template, uint16_t frame_len, int *error);
void program_free(struct program *program);

/* After how many packets it repeats itself exactly; UINT64_MAX: too far to tell, or random. */
uint64_t program_period(const struct program *program);
/* Idempotent: a packet that it ran over before becomes what the template becomes. */
bool program_may_repeat(const struct program *program);
/* All packets have the template's length. */
bool program_keeps_length(const struct program *program);

/*
 * Turn the next `n` (at most PROGRAM_BATCH) copies of the template into packets. `lengths` hold the
 * template's length and become the packets'.
 */
void program_run(struct program *program, uint8_t *const *packets, uint16_t *lengths, uint16_t n);
