/* SPDX-License-Identifier: Apache-2.0 */
/* Flow statistics as the main thread has them: set up, read and reset by the workers, between two
 * bursts. */
#include "dev/error.h"
#include "generator/control/generator.h"
#include "generator/observe/flow_counts.h"
#include "generator/receive/flow_meter.h"
#include "generator/traffic/traffic.h"

#include <errno.h>
#include <rte_cycles.h>
#include <string.h>

struct question {
	struct generator_worker *worker;
	int32_t kind;
	const uint32_t *ids;
	uint32_t count;
	uint16_t port_count;
	uint64_t tsc;
	bool on;
	uint8_t start;
	struct ws_flow *flows;
	struct ws_latency *latency;
	struct ws_flow_faults faults;
};

/* All workers are asked before the first answer is waited for. */
static void ask_all(struct ws_generator *generator, mailbox_fn *function,
					struct question questions[])
{
	for (uint16_t i = 0; i < generator->worker_count; i++) {
		questions[i].worker = &generator->workers[i];
		questions[i].port_count = generator->port_count;
		if (generator->running)
			mailbox_post(&generator->workers[i].mailbox, function, &questions[i]);
		else
			function(&questions[i]);
	}
	for (uint16_t i = 0; generator->running && i < generator->worker_count; i++)
		mailbox_wait(&generator->workers[i].mailbox);
}

static struct ws_flow *flow_of(const struct generator_port *port, int32_t kind, uint32_t id)
{
	return kind == WS_FLOW_STATS ? &port->flows->stats[id] : &port->flows->latency[id];
}

static int check_flows(int32_t kind, const uint32_t *ids, uint32_t count)
{
	uint32_t limit = kind == WS_FLOW_STATS ? WS_FLOWS : WS_LATENCY_FLOWS;
	if (kind != WS_FLOW_STATS && kind != WS_FLOW_LATENCY)
		return fail(-EINVAL, "there is no kind %d of flow", kind);
	for (uint32_t i = 0; i < count; i++)
		if (ids[i] >= limit)
			return fail(-EINVAL, "there is no flow %u; 0 to %u are possible", ids[i], limit - 1);
	return 0;
}

/* ---- on the worker */

static void do_set_meters(void *argument)
{
	const struct question *question = argument;
	question->worker->watch.meters = question->on;
}

static void do_begin(void *argument)
{
	const struct question *question = argument;
	for (uint32_t i = 0; i < question->count; i++)
		flow_meter_begin(question->worker->watch.meter, question->ids[i], question->start);
}

static void do_copy_flows(void *argument)
{
	struct question *question = argument;
	question->tsc = rte_rdtsc();
	for (uint16_t i = 0; i < question->worker->port_count; i++) {
		const struct generator_port *port = question->worker->ports[i];
		for (uint32_t j = 0; j < question->count; j++)
			question->flows[j * question->port_count + port->index] =
				*flow_of(port, question->kind, question->ids[j]);
	}
}

static void do_reset(void *argument)
{
	const struct question *question = argument;
	for (uint32_t i = 0; i < question->count; i++) {
		for (uint16_t j = 0; j < question->worker->port_count; j++)
			*flow_of(question->worker->ports[j], question->kind, question->ids[i]) =
				(struct ws_flow){0};
		if (question->kind == WS_FLOW_LATENCY)
			flow_meter_reset(question->worker->watch.meter, question->ids[i]);
	}
}

static void do_read_latency(void *argument)
{
	struct question *question = argument;
	uint64_t now = rte_rdtsc();
	for (uint32_t i = 0; i < question->count; i++)
		flow_meter_read(question->worker->watch.meter, question->ids[i], now,
						&question->latency[i]);
}

static void do_read_faults(void *argument)
{
	struct question *question = argument;
	question->faults = flow_meter_faults(question->worker->watch.meter);
}

/* ---- on the main thread */

