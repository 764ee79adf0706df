/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One look at one port: what is due goes to the driver in one burst.
 *
 * Open loop. What the driver does not take is refused and not tried again: the schedule goes on.
 * When it takes less than the burst, everything else that is due is refused with it, unseen and
 * unbuilt, so that a port that stands still costs the worker one short call. But a packet that is
 * overdue by then for longer than ring_full_grace is late: had the worker come in time, there might
 * have been room.
 *
 * Where the worker shares its CPU it is away now and then, for milliseconds. What fell due
 * meanwhile would come as a burst that no wire carries. So the schedule's clock stands still with
 * the worker, and makes up for it at one eighth over its pace; what it owes beyond most_owed it
 * never pays, and those packets are late.
 *
 * All this is about streams without an end, which hold a rate. Bursts are sent whole, as the medium
 * takes them: what is refused is held and goes first the next time, what is overdue is put off, and
 * neither is counted before it is sent. Only when the driver takes nothing at all for `patience`,
 * since nobody is there, they are refused like the rest.
 */
#include "dev/port.h"
#include "generator/generator.h"
#include "generator/ready.h"

#include <math.h>
#include <rte_cycles.h>
#include <rte_memcpy.h>
#include <rte_mempool.h>
#include <string.h>

enum { BURST = PROGRAM_BATCH, MAX_RUNS = 1024, STASH_MAX = 256, CATCH_UP = 8, RENDER_LEAST = 32 };

/* Part of a burst: packets of one stream that follow each other. */
struct part {
	struct sender *sender;
	uint16_t count;
	bool overdue; /* beyond the grace of a full ring */
};

struct burst {
	struct rte_mbuf *packets[BURST];
	uint16_t lengths[BURST];
	struct part parts[BURST];
	uint16_t count, part_count;
};

/* ---- getting packets */

static uint16_t take_stashed(struct traffic *traffic, struct sender *sender,
							 struct rte_mbuf **packets, uint16_t *lengths, uint16_t n)
{
	uint16_t taken = 0;
	for (; taken < n && sender->stash; taken++) {
		packets[taken] = sender->stash;
		lengths[taken] = sender->stash->data_len;
		sender->stash = packets[taken]->next;
		packets[taken]->next = NULL;
	}
	traffic->stashed -= taken;
	return taken;
}

static void take_ready(struct sender *sender, struct rte_mbuf **packets, uint16_t *lengths,
					   uint16_t n)
{
	uint32_t position = sender->position, count = sender->ready_count;
	if (n >= BURST / 4 && position + n < count) {
		memcpy(packets, sender->ready + position, n * sizeof(*packets));
		for (uint16_t i = 0; i < n; i++)
			lengths[i] = sender->frame_len;
		position += n;
	} else {
		for (uint16_t i = 0; i < n; i++) {
			packets[i] = sender->ready[position];
			lengths[i] = sender->frame_len;
			position = position + 1 == count ? 0 : position + 1;
		}
	}
	sender->position = position;
	if (__builtin_expect(!sender->same_length, 0))
		for (uint16_t i = 0; i < n; i++)
			lengths[i] = packets[i]->data_len;
}

/* The next ready packets that lie side by side get the program's next values. */
static void render(struct sender *sender, uint32_t first, uint16_t n)
{
	struct rte_mbuf **packets = sender->ready + first;
	uint16_t lengths[BURST];
	for (uint16_t i = 0; i < n; i++)
		lengths[i] = sender->frame_len;
	sender_finish(sender, sender->ready_bytes + first, lengths, n);
	sender->rendered += n;
	if (sender->same_length)
		return;
	for (uint16_t i = 0; i < n; i++)
		packets[i]->pkt_len = packets[i]->data_len = lengths[i];
}

/* No driver holds any, so those to be taken next become the first ones: the cache has those. Not
 * where they lie around the circle's end, which is seldom. */
static void move_to_front(struct sender *sender)
{
	struct rte_mbuf **ready = sender->ready, **from = ready + sender->position;
	uint8_t **bytes = sender->ready_bytes, **from_bytes = bytes + sender->position;
	if (sender->position + sender->rendered > sender->ready_count)
		return;
	for (uint32_t i = 0; i < sender->rendered; i++) {
		struct rte_mbuf *packet = ready[i];
		uint8_t *data = bytes[i];
		ready[i] = from[i];
		bytes[i] = from_bytes[i];
		from[i] = packet;
		from_bytes[i] = data;
	}
	sender->position = 0;
}

