/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sequence of one sender's numbered packets: new, duplicate and late ones. The terms are those of
 * RFC 4737 (reordered: the number is below the next expected one) and RFC 5560 (duplicate: the
 * number has arrived before). Both are exact within the window. A packet whose number is below the
 * window is old: it may be either.
 */
#pragma once

#include "generator/observe/flow_wire.h"

#include <stdbool.h>

enum { SEQUENCE_WINDOW = 16384 }; /* packets before the next expected one, a power of 2 */

enum sequence_place { SEQUENCE_NEW, SEQUENCE_REORDERED, SEQUENCE_DUPLICATE, SEQUENCE_OLD };

struct sequence {
	uint64_t reached;                    /* one more than the highest number that arrived */
	uint64_t seen[SEQUENCE_WINDOW / 64]; /* a bit for each packet in the window */
};

/* Begin a sequence. Packets before FLOW_FIRST_SEQUENCE do not exist, so none can be late. */
void sequence_begin(struct sequence *sequence);
/* Begin at `number`: earlier packets have not arrived yet and may be late. */
void sequence_begin_at(struct sequence *sequence, uint32_t number);
/* *missing: how many numbers were skipped between the highest earlier one and this one. */
enum sequence_place sequence_take(struct sequence *sequence, uint32_t number, uint32_t *missing);

/* Fast path: take the number if it is the next one; false: not taken. */
static inline bool sequence_take_next(struct sequence *sequence, uint32_t number)
{
	if (number != FLOW_FIRST_SEQUENCE + (uint32_t)sequence->reached)
		return false;
	sequence->seen[number % SEQUENCE_WINDOW / 64] |= 1ULL << number % 64;
	sequence->reached++;
	return true;
}

/* The same for `count` consecutive numbers from `first` on, 1 to 64. False: none is taken. */
static inline bool sequence_take_run(struct sequence *sequence, uint32_t first, uint32_t count)
{
	enum { WORDS = SEQUENCE_WINDOW / 64 };
	uint32_t word = first / 64, at = first % 64;
	uint64_t bits = UINT64_MAX >> (64 - count);
	if (first != FLOW_FIRST_SEQUENCE + (uint32_t)sequence->reached)
		return false;
	sequence->seen[word % WORDS] |= bits << at;
	if (at + count > 64)
		sequence->seen[(word + 1) % WORDS] |= bits >> (64 - at);
	sequence->reached += count;
	return true;
}
