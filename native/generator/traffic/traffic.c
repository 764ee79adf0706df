/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/traffic/traffic.h"

#include "dev/error.h"
#include "dev/port.h"
#include "generator/own_lines.h"
#include "generator/port_extension.h"
#include "generator/tagged/tagged.h"
#include "generator/traffic/ready.h"
#include "wire/ethernet.h"
#include "wirespeed/ports.h"
#include "wirespeed/runtime.h"

#include <errno.h>
#include <math.h>
#include <rte_memcpy.h>
#include <stdio.h>
#include <stdlib.h>

/* A program that repeats within READY_MAX packets is unrolled, if the port's ready packets take at
 * most READY_BYTES. A cache that the user requests may be larger. */
enum {
	READY_MAX = 4096,
	CACHE_MAX = 1 << 20,
	READY_BYTES = 16 << 20,
	MBUF_BYTES = 384,
	CIRCLE_SPARE = 4 * PROGRAM_BATCH
};

static uint16_t frame_length(const struct ws_stream *stream)
{
	return stream->packet_len < ETHERNET_FRAME_MIN_LEN ? ETHERNET_FRAME_MIN_LEN
													   : stream->packet_len;
}

static int check_stream(const struct ws_stream *stream, const struct ws_port_info *port)
{
	if (stream->is_null)
		return 0;
	uint16_t longest = port->mtu + ETHERNET_MAX_LEN;
	if (!stream->packet || !stream->packet_len)
		return fail(-EINVAL, "stream %u has no packet; give one", stream->id);
	if (stream->packet_len > longest)
		return fail(-EINVAL, "stream %u: a packet of %u bytes; port %s with its MTU of %u takes %u",
					stream->id, stream->packet_len, port->name, port->mtu, longest);
	if (stream->cache > CACHE_MAX)
		return fail(-EINVAL, "stream %u: a cache of %u packets; up to %d are possible", stream->id,
					stream->cache, CACHE_MAX);
	return 0;
}

/*
 * In T-Rex each core draws from another seed, and a pair of ports has at least one core. A stream
 * that is not divided draws as the first core does, on whichever worker.
 */
static uint32_t seed_of(const struct ws_stream *stream, struct stream_part part, uint16_t port)
{
	uint32_t pairs = (ports_count() + 1u) / 2, core = part.number * pairs + port / 2u + 1;
	if (stream->random_seed || !part.number)
		return stream->random_seed * (core * 514229u);
	return (stream->id + 1) * 2654435761u + part.number * 514229u;
}

static bool is_numbered(const struct sender *sender)
{
	return sender->tail.magic == FLOW_MAGIC_SIGNATURE;
}

static bool is_tagged(const struct sender *sender)
{
	return sender->tail.magic == FLOW_MAGIC_TAGGED;
}

/* The group's next number: all packets sent by the port's workers, whose shares are consecutive in
 * memory. */
static int take_group(struct sender *sender, const struct ws_stream *stream,
					  struct generator_port *share)
{
	const struct generator_port *shares = share - share->tx_queue;
	uint32_t group = stream->flow_id;
	if (!share->tagged || group >= share->tagged->groups)
		return fail(-EINVAL, "stream %u: port %s has no tagged packet group %u; enable it first",
					stream->id, port_name(share->index), group);
	for (uint16_t i = 0; i < share->rx_step; i++)
		sender->tail.sequence += (uint32_t)shares[i].tagged->sent[group].tx_packets;
	sender->tagged = share->tagged;
	sender->tagged->users++;
	sender->flow = &sender->tagged->sent[group];
	return 0;
}

