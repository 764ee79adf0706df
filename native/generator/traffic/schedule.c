/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/traffic/schedule_state.h"

#include <math.h>

enum { CATCH_UP_PACKETS = 1024, SKIP_FEW = 32, SKIP_MANY = 65536 };

/* fmin handles NaN and is a function call. */
static inline double lower(double a, double b)
{
	return a < b ? a : b;
}

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

static void order(struct schedule *schedule)
{
	for (uint32_t at = schedule->heap_count / 2; at--;)
		sink(schedule, at, schedule->heap[at]);
}

static void set_catch_up(struct schedule *schedule)
{
	double packets = CATCH_UP_PACKETS + schedule->heap_count;
	double burst = schedule->heap_count ? packets / schedule->rate : 0;
	schedule->catch_up = burst > schedule->catch_up_least ? burst : schedule->catch_up_least;
}

void schedule_replan(struct schedule *schedule)
{
	schedule->heap_count = 0;
	schedule->rate = 0;
	for (uint32_t i = 0; i < schedule->count; i++) {
		const struct timed_stream *stream = &schedule->streams[i];
		if (stream->state != RUNNING)
			continue;
		schedule->heap[schedule->heap_count++] = (struct event){due(stream), i};
		schedule->rate += stream->per_interval;
	}
	order(schedule);
	set_catch_up(schedule);
}

/* ---- states of a stream */

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

/* The event's stream has sent its last packet; the event becomes the first one of the next stream
 * in the chain. False if there is none. */
static bool follow_chain(struct schedule *schedule, struct event *event)
{
	struct timed_stream *ended = &schedule->streams[event->stream];
	ended->state = IDLE;
	schedule->rate -= ended->per_interval;
	if (ended->next == NO_STREAM || (ended->loops && ++ended->rounds == ended->loops))
		return false;
	struct timed_stream *next = &schedule->streams[ended->next];
	if (next->state != IDLE)
		return false;
	double last = ended->anchor + (double)(ended->step - 1) * ended->interval;
	double start = last + next->delay;
	/* A chain that takes no time would occupy the worker forever. */
	if (start <= next->entered_at)
		start = next->entered_at + next->interval;
	next->entered_at = start;
	next->bursts_left = next->bursts;
	next->state = RUNNING;
	schedule_begin_burst(next, start);
	schedule->rate += next->per_interval;
	*event = (struct event){start, (uint32_t)ended->next};
	return true;
}

/* Advance the event by `count` packets that are taken. False if the stream has no further packet.
 */
static bool advance(struct schedule *schedule, struct event *event, uint64_t count)
{
	struct timed_stream *stream = &schedule->streams[event->stream];
	stream->step += count;
	if (stream->left != UINT64_MAX) {
		stream->left -= count;
		if (!stream->left && stream->bursts_left == 1)
			return follow_chain(schedule, event);
		if (!stream->left) {
			double gap = stream->gap > 0 ? stream->gap : stream->interval;
			stream->bursts_left--;
			schedule_begin_burst(stream, stream->anchor +
											 (double)(stream->step - 1) * stream->interval + gap);
		}
	}
	event->due = due(stream);
	return true;
}

/* ---- for the worker */

/* Number of packets of the event's stream that are due by `limit`, including the event's own. */
static uint64_t count_due(const struct schedule *schedule, const struct event *event, double limit)
{
	const struct timed_stream *stream = &schedule->streams[event->stream];
	double more = (lower(limit, schedule->deadline) - event->due) * stream->per_interval;
	uint64_t count = 1 + (more > 0 ? (uint64_t)(int64_t)more : 0);
	return count < stream->left ? count : stream->left;
}

/* Due time of the second stream: it is one of the root's children in the heap. */
static double second_due(const struct schedule *schedule)
{
	const struct event *heap = schedule->heap;
	if (schedule->heap_count < 2)
		return INFINITY;
	return schedule->heap_count < 3 ? heap[1].due : lower(heap[1].due, heap[2].due);
}

