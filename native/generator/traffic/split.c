/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/traffic/split.h"

#include "dev/error.h"
#include "wirespeed/flow_sets.h"
#include "wirespeed/limits.h"
#include "wirespeed/streams.h"

#include <errno.h>
#include <stdlib.h>

/* Streams that stay together: those of a chain. A stream outside of chains is a group of one. */
struct group {
	double rate; /* rate of its fastest stream */
	uint32_t root, size;
	uint32_t pinned; /* core that it is pinned to, as in a stream */
	bool starts;
};

struct named {
	uint32_t id, index;
};

struct splitting {
	const struct ws_stream *streams;
	struct worker_streams *out;
	uint64_t allowed;
	uint32_t count;
	uint16_t workers;
	uint32_t *parents; /* forest whose trees are the groups */
	struct named *names;
	struct group *groups;  /* by root */
	struct group **placed; /* in the order of distribution */
	double *load;          /* load of each worker */
};

static uint32_t root_of(const struct splitting *split, uint32_t stream)
{
	uint32_t *parents = split->parents;
	while (parents[stream] != stream)
		stream = parents[stream] = parents[parents[stream]];
	return stream;
}

static void join(struct splitting *split, uint32_t a, uint32_t b)
{
	uint32_t x = root_of(split, a), y = root_of(split, b);
	split->parents[x > y ? x : y] = x > y ? y : x;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = ((const struct named *)a)->id, y = ((const struct named *)b)->id;
	return (x > y) - (x < y);
}

/* Duplicate stream ids are reported later, by the worker that gets them. */
static void join_chains(struct splitting *split)
{
	for (uint32_t i = 0; i < split->count; i++) {
		split->parents[i] = i;
		split->names[i] = (struct named){split->streams[i].id, i};
	}
	qsort(split->names, split->count, sizeof(split->names[0]), compare_ids);
	for (uint32_t i = 1; i < split->count; i++)
		if (split->names[i].id == split->names[i - 1].id)
			join(split, split->names[i].index, split->names[i - 1].index);
	for (uint32_t i = 0; i < split->count; i++) {
		int64_t next = split->streams[i].next_id;
		struct named key = {.id = (uint32_t)next};
		const struct named *found =
			next < 0 || next > UINT32_MAX
				? NULL
				: bsearch(&key, split->names, split->count, sizeof(key), compare_ids);
		if (found)
			join(split, i, found->index);
	}
}

static int check_core(const struct splitting *split, const struct ws_stream *stream)
{
	if (stream->pinned > split->workers)
		return fail(-EINVAL, "stream %u: core_id %u; the port has cores 0 to %u", stream->id,
					stream->pinned - 1, split->workers - 1);
	if (stream->pinned && !(split->allowed >> (stream->pinned - 1) & 1))
		return fail(-EINVAL,
					"stream %u is pinned to core %u, which core_mask leaves out; add its bit",
					stream->id, stream->pinned - 1);
	return 0;
}

static int gather_groups(struct splitting *split)
{
	for (uint32_t i = 0; i < split->count; i++)
		split->groups[i] = (struct group){.root = i};
	for (uint32_t i = 0; i < split->count; i++) {
		const struct ws_stream *stream = &split->streams[i];
		struct group *group = &split->groups[root_of(split, i)];
		int error = check_core(split, stream);
		if (error)
			return error;
		if (stream->pinned && group->pinned && group->pinned != stream->pinned)
			return fail(
				-EINVAL,
				"stream %u is pinned to core %u and others of its chain to %u; pin all to one core",
				stream->id, stream->pinned - 1, group->pinned - 1);
		group->pinned = stream->pinned ? stream->pinned : group->pinned;
		group->size++;
		group->starts |= stream->enabled && stream->self_start;
		group->rate = stream->rate_pps > group->rate ? stream->rate_pps : group->rate;
	}
	return 0;
}

/* ---- distribution */

static void give(struct splitting *split, uint16_t worker, uint32_t stream, struct stream_part part)
{
	struct worker_streams *out = &split->out[worker];
	out->streams[out->count] = split->streams[stream];
	out->streams[out->count].cache /= part.of;
	out->parts[out->count++] = part;
}

static bool is_spread(const struct splitting *split, const struct group *group)
{
	const struct ws_stream *stream = &split->streams[group->root];
	uint32_t parts = (uint32_t)__builtin_popcountll(split->allowed);
	/* Each worker answers the frames that it received. */
	bool answers = stream->flow_kind == WS_FLOW_SET && stream->flow_id == WS_FLOW_ANSWER;
	return group->size == 1 && group->starts && !group->pinned &&
		   (stream->mode == WS_CONTINUOUS || answers) && !stream->is_null &&
		   stream->flow_kind != WS_FLOW_LATENCY && stream->flow_kind != WS_FLOW_TAGGED &&
		   stream->cache % parts == 0 && program_spreads(stream);
}

