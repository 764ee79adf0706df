/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/worker.h"

#include "dev/bell.h"
#include "dev/error.h"
#include "wire/own_count.h"
#include "wirespeed/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_pause.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct worker {
	char name[16];
	uint16_t cpu;
	int32_t thread_id; /* any thread reads this field and the next one */
	uint64_t loops;
	struct bell bell;
} __attribute__((aligned(64)));

static struct worker workers[WS_MAX_WORKERS];
static uint16_t worker_count;
static worker_fn *running;
static void *running_argument;
bool workers_must_stop;

int workers_init(const struct ws_runtime_config *config)
{
	worker_count = config->worker_count;
	for (uint16_t i = 0; i < worker_count; i++) {
		snprintf(workers[i].name, sizeof(workers[i].name), "ws_wk_%u", i);
		workers[i].cpu = config->worker_cpus[i];
		int error = bell_open(&workers[i].bell);
		if (error)
			return fail(error, "worker %u has no wake-up descriptor: %s", i, strerror(-error));
	}
	return 0;
}

void workers_close(void)
{
	for (uint16_t i = 0; i < worker_count; i++)
		bell_close(&workers[i].bell);
}

struct bell *worker_bell(uint16_t worker)
{
	return &workers[worker].bell;
}

void wait_for_thread(uint32_t looks)
{
	enum { SPINS = 200, NAP_NS = 20000 };
	const struct timespec nap = {.tv_nsec = NAP_NS};
	if (looks < SPINS)
		rte_pause();
	else
		nanosleep(&nap, NULL);
}

void workers_wake(void)
{
	for (uint16_t i = 0; i < worker_count; i++)
		bell_ring(&workers[i].bell);
}

uint16_t workers_count(void)
{
	return worker_count;
}

static int enter(void *argument)
{
	uint16_t index = (uint16_t)(uintptr_t)argument;
	pthread_setname_np(pthread_self(), workers[index].name);
	__atomic_store_n(&workers[index].thread_id, gettid(), __ATOMIC_RELAXED);
	running(index, running_argument);
	__atomic_store_n(&workers[index].thread_id, 0, __ATOMIC_RELEASE);
	return 0;
}

void workers_avoid(void)
{
	cpu_set_t left;
	sched_getaffinity(0, sizeof(left), &left);
	for (uint16_t i = 0; i < worker_count; i++)
		CPU_CLR(workers[i].cpu, &left);
	if (CPU_COUNT(&left))
		sched_setaffinity(0, sizeof(left), &left);
}

int workers_launch(worker_fn *function, void *argument)
{
	if (running)
		return fail(-EBUSY, "the workers already run");
	running = function;
	running_argument = argument;
	__atomic_store_n(&workers_must_stop, false, __ATOMIC_RELAXED);
	for (uint16_t i = 0; i < worker_count; i++)
		if (rte_eal_remote_launch(enter, (void *)(uintptr_t)i, i + 1u)) {
			workers_stop();
			return fail(-EBUSY, "worker %u does not start", i);
		}
	return 0;
}

/* Acquire, so that the caller sees everything that the worker wrote. */
static void wait_for_worker(uint16_t index)
{
	rte_eal_wait_lcore(index + 1u);
	(void)__atomic_load_n(&workers[index].thread_id, __ATOMIC_ACQUIRE);
}

void workers_stop(void)
{
	__atomic_store_n(&workers_must_stop, true, __ATOMIC_RELAXED);
	workers_wake();
	for (uint16_t i = 0; i < worker_count; i++)
		wait_for_worker(i);
	running = NULL;
}

void worker_set_loops(uint16_t worker, uint64_t loops)
{
	own_count_set(&workers[worker].loops, loops);
}

int ws_worker_info(uint16_t worker, struct ws_worker_info *out)
{
	if (worker >= worker_count)
		return fail(-ENOENT, "there is no worker %u; there are %u", worker, worker_count);
	memset(out, 0, sizeof(*out));
	snprintf(out->name, sizeof(out->name), "%s", workers[worker].name);
	out->cpu = workers[worker].cpu;
	out->thread_id = __atomic_load_n(&workers[worker].thread_id, __ATOMIC_ACQUIRE);
	out->loops = own_count_read(&workers[worker].loops);
	return 0;
}
