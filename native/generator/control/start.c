/* SPDX-License-Identifier: Apache-2.0 */
/* Start of traffic: built on the main thread, then handed to the port's workers. */
#include "dev/error.h"
#include "dev/numa.h"
#include "dev/pool.h"
#include "dev/port.h"
#include "dev/worker.h"
#include "generator/control/command.h"
#include "generator/control/sending.h"
#include "generator/receive/flow_meter.h"
#include "generator/traffic/traffic.h"
#include "wire/ethernet.h"
#include "wirespeed/generator.h"
#include "wirespeed/ports.h"

#include <errno.h>
#include <math.h>
#include <rte_cycles.h>
#include <rte_mempool.h>
#include <stdio.h>

enum { FRESH_SPARE = 1024, FRESH_A_WORKER = 1024 };

/* Enough packets to fill all TX rings and the rings of ring ports, plus those in flight. */
struct rte_mempool *generator_fresh(struct ws_generator *generator, uint16_t worker)
{
	struct rte_mempool **fresh = &generator->fresh[pool_index(numa_of_worker(worker))];
	uint32_t count = workers_count() * FRESH_A_WORKER, frame = 0;
	char name[RTE_MEMPOOL_NAMESIZE];
	if (*fresh)
		return *fresh;
	for (uint16_t i = 0; i < generator->port_count; i++) {
		struct ws_port_info info;
		if (ws_port_info(i, &info))
			return NULL;
		count += generator->ports[i].senders * info.tx_descriptors + FRESH_SPARE;
		frame = RTE_MAX(frame, info.mtu + (uint32_t)ETHERNET_MAX_LEN);
	}
	snprintf(name, sizeof(name), "fresh-%u", (unsigned int)(fresh - generator->fresh));
	numa_for_worker(worker);
	*fresh = pool_create(name, count, frame);
	numa_for_all();
	if (!*fresh)
		fail(-ENOMEM, "no memory for %u packets of %u bytes: give the generator more", count,
			 frame);
	return *fresh;
}

static void do_attach(void *argument)
{
	struct command *command = argument;
	struct generator_port *port = command->port;
	struct traffic *traffic = command->traffic;
	if (!traffic)
		return;
	traffic->origin = traffic->origin ? traffic->origin : rte_rdtsc();
	traffic->active = true;
	traffic->next_on_port = port->traffic;
	port->traffic = traffic;
}

/* Received packets are inspected even after the last flow has ended, since some are still in
 * flight. */
static void prepare_meters(struct ws_generator *generator, struct traffic *const *started,
						   uint16_t count)
{
	bool on = generator->counting || generator->tagged_ports;
	for (uint16_t i = 0; i < count; i++)
		on |= started[i]->is_metered;
	if (on != generator->meters_on)
		generator_set_meters(generator, on);
	generator->meters_on = on;
	for (uint16_t i = 0; i < count; i++)
		if (started[i]->has_latency)
			generator_begin_flows(generator, started[i]);
}

/* Build the traffic of each worker that gets streams; `*count` becomes their number. */
static int create_traffic(struct ws_generator *generator, struct traffic_config config,
						  uint16_t index, const struct worker_streams *split, struct traffic **made,
						  uint16_t *count)
{
	const struct served_port *port = &generator->ports[index];
	int error = 0;
	*count = 0;
	for (uint16_t i = 0; !error && i < port->senders; i++) {
		if (!split[i].count)
			continue;
		config.share = &port->shares[i];
		numa_for_worker(config.share->worker);
		made[*count] = traffic_create(&config, &split[i], &error);
		numa_for_all();
		*count += made[*count] != NULL;
	}
	for (uint16_t i = 0; !error && i < *count; i++)
		if (traffic_needs_fresh(made[i]) &&
			!(made[i]->fresh = generator_fresh(generator, made[i]->share->worker)))
			error = -ENOMEM;
	return error;
}

/* On all workers, since any of them may receive the packets. */
static int reserve_series(struct ws_generator *generator)
{
	bool whole = true;
	for (uint16_t i = 0; whole && i < generator->worker_count; i++) {
		numa_for_worker(i);
		whole = flow_meter_reserve(generator->workers[i].watch.meter, generator->series.count,
								   generator->series.start);
		numa_for_all();
	}
	return whole
			   ? 0
			   : fail(-ENOMEM, "no memory for the order of packets of %u streams with a signature",
					  generator->series.count);
}

/* All workers start at the same time, once the last of them is awake. */
static void hand_over(struct ws_generator *generator, uint16_t index, struct traffic *const *made,
					  uint16_t count, uint64_t start_tsc)
{
	struct command commands[WS_MAX_WORKERS] = {0};
	const struct served_port *port = &generator->ports[index];
	if (!start_tsc && count > 1)
		start_tsc = rte_rdtsc() + (uint64_t)generator_ticks(generator->nap_ns);
	for (uint16_t i = 0; i < port->count; i++)
		commands[i].port = &port->shares[i];
	for (uint16_t i = 0; i < count; i++) {
		made[i]->origin = start_tsc;
		sending_add(generator, made[i]);
		commands[made[i]->share - port->shares].traffic = made[i];
	}
	generator_ask_shares(generator, index, do_attach, commands, sizeof(commands[0]));
}

/* Bit set of the port's senders that may send; 0: none. */
static uint64_t allowed_cores(const struct served_port *port, uint64_t cores)
{
	return cores & (UINT64_MAX >> (64 - port->senders));
}

static int check_start(const struct ws_generator *generator, uint16_t index, uint32_t count,
					   double factor, double duration_s, uint64_t cores)
{
	int error = command_check_port(generator, index);
	if (!error)
		error = command_check_factor(factor);
	if (!error && isnan(duration_s))
		error = fail(-EINVAL, "the duration is not a number; give seconds");
	if (!error && !count)
		error = fail(-EINVAL, "no stream is given; add one first");
	if (!error && !allowed_cores(&generator->ports[index], cores))
		error = fail(-EINVAL, "port %s: core mask 0x%lx has none of its cores; give bits 0 to %u",
					 port_name(index), (unsigned long)cores, generator->ports[index].senders - 1);
	return error;
}

int ws_generator_start(struct ws_generator *generator, uint16_t index, uint32_t profile,
					   const struct ws_stream *streams, uint32_t count, double factor,
					   double duration_s, uint64_t start_tsc, uint64_t cores)
{
	int error = check_start(generator, index, count, factor, duration_s, cores);
	if (error)
		return error;
	generator_reap(generator);
	if (sending_find(generator, index, profile))
		return fail(-EBUSY, "port %s sends already; stop it first", port_name(index));
	const struct served_port *port = &generator->ports[index];
	struct worker_streams split[WS_MAX_WORKERS];
	error = split_streams(streams, count, port->senders, allowed_cores(port, cores), split);
	if (error)
		return error;
	struct traffic_config config = {
		.profile = profile,
		.tx_queues = port->count > 1 ? 1 : port_tx_queues(index),
		.series = &generator->series,
		.by_reference = !port_hands_over(index),
		.flow_start = ++generator->starts,
		.factor = factor,
		.duration_s = duration_s,
	};
	struct traffic *made[WS_MAX_WORKERS];
	uint16_t workers;
	error = create_traffic(generator, config, index, split, made, &workers);
	split_free(split, port->senders);
	if (!error)
		error = reserve_series(generator);
	if (error) {
		while (workers)
			traffic_free(made[--workers]);
		return error;
	}
	prepare_meters(generator, made, workers);
	hand_over(generator, index, made, workers, start_tsc);
	return 0;
}
