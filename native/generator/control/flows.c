/* SPDX-License-Identifier: Apache-2.0 */
/* Flow counters, for the main thread: workers read and reset them, between two bursts. */
#include "wirespeed/flows.h"
#include "dev/error.h"
#include "generator/control/generator.h"
#include "generator/observe/flow_counts.h"
#include "generator/receive/flow_meter.h"

#include <errno.h>
#include <rte_cycles.h>
#include <stdlib.h>

struct question {
	struct generator_worker *worker;
	int32_t kind;
	const uint32_t *ids;
	uint32_t count;
	uint16_t share_count;
	uint64_t tsc;
	bool on;
	struct ws_flow *flows;
	struct ws_flow_faults faults;
};

static void ask_all(struct ws_generator *generator, mailbox_fn *function,
					struct question questions[])
{
	for (uint16_t i = 0; i < generator->worker_count; i++) {
		questions[i].worker = &generator->workers[i];
		questions[i].share_count = generator->share_count;
	}
	generator_ask_all(generator, function, questions, sizeof(questions[0]));
}

static struct ws_flow *flow_of(const struct generator_port *port, int32_t kind, uint32_t id)
{
	return kind == WS_FLOW_STATS ? &port->flows->stats[id] : &port->flows->latency[id];
}

/* ---- on the worker */

static void do_set_meters(void *argument)
{
	const struct question *question = argument;
	question->worker->watch.meters = question->on;
}

static void do_copy_flows(void *argument)
{
	struct question *question = argument;
	question->tsc = rte_rdtsc();
	for (uint16_t i = 0; i < question->worker->port_count; i++) {
		const struct generator_port *port = question->worker->ports[i];
		for (uint32_t j = 0; j < question->count; j++)
			question->flows[j * question->share_count + port->number] =
				*flow_of(port, question->kind, question->ids[j]);
	}
}

static void do_reset(void *argument)
{
	const struct question *question = argument;
	for (uint32_t i = 0; i < question->count; i++)
		for (uint16_t j = 0; j < question->worker->port_count; j++)
			*flow_of(question->worker->ports[j], question->kind, question->ids[i]) =
				(struct ws_flow){0};
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

static void add_flow(struct ws_flow *sum, const struct ws_flow *other)
{
	sum->rx_packets += other->rx_packets;
	sum->rx_bytes += other->rx_bytes;
	sum->tx_packets += other->tx_packets;
	sum->tx_bytes += other->tx_bytes;
	sum->rx_duplicates += other->rx_duplicates;
	sum->rx_reordered += other->rx_reordered;
	sum->rx_unplaced += other->rx_unplaced;
}

/* Sum one flow's counters over the shares of each port. */
static void sum_flow(const struct ws_generator *generator, const struct ws_flow *of_shares,
					 struct ws_flow *out)
{
	for (uint16_t i = 0; i < generator->port_count; i++) {
		const struct served_port *port = &generator->ports[i];
		out[i] = (struct ws_flow){0};
		for (uint16_t j = 0; j < port->count; j++)
			add_flow(&out[i], &of_shares[port->shares[j].number]);
	}
}

int ws_generator_flows(struct ws_generator *generator, int32_t kind, const uint32_t *ids,
					   uint32_t count, struct ws_flow *out, uint64_t *tsc)
{
	struct question questions[WS_MAX_WORKERS];
	int error = generator_check_flows(kind, ids, count);
	if (error)
		return error;
	struct ws_flow *seen = calloc((size_t)count * generator->share_count + 1, sizeof(*seen));
	if (!seen)
		return fail(-ENOMEM, "no memory to read %u flows", count);
	for (uint16_t i = 0; i < generator->worker_count; i++)
		questions[i] = (struct question){.kind = kind, .ids = ids, .count = count, .flows = seen};
	ask_all(generator, do_copy_flows, questions);
	*tsc = questions[0].tsc;
	for (uint32_t i = 0; i < count; i++)
		sum_flow(generator, seen + (size_t)i * generator->share_count,
				 out + (size_t)i * generator->port_count);
	free(seen);
	return generator->port_count;
}

int ws_generator_reset_flows(struct ws_generator *generator, int32_t kind, const uint32_t *ids,
							 uint32_t count)
{
	struct question questions[WS_MAX_WORKERS];
	int error = generator_check_flows(kind, ids, count);
	if (error)
		return error;
	for (uint16_t i = 0; i < generator->worker_count; i++)
		questions[i] = (struct question){.kind = kind, .ids = ids, .count = count};
	ask_all(generator, do_reset, questions);
	if (kind == WS_FLOW_LATENCY)
		generator_reset_latency(generator, ids, count);
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
