/* SPDX-License-Identifier: Apache-2.0 */
/* Making, starting and ending a generator. */
#include "generator/control/generator.h"

#include "dev/error.h"
#include "dev/medium.h"
#include "dev/port.h"
#include "dev/worker.h"
#include "generator/observe/flow_counts.h"
#include "generator/program/program.h"
#include "generator/receive/flow_meter.h"

#include <errno.h>
#include <rte_mempool.h>
#include <stdlib.h>

enum { AWAY_US = 100, RING_FULL_GRACE_US = 100, MOST_OWED_US = 20000, PATIENCE_US = 1000000 };

static bool create_meters(struct ws_generator *generator)
{
	bool whole = true;
	for (uint16_t i = 0; i < generator->worker_count; i++) {
		generator->workers[i].watch.meter = flow_meter_create((double)ws_tsc_hz());
		whole &= generator->workers[i].watch.meter != NULL;
	}
	for (uint16_t i = 0; i < generator->port_count; i++)
		whole &= generator->ports[i].flows != NULL;
	return whole;
}

static bool driver_of(uint16_t port, bool (*is_so)(const char *driver))
{
	struct ws_port_info info;
	return !ws_port_info(port, &info) && is_so(info.driver);
}

static void free_counts(struct ws_generator *generator)
{
	for (uint16_t i = 0; i < generator->worker_count; i++)
		flow_meter_free(generator->workers[i].watch.meter);
	for (uint16_t i = 0; i < generator->port_count; i++)
		free(generator->ports[i].flows);
}

struct ws_generator *ws_generator_create(void)
{
	struct ws_generator *generator = aligned_alloc(64, sizeof(*generator));
	if (!generator) {
		fail(-ENOMEM, "no memory for the generator");
		return NULL;
	}
	if (ports_count() > WS_MAX_GENERATOR_PORTS) {
		free(generator);
		fail(-EINVAL, "%u ports given; a generator has %d at the most", ports_count(),
			 WS_MAX_GENERATOR_PORTS);
		return NULL;
	}
	program_use_march(ws_march());
	*generator =
		(struct ws_generator){.port_count = ports_count(), .worker_count = workers_count()};
	for (uint16_t i = 0; i < generator->worker_count; i++)
		generator->workers[i].absence_watch = absence_watch_make(ws_tsc_hz());
	for (uint16_t i = 0; i < generator->port_count; i++) {
		struct generator_worker *worker = &generator->workers[generator_worker_of(generator, i)];
		struct generator_port *port = &generator->ports[i];
		port->index = i;
		port->watch = &worker->watch;
		port->flows = calloc(1, sizeof(*port->flows));
		worker->port_mask |= 1u << i;
		port->rx_queues = port_rx_queues(i);
		port_spread(i);
		port->drops_without_buffer = driver_of(i, medium_drops_without_buffer);
		worker->absence_watch.works_in_kernel |= driver_of(i, medium_works_in_kernel);
		port->ring_full_grace = (double)ws_tsc_hz() * RING_FULL_GRACE_US / 1e6;
		port->away = (double)ws_tsc_hz() * AWAY_US / 1e6;
		port->patience = (double)ws_tsc_hz() * PATIENCE_US / 1e6;
		port->most_owed = (double)ws_tsc_hz() * MOST_OWED_US / 1e6;
		worker->ports[worker->port_count++] = port;
	}
	if (create_meters(generator))
		return generator;
	free_counts(generator);
	free(generator);
	fail(-ENOMEM, "no memory for the counters of %d flows", WS_FLOWS + WS_LATENCY_FLOWS);
	return NULL;
}

int ws_generator_start_workers(struct ws_generator *generator)
{
	int error = workers_launch(generator_worker_run, generator);
	generator->running = !error;
	return error;
}

/* What a driver still holds when the process ends its ports must stay where it is: such pools are
 * left to the end of the process. */
void ws_generator_destroy(struct ws_generator *generator)
{
	for (uint16_t i = 0; i < generator->port_count; i++) {
		ws_generator_stop_port(generator, i);
		generator_drop_pushed(generator, i);
	}
	for (int i = 0; i < WS_MAX_CAPTURES; i++)
		if (generator->captures >> i & 1)
			ws_generator_capture_stop(generator, i);
	if (generator->running)
		workers_stop();
	generator->running = false;
	generator_reap(generator);
	if (generator->fresh && rte_mempool_full(generator->fresh))
		rte_mempool_free(generator->fresh);
	free_counts(generator);
	free(generator);
}