/* The ready packets in turn. Where a burst wants a few only, since other streams' come in between,
 * some more get their values along with them. */
static void take_renewed(struct traffic *traffic, struct sender *sender, struct rte_mbuf **packets,
						 uint16_t *lengths, uint16_t n)
{
	if (traffic->was_home && sender->burst != traffic->burst && sender->position >= BURST)
		move_to_front(sender);
	sender->burst = traffic->burst;
	while (sender->rendered < n) {
		uint32_t first = sender->position + sender->rendered;
		first -= first < sender->ready_count ? 0 : sender->ready_count;
		uint32_t count = RTE_MAX((uint32_t)n - sender->rendered, (uint32_t)RENDER_LEAST);
		render(sender, first, (uint16_t)RTE_MIN(count, sender->ready_count - first));
	}
	take_ready(sender, packets, lengths, n);
	sender->rendered -= n;
}

static void copy_ready(struct sender *sender, uint8_t *const *bytes, uint16_t *lengths, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *from = sender->ready[sender->position];
		sender->position = sender->position + 1 == sender->ready_count ? 0 : sender->position + 1;
		lengths[i] = from->data_len;
		rte_memcpy(bytes[i], rte_pktmbuf_mtod(from, const uint8_t *), from->data_len);
	}
}

static void build(struct sender *sender, uint8_t *const *bytes, uint16_t *lengths, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		lengths[i] = sender->frame_len;
		rte_memcpy(bytes[i], sender->template, sender->frame_len);
	}
	sender_finish(sender, bytes, lengths, n);
}

/* Into buffers of their own. Without any left (the medium holds them all) none are made. */
static uint16_t make_fresh(struct traffic *traffic, struct sender *sender,
						   struct rte_mbuf **packets, uint16_t *lengths, uint16_t n)
{
	uint8_t *bytes[BURST];
	/* Nobody else draws from this pool, and what drivers free is as they got it: no reset. */
	if (!n || rte_mempool_get_bulk(traffic->fresh, (void **)packets, n))
		return 0;
	for (uint16_t i = 0; i < n; i++)
		bytes[i] = rte_pktmbuf_mtod(packets[i], uint8_t *);
	if (sender->ready_count)
		copy_ready(sender, bytes, lengths, n);
	else
		build(sender, bytes, lengths, n);
	for (uint16_t i = 0; i < n; i++)
		packets[i]->pkt_len = packets[i]->data_len = lengths[i];
	return n;
}

static uint16_t take(struct traffic *traffic, struct sender *sender, struct rte_mbuf **packets,
					 uint16_t *lengths, uint16_t n)
{
	if (sender->ready_count && traffic->by_reference) {
		if (sender->renewed)
			take_renewed(traffic, sender, packets, lengths, n);
		else
			take_ready(sender, packets, lengths, n);
		traffic->handed += n;
		return n;
	}
	uint16_t taken = take_stashed(traffic, sender, packets, lengths, n);
	return taken + make_fresh(traffic, sender, packets + taken, lengths + taken, n - taken);
}

/* ---- giving them back */

/* The last `n` packets of `sender` in the burst, which end at `end`, were refused. They
 * are the next ones to be taken, though of those that need not be `kept` only some. */
static void give_back(struct traffic *traffic, struct sender *sender, struct rte_mbuf **end,
					  uint16_t n, bool kept)
{
	if (sender->ready_count && traffic->by_reference) {
		uint32_t back = n % sender->ready_count;
		sender->position += sender->position < back ? sender->ready_count - back : -back;
		traffic->handed -= n;
		sender->rendered += sender->renewed ? n : 0;
		return;
	}
	for (; n && (kept || traffic->stashed < STASH_MAX); n--, traffic->stashed++) {
		struct rte_mbuf *packet = *--end;
		packet->next = sender->stash;
		sender->stash = packet;
	}
	rte_pktmbuf_free_bulk(end - n, n);
}

static bool is_patient(const struct generator_port *port, const struct traffic *traffic)
{
	return !traffic->stuck || traffic->looked - traffic->stuck <= port->patience;
}

