/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedule of a port's streams: the time at which each packet is due.
 *
 * Open loop: packet k of a burst is due at anchor + k * interval, whatever became of the ones
 * before, so that rates hold without drift. Times are in ticks since the program started; the
 * caller's clock stands still while the port is paused. A heap holds the running streams by next
 * due time.
 *
 * As T-Rex does it, the gap between bursts counts from the last packet of one to the first of the
 * next (no gap: one interval), and a chained stream's start delay from the last packet of the
 * stream before it. Continuous streams that all start at once, with no delay of their own, start
 * one slot of their common rate apart: ten thousand of them make a smooth flow and not a burst of
 * ten thousand.
 *
 * Nothing here needs DPDK, allocates after schedule_create, or looks at the clock.
 */
#pragma once

#include "generator/program/program.h"

struct schedule;
struct ws_stream;

/* `count` packets of stream `stream` (an index); the first is due at `due`. */
struct schedule_run {
	uint32_t stream, count;
	double due;
};

/* `hz`: ticks a second; `parts` are those of the streams, NULL: all are whole. NULL on bad streams,
 * with the code in `error` and the line in ws_error().
 */
struct schedule *schedule_create(const struct ws_stream *streams, const struct stream_part *parts,
								 uint32_t count, double hz, double factor, double duration_s,
								 int *error);
void schedule_free(struct schedule *schedule);

/*
 * The next run of at most `max` packets due by `now`; false when there is none. Runs come in the
 * order of their due times: a run ends where another stream's packet is due earlier.
 */
bool schedule_next(struct schedule *schedule, double now, uint32_t max, struct schedule_run *run);
/*
 * The caller fell so far behind that it had better let go of what is overdue: by more than a
 * millisecond, or a burst of 1024 packets and one for each stream if that is longer.
 */
bool schedule_is_behind(const struct schedule *schedule, double now);
/*
 * Let go of all that is due by `now`; returns how many packets were due before `before`, the rest
 * in `*after`. A null stream's are none. Unless `bursts` are let go of too, those are put off
 * instead: they go on right after `now`.
 */
uint64_t schedule_skip(struct schedule *schedule, double now, double before, bool bursts,
					   uint64_t *after);
/* When there is something to do: a packet is due, or the duration over; infinite: never. */
double schedule_due(const struct schedule *schedule);
/* The duration is over at `now`. */
bool schedule_is_over(const struct schedule *schedule, double now);
/* All streams have ended, or the duration is over; asked after schedule_next found no more. */
bool schedule_ended(const struct schedule *schedule);

/* The distance to each stream's next packet scales with its interval: no burst, no hole. */
void schedule_set_factor(struct schedule *schedule, double now, double factor);
/* The index of the stream with this id, or -1. */
int64_t schedule_find(const struct schedule *schedule, uint32_t id);
void schedule_set_stream_factor(struct schedule *schedule, double now, uint32_t stream,
								double factor);
void schedule_pause_stream(struct schedule *schedule, double now, uint32_t stream, bool paused);