static uint16_t least_loaded(const struct splitting *split)
{
	uint16_t best = (uint16_t)__builtin_ctzll(split->allowed);
	for (uint16_t i = best; i < split->workers; i++)
		if (split->allowed >> i & 1 && split->load[i] < split->load[best])
			best = i;
	return best;
}

/* Groups that no stream starts come last and join a worker with a starting group. */
static int compare_groups(const void *a, const void *b)
{
	const struct group *x = *(struct group *const *)a, *y = *(struct group *const *)b;
	if (x->starts != y->starts)
		return y->starts - x->starts;
	if (x->rate != y->rate)
		return x->rate < y->rate ? 1 : -1;
	return (x->root > y->root) - (x->root < y->root);
}

/* On return `workers` has each group's worker, by its root; WS_MAX_WORKERS: all workers. */
static void place(struct splitting *split, uint16_t *workers)
{
	uint32_t count = 0, spread = 0;
	uint16_t busy = (uint16_t)__builtin_ctzll(split->allowed);
	for (uint32_t i = 0; i < split->count; i++) {
		struct group *group = &split->groups[i];
		workers[i] = WS_MAX_WORKERS;
		if (!group->size)
			continue;
		if (is_spread(split, group))
			spread++;
		else
			split->placed[count++] = group;
	}
	qsort(split->placed, count, sizeof(split->placed[0]), compare_groups);
	for (uint32_t i = 0; i < count; i++) {
		const struct group *group = split->placed[i];
		uint16_t worker = group->pinned ? (uint16_t)(group->pinned - 1) : least_loaded(split);
		if (i == 0 && !spread)
			busy = worker;
		if (!group->starts)
			worker = busy;
		split->load[worker] += group->rate;
		workers[group->root] = worker;
	}
}

/* Distribute the streams in the order in which they are given. */
static void deal(struct splitting *split, const uint16_t *workers)
{
	uint16_t of = (uint16_t)__builtin_popcountll(split->allowed), number = 0;
	for (uint32_t i = 0; i < split->count; i++) {
		uint16_t worker = workers[root_of(split, i)];
		if (worker < split->workers) {
			give(split, worker, i, WHOLE_STREAM);
			continue;
		}
		/* Each spread stream starts at another worker, so that first packets are distributed too.
		 */
		for (uint16_t at = 0, nth = 0; at < split->workers; at++)
			if (split->allowed >> at & 1)
				give(split, at, i,
					 (struct stream_part){(uint16_t)((nth++ + of - number % of) % of), of});
		number++;
	}
}

static int run(struct splitting *split, uint16_t *workers)
{
	join_chains(split);
	int error = gather_groups(split);
	if (error)
		return error;
	place(split, workers);
	deal(split, workers);
	return 0;
}

int split_streams(const struct ws_stream *streams, uint32_t count, uint16_t workers,
				  uint64_t allowed, struct worker_streams *out)
{
	double load[WS_MAX_WORKERS] = {0};
	struct splitting split = {
		.streams = streams,
		.out = out,
		.allowed = allowed,
		.count = count,
		.workers = workers,
		.load = load,
		.parents = calloc(count + 1, sizeof(*split.parents)),
		.names = calloc(count + 1, sizeof(*split.names)),
		.groups = calloc(count + 1, sizeof(*split.groups)),
		.placed = calloc(count + 1, sizeof(*split.placed)),
	};
	uint16_t *placed = calloc(count + 1, sizeof(*placed));
	bool whole = split.parents && split.names && split.groups && split.placed && placed;
	for (uint16_t i = 0; i < workers; i++) {
		out[i] = (struct worker_streams){.streams = calloc(count + 1, sizeof(*out[i].streams)),
										 .parts = calloc(count + 1, sizeof(*out[i].parts))};
		whole &= out[i].streams && out[i].parts;
	}
	int error = whole ? run(&split, placed) : fail(-ENOMEM, "no memory to split %u streams", count);
	free(split.parents);
	free(split.names);
	free(split.groups);
	free(split.placed);
	free(placed);
	if (error)
		split_free(out, workers);
	return error;
}

void split_free(struct worker_streams *split, uint16_t workers)
{
	for (uint16_t i = 0; i < workers; i++) {
		free(split[i].streams);
		free(split[i].parts);
	}
}