/* Packets of a burst that could not be sent: they are not counted as asked for until they are. */
static void hold(struct generator_port *port, struct traffic *traffic, struct sender *sender,
				 uint16_t n)
{
	uint16_t count = traffic->held_count;
	port->counters.asked_packets -= n;
	if (count && traffic->held[count - 1].sender == sender)
		traffic->held[count - 1].count += n;
	else
		traffic->held[traffic->held_count++] = (struct held){sender, n};
}

/* The last `refused` packets of the burst. */
static void refuse(struct generator_port *port, struct traffic *traffic, struct burst *burst,
				   uint16_t refused)
{
	struct rte_mbuf **end = burst->packets + burst->count;
	struct held missing[BURST];
	uint16_t missing_count = traffic->held_count, first = burst->part_count;
	bool patient = is_patient(port, traffic);
	memcpy(missing, traffic->held, missing_count * sizeof(missing[0]));
	traffic->held_count = 0;
	while (refused) {
		struct part *part = &burst->parts[--first];
		struct sender *sender = part->sender;
		uint16_t n = RTE_MIN(refused, part->count);
		bool kept = patient && sender->is_burst;
		give_back(traffic, sender, end, n, kept);
		if (sender->tail.magic == FLOW_MAGIC_LATENCY)
			sender->tail.sequence -= n;
		if (!kept)
			*(part->overdue ? &port->counters.late_packets : &port->counters.refused_packets) += n;
		end -= part->count;
		refused -= n;
		part->count = kept ? n : 0;
	}
	/* In their order, in front of those that were not even made. */
	for (; first < burst->part_count; first++)
		if (burst->parts[first].count)
			hold(port, traffic, burst->parts[first].sender, burst->parts[first].count);
	memcpy(traffic->held + traffic->held_count, missing, missing_count * sizeof(missing[0]));
	traffic->held_count += missing_count;
}

/* The worker fell behind: what is due by now is given up, or put off. */
static void let_go(struct generator_port *port, struct traffic *traffic, double now)
{
	uint64_t none, late = schedule_skip(traffic->schedule, now, INFINITY, false, &none);
	port->counters.asked_packets += late;
	port->counters.late_packets += late;
}

static void refuse_rest(struct generator_port *port, struct traffic *traffic, double now)
{
	double overdue = now - port->ring_full_grace;
	bool bursts = !is_patient(port, traffic);
	uint64_t in_time, late = schedule_skip(traffic->schedule, now, overdue, bursts, &in_time);
	port->counters.asked_packets += late + in_time;
	port->counters.late_packets += late;
	port->counters.refused_packets += in_time;
}

/* ---- a burst */

/* Put `count` packets of `sender` into the burst. False when buffers for a burst's ran out. */
static bool add(struct generator_port *port, struct traffic *traffic, struct burst *burst,
				struct part part)
{
	struct sender *sender = part.sender;
	uint16_t n = take(traffic, sender, burst->packets + burst->count, burst->lengths + burst->count,
					  part.count);
	uint16_t missing = part.count - n;
	port->counters.asked_packets += part.count;
	part.count = n;
	if (n)
		burst->parts[burst->part_count++] = part;
	burst->count += n;
	if (missing && sender->is_burst)
		hold(port, traffic, sender, missing);
	else
		port->counters.refused_packets += missing;
	return !missing || !sender->is_burst;
}

static void add_held(struct generator_port *port, struct traffic *traffic, struct burst *burst)
{
	struct held held[BURST];
	uint16_t count = traffic->held_count;
	bool goes_on = true;
	memcpy(held, traffic->held, count * sizeof(held[0]));
	traffic->held_count = 0;
	for (uint16_t i = 0; i < count; i++) {
		if (goes_on)
			goes_on = add(port, traffic, burst,
						  (struct part){.sender = held[i].sender, .count = held[i].count});
		else
			traffic->held[traffic->held_count++] = held[i];
	}
}

static void gather(struct generator_port *port, struct traffic *traffic, struct burst *burst,
				   double now)
{
	double grace = port->ring_full_grace;
	struct schedule_run run;
	burst->count = burst->part_count = 0;
	traffic->burst++;
	traffic->was_home = traffic_is_home(traffic);
	if (traffic->held_count)
		add_held(port, traffic, burst);
	for (uint32_t i = 0; i < MAX_RUNS && burst->count < BURST && !traffic->held_count; i++) {
		if (!schedule_next(traffic->schedule, now, BURST - burst->count, &run))
			break;
		struct sender *sender = &traffic->senders[run.stream];
		if (!sender->is_null)
			add(port, traffic, burst,
				(struct part){sender, (uint16_t)run.count, run.due < now - grace});
	}
}