static int take_source(struct sender *sender, const struct ws_stream *stream,
					   struct stream_part part, const struct generator_port *share)
{
	struct port_extension *extension = share->extension;
	int error = 0;
	if (!extension)
		return fail(-EINVAL, "stream %u: port %s has no flow set; make it first", stream->id,
					port_name(share->index));
	if (stream->op_count)
		return fail(-EINVAL, "stream %u: frames of a flow set take no field program; leave it out",
					stream->id);
	sender->source =
		extension->source(extension, stream, part, sender->template, sender->frame_len, &error);
	if (sender->source)
		sender->flow = sender->source->sent;
	return error;
}

static int create_sender(struct sender *sender, const struct ws_stream *stream,
						 struct stream_part part, const struct traffic_config *config)
{
	struct port_flows *flows = config->share->flows;
	int error;
	sender->is_null = stream->is_null;
	sender->is_burst = stream->mode != WS_CONTINUOUS;
	if (stream->is_null)
		return 0;
	sender->frame_len = frame_length(stream);
	sender->template = calloc(1, sender->frame_len);
	if (!sender->template)
		return fail(-ENOMEM, "no memory for the packet of stream %u", stream->id);
	memcpy(sender->template, stream->packet, stream->packet_len);
	error =
		flow_mark(stream, config->flow_start, sender->template, sender->frame_len, &sender->tail);
	if (error)
		return error;
	if (is_numbered(sender)) {
		error = series_take(config->series, &sender->tail);
		if (error) {
			sender->tail.magic = 0;
			return error;
		}
		/* The program's checksums include the signature; its sum is the same for all numbers. */
		flow_put_tail(sender->template + sender->frame_len - FLOW_TAIL_LEN, &sender->tail);
	}
	if (stream->flow_kind == WS_FLOW_STATS)
		sender->flow = &flows->stats[stream->flow_id];
	if (stream->flow_kind == WS_FLOW_LATENCY)
		sender->flow = &flows->latency[stream->flow_id];
	if (is_tagged(sender)) {
		error = take_group(sender, stream, config->share);
		if (error)
			return error;
	}
	if (stream->flow_kind == WS_FLOW_SET)
		return take_source(sender, stream, part, config->share);
	struct ws_stream seeded = *stream;
	seeded.random_seed = seed_of(stream, part, config->share->index);
	sender->program = program_compile(&seeded, part, sender->template, sender->frame_len, &error);
	return error;
}

/* False for a signature in packets of varying length: old signatures would stay in longer packets.
 */
static bool may_renew(const struct sender *sender)
{
	if (sender->source)
		return !sender->source->available;
	return program_may_repeat(sender->program) &&
		   (!sender->tail.magic || program_keeps_length(sender->program));
}

static uint64_t period_of(const struct sender *sender)
{
	if (sender->source)
		return UINT64_MAX;
	return sender->program ? program_period(sender->program) : 1;
}

/*
 * Ready packets of a stream that repeats after `period` packets. A numbered packet is sent by
 * reference only if it is used again, with a new number, no earlier than `circle` packets later,
 * when no driver holds it any more. Packets that are all alike may be moved, so that those in use
 * stay at the front.
 */
static void plan_unrolled(struct sender *sender, uint32_t period, uint32_t circle, uint64_t spare)
{
	uint64_t whole = (circle + period - 1) / period * (uint64_t)period;
	sender->period = sender->ready_count = period;
	if (!is_numbered(sender))
		return;
	sender->copied = !circle || whole > spare;
	if (sender->copied)
		return;
	sender->ready_count = (uint32_t)whole;
	sender->renewed = period == 1;
}

