/* SPDX-License-Identifier: Apache-2.0 */
/* Creating, running and destroying a generator. */
#include "generator/control/generator.h"
#include "wirespeed/runtime.h"

#include "dev/error.h"
#include "dev/medium.h"
#include "dev/numa.h"
#include "dev/port.h"
#include "dev/worker.h"
#include "generator/observe/flow_counts.h"
#include "generator/own_lines.h"
#include "generator/port_extension.h"
#include "generator/program/program.h"
#include "generator/receive/flow_meter.h"
#include "generator/tagged/tagged.h"
#include "wirespeed/generator.h"

#include <errno.h>
#include <rte_cycles.h>
#include <rte_mempool.h>
#include <stdlib.h>

enum {
	AWAY_NS = 100000,
	RING_FULL_GRACE_NS = 100000,
	MOST_OWED_NS = 20000000,
	PATIENCE_NS = 1000000000,
	FIRST_NAP_NS = 50000
};

static bool create_meters(struct ws_generator *generator)
{
	bool whole = true;
	for (uint16_t i = 0; i < generator->worker_count; i++) {
		numa_for_worker(i);
		generator->workers[i].watch.meter = flow_meter_create((double)ws_tsc_hz());
		numa_for_all();
		whole &= generator->workers[i].watch.meter != NULL;
	}
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
	for (uint16_t i = 0; i < generator->port_count; i++) {
		for (uint16_t j = 0; j < generator->ports[i].count; j++) {
			struct generator_port *share = &generator->ports[i].shares[j];
			if (share->extension)
				share->extension->leave(share->extension);
			tagged_leave(share->tagged);
			free(share->flows);
		}
		free(generator->ports[i].shares);
	}
}

static void create_share(struct ws_generator *generator, uint16_t index, uint16_t worker_index)
{
	struct generator_worker *worker = &generator->workers[worker_index];
	struct served_port *served = &generator->ports[index];
	uint16_t number = served->count++;
	struct generator_port *port = &served->shares[number];
	numa_for_worker(worker_index);
	*port = (struct generator_port){
		.index = index,
		.tx_queue = number,
		.first_rx = number,
		.rx_queues = port_rx_queues(index),
		.drops_without_buffer = driver_of(index, medium_drops_without_buffer),
		.watch = &worker->watch,
		.away = generator_ticks(AWAY_NS),
		.most_owed = generator_ticks(MOST_OWED_NS),
		.ring_full_grace = generator_ticks(RING_FULL_GRACE_NS),
		.patience = generator_ticks(PATIENCE_NS),
		.worker = worker_index,
		.number = generator->share_count++,
		.flows = own_lines(1, sizeof(*port->flows)),
	};
	numa_for_all();
	worker->port_mask |= 1u << index;
	worker->preemption_watch.works_in_kernel |= driver_of(index, medium_works_in_kernel);
	worker->ports[worker->port_count++] = port;
}

/* False if there is not enough memory. */
static bool create_shares(struct ws_generator *generator, uint16_t index, uint64_t workers)
{
	struct served_port *served = &generator->ports[index];
	uint16_t count = (uint16_t)__builtin_popcountll(workers);
	bool whole = true;
	served->shares = aligned_alloc(64, count * sizeof(*served->shares));
	if (!served->shares)
		return false;
	served->senders = RTE_MIN(count, RTE_MAX(port_tx_queues(index), 1));
	for (uint16_t i = 0; i < generator->worker_count; i++)
		if (workers >> i & 1)
			create_share(generator, index, i);
	for (uint16_t i = 0; i < count; i++) {
		served->shares[i].rx_step = count;
		whole &= served->shares[i].flows != NULL;
	}
	if (count == 1)
		port_spread(index);
	return whole;
}

static int check_workers(const struct ws_generator *generator, const uint64_t *port_workers)
{
	uint16_t workers = generator->worker_count;
	uint64_t all = UINT64_MAX >> (64 - workers);
	for (uint16_t i = 0; port_workers && i < generator->port_count; i++) {
		uint16_t rx = port_rx_queues(i), tx = port_tx_queues(i), served = RTE_MAX(rx, tx);
		int count = __builtin_popcountll(port_workers[i]);
		if (!port_workers[i] || port_workers[i] & ~all)
			return fail(-EINVAL, "port %s on workers 0x%lx; there are workers 0 to %u",
						port_name(i), (unsigned long)port_workers[i], workers - 1);
		if (count > 1 && count > served)
			return fail(-EINVAL,
						"port %s has %d workers and queues for %u of them (%u RX, %u TX); give it "
						"fewer CPUs",
						port_name(i), count, served, rx, tx);
	}
	return 0;
}

struct ws_generator *ws_generator_create(const uint64_t *port_workers)
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
	uint16_t workers = workers_count();
	if (!workers) {
		free(generator);
		fail(-EINVAL, "a generator before the runtime has workers; start that first");
		return NULL;
	}
	*generator = (struct ws_generator){.port_count = ports_count(),
									   .worker_count = workers,
									   .nap_ns = FIRST_NAP_NS,
									   .series.start = (uint8_t)(rte_rdtsc() >> 16)};
	for (uint16_t i = 0; i < generator->worker_count; i++)
		generator->workers[i].preemption_watch = preemption_watch_make(ws_tsc_hz());
	if (check_workers(generator, port_workers)) {
		free(generator);
		return NULL;
	}
	bool whole = create_meters(generator);
	for (uint16_t i = 0; i < generator->port_count; i++)
		whole &=
			create_shares(generator, i, port_workers ? port_workers[i] : 1ULL << (i % workers));
	if (whole)
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

/* Pools with packets that a driver still holds must stay mapped, so they are never freed. */
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
	for (int i = 0; i < WS_MAX_POOLS; i++)
		if (generator->fresh[i] && rte_mempool_full(generator->fresh[i]))
			rte_mempool_free(generator->fresh[i]);
	free_counts(generator);
	free(generator);
}