/* As late as can be: the time of sending is in it. */
static void stamp_latency(const struct burst *burst)
{
	struct rte_mbuf *const *packet = burst->packets;
	uint64_t now = rte_rdtsc();
	for (uint16_t i = 0; i < burst->part_count; packet += burst->parts[i++].count) {
		struct flow_tail *tail = &burst->parts[i].sender->tail;
		if (tail->magic != FLOW_MAGIC_LATENCY)
			continue;
		tail->tsc = now;
		for (uint16_t j = 0; j < burst->parts[i].count; j++, tail->sequence++)
			flow_put_tail(
				rte_pktmbuf_mtod_offset(packet[j], uint8_t *, packet[j]->data_len - FLOW_TAIL_LEN),
				tail);
	}
}

/* The first `sent` packets of the burst went. */
static void count_flows(const struct burst *burst, uint16_t sent)
{
	const uint16_t *length = burst->lengths;
	for (uint16_t i = 0; sent; i++) {
		uint16_t n = RTE_MIN(sent, burst->parts[i].count);
		struct ws_flow *flow = burst->parts[i].sender->flow;
		uint64_t bytes = (uint64_t)n * FCS_LEN;
		sent -= n;
		if (!flow) {
			length += n;
			continue;
		}
		for (uint16_t j = 0; j < n; j++)
			bytes += *length++;
		flow->tx_packets += n;
		flow->tx_bytes += bytes;
	}
}

static uint16_t send_captured(struct generator_port *port, struct burst *burst)
{
	struct captures *captures = &port->worker->captures;
	captures_stage(captures, port->index, true, burst->packets, burst->count, rte_rdtsc());
	uint16_t sent = port_transmit(port->index, 0, burst->packets, burst->count);
	captures_commit(captures, sent);
	return sent;
}

/* The schedule's time. */
static double look(const struct generator_port *port, struct traffic *traffic)
{
	double real = (double)(int64_t)(rte_rdtsc() - traffic->origin);
	double since = real - traffic->looked;
	traffic->looked = real;
	if (since > port->away)
		traffic->owed = RTE_MIN(traffic->owed + since, port->most_owed);
	else if (traffic->owed > 0)
		traffic->owed = RTE_MAX(traffic->owed - since / CATCH_UP, 0.0);
	return real - traffic->owed;
}

static uint32_t transmit(struct generator_port *port, struct traffic *traffic)
{
	struct burst burst;
	if (!traffic->active || traffic->paused)
		return 0;
	double now = look(port, traffic);
	if (schedule_is_behind(traffic->schedule, now))
		let_go(port, traffic, now);
	if (traffic->held_count && schedule_is_over(traffic->schedule, now))
		traffic->held_count = 0;
	gather(port, traffic, &burst, now);
	if (!burst.count) {
		traffic->active = traffic->held_count || !schedule_ended(traffic->schedule);
		return 0;
	}
	if (traffic->has_latency)
		stamp_latency(&burst);
	uint16_t sent = __builtin_expect(port->worker->captures.tx_ports >> port->index & 1, 0)
						? send_captured(port, &burst)
						: port_transmit(port->index, 0, burst.packets, burst.count);
	uint64_t bytes = (uint64_t)sent * FCS_LEN;
	for (uint16_t i = 0; i < sent; i++)
		bytes += burst.lengths[i];
	port->counters.tx_packets += sent;
	port->counters.tx_bytes += bytes;
	if (traffic->counts_flows)
		count_flows(&burst, sent);
	traffic->stuck = sent ? 0 : traffic->stuck ? traffic->stuck : traffic->looked;
	if (sent < burst.count) {
		refuse(port, traffic, &burst, burst.count - sent);
		refuse_rest(port, traffic, now);
	}
	return sent;
}

uint32_t generator_transmit(struct generator_port *port)
{
	uint32_t sent = 0;
	for (struct traffic *one = port->traffic; one; one = one->next_on_port)
		sent += transmit(port, one);
	return sent;
}
