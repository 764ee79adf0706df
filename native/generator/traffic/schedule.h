/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedule of a port's streams: the time at which each packet is due.
 *
 * Open loop: packet k of a burst is due at anchor + k * interval, independent of the outcome of
 * earlier packets, so that rates do not drift. Times are ticks since the traffic started, without
 * those in which it was paused. A heap holds the running streams by next due time.
 *
 * As in T-Rex, the gap between bursts is the time from the last packet of one burst to the first of
 * the next (no gap: one interval), and a chained stream's start delay begins at the last packet of
 * the previous stream. Continuous streams without a start delay start one interval of their common
 * rate apart, so that ten thousand streams do not begin with a burst of ten thousand packets.
 *
 * Nothing here needs DPDK, allocates after schedule_create, or reads the clock.
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

/* `hz`: ticks per second; `parts`: parts of the streams, NULL: all are whole. Returns NULL for
 * invalid streams, with the code in `error` and an error text. */
struct schedule *schedule_create(const struct ws_stream *streams, const struct stream_part *parts,
								 uint32_t count, double hz, double factor, double duration_s,
								 int *error);
void schedule_free(struct schedule *schedule);

/*
 * The next run of at most `max` packets due by `now`; false if there is none. Runs are in order of
 * their due times: a run ends where another stream's packet is due earlier.
 */
bool schedule_next(struct schedule *schedule, double now, uint32_t max, struct schedule_run *run);
/*
 * True if the caller is so late that it should skip overdue packets: by more than a millisecond, or
 * by the time of 1024 packets and one per stream if that is longer.
 */
bool schedule_is_behind(const struct schedule *schedule, double now);
/*
 * Skip all packets due by `now`. Returns how many of them were due before `before`; `*after` is the
 * number of the others. Packets of null streams do not count. Unless `bursts` is true, bursts are
 * postponed instead: they continue right after `now`.
 */
uint64_t schedule_skip(struct schedule *schedule, double now, double before, bool bursts,
					   uint64_t *after);
/* The time of the next due packet or of the end of the duration; infinite: never. */
double schedule_due(const struct schedule *schedule);
/* True if the duration has ended at `now`. */
bool schedule_is_over(const struct schedule *schedule, double now);
/* True if all streams have ended, or the duration is over; valid after schedule_next found no
 * packet. */
bool schedule_ended(const struct schedule *schedule);

/* The time to each stream's next packet scales with its interval, so that the change causes neither
 * a burst nor a gap. */
void schedule_set_factor(struct schedule *schedule, double now, double factor);
/* Index of the stream with this id, or -1. */
int64_t schedule_find(const struct schedule *schedule, uint32_t id);
void schedule_set_stream_factor(struct schedule *schedule, double now, uint32_t stream,
								double factor);
void schedule_pause_stream(struct schedule *schedule, double now, uint32_t stream, bool paused);
