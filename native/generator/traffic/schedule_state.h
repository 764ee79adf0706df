/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by schedule.c, which runs a schedule, and schedule_create.c, which creates it. */
#pragma once

#include "generator/traffic/schedule.h"

enum { NO_STREAM = -1 };

enum stream_state { IDLE, RUNNING, PAUSED };

struct timed_stream {
	double anchor, interval, per_interval; /* per_interval = 1 / interval */
	uint64_t step;                         /* number k of the next packet */
	uint64_t left;                         /* packets left in this burst */
	uint32_t bursts_left, rounds;
	enum stream_state state;
	double ahead;      /* for a paused stream: time to its next packet */
	double entered_at; /* time at which a chain last started it */
	/* settings */
	double ticks_per_packet; /* at factor 1 */
	double factor;           /* factor of this stream */
	double delay, gap;
	uint64_t packets;
	uint32_t bursts, loops;
	int64_t next;
	bool fixed_rate, is_null;
};

struct event {
	double due;
	uint32_t stream;
};

struct name {
	uint32_t id, index;
};

struct schedule {
	struct event *heap;
	uint32_t heap_count;
	uint32_t paused_count;
	struct timed_stream *streams;
	double deadline;
	double rate;     /* packets per tick of all running streams */
	double catch_up; /* longest delay that is caught up */
	double catch_up_least;
	double factor;
	struct name *names; /* by id */
	uint32_t count;
};

/* Start the burst of `stream` at `at`. */
void schedule_begin_burst(struct timed_stream *stream, double at);
/* Compute the stream's interval from its rate and the factors. */
void schedule_set_interval(const struct schedule *schedule, struct timed_stream *stream);
/* Rebuild the heap and its derived values from the states of the streams. */
void schedule_replan(struct schedule *schedule);
