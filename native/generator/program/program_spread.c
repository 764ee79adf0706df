/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of which several workers each run a part: worker w of n makes packets w, w + n, w + 2 n
 * … of the packets that one worker would make. Its steps are n times as long.
 */
#include "generator/program/program_compiler.h"
#include "wirespeed/streams.h"

static uint64_t times(uint64_t step, uint64_t count, uint64_t range)
{
	/* A range of 0 stands for all 64 bits. */
	return range ? (uint64_t)((unsigned __int128)step * count % range) : step * count;
}

void spread_counter(struct counter *counter, uint64_t range, struct stream_part part)
{
	uint64_t ahead = times(counter->step, part.number, range);
	uint64_t left = range - counter->offset; /* modulo 2^64 */
	counter->offset = range && ahead >= left ? ahead - left : counter->offset + ahead;
	counter->step = times(counter->step, part.of, range);
	counter->room = range - counter->step;
}

void spread_list(struct list *list, struct stream_part part)
{
	list->position = (uint32_t)times(list->step, part.number, list->count);
	list->step = (uint32_t)times(list->step, part.of, list->count);
}
