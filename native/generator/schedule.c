/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/schedule_state.h"

#include <math.h>

enum { CATCH_UP_PACKETS = 512, MAX_SKIPS = 65536 };

static double due(const struct timed_stream *stream)
{
	return stream->anchor + (double)stream->step * stream->interval;
}

/* ---- the heap */

static void sink(struct schedule *schedule, uint32_t at, struct event event)
{
	struct event *heap = schedule->heap;
	uint32_t count = schedule->heap_count;
	for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
		child += child + 1 < count && heap[child + 1].due < heap[child].due;
		if (event.due <= heap[child].due)
			break;
		heap[at] = heap[child];
	}
	heap[at] = event;
}

static void insert(struct schedule *schedule, struct event event)
{
	struct event *heap = schedule->heap;
	uint32_t at = schedule->heap_count++;
	for (; at && event.due < heap[(at - 1) / 2].due; at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = event;
}

static void remove_first(struct schedule *schedule)
{
	struct event last = schedule->heap[--schedule->heap_count];
	if (schedule->heap_count)
		sink(schedule, 0, last);
}

/* After due times changed at large: rare, so the whole heap is made anew. */
static void rebuild(struct schedule *schedule)
{
	schedule->heap_count = 0;
	schedule->rate = 0;
	for (uint32_t i = 0; i < schedule->count; i++) {
		const struct timed_stream *stream = &schedule->streams[i];
		if (stream->state != RUNNING)
			continue;
		insert(schedule, (struct event){due(stream), i});
		schedule->rate += stream->per_interval;
	}
}

static void set_catch_up(struct schedule *schedule)
{
	double burst =
		schedule->rate > 0 ? (CATCH_UP_PACKETS + schedule->heap_count) / schedule->rate : 0;
	schedule->catch_up = fmax(schedule->catch_up_least, burst);
}

/* ---- a stream's life */

void schedule_begin_burst(struct timed_stream *stream, double at)
{
	stream->anchor = at;
	stream->step = 0;
	stream->left = stream->packets;
}

void schedule_set_interval(const struct schedule *schedule, struct timed_stream *stream)
{
	double factor = stream->factor * (stream->fixed_rate ? 1 : schedule->factor);
	stream->interval = stream->ticks_per_packet / factor;
	stream->per_interval = 1 / stream->interval;
}

static void end(struct schedule *schedule, struct timed_stream *stream)
{
	stream->state = IDLE;
	schedule->rate -= stream->per_interval;
	remove_first(schedule);
}

/* Follows the chain from the stream that just ended at `at`, the due time of its last packet. */
static void enter_next(struct schedule *schedule, struct timed_stream *ended, double at)
{
	struct timed_stream *next = &schedule->streams[ended->next];
	if (ended->loops && ++ended->rounds == ended->loops)
		return;
	if (next->state != IDLE)
		return;
	double start = at + next->delay;
	/* A loop that takes no time would never let go of the worker. */
	if (start <= next->entered_at)
		start = next->entered_at + next->interval;
	next->entered_at = start;
	next->bursts_left = next->bursts;
	next->state = RUNNING;
	schedule_begin_burst(next, start);
	insert(schedule, (struct event){start, (uint32_t)ended->next});
	schedule->rate += next->per_interval;
}

/* `count` packets of the first stream in the heap are spoken for. */
static void advance(struct schedule *schedule, uint64_t count)
{
	uint32_t index = schedule->heap[0].stream;
	struct timed_stream *stream = &schedule->streams[index];
	stream->step += count;
	if (stream->left != UINT64_MAX)
		stream->left -= count;
	if (!stream->left) {
		double last = stream->anchor + (double)(stream->step - 1) * stream->interval;
		if (stream->bursts_left > 1) {
			stream->bursts_left--;
			schedule_begin_burst(stream, last + (stream->gap > 0 ? stream->gap : stream->interval));
		} else {
			end(schedule, stream);
			if (stream->next != NO_STREAM)
				enter_next(schedule, stream, last);
			set_catch_up(schedule);
			return;
		}
	}
	sink(schedule, 0, (struct event){due(stream), index});
}

/* ---- for the worker */

/* The second stream's due time: it is one of the first one's children. */
static double second_due(const struct schedule *schedule)
{
	const struct event *heap = schedule->heap;
	if (schedule->heap_count < 2)
		return INFINITY;
	return schedule->heap_count < 3 ? heap[1].due : fmin(heap[1].due, heap[2].due);
}

/* How many packets of the first stream are due by `limit`, at which one is due at least. */
static uint64_t count_due(const struct schedule *schedule, double limit)
{
	const struct event *first = &schedule->heap[0];
	const struct timed_stream *stream = &schedule->streams[first->stream];
	double more = (fmin(limit, schedule->deadline) - first->due) * stream->per_interval;
	uint64_t count = 1 + (more > 0 ? (uint64_t)more : 0);
	return count < stream->left ? count : stream->left;
}

/* Something is due by `now`. Past the deadline nothing is, and all streams end. */
static bool is_due(struct schedule *schedule, double now)
{
	double next = schedule->heap_count ? schedule->heap[0].due : INFINITY;
	if (next <= now && next < schedule->deadline)
		return true;
	if (now >= schedule->deadline)
		schedule->heap_count = schedule->paused_count = 0;
	return false;
}

bool schedule_next(struct schedule *schedule, double now, uint32_t max, struct schedule_run *run)
{
	if (!is_due(schedule, now))
		return false;
	double bound = now - schedule->catch_up;
	run->stream = schedule->heap[0].stream;
	run->due = schedule->heap[0].due;
	run->late = run->due < bound;
	run->count = count_due(schedule, run->late ? bound : fmin(now, second_due(schedule)));
	if (!run->late && run->count > max)
		run->count = max;
	advance(schedule, run->count);
	return true;
}

uint64_t schedule_skip(struct schedule *schedule, double now, double before, uint64_t *after)
{
	uint64_t early = 0;
	*after = 0;
	for (uint32_t i = 0; i < MAX_SKIPS && is_due(schedule, now); i++) {
		bool is_early = schedule->heap[0].due < before;
		uint64_t count = count_due(schedule, is_early ? fmin(before, now) : now);
		*(is_early ? &early : after) += count;
		advance(schedule, count);
	}
	return early;
}

bool schedule_ended(const struct schedule *schedule)
{
	return !schedule->heap_count && !schedule->paused_count;
}

/* ---- changes while it runs */

static void rescale(struct schedule *schedule, struct timed_stream *stream, double now)
{
	double before = stream->interval, next = due(stream);
	schedule_set_interval(schedule, stream);
	double ratio = stream->interval / before;
	if (stream->state == PAUSED && stream->step)
		stream->ahead *= ratio;
	/* Waiting for the first packet of a burst is no part of the rate. */
	if (stream->state != RUNNING || !stream->step)
		return;
	if (next > now)
		next = now + (next - now) * ratio;
	stream->anchor = next - stream->interval;
	stream->step = 1;
}

void schedule_replan(struct schedule *schedule)
{
	rebuild(schedule);
	set_catch_up(schedule);
}

void schedule_set_factor(struct schedule *schedule, double now, double factor)
{
	schedule->factor = factor;
	for (uint32_t i = 0; i < schedule->count; i++)
		rescale(schedule, &schedule->streams[i], now);
	schedule_replan(schedule);
}

void schedule_set_stream_factor(struct schedule *schedule, double now, uint32_t stream,
								double factor)
{
	schedule->streams[stream].factor = factor;
	rescale(schedule, &schedule->streams[stream], now);
	schedule_replan(schedule);
}

void schedule_pause_stream(struct schedule *schedule, double now, uint32_t index, bool paused)
{
	struct timed_stream *stream = &schedule->streams[index];
	if (stream->state != (paused ? RUNNING : PAUSED))
		return;
	stream->state = paused ? PAUSED : RUNNING;
	schedule->paused_count += paused ? 1 : -1u;
	if (paused)
		stream->ahead = due(stream) - now;
	else
		stream->anchor += now + stream->ahead - due(stream);
	schedule_replan(schedule);
}
