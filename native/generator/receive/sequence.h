/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sequence of the numbered packets of one sender: new, duplicate and late packets.
 *
 * The terms are those of RFC 4737 (reordered: the number is below the next expected one) and
 * RFC 5560 (duplicate: the number came before). Both are exact within the window; a packet from
 * farther back is old: it may be either.
 */
#pragma once

#include "generator/observe/flow_wire.h"

#include <stdbool.h>

enum { SEQUENCE_WINDOW = 16384 }; /* packets before the next expected one, a power of 2 */

enum sequence_place { SEQUENCE_NEW, SEQUENCE_REORDERED, SEQUENCE_DUPLICATE, SEQUENCE_OLD };

struct sequence {
	uint64_t reached;                    /* numbers up to the highest that came */
	uint64_t seen[SEQUENCE_WINDOW / 64]; /* a bit for each of the packets before the next one */
};

/* Nothing came yet; what was before FLOW_FIRST_SEQUENCE cannot come late. */
void sequence_begin(struct sequence *sequence);
/* The packets before `number` are not there, and may still come. */
void sequence_begin_at(struct sequence *sequence, uint32_t number);
/* *missing: the numbers between the highest one before and this one. */
enum sequence_place sequence_take(struct sequence *sequence, uint32_t number, uint32_t *missing);

/* Takes the number if it is the next one, as most are; false: it was not taken. */
static inline bool sequence_take_next(struct sequence *sequence, uint32_t number)
{
	if (number != FLOW_FIRST_SEQUENCE + (uint32_t)sequence->reached)
		return false;
	sequence->seen[number % SEQUENCE_WINDOW / 64] |= 1ULL << number % 64;
	sequence->reached++;
	return true;
}
