/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/receive/flow_meter.h"

#include "generator/observe/flow_wire.h"
#include "generator/own_lines.h"
#include "generator/receive/hdr_index.h"
#include "generator/receive/sequence.h"
#include "wire/ip4.h"
#include "wire/ip6.h"

#include <stdlib.h>
#include <string.h>

/* A tail with a time older than this is not a tail. */
enum { PLAUSIBLE_S = 10 };

struct latency_flow {
	uint8_t start, earlier;
	bool begun, has_earlier;
	uint64_t before_ns;          /* latency of the previous packet, for the jitter */
	uint64_t period;             /* half second, since TSC 0, of the last packet */
	uint64_t max_ns, was_max_ns; /* maximum of the last period with packets, and of the period with
									packets before it */
	double jitter_ns;
	struct sequence sequence;
	uint64_t begun_packets;   /* value of counts.packets at the start */
	struct flow_order order;  /* `packets` since the start or reset, `reached` of the sequence */
	struct ws_latency counts; /* without the members that depend on order */
};

struct series_window {
	uint8_t start; /* the start that these values belong to */
	struct sequence sequence;
};
/* Number of series whose windows are allocated together. */
enum { CHUNK = 16 };

struct flow_meter {
	double ns_per_tick;
	uint64_t half_second, plausible; /* in ticks */
	struct ws_flow_faults faults;
	struct latency_flow flows[WS_LATENCY_FLOWS];
	struct series_window *series[FLOW_SERIES / CHUNK]; /* by chunk; NULL: not in use */
};

struct flow_meter *flow_meter_create(double hz)
{
	struct flow_meter *meter = calloc(1, sizeof(*meter));
	if (!meter)
		return NULL;
	meter->ns_per_tick = 1e9 / hz;
	meter->half_second = (uint64_t)(hz / 2);
	meter->plausible = (uint64_t)(hz * PLAUSIBLE_S);
	return meter;
}

void flow_meter_free(struct flow_meter *meter)
{
	for (uint32_t i = 0; meter && i < FLOW_SERIES / CHUNK; i++)
		free(meter->series[i]);
	free(meter);
}

bool flow_meter_reserve(struct flow_meter *meter, uint32_t count, uint8_t start)
{
	for (uint32_t i = 0; i * CHUNK < count; i++) {
		if (meter->series[i])
			continue;
		struct series_window *chunk = own_lines(CHUNK, sizeof(*chunk));
		if (!chunk)
			return false;
		for (uint32_t j = 0; j < CHUNK; j++) {
			chunk[j].start = start;
			sequence_begin(&chunk[j].sequence);
		}
		__atomic_store_n(&meter->series[i], chunk, __ATOMIC_RELEASE);
	}
	return true;
}

/* ---- sequence */

/* An old packet counts as late, as in T-Rex. */
static void check_sequence(struct latency_flow *flow, uint32_t number)
{
	struct flow_order *order = &flow->order;
	uint32_t missing;
	switch (sequence_take(&flow->sequence, number, &missing)) {
	case SEQUENCE_NEW:
		order->dropped += missing;
		order->seq_too_high += missing > 0;
		return;
	case SEQUENCE_DUPLICATE:
		order->seq_too_low++;
		order->duplicate++;
		return;
	case SEQUENCE_REORDERED:
	case SEQUENCE_OLD:
		order->seq_too_low++;
		order->out_of_order++;
		order->dropped -= order->dropped > 0;
	}
}

/* ---- time */

static uint32_t bin_of(uint64_t ns)
{
	uint64_t digit = ns / 1000;
	uint32_t power = 0;
	if (!digit)
		return 0;
	for (; digit >= 10; digit /= 10)
		power++;
	uint32_t bin = power * 9 + (uint32_t)digit;
	return bin < WS_LATENCY_BINS ? bin : WS_LATENCY_BINS - 1;
}

static void roll_period(const struct flow_meter *meter, struct latency_flow *flow, uint64_t now)
{
	uint64_t period = now / meter->half_second;
	if (period == flow->period)
		return;
	flow->was_max_ns = flow->max_ns;
	flow->max_ns = 0;
	flow->period = period;
}

static void record(const struct flow_meter *meter, struct latency_flow *flow, uint64_t ticks,
				   uint64_t now)
{
	struct ws_latency *counts = &flow->counts;
	uint64_t ns = (uint64_t)((double)ticks * meter->ns_per_tick);
	roll_period(meter, flow, now);
	if (counts->packets++) {
		double change = (double)ns - (double)flow->before_ns;
		flow->jitter_ns += ((change < 0 ? -change : change) - flow->jitter_ns) / 16;
	}
	flow->before_ns = ns;
	flow->max_ns = ns > flow->max_ns ? ns : flow->max_ns;
	counts->min_ns = counts->packets == 1 || ns < counts->min_ns ? ns : counts->min_ns;
	counts->max_ns = ns > counts->max_ns ? ns : counts->max_ns;
	counts->sum_ns += ns;
	counts->histogram[bin_of(ns)]++;
	counts->hdr[hdr_index(ns)]++;
}

/* ---- packets */

static void count_received(struct ws_flow *flow, uint32_t bytes)
{
	flow->rx_packets++;
	flow->rx_bytes += bytes;
}

static void count_latency(struct flow_meter *meter, struct port_flows *port,
						  const struct flow_tail *tail, uint32_t bytes, uint64_t now)
{
	struct latency_flow *flow = &meter->flows[tail->id];
	if (!flow->begun || tail->start != flow->start) {
		bool is_old = flow->has_earlier && tail->start == flow->earlier;
		*(is_old ? &meter->faults.old_flow : &meter->faults.bad_header) += 1;
		return;
	}
	count_received(&port->latency[tail->id], bytes);
	check_sequence(flow, tail->sequence);
	record(meter, flow, now - tail->tsc, now);
}

