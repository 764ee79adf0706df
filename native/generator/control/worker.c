/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of a worker. */
#include "dev/worker.h"
#include "generator/control/generator.h"
#include "generator/receive/receive.h"
#include "generator/traffic/push.h"
#include "generator/traffic/transmit.h"

#include <rte_cycles.h>

void generator_worker_run(uint16_t index, void *argument)
{
	struct generator_worker *worker = &((struct ws_generator *)argument)->workers[index];
	uint64_t before = rte_rdtsc();
	absence_begin(&worker->absence_watch, before);
	while (!workers_are_stopping()) {
		uint32_t moved = 0;
		for (uint16_t i = 0; i < worker->port_count; i++)
			moved += generator_receive(worker->ports[i]);
		for (uint16_t i = 0; i < worker->port_count; i++)
			moved += generator_transmit(worker->ports[i]);
		for (uint16_t i = 0; i < worker->port_count; i++)
			if (__builtin_expect(worker->ports[i]->push != NULL, 0))
				moved += generator_transmit_pushed(worker->ports[i]);
		uint64_t now = rte_rdtsc();
		worker->stats.total_clocks += now - before;
		worker->stats.busy_clocks += moved ? now - before : 0;
		absence_note(&worker->stats.absence, &worker->absence_watch, now - before, now);
		before = now;
		worker_set_loops(index, ++worker->stats.loops);
		/* Last, so that counters that are asked for have what is due by now. */
		if (mailbox_serve(&worker->mailbox)) {
			before = rte_rdtsc();
			worker->stats.total_clocks += before - now;
			absence_begin(&worker->absence_watch, before);
		}
	}
}
