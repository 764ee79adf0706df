/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One look at one port: what is due goes to the driver in one burst.
 *
 * Open loop. What the driver does not take is refused and not tried again: the schedule goes on.
 * When it takes less than the burst, everything else that is due is refused with it, unseen and
 * unbuilt, so that a port that stands still costs the worker one short call. But a packet that is
 * overdue by then for longer than ring_full_grace is late: had the worker come in time, there might
 * have been room.
 */
#include "dev/port.h"
#include "generator/generator.h"

#include <math.h>
#include <rte_cycles.h>
#include <rte_memcpy.h>
#include <rte_mempool.h>

enum { BURST = PROGRAM_BATCH, MAX_RUNS = 1024, STASH_MAX = 256 };

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
	program_run(sender->program, bytes, lengths, n);
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
	if (sender->program)
		build(sender, bytes, lengths, n);
	else
		copy_ready(sender, bytes, lengths, n);
	for (uint16_t i = 0; i < n; i++)
		packets[i]->pkt_len = packets[i]->data_len = lengths[i];
	return n;
}

static uint16_t take(struct traffic *traffic, struct sender *sender, struct rte_mbuf **packets,
					 uint16_t *lengths, uint16_t n)
{
	if (sender->ready_count && traffic->by_reference) {
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
static void refuse(struct generator_port *port, struct burst *burst, uint16_t refused)
{
	struct rte_mbuf **end = burst->packets + burst->count;
	for (uint16_t i = burst->part_count; refused; end -= burst->parts[i].count) {
		const struct part *part = &burst->parts[--i];
		uint16_t n = RTE_MIN(refused, part->count);
		give_back(port->traffic, part->sender, end, n);
		*(part->overdue ? &port->counters.late_packets : &port->counters.refused_packets) += n;
		refused -= n;
	}
}

/* The worker fell behind: what is due by now is given up. */
static void let_go(struct generator_port *port, double now)
{
	uint64_t none, late = schedule_skip(port->traffic->schedule, now, INFINITY, &none);
	port->counters.asked_packets += late;
	port->counters.late_packets += late;
}

static void refuse_rest(struct generator_port *port, double now, double grace)
{
	uint64_t in_time, late = schedule_skip(port->traffic->schedule, now, now - grace, &in_time);
	port->counters.asked_packets += late + in_time;
	port->counters.late_packets += late;
	port->counters.refused_packets += in_time;
}

/* ---- a burst */

static void gather(struct generator_port *port, struct burst *burst, double now, double grace)
{
	struct traffic *traffic = port->traffic;
	struct schedule_run run;
	burst->count = burst->part_count = 0;
	for (uint32_t i = 0; i < MAX_RUNS && burst->count < BURST; i++) {
		if (!schedule_next(traffic->schedule, now, BURST - burst->count, &run))
			break;
		port->counters.asked_packets += run.count;
		struct sender *sender = &traffic->senders[run.stream];
		uint16_t n = take(traffic, sender, burst->packets + burst->count,
						  burst->lengths + burst->count, (uint16_t)run.count);
		port->counters.refused_packets += run.count - n;
		burst->parts[burst->part_count++] =
			(struct part){.sender = sender, .count = n, .overdue = run.due < now - grace};
		burst->count += n;
	}
}

uint32_t generator_transmit(struct generator_port *port)
{
	struct traffic *traffic = port->traffic;
	struct burst burst;
	if (!port->active || traffic->paused)
		return 0;
	double now = (double)(rte_rdtsc() - traffic->origin);
	if (schedule_is_behind(traffic->schedule, now))
		let_go(port, now);
	gather(port, &burst, now, port->ring_full_grace);
	if (!burst.count) {
		port->active = !schedule_ended(traffic->schedule);
		return 0;
	}
	uint16_t sent = port_transmit(port->index, 0, burst.packets, burst.count);
	uint64_t bytes = (uint64_t)sent * FCS_LEN;
	for (uint16_t i = 0; i < sent; i++)
		bytes += burst.lengths[i];
	port->counters.tx_packets += sent;
	port->counters.tx_bytes += bytes;
	if (sent < burst.count) {
		refuse(port, &burst, burst.count - sent);
		refuse_rest(port, now, port->ring_full_grace);
	}
	return sent;
}
