/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/error.h"
#include "generator/own_lines.h"
#include "generator/traffic/schedule_state.h"
#include "wirespeed/streams.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const double CATCH_UP_S = 1e-3, MAX_RATE_PPS = 1e9;

static int compare_names(const void *a, const void *b)
{
	uint32_t left = ((const struct name *)a)->id, right = ((const struct name *)b)->id;
	return (left > right) - (left < right);
}

int64_t schedule_find(const struct schedule *schedule, uint32_t id)
{
	struct name key = {.id = id};
	const struct name *found =
		bsearch(&key, schedule->names, schedule->count, sizeof(key), compare_names);
	return found ? (int64_t)found->index : NO_STREAM;
}

static int index_names(struct schedule *schedule, const struct ws_stream *streams)
{
	for (uint32_t i = 0; i < schedule->count; i++)
		schedule->names[i] = (struct name){streams[i].id, i};
	qsort(schedule->names, schedule->count, sizeof(*schedule->names), compare_names);
	for (uint32_t i = 1; i < schedule->count; i++)
		if (schedule->names[i].id == schedule->names[i - 1].id)
			return fail(-EINVAL, "two streams have the id %u; ids are unique on a port",
						schedule->names[i].id);
	return 0;
}

static int check_timing(const struct ws_stream *stream)
{
	uint32_t id = stream->id;
	if (!(stream->rate_pps > 0 && stream->rate_pps <= MAX_RATE_PPS))
		return fail(-EINVAL,
					"stream %u: a rate of %g packets per second; above 0 to %g is possible", id,
					stream->rate_pps, MAX_RATE_PPS);
	if (!(stream->start_delay_us >= 0 && stream->start_delay_us < INFINITY))
		return fail(-EINVAL, "stream %u: a start delay of %g us; 0 or more is possible", id,
					stream->start_delay_us);
	if (!(stream->burst_gap_us >= 0 && stream->burst_gap_us < INFINITY))
		return fail(-EINVAL, "stream %u: a burst gap of %g us; 0 or more is possible", id,
					stream->burst_gap_us);
	if (stream->mode < WS_CONTINUOUS || stream->mode > WS_MULTI_BURST)
		return fail(-EINVAL, "stream %u: mode %d does not exist", id, stream->mode);
	if (stream->mode == WS_CONTINUOUS && stream->next_id >= 0)
		return fail(-EINVAL, "stream %u is continuous and never ends, so %ld cannot follow it", id,
					(long)stream->next_id);
	if (stream->mode != WS_CONTINUOUS && !stream->packets)
		return fail(-EINVAL, "stream %u: a burst of no packets; 1 or more is possible", id);
	if (stream->mode == WS_MULTI_BURST && !stream->bursts)
		return fail(-EINVAL, "stream %u: a multi-burst of no bursts; 1 or more is possible", id);
	return 0;
}

/* A chain that leads to a disabled stream ends there. */
static int link_next(const struct schedule *schedule, const struct ws_stream *streams,
					 uint32_t index, int64_t *next)
{
	const struct ws_stream *stream = &streams[index];
	*next = NO_STREAM;
	if (stream->next_id < 0)
		return 0;
	int64_t found = stream->next_id > UINT32_MAX
						? NO_STREAM
						: schedule_find(schedule, (uint32_t)stream->next_id);
	if (found == NO_STREAM)
		return fail(-EINVAL,
					"stream %u: next stream %ld is not on this port; add it, or give another",
					stream->id, (long)stream->next_id);
	if (streams[found].enabled)
		*next = found;
	return 0;
}

static int set_up(struct schedule *schedule, const struct ws_stream *streams,
				  const struct stream_part *parts, double hz)
{
	double us = hz / 1e6;
	int error = index_names(schedule, streams);
	for (uint32_t i = 0; !error && i < schedule->count; i++) {
		const struct ws_stream *from = &streams[i];
		struct timed_stream *stream = &schedule->streams[i];
		bool endless = from->mode == WS_CONTINUOUS;
		error = check_timing(from);
		if (error)
			return error;
		*stream = (struct timed_stream){
			.entered_at = -INFINITY,
			.ticks_per_packet = hz / from->rate_pps * (parts ? parts[i].of : 1),
			.factor = 1,
			.delay = from->start_delay_us * us,
			.gap = from->burst_gap_us * us,
			.packets = endless ? UINT64_MAX : from->packets,
			.bursts = from->mode == WS_MULTI_BURST ? from->bursts : 1,
			.loops = from->loops,
			.fixed_rate = from->fixed_rate,
			.is_null = from->is_null,
		};
		schedule_set_interval(schedule, stream);
		error = link_next(schedule, streams, i, &stream->next);
	}
	return error;
}

/* A part begins when its first packet is due. This offset is not a delay: it scales with the rate.
 */
static void begin_part(struct timed_stream *stream, struct stream_part part)
{
	stream->step = 1;
	stream->anchor += stream->interval * part.number / part.of - stream->interval;
	stream->ahead = stream->anchor + stream->interval;
}

static int start_streams(struct schedule *schedule, const struct ws_stream *streams,
						 const struct stream_part *parts)
{
	uint32_t started = 0;
	for (uint32_t i = 0; i < schedule->count; i++) {
		struct timed_stream *stream = &schedule->streams[i];
		if (!streams[i].enabled || !streams[i].self_start)
			continue;
		started++;
		stream->entered_at = stream->delay;
		stream->bursts_left = stream->bursts;
		schedule_begin_burst(stream, stream->delay);
		stream->state = streams[i].start_paused ? PAUSED : RUNNING;
		stream->ahead = stream->delay;
		if (parts && parts[i].number)
			begin_part(stream, parts[i]);
		schedule->paused_count += streams[i].start_paused;
	}
	if (!started)
		return fail(-EINVAL, "none of %u streams is enabled and self-starting; set both for one",
					schedule->count);
	schedule_replan(schedule);
	return 0;
}

struct schedule *schedule_create(const struct ws_stream *streams, const struct stream_part *parts,
								 uint32_t count, double hz, double factor, double duration_s,
								 int *error)
{
	struct schedule *schedule = own_lines(1, sizeof(*schedule));
	if (schedule) {
		schedule->heap = own_lines(count + 1, sizeof(*schedule->heap));
		schedule->streams = own_lines(count + 1, sizeof(*schedule->streams));
		schedule->names = calloc(count + 1, sizeof(*schedule->names));
	}
	if (!schedule || !schedule->heap || !schedule->streams || !schedule->names) {
		schedule_free(schedule);
		*error = fail(-ENOMEM, "no memory for %u streams", count);
		return NULL;
	}
	schedule->count = count;
	schedule->factor = factor;
	/* Half a tick earlier, so that rounding does not admit the packet due at the very end. */
	schedule->deadline = duration_s < 0 ? INFINITY : duration_s * hz - 0.5;
	schedule->catch_up_least = CATCH_UP_S * hz;
	*error = set_up(schedule, streams, parts, hz);
	if (!*error)
		*error = start_streams(schedule, streams, parts);
	if (*error) {
		schedule_free(schedule);
		return NULL;
	}
	return schedule;
}

void schedule_free(struct schedule *schedule)
{
	if (!schedule)
		return;
	free(schedule->heap);
	free(schedule->streams);
	free(schedule->names);
	free(schedule);
}
