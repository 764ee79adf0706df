/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of traffic: built on the main thread, then handed to the port's worker. */
#include "dev/error.h"
#include "dev/pool.h"
#include "dev/port.h"
#include "dev/worker.h"
#include "generator/control/command.h"
#include "generator/control/sending.h"
#include "generator/traffic/traffic.h"
#include "wire/ethernet.h"

#include <errno.h>
#include <math.h>
#include <rte_cycles.h>

enum { FRESH_SPARE = 1024, FRESH_A_WORKER = 1024 };

/* Enough for all TX rings to be full, and the rings of ring ports, with what is in flight. */
int generator_make_fresh(struct ws_generator *generator)
{
	uint32_t count = workers_count() * FRESH_A_WORKER, frame = 0;
	if (generator->fresh)
		return 0;
	for (uint16_t i = 0; i < generator->port_count; i++) {
		struct ws_port_info info;
		int error = ws_port_info(i, &info);
		if (error)
			return error;
		count += info.tx_descriptors + FRESH_SPARE;
		frame = RTE_MAX(frame, info.mtu + (uint32_t)ETHERNET_MAX_LEN);
	}
	generator->fresh = pool_create("fresh", count, frame);
	if (!generator->fresh)
		return fail(-ENOMEM, "no memory for %u packets of %u bytes: give the generator more", count,
					frame);
	return 0;
}

static void do_attach(void *argument)
{
	struct command *command = argument;
	struct generator_port *port = command->port;
	struct traffic *traffic = command->traffic;
	traffic->origin = traffic->origin ? traffic->origin : rte_rdtsc();
	traffic->active = true;
	traffic->next_on_port = port->traffic;
	port->traffic = traffic;
}

/* Looking at what is received goes on after the last flow has ended, for what is under way. */
static void prepare_meters(struct ws_generator *generator, const struct traffic *started)
{
	bool on = started->counts_flows || generator->counting;
	if (on != generator->meters_on)
		generator_set_meters(generator, on);
	generator->meters_on = on;
	if (started->has_latency)
		generator_begin_flows(generator, started);
}

int ws_generator_start(struct ws_generator *generator, uint16_t index, uint32_t profile,
					   const struct ws_stream *streams, uint32_t count, double factor,
					   double duration_s, uint64_t start_tsc)
{
	int error = command_check_port(generator, index);
	if (!error)
		error = command_check_factor(factor);
	if (!error && isnan(duration_s))
		error = fail(-EINVAL, "the duration is no number");
	if (error)
		return error;
	generator_reap(generator);
	if (sending_find(generator, index, profile))
		return fail(-EBUSY, "port %s sends already; stop it first", port_name(index));
	struct traffic_config config = {
		.port = index,
		.profile = profile,
		.by_reference = !port_hands_over(index),
		.flow_start = ++generator->starts,
		.flows = generator->ports[index].flows,
		.factor = factor,
		.duration_s = duration_s,
	};
	struct traffic *traffic = traffic_create(&config, streams, count, &error);
	if (!traffic)
		return error;
	if (traffic_needs_fresh(traffic))
		error = generator_make_fresh(generator);
	if (error) {
		traffic_free(traffic);
		return error;
	}
	prepare_meters(generator, traffic);
	traffic->fresh = generator->fresh;
	traffic->origin = start_tsc;
	sending_add(generator, traffic);
	struct command command = {.port = &generator->ports[index], .traffic = traffic};
	return command_ask(generator, do_attach, &command);
}
