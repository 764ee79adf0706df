/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of all ports as one snapshot: each worker copies its own between two bursts. */
#include "dev/error.h"
#include "generator/generator.h"

#include <errno.h>
#include <rte_cycles.h>

/* On the worker. */
static void copy(void *argument)
{
	struct generator_worker *worker = argument;
	worker->snapshot_tsc = rte_rdtsc();
	worker->snapshot = worker->stats;
	for (uint16_t i = 0; i < worker->port_count; i++) {
		struct generator_port *port = worker->ports[i];
		port->snapshot = port->counters;
		port->snapshot.active = false;
		port->snapshot.paused = true;
		for (const struct traffic *one = port->traffic; one; one = one->next_on_port) {
			port->snapshot.active |= one->active;
			port->snapshot.paused &= one->paused || !one->active;
		}
		port->snapshot.paused &= port->snapshot.active;
	}
}

/* All workers are asked before the first answer is waited for: they copy within one burst's time
 * of each other. */
static void copy_all(struct ws_generator *generator)
{
	for (uint16_t i = 0; i < generator->worker_count; i++) {
		if (generator->running)
			mailbox_post(&generator->workers[i].mailbox, copy, &generator->workers[i]);
		else
			copy(&generator->workers[i]);
	}
	for (uint16_t i = 0; generator->running && i < generator->worker_count; i++)
		mailbox_wait(&generator->workers[i].mailbox);
}

int ws_generator_counters(struct ws_generator *generator, struct ws_generator_port *out,
						  uint64_t *tsc)
{
	copy_all(generator);
	*tsc = generator->workers[0].snapshot_tsc;
	for (uint16_t i = 0; i < generator->port_count; i++) {
		struct ws_port_counters driver;
		int error = ws_port_counters(i, &driver);
		if (error)
			return error;
		out[i] = generator->ports[i].snapshot;
		out[i].rx_missed = driver.rx_missed;
		out[i].rx_errors = driver.rx_errors;
		out[i].tx_errors = driver.tx_errors;
	}
	generator_reap(generator);
	return generator->port_count;
}

int ws_generator_worker(struct ws_generator *generator, uint16_t worker,
						struct ws_generator_worker *out)
{
	if (worker >= generator->worker_count)
		return fail(-ENOENT, "there is no worker %u; there are %u", worker,
					generator->worker_count);
	copy_all(generator);
	*out = generator->workers[worker].snapshot;
	return 0;
}
