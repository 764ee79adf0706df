/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of a worker. */
#include "dev/worker.h"
#include "generator/control/generator.h"
#include "generator/receive/receive.h"
#include "generator/traffic/push.h"
#include "generator/traffic/traffic.h"
#include "generator/traffic/transmit.h"
#include "wire/own_count.h"
#include "wirespeed/generator.h"
#include "wirespeed/runtime.h"

#include <rte_cycles.h>
#include <sys/prctl.h>
#include <time.h>

/* A worker naps between two polls once no worker has sent or received for IDLE_MS. */
enum { IDLE_MS = 100, TIMER_SLACK_NS = 1000 };

static bool sends(const struct generator_worker *worker)
{
	for (uint16_t i = 0; i < worker->port_count; i++) {
		if (worker->ports[i]->push)
			return true;
		for (const struct traffic *one = worker->ports[i]->traffic; one; one = one->next_on_port)
			if (one->active && !one->paused)
				return true;
	}
	return false;
}

/* Workers may receive what other workers send, so a nap requires all of them to be idle. */
static bool all_are_idle(const struct ws_generator *generator, uint64_t now, uint64_t idle_ticks)
{
	for (uint16_t i = 0; i < generator->worker_count; i++)
		if ((int64_t)(now - own_count_read(&generator->workers[i].used_tsc)) < (int64_t)idle_ticks)
			return false;
	return true;
}

void ws_generator_set_nap(struct ws_generator *generator, uint32_t nap_ns)
{
	bool is_shorter = nap_ns < generator->nap_ns;
	__atomic_store_n(&generator->nap_ns, nap_ns, __ATOMIC_RELAXED);
	if (is_shorter)
		generator_ask_all(generator, generator_do_nothing, NULL, 0); /* the last long nap is over */
}

/* Sleep, and return the time afterwards. */
static uint64_t nap(struct generator_worker *worker, uint64_t now, uint32_t nap_ns)
{
	const struct timespec span = {.tv_nsec = nap_ns};
	nanosleep(&span, NULL);
	uint64_t end = rte_rdtsc();
	preemption_note_sleep(&worker->stats.preemption, &worker->preemption_watch, end - now,
						  (uint64_t)generator_ticks(nap_ns));
	return end;
}

/* Serve a call of the main thread, from `now` to the time returned. */
static uint64_t serve(struct generator_worker *worker, uint64_t now)
{
	preemption_look(&worker->preemption_watch, now);
	mailbox_serve(&worker->mailbox);
	uint64_t end = rte_rdtsc();
	preemption_note_request(&worker->stats.preemption, &worker->preemption_watch, end);
	return end;
}

void generator_worker_run(uint16_t index, void *argument)
{
	struct ws_generator *generator = argument;
	struct generator_worker *worker = &generator->workers[index];
	const uint64_t idle_ticks = ws_tsc_hz() / 1000 * IDLE_MS;
	prctl(PR_SET_TIMERSLACK, (unsigned long)TIMER_SLACK_NS);
	uint64_t before = rte_rdtsc();
	own_count_set(&worker->used_tsc, before);
	preemption_begin(&worker->preemption_watch, before);
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
		preemption_note(&worker->stats.preemption, &worker->preemption_watch, now - before, now);
		uint64_t end = now; /* of the pass, with the nap and the call behind it */
		if (moved) {
			own_count_set(&worker->used_tsc, now);
		} else if (__builtin_expect(now - worker->used_tsc > idle_ticks, 0)) {
			if (sends(worker)) {
				own_count_set(&worker->used_tsc, now);
			} else if (all_are_idle(generator, now, idle_ticks)) {
				end = nap(worker, now, __atomic_load_n(&generator->nap_ns, __ATOMIC_RELAXED));
			}
		}
		worker_set_loops(index, ++worker->stats.loops);
		/* Last, so that counters requested through the mailbox include the packets due by now. */
		if (__builtin_expect(mailbox_has_call(&worker->mailbox), 0))
			end = serve(worker, end);
		if (end != now) {
			worker->stats.total_clocks += end - now;
			preemption_begin(&worker->preemption_watch, end);
		}
		before = end;
	}
}