void generator_set_meters(struct ws_generator *generator, bool on)
{
	struct question questions[WS_MAX_WORKERS];
	for (uint16_t i = 0; i < generator->worker_count; i++)
		questions[i] = (struct question){.on = on};
	ask_all(generator, do_set_meters, questions);
}

void generator_begin_flows(struct ws_generator *generator, const struct traffic *traffic)
{
	struct question questions[WS_MAX_WORKERS];
	uint32_t ids[WS_LATENCY_FLOWS], count = 0;
	uint8_t start = 0;
	for (uint32_t i = 0; i < traffic->count && count < WS_LATENCY_FLOWS; i++) {
		const struct flow_tail *tail = &traffic->senders[i].tail;
		if (tail->magic != FLOW_MAGIC_LATENCY)
			continue;
		ids[count++] = tail->id;
		start = tail->start;
	}
	for (uint16_t i = 0; i < generator->worker_count; i++)
		questions[i] = (struct question){.ids = ids, .count = count, .start = start};
	ask_all(generator, do_begin, questions);
}

int ws_generator_flows(struct ws_generator *generator, int32_t kind, const uint32_t *ids,
					   uint32_t count, struct ws_flow *out, uint64_t *tsc)
{
	struct question questions[WS_MAX_WORKERS];
	int error = check_flows(kind, ids, count);
	if (error)
		return error;
	for (uint16_t i = 0; i < generator->worker_count; i++)
		questions[i] = (struct question){.kind = kind, .ids = ids, .count = count, .flows = out};
	ask_all(generator, do_copy_flows, questions);
	*tsc = questions[0].tsc;
	return generator->port_count;
}

int ws_generator_reset_flows(struct ws_generator *generator, int32_t kind, const uint32_t *ids,
							 uint32_t count)
{
	struct question questions[WS_MAX_WORKERS];
	int error = check_flows(kind, ids, count);
	if (error)
		return error;
	for (uint16_t i = 0; i < generator->worker_count; i++)
		questions[i] = (struct question){.kind = kind, .ids = ids, .count = count};
	ask_all(generator, do_reset, questions);
	return 0;
}

static void find_range(struct ws_latency *seen)
{
	for (uint32_t i = WS_HDR_COUNTS; i--;)
		if (seen->hdr[i]) {
			seen->hdr_first = i;
			seen->hdr_end = seen->hdr_end ? seen->hdr_end : i + 1;
		}
}

/* A flow's histograms have 30 kB: more of them at once would keep a worker from its ports. */
int ws_generator_latency(struct ws_generator *generator, const uint32_t *ids, uint32_t count,
						 struct ws_latency *out)
{
	enum { AT_ONCE = 8 };
	static struct ws_latency seen[AT_ONCE];
	int error = check_flows(WS_FLOW_LATENCY, ids, count);
	if (error)
		return error;
	memset(out, 0, count * sizeof(*out));
	for (uint32_t first = 0; first < count; first += AT_ONCE) {
		uint32_t now = RTE_MIN(count - first, (uint32_t)AT_ONCE);
		for (uint16_t i = 0; i < generator->worker_count; i++) {
			struct question question = {.worker = &generator->workers[i],
										.ids = ids + first,
										.count = now,
										.latency = seen};
			generator_ask(generator, i, do_read_latency, &question);
			for (uint32_t j = 0; j < now; j++)
				flow_latency_add(&out[first + j], &seen[j]);
		}
	}
	for (uint32_t i = 0; i < count; i++)
		find_range(&out[i]);
	return 0;
}

int ws_generator_flow_faults(struct ws_generator *generator, struct ws_flow_faults *out)
{
	struct question questions[WS_MAX_WORKERS] = {0};
	ask_all(generator, do_read_faults, questions);
	*out = (struct ws_flow_faults){0};
	for (uint16_t i = 0; i < generator->worker_count; i++) {
		out->bad_header += questions[i].faults.bad_header;
		out->old_flow += questions[i].faults.old_flow;
	}
	return 0;
}
