/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of all ports as one snapshot: each worker copies its own between two bursts. */
#include "dev/port.h"
#include "generator/control/generator.h"
#include "generator/traffic/traffic.h"
#include "wirespeed/generator.h"
#include "wirespeed/ports.h"
#include "wirespeed/runtime.h"

#include <rte_cycles.h>

/* On the worker. */
static void copy_counters(void *argument)
{
	struct generator_worker *worker = argument;
	worker->snapshot_tsc = rte_rdtsc();
	worker->snapshot = worker->stats;
	worker->sending = 0;
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
		worker->sending |= (uint32_t)port->snapshot.active << port->index;
	}
}

static void add_kinds(struct ws_frame_kinds *sum, const struct ws_frame_kinds *other)
{
	sum->icmp_error += other->icmp_error;
	sum->icmp6_error += other->icmp6_error;
	sum->arp += other->arp;
	sum->nd += other->nd;
	sum->lldp += other->lldp;
	sum->control += other->control;
}

/* Sum of the port's workers. */
static struct ws_generator_port sum_of(const struct served_port *port)
{
	struct ws_generator_port sum = port->shares[0].snapshot;
	bool one_sends = sum.active && !sum.paused;
	for (uint16_t i = 1; i < port->count; i++) {
		const struct ws_generator_port *other = &port->shares[i].snapshot;
		sum.tx_packets += other->tx_packets;
		sum.tx_bytes += other->tx_bytes;
		sum.rx_packets += other->rx_packets;
		sum.rx_bytes += other->rx_bytes;
		sum.intended_packets += other->intended_packets;
		sum.refused_packets += other->refused_packets;
		sum.no_buffer_packets += other->no_buffer_packets;
		sum.late_packets += other->late_packets;
		add_kinds(&sum.rx_kinds, &other->rx_kinds);
		sum.active |= other->active;
		one_sends |= other->active && !other->paused;
	}
	sum.paused = sum.active && !one_sends;
	return sum;
}

/* Add the driver's counters, which workers do not read. */
static int add_drivers(const struct generator_port *port, struct ws_generator_port *out)
{
	struct ws_port_counters driver;
	int error = ws_port_counters(port->index, &driver);
	if (error)
		return error;
	out->rx_missed = driver.rx_missed + (port->drops_without_buffer ? driver.rx_no_buffer : 0);
	out->rx_errors = driver.rx_errors;
	out->tx_errors = driver.tx_errors;
	port_pause_frames(port->index, &out->rx_pause_frames, &out->tx_pause_frames);
	return 0;
}

static struct ws_generator_worker describe(const struct generator_worker *worker)
{
	const struct worker_stats *stats = &worker->snapshot;
	double hz = (double)ws_tsc_hz();
	return (struct ws_generator_worker){
		.sending = worker->sending,
		.loops = stats->loops,
		.busy_clocks = stats->busy_clocks,
		.total_clocks = stats->total_clocks,
		.preemptions = stats->preemption.count,
		.preempted_s = (double)stats->preemption.ticks / hz,
		.longest_preemption_s = (double)stats->preemption.longest / hz,
	};
}

int ws_generator_counters(struct ws_generator *generator, struct ws_generator_port *ports,
						  struct ws_generator_worker *workers, uint64_t *tsc)
{
	generator_ask_all(generator, copy_counters, generator->workers, sizeof(generator->workers[0]));
	*tsc = generator->workers[0].snapshot_tsc;
	for (uint16_t i = 0; i < generator->port_count; i++) {
		ports[i] = sum_of(&generator->ports[i]);
		int error = add_drivers(generator->ports[i].shares, &ports[i]);
		if (error)
			return error;
	}
	for (uint16_t i = 0; workers && i < generator->worker_count; i++)
		workers[i] = describe(&generator->workers[i]);
	generator_reap(generator);
	return generator->port_count;
}
