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
 */
#include "dev/port.h"
#include "generator/generator.h"
#include "generator/ready.h"

#include <math.h>
#include <rte_cycles.h>
#include <rte_memcpy.h>
#include <rte_mempool.h>

enum { BURST = PROGRAM_BATCH, MAX_RUNS = 1024, STASH_MAX = 256, CATCH_UP = 8 };

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
	uint32_t position = sender->position;
	for (uint16_t i = 0; i < n; i++) {
		packets[i] = sender->ready[position];
		position = position + 1 == sender->ready_count ? 0 : position + 1;
	}
	sender->position = position;
	for (uint16_t i = 0; i < n; i++)
		lengths[i] = packets[i]->data_len;
}

/* The ready packets in turn, each with the program's next values. While no driver holds any, always
 * the first ones, which the cache has. */
static void take_renewed(struct traffic *traffic, struct sender *sender, struct rte_mbuf **packets,
						 uint16_t *lengths, uint16_t n)
{
	uint8_t *bytes[BURST];
	uint16_t old = (uint16_t)RTE_MIN(n, sender->rendered), fresh = n - old;
	if (!sender->rendered && traffic->handed == ready_pool_returned(traffic->ready_pool))
		sender->position = 0;
	take_ready(sender, packets, lengths, n);
	sender->rendered -= old;
	packets += old, lengths += old;
	for (uint16_t i = 0; i < fresh; i++) {
		bytes[i] = rte_pktmbuf_mtod(packets[i], uint8_t *);
		lengths[i] = sender->frame_len;
	}
	sender_finish(sender, bytes, lengths, fresh);
	if (!program_keeps_length(sender->program))
		for (uint16_t i = 0; i < fresh; i++)
			packets[i]->pkt_len = packets[i]->data_len = lengths[i];
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

/* The last `n` packets of `sender` in the burst, which end at `end`, were refused. */
static void give_back(struct traffic *traffic, struct sender *sender, struct rte_mbuf **end,
					  uint16_t n)
{
	if (sender->ready_count && traffic->by_reference) {
		uint32_t back = n % sender->ready_count;
		sender->position += sender->position < back ? sender->ready_count - back : -back;
		traffic->handed -= n;
		sender->rendered += sender->renewed ? n : 0;
		return;
	}
	for (; n && traffic->stashed < STASH_MAX; n--, traffic->stashed++) {
		struct rte_mbuf *packet = *--end;
		packet->next = sender->stash;
		sender->stash = packet;
	}
	rte_pktmbuf_free_bulk(end - n, n);
}

/* The last `refused` packets of the burst. */
static void refuse(struct generator_port *port, struct traffic *traffic, struct burst *burst,
				   uint16_t refused)
{
	struct rte_mbuf **end = burst->packets + burst->count;
	for (uint16_t i = burst->part_count; refused; end -= burst->parts[i].count) {
		const struct part *part = &burst->parts[--i];
		uint16_t n = RTE_MIN(refused, part->count);
		give_back(traffic, part->sender, end, n);
		if (part->sender->tail.magic == FLOW_MAGIC_LATENCY)
			part->sender->tail.sequence -= n;
		*(part->overdue ? &port->counters.late_packets : &port->counters.refused_packets) += n;
		refused -= n;
	}
}

/* The worker fell behind: what is due by now is given up. */
static void let_go(struct generator_port *port, struct traffic *traffic, double now)
{
	uint64_t none, late = schedule_skip(traffic->schedule, now, INFINITY, &none);
	port->counters.asked_packets += late;
	port->counters.late_packets += late;
}

static void refuse_rest(struct generator_port *port, struct traffic *traffic, double now)
{
	double overdue = now - port->ring_full_grace;
	uint64_t in_time, late = schedule_skip(traffic->schedule, now, overdue, &in_time);
	port->counters.asked_packets += late + in_time;
	port->counters.late_packets += late;
	port->counters.refused_packets += in_time;
}

/* ---- a burst */

static void gather(struct generator_port *port, struct traffic *traffic, struct burst *burst,
				   double now)
{
	double grace = port->ring_full_grace;
	struct schedule_run run;
	burst->count = burst->part_count = 0;
	for (uint32_t i = 0; i < MAX_RUNS && burst->count < BURST; i++) {
		if (!schedule_next(traffic->schedule, now, BURST - burst->count, &run))
			break;
		struct sender *sender = &traffic->senders[run.stream];
		if (sender->is_null)
			continue;
		port->counters.asked_packets += run.count;
		uint16_t n = take(traffic, sender, burst->packets + burst->count,
						  burst->lengths + burst->count, (uint16_t)run.count);
		port->counters.refused_packets += run.count - n;
		if (!n)
			continue;
		burst->parts[burst->part_count++] =
			(struct part){.sender = sender, .count = n, .overdue = run.due < now - grace};
		burst->count += n;
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
	gather(port, traffic, &burst, now);
	if (!burst.count) {
		traffic->active = !schedule_ended(traffic->schedule);
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