/* Decide which streams are unrolled; returns the total number of ready packets. */
static uint32_t plan_ready(struct traffic *traffic, const struct traffic_config *config,
						   const struct ws_stream *streams, uint32_t room)
{
	struct ws_port_info info = {0};
	/* A driver holds at most as many packets as it has descriptors. */
	uint32_t circle = !traffic->by_reference || ws_port_info(traffic->port, &info)
						  ? 0
						  : config->tx_queues * info.tx_descriptors + CIRCLE_SPARE;
	uint64_t spare = READY_BYTES / (room + MBUF_BYTES), total = 0;
	for (uint32_t i = 0; i < traffic->count; i++) {
		struct sender *sender = &traffic->senders[i];
		uint64_t period = period_of(sender);
		/* Packets of a latency stream or a tagged group all differ. */
		if (sender->is_null || is_tagged(sender) || sender->tail.magic == FLOW_MAGIC_LATENCY)
			continue;
		if (sender->program && streams[i].cache)
			plan_unrolled(sender, streams[i].cache, circle, spare);
		else if (period == 1 || (period <= READY_MAX && period <= spare))
			plan_unrolled(sender, (uint32_t)period, circle, spare);
		else if (circle && circle <= spare && may_renew(sender)) {
			sender->period = sender->ready_count = circle;
			sender->renewed = true;
		}
		spare -= RTE_MIN(spare, sender->ready_count);
		total += sender->ready_count;
	}
	return (uint32_t)RTE_MIN(total, UINT32_MAX);
}

void sender_finish(struct sender *sender, uint8_t *const *bytes, uint16_t *lengths, uint16_t n)
{
	if (sender->program)
		program_run(sender->program, bytes, lengths, n);
	else if (sender->source)
		sender->source->fill(sender->source, bytes, n);
}

static bool keeps_program(const struct sender *sender)
{
	return sender->renewed && sender->period > 1;
}

static void unroll_batch(struct sender *sender, uint32_t first, uint16_t n)
{
	struct rte_mbuf **packets = sender->ready + first;
	uint8_t **bytes = sender->ready_bytes + first;
	uint16_t lengths[PROGRAM_BATCH];
	for (uint16_t i = 0; i < n; i++) {
		lengths[i] = sender->frame_len;
		rte_memcpy(bytes[i], sender->template, sender->frame_len);
	}
	if (!keeps_program(sender))
		sender_finish(sender, bytes, lengths, n);
	for (uint16_t i = 0; i < n; i++)
		packets[i]->pkt_len = packets[i]->data_len = lengths[i];
}

/* Unrolled packets no longer need the program. */
static void unroll(struct sender *sender)
{
	sender->same_length = !sender->program || program_keeps_length(sender->program);
	for (uint32_t at = 0; at < sender->period; at += PROGRAM_BATCH)
		unroll_batch(sender, at, (uint16_t)RTE_MIN(sender->period - at, (uint32_t)PROGRAM_BATCH));
	if (keeps_program(sender))
		return;
	for (uint32_t at = sender->period; at < sender->ready_count; at++) {
		const struct rte_mbuf *like = sender->ready[at - sender->period];
		rte_memcpy(sender->ready_bytes[at], sender->ready_bytes[at - sender->period],
				   like->data_len);
		sender->ready[at]->pkt_len = sender->ready[at]->data_len = like->data_len;
	}
	program_free(sender->program);
	sender->program = NULL;
}

static int make_ready(struct traffic *traffic, const struct traffic_config *config,
					  const struct ws_stream *streams)
{
	static uint32_t serial;
	char name[RTE_MEMPOOL_NAMESIZE];
	uint32_t room = ETHERNET_FRAME_MIN_LEN;
	for (uint32_t i = 0; i < traffic->count; i++)
		room = RTE_MAX(room, (uint32_t)traffic->senders[i].frame_len);
	room = RTE_ALIGN_CEIL(room, 64u);
	uint32_t total = plan_ready(traffic, config, streams, room);
	if (!total)
		return 0;
	snprintf(name, sizeof(name), "ready%u.%u", traffic->port, serial++);
	if (traffic->by_reference)
		traffic->lent = port_lend(traffic->port, (uint64_t)total * room);
	traffic->ready = calloc(total, sizeof(struct rte_mbuf *));
	traffic->ready_bytes = calloc(total, sizeof(uint8_t *));
	bool whole = traffic->ready && traffic->ready_bytes;
	if (whole)
		traffic->ready_pool = ready_pool_create(name, total, room, traffic->lent, traffic->ready);
	if (!whole || !traffic->ready_pool)
		return fail(-ENOMEM, "no memory for %u packets of %u bytes: give the generator more", total,
					room);
	for (uint32_t i = 0; i < total; i++)
		traffic->ready_bytes[i] = rte_pktmbuf_mtod(traffic->ready[i], uint8_t *);
	for (uint32_t i = 0, at = 0; i < traffic->count; i++) {
		struct sender *sender = &traffic->senders[i];
		sender->ready = traffic->ready + at;
		sender->ready_bytes = traffic->ready_bytes + at;
		at += sender->ready_count;
		if (sender->ready_count)
			unroll(sender);
	}
	return 0;
}

