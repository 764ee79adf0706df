/* SPDX-License-Identifier: Apache-2.0 */
/* Accounting of due packets that are not sent. */
#include "generator/traffic/burst.h"

#include <math.h>
#include <string.h>

enum { STASH_MAX = 256 };

/* The last `n` packets of `sender` in the burst, which end at `end`, were refused and are to be
 * sent next. Packets of a stream that is not `kept` are stored only up to a limit. */
static void give_back(struct traffic *traffic, struct sender *sender, struct rte_mbuf **end,
					  uint16_t n, bool kept)
{
	if (sender_lends(traffic, sender)) {
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

void traffic_hold(struct generator_port *port, struct traffic *traffic, struct sender *sender,
				  uint16_t n)
{
	uint16_t count = traffic->held_count;
	port->counters.intended_packets -= n;
	if (count && traffic->held[count - 1].sender == sender)
		traffic->held[count - 1].count += n;
	else
		traffic->held[traffic->held_count++] = (struct held){sender, n};
}

void traffic_refuse(struct generator_port *port, struct traffic *traffic, struct burst *burst,
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
		sender->tail.sequence -= n;
		if (!kept)
			*(part->overdue ? &port->counters.late_packets : &port->counters.refused_packets) += n;
		end -= part->count;
		refused -= n;
		part->count = kept ? n : 0;
	}
	/* Refused packets go first, in order, before packets that were not even built. */
	for (; first < burst->part_count; first++)
		if (burst->parts[first].count)
			traffic_hold(port, traffic, burst->parts[first].sender, burst->parts[first].count);
	memcpy(traffic->held + traffic->held_count, missing, missing_count * sizeof(missing[0]));
	traffic->held_count += missing_count;
}

void traffic_let_go(struct generator_port *port, struct traffic *traffic, double now)
{
	uint64_t none, late = schedule_skip(traffic->schedule, now, INFINITY, false, &none);
	port->counters.intended_packets += late;
	port->counters.late_packets += late;
}

void traffic_refuse_rest(struct generator_port *port, struct traffic *traffic, double now)
{
	double overdue = now - port->ring_full_grace;
	bool bursts = !is_patient(port, traffic);
	uint64_t in_time, late = schedule_skip(traffic->schedule, now, overdue, bursts, &in_time);
	port->counters.intended_packets += late + in_time;
	port->counters.late_packets += late;
	port->counters.refused_packets += in_time;
}
