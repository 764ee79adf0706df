/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transmission: each look at a port sends all due packets to the driver in one burst.
 *
 * Open loop: a packet that the driver refuses is not retried, and the schedule goes on. If the
 * driver takes only a part of the burst, all other due packets are refused too without being built,
 * so that a stuck port costs the worker one short call. A packet that is overdue for longer than
 * ring_full_grace at that time counts as late instead: with a punctual worker the ring might have
 * had free slots. Packets without a buffer count only as such.
 *
 * A worker that shares its CPU is preempted now and then, for milliseconds. The packets due during
 * that time would form a burst above link speed. So the schedule's clock stops with the worker and
 * then catches up, one eighth faster than real time. It lags by at most most_owed; packets due
 * before that are late.
 *
 * All this applies to endless streams, which keep a rate. Bursts are sent completely, as fast as
 * the medium takes them: refused packets are held and sent first the next time, overdue ones are
 * postponed, and both count only once they are sent. If the driver takes nothing at all for
 * `patience`, since there is no peer, they are refused like the rest.
 */
#include "generator/traffic/transmit.h"

#include "dev/port.h"
#include "generator/observe/watch.h"
#include "generator/port_extension.h"
#include "generator/traffic/burst.h"
#include "wire/ethernet.h"

#include <rte_cycles.h>
#include <string.h>

enum { MAX_RUNS = 1024, CATCH_UP = 8 };

/* Put `count` packets of `sender` into the burst. False if there were too few buffers. */
static bool burst_add(struct generator_port *port, struct traffic *traffic, struct burst *burst,
					  struct part part)
{
	struct sender *sender = part.sender;
	uint16_t n = sender_take(traffic, sender, burst->packets + burst->count,
							 burst->lengths + burst->count, part.count);
	uint16_t missing = part.count - n;
	port->counters.intended_packets += part.count;
	part.count = n;
	if (n)
		burst->parts[burst->part_count++] = part;
	burst->count += n;
	if (missing && sender->is_burst)
		traffic_hold(port, traffic, sender, missing);
	else
		port->counters.no_buffer_packets += missing;
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
			goes_on = burst_add(port, traffic, burst,
								(struct part){.sender = held[i].sender, .count = held[i].count});
		else
			traffic->held[traffic->held_count++] = held[i];
	}
}

static void gather_burst(struct generator_port *port, struct traffic *traffic, struct burst *burst,
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
			burst_add(port, traffic, burst,
					  (struct part){sender, (uint16_t)run.count, run.due < now - grace});
	}
}

/* The complement of the number is the lower half of a signature's second word. */
static void put_tails(struct rte_mbuf *const *packets, uint16_t n, const struct flow_tail *tail)
{
	uint64_t complement = tail->magic == FLOW_MAGIC_SIGNATURE ? UINT32_MAX : 0;
	uint64_t first = flow_first_word(tail), second = tail->tsc | complement;
	uint32_t sequence = tail->sequence;
	first = (uint32_t)first;
	for (uint16_t i = 0; i < n; i++, sequence++)
		flow_put_words(
			rte_pktmbuf_mtod_offset(packets[i], uint8_t *, packets[i]->data_len - FLOW_TAIL_LEN),
			first | (uint64_t)sequence << 32, second ^ (sequence & complement));
}

static void put_tagged(struct rte_mbuf *const *packets, uint16_t n, const struct flow_tail *tail)
{
	for (uint16_t i = 0; i < n; i++)
		flow_put_tagged(
			rte_pktmbuf_mtod_offset(packets[i], uint8_t *, packets[i]->data_len - FLOW_TAIL_LEN),
			tail, tail->sequence + i);
}

/* Write the times as late as possible, so that latency includes the time of the send call. */
static void stamp_tails(const struct burst *burst, bool has_latency)
{
	struct rte_mbuf *const *packet = burst->packets;
	uint64_t now = has_latency ? rte_rdtsc() : 0;
	for (uint16_t i = 0; i < burst->part_count; packet += burst->parts[i++].count) {
		struct flow_tail *tail = &burst->parts[i].sender->tail;
		struct packet_source *source = burst->parts[i].sender->source;
		if (source)
			source->stamp(source, packet, burst->parts[i].count);
		if (!tail->magic)
			continue;
		if (tail->magic == FLOW_MAGIC_LATENCY)
			tail->tsc = now;
		if (tail->magic == FLOW_MAGIC_TAGGED)
			put_tagged(packet, burst->parts[i].count, tail);
		else
			put_tails(packet, burst->parts[i].count, tail);
		tail->sequence += burst->parts[i].count;
	}
}