static void count_signature(struct flow_meter *meter, struct ws_flow *flow,
							const struct flow_packet *packet, const struct flow_tail *tail)
{
	uint16_t series = flow_series(tail);
	struct series_window *chunk = __atomic_load_n(&meter->series[series / CHUNK], __ATOMIC_ACQUIRE);
	uint32_t missing;
	count_received(flow, packet->bytes);
	if (!chunk) {
		flow->rx_unplaced++;
		return;
	}
	struct series_window *window = &chunk[series % CHUNK];
	if (tail->start != window->start) {
		window->start = tail->start;
		sequence_begin_at(&window->sequence, tail->sequence);
	}
	if (sequence_take_next(&window->sequence, tail->sequence))
		return;
	switch (sequence_take(&window->sequence, tail->sequence, &missing)) {
	case SEQUENCE_NEW:
		return;
	case SEQUENCE_REORDERED:
		flow->rx_reordered++;
		return;
	case SEQUENCE_DUPLICATE:
		flow->rx_duplicates++;
		return;
	case SEQUENCE_OLD:
		flow->rx_unplaced++;
	}
}

static void count_ip(struct flow_meter *meter, struct port_flows *port,
					 const struct flow_packet *packet)
{
	int version;
	const uint8_t *ip = packet->head + flow_find_ip(packet->head, packet->head_len, &version);
	if (!version)
		return;
	/* The IPv4 ID, or the low bits of the IPv6 flow label. */
	const uint8_t *field = ip + (version == 4 ? IP4_ID_AT : IP6_FLOW_LABEL_AT);
	uint16_t id = (uint16_t)(field[0] << 8 | field[1]);
	flow_end_reading();
	if (id == FLOW_IP_LATENCY)
		meter->faults.bad_header++;
	else if (id >= FLOW_IP_ID)
		count_received(&port->stats[id - FLOW_IP_ID], packet->bytes);
}

void flow_meter_count(struct flow_meter *meter, struct port_flows *port,
					  const struct flow_packet *packet, uint64_t now)
{
	uint8_t magic = packet->tail[0];
	if (magic == FLOW_MAGIC_LATENCY || magic == FLOW_MAGIC_SIGNATURE) {
		struct flow_tail tail = flow_get_tail(packet->tail);
		if (magic == FLOW_MAGIC_LATENCY && tail.id < WS_LATENCY_FLOWS &&
			now - tail.tsc < meter->plausible) {
			count_latency(meter, port, &tail, packet->bytes, now);
			return;
		}
		if (magic == FLOW_MAGIC_SIGNATURE && tail.id < WS_FLOWS && flow_is_signature(&tail)) {
			count_signature(meter, &port->stats[tail.id], packet, &tail);
			return;
		}
	}
	count_ip(meter, port, packet);
}

/* ---- called by the worker for the main thread */

void flow_meter_begin(struct flow_meter *meter, uint32_t id, uint8_t start)
{
	struct latency_flow *flow = &meter->flows[id];
	flow->has_earlier = flow->begun;
	flow->earlier = flow->start;
	flow->begun = true;
	flow->start = start;
	flow->begun_packets = flow->counts.packets;
	flow->max_ns = flow->was_max_ns = 0;
	flow->order = (struct flow_order){0};
	sequence_begin(&flow->sequence);
}

void flow_meter_reset(struct flow_meter *meter, uint32_t id)
{
	struct latency_flow *flow = &meter->flows[id];
	memset(&flow->counts, 0, sizeof(flow->counts));
	flow->order = (struct flow_order){0};
	flow->begun_packets = 0;
	flow->max_ns = flow->was_max_ns = 0;
	flow->jitter_ns = 0;
}

void flow_meter_read(const struct flow_meter *meter, uint32_t id, uint64_t now,
					 struct ws_latency *out)
{
	const struct latency_flow *flow = &meter->flows[id];
	bool is_over = now / meter->half_second != flow->period;
	*out = flow->counts;
	out->jitter_ns = (uint64_t)flow->jitter_ns;
	out->last_max_ns = is_over || flow->max_ns > flow->was_max_ns ? flow->max_ns : flow->was_max_ns;
}

struct flow_order flow_meter_order(const struct flow_meter *meter, uint32_t id)
{
	const struct latency_flow *flow = &meter->flows[id];
	struct flow_order order = flow->order;
	order.reached = flow->sequence.reached;
	order.packets = flow->counts.packets - flow->begun_packets;
	return order;
}

struct ws_flow_faults flow_meter_faults(const struct flow_meter *meter)
{
	return meter->faults;
}

void flow_latency_add(struct ws_latency *sum, const struct ws_latency *other)
{
	if (other->packets && (!sum->packets || other->min_ns < sum->min_ns))
		sum->min_ns = other->min_ns;
	sum->jitter_ns = other->packets > sum->packets ? other->jitter_ns : sum->jitter_ns;
	sum->max_ns = other->max_ns > sum->max_ns ? other->max_ns : sum->max_ns;
	sum->last_max_ns =
		other->last_max_ns > sum->last_max_ns ? other->last_max_ns : sum->last_max_ns;
	sum->packets += other->packets;
	sum->sum_ns += other->sum_ns;
	for (uint32_t i = 0; i < WS_LATENCY_BINS; i++)
		sum->histogram[i] += other->histogram[i];
	for (uint32_t i = 0; i < WS_HDR_COUNTS; i++)
		sum->hdr[i] += other->hdr[i];
}
