/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/traffic/series.h"

#include "dev/error.h"

#include <errno.h>

int series_take(struct series *series, struct flow_tail *tail)
{
	uint32_t word = 0;
	while (word < FLOW_SERIES / 64 && series->used[word] == UINT64_MAX)
		word++;
	if (word == FLOW_SERIES / 64)
		return fail(-ENOSPC,
					"%d streams with a signature are sent already, each worker's share "
					"counted; there is no number for another",
					FLOW_SERIES);
	uint32_t number = word * 64 + (uint32_t)__builtin_ctzll(~series->used[word]);
	series->used[word] |= 1ULL << number % 64;
	if (number >= series->count)
		series->count = number + 1;
	tail->start = series->start;
	tail->sequence = FLOW_FIRST_SEQUENCE + series->sent[number];
	tail->tsc = flow_signature((uint16_t)number, tail->sequence);
	return 0;
}

void series_give_back(struct series *series, const struct flow_tail *tail)
{
	uint16_t number = flow_series(tail);
	series->sent[number] = tail->sequence - FLOW_FIRST_SEQUENCE;
	series->used[number / 64] &= ~(1ULL << number % 64);
}