/* Count the first `sent` packets of the burst. */
static void count_flows(const struct burst *burst, uint16_t sent)
{
	const uint16_t *length = burst->lengths;
	for (uint16_t i = 0; sent; i++) {
		uint16_t n = RTE_MIN(sent, burst->parts[i].count);
		struct ws_flow *flow = burst->parts[i].sender->flow;
		uint64_t bytes = (uint64_t)n * ETHERNET_FCS_LEN;
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
	struct captures *captures = &port->watch->captures;
	captures_stage(captures, port->index, true, burst->packets, burst->count, rte_rdtsc());
	uint16_t sent = port_transmit(port->index, port->tx_queue, burst->packets, burst->count);
	captures_commit(captures, sent);
	return sent;
}

/* The schedule's time. The clock of traffic that was not due was last checked when its port was
 * looked at. */
static double look_at_clock(const struct generator_port *port, struct traffic *traffic)
{
	double real = (double)(int64_t)(rte_rdtsc() - traffic->origin);
	double seen = (double)(int64_t)(port->looked - traffic->origin);
	double since = real - RTE_MAX(traffic->looked, seen);
	traffic->looked = real;
	if (since > port->away)
		traffic->owed = RTE_MIN(traffic->owed + since, port->most_owed);
	else if (traffic->owed > 0)
		traffic->owed = RTE_MAX(traffic->owed - since / CATCH_UP, 0.0);
	return real - traffic->owed;
}

/* Nothing was due: set the time of the next check. Traffic whose clock lags is checked in every
 * pass. */
static void sleep_on(struct generator_port *port, struct traffic *traffic)
{
	static const double LONGEST = 0x1p62;
	if (traffic->held_count)
		return;
	if (schedule_ended(traffic->schedule)) {
		traffic->active = false;
		__atomic_store_n(&port->ended, port->ended + 1, __ATOMIC_RELEASE);
	} else if (!(traffic->owed > 0)) {
		double due = RTE_MIN(schedule_due(traffic->schedule), LONGEST);
		traffic->wake = traffic->origin + (uint64_t)(int64_t)due;
	}
}

static uint32_t transmit_traffic(struct generator_port *port, struct traffic *traffic)
{
	struct burst burst;
	double now = look_at_clock(port, traffic);
	if (schedule_is_behind(traffic->schedule, now))
		traffic_let_go(port, traffic, now);
	if (traffic->held_count && schedule_is_over(traffic->schedule, now))
		traffic->held_count = 0;
	gather_burst(port, traffic, &burst, now);
	if (!burst.count) {
		sleep_on(port, traffic);
		return 0;
	}
	if (traffic->has_tails)
		stamp_tails(&burst, traffic->has_latency);
	uint16_t sent = __builtin_expect(port->watch->captures.tx_ports >> port->index & 1, 0)
						? send_captured(port, &burst)
						: port_transmit(port->index, port->tx_queue, burst.packets, burst.count);
	uint64_t bytes = (uint64_t)sent * ETHERNET_FCS_LEN;
	for (uint16_t i = 0; i < sent; i++)
		bytes += burst.lengths[i];
	port->counters.tx_packets += sent;
	port->counters.tx_bytes += bytes;
	if (traffic->counts_flows)
		count_flows(&burst, sent);
	traffic->stuck = sent ? 0 : traffic->stuck ? traffic->stuck : traffic->looked;
	if (sent < burst.count) {
		traffic_refuse(port, traffic, &burst, burst.count - sent);
		traffic_refuse_rest(port, traffic, now);
	}
	return sent;
}

uint32_t generator_transmit(struct generator_port *port)
{
	uint32_t sent = 0;
	if (!port->traffic)
		return 0;
	uint64_t now = rte_rdtsc();
	for (struct traffic *one = port->traffic; one; one = one->next_on_port)
		if (one->active && !one->paused && (int64_t)(now - one->wake) >= 0)
			sent += transmit_traffic(port, one);
	port->looked = now;
	return sent;
}