struct traffic *traffic_create(const struct traffic_config *config,
							   const struct worker_streams *given, int *error)
{
	const struct ws_stream *streams = given->streams;
	struct ws_port_info port;
	*error = ws_port_info(config->share->index, &port);
	if (*error)
		return NULL;
	struct traffic *traffic = own_lines(1, sizeof(*traffic));
	if (traffic)
		traffic->senders = own_lines(given->count + 1, sizeof(*traffic->senders));
	if (!traffic || !traffic->senders) {
		free(traffic);
		*error = fail(-ENOMEM, "no memory for %u streams", given->count);
		return NULL;
	}
	traffic->share = config->share;
	traffic->port = config->share->index;
	traffic->profile = config->profile;
	traffic->series = config->series;
	traffic->by_reference = config->by_reference;
	traffic->count = given->count;
	for (uint32_t i = 0; !*error && i < given->count; i++) {
		*error = check_stream(&streams[i], &port);
		if (!*error)
			*error = create_sender(&traffic->senders[i], &streams[i], given->parts[i], config);
		traffic->counts_flows |= traffic->senders[i].flow != NULL;
		traffic->is_metered |= traffic->senders[i].flow && !traffic->senders[i].source;
		traffic->has_tails |= traffic->senders[i].tail.magic || traffic->senders[i].source;
		traffic->has_latency |= traffic->senders[i].tail.magic == FLOW_MAGIC_LATENCY;
	}
	if (!*error)
		traffic->schedule =
			schedule_create(streams, given->parts, given->count, (double)ws_tsc_hz(),
							config->factor, config->duration_s, error);
	if (!*error)
		*error = make_ready(traffic, config, streams);
	if (!*error)
		return traffic;
	traffic_free(traffic);
	return NULL;
}

bool traffic_needs_fresh(const struct traffic *traffic)
{
	bool needs = !traffic->by_reference;
	for (uint32_t i = 0; i < traffic->count; i++)
		needs |= !sender_lends(traffic, &traffic->senders[i]) && !traffic->senders[i].is_null;
	return needs;
}

bool traffic_is_home(const struct traffic *traffic)
{
	return !traffic->ready_pool || traffic->handed == ready_pool_returned(traffic->ready_pool);
}

void traffic_free(struct traffic *traffic)
{
	for (uint32_t i = 0; i < traffic->count; i++) {
		struct sender *sender = &traffic->senders[i];
		for (struct rte_mbuf *packet; (packet = sender->stash);) {
			sender->stash = packet->next;
			packet->next = NULL;
			rte_pktmbuf_free(packet);
		}
		if (is_numbered(sender))
			series_give_back(traffic->series, &sender->tail);
		tagged_leave(sender->tagged);
		program_free(sender->program);
		if (sender->source)
			sender->source->free(sender->source);
		free(sender->template);
	}
	rte_mempool_free(traffic->ready_pool);
	if (traffic->lent)
		port_end_loan(traffic->port, traffic->lent);
	free(traffic->ready);
	free(traffic->ready_bytes);
	free(traffic->senders);
	schedule_free(traffic->schedule);
	free(traffic);
}