/* Replace the first event by `event`, or remove it if `goes_on` is false. */
static void replace_first(struct schedule *schedule, struct event event, bool goes_on)
{
	uint32_t stream = schedule->heap[0].stream;
	if (!goes_on && --schedule->heap_count)
		event = schedule->heap[schedule->heap_count];
	if (schedule->heap_count)
		sink(schedule, 0, event);
	if (!goes_on || event.stream != stream)
		set_catch_up(schedule);
}

/* At the deadline all streams end, so nothing is due any more. */
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
	struct event event = schedule->heap[0];
	uint64_t count = count_due(schedule, &event, lower(now, second_due(schedule)));
	*run = (struct schedule_run){
		.stream = event.stream,
		.count = (uint32_t)(count < max ? count : max),
		.due = event.due,
	};
	bool goes_on = advance(schedule, &event, run->count);
	replace_first(schedule, event, goes_on);
	return true;
}

bool schedule_is_behind(const struct schedule *schedule, double now)
{
	return schedule->heap_count && schedule->heap[0].due < now - schedule->catch_up;
}

struct skip {
	double now, before;
	uint64_t early, rest;
	bool bursts;
	uint32_t patience; /* events left to skip, since a chain of packets without gaps could occupy
						  the worker forever */
};

static bool skip_event(struct schedule *schedule, struct event *event, struct skip *skip)
{
	struct timed_stream *stream = &schedule->streams[event->stream];
	bool is_early = event->due < skip->before;
	skip->patience--;
	if (!skip->bursts && stream->left != UINT64_MAX) {
		stream->anchor += skip->now + 1 - event->due;
		event->due = skip->now + 1;
		return true;
	}
	uint64_t count =
		count_due(schedule, event, is_early ? lower(skip->before, skip->now) : skip->now);
	if (!stream->is_null)
		*(is_early ? &skip->early : &skip->rest) += count;
	return advance(schedule, event, count);
}

/* Skips events singly while they are few, then all at once. */
uint64_t schedule_skip(struct schedule *schedule, double now, double before, bool bursts,
					   uint64_t *after)
{
	struct skip skip = {.now = now, .before = before, .bursts = bursts, .patience = SKIP_FEW};
	for (bool goes_on; skip.patience && is_due(schedule, now);) {
		struct event event = schedule->heap[0];
		goes_on = skip_event(schedule, &event, &skip);
		replace_first(schedule, event, goes_on);
	}
	if (!skip.patience) {
		uint32_t kept = 0;
		skip.patience = SKIP_MANY + schedule->heap_count;
		for (uint32_t i = 0; i < schedule->heap_count; i++) {
			struct event event = schedule->heap[i];
			bool goes_on = true;
			while (goes_on && skip.patience && event.due <= now && event.due < schedule->deadline)
				goes_on = skip_event(schedule, &event, &skip);
			schedule->heap[kept] = event;
			kept += goes_on;
		}
		schedule->heap_count = kept;
		order(schedule);
		set_catch_up(schedule);
	}
	*after = skip.rest;
	return skip.early;
}

double schedule_due(const struct schedule *schedule)
{
	return lower(schedule->heap_count ? schedule->heap[0].due : INFINITY, schedule->deadline);
}

bool schedule_is_over(const struct schedule *schedule, double now)
{
	return now >= schedule->deadline;
}

bool schedule_ended(const struct schedule *schedule)
{
	return !schedule->heap_count && !schedule->paused_count;
}

/* ---- changes of a running schedule */

static void rescale(struct schedule *schedule, struct timed_stream *stream, double now)
{
	double before = stream->interval, next = due(stream);
	schedule_set_interval(schedule, stream);
	double ratio = stream->interval / before;
	if (stream->state == PAUSED && stream->step)
		stream->ahead *= ratio;
	/* The delay before the first packet of a burst does not depend on the rate. */
	if (stream->state != RUNNING || !stream->step)
		return;
	if (next > now)
		next = now + (next - now) * ratio;
	stream->anchor = next - stream->interval;
	stream->step = 1;
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
