/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/receive/sequence.h"

#include <string.h>

void sequence_begin(struct sequence *sequence)
{
	sequence->reached = 0;
	memset(sequence->seen, 0xff, sizeof(sequence->seen));
}

void sequence_begin_at(struct sequence *sequence, uint32_t number)
{
	sequence->reached = number - FLOW_FIRST_SEQUENCE;
	memset(sequence->seen, 0, sizeof(sequence->seen));
}

static uint64_t bit_of(uint32_t number)
{
	return 1ULL << number % 64;
}

static uint64_t *word_of(struct sequence *sequence, uint32_t number)
{
	return &sequence->seen[number % SEQUENCE_WINDOW / 64];
}

/* Mark the `count` numbers from `first` on as missing. */
static void forget(struct sequence *sequence, uint32_t first, uint32_t count)
{
	if (count >= SEQUENCE_WINDOW) {
		memset(sequence->seen, 0, sizeof(sequence->seen));
		return;
	}
	while (count) {
		uint32_t at = first % 64, n = count < 64 - at ? count : 64 - at;
		*word_of(sequence, first) &= ~(UINT64_MAX >> (64 - n) << at);
		first += n;
		count -= n;
	}
}

enum sequence_place sequence_take(struct sequence *sequence, uint32_t number, uint32_t *missing)
{
	uint32_t next = FLOW_FIRST_SEQUENCE + (uint32_t)sequence->reached;
	int32_t ahead = (int32_t)(number - next);
	uint64_t *word = word_of(sequence, number), bit = bit_of(number);
	*missing = 0;
	if (ahead >= 0) {
		if (ahead) {
			*missing = (uint32_t)ahead;
			forget(sequence, next, (uint32_t)ahead);
		}
		*word |= bit;
		sequence->reached += (uint32_t)ahead + 1ULL;
		return SEQUENCE_NEW;
	}
	if (next - number > SEQUENCE_WINDOW)
		return SEQUENCE_OLD;
	if (*word & bit)
		return SEQUENCE_DUPLICATE;
	*word |= bit;
	return SEQUENCE_REORDERED;
}
