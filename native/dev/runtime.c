/* SPDX-License-Identifier: Apache-2.0 */
/* The EAL, once per process: CPUs, memory, log. */
#include "wirespeed/runtime.h"
#include "dev/dpdk_log.h"
#include "dev/error.h"
#include "dev/link.h"
#include "dev/worker.h"
#include "wirespeed/ports.h"

#include <errno.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int chosen_march = 1;
static uint64_t tsc_hz;

struct instant {
	uint64_t tsc, ns;
};

static struct instant now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (struct instant){rte_rdtsc(), (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec};
}

/* DPDK rounds the frequency to 10 MHz, an error of 0.15 % on the development machine: too much for
 * a traffic generator. */
static void calibrate(struct instant start)
{
	struct instant end;
	do
		end = now();
	while (end.ns - start.ns < 50000000);
	tsc_hz = (uint64_t)((double)(end.tsc - start.tsc) * 1e9 / (double)(end.ns - start.ns));
}

#ifdef HAS_LEVELS
static int cpu_march(void)
{
	__builtin_cpu_init();
	bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
	bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
			  __builtin_cpu_supports("fma");
	bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
			  __builtin_cpu_supports("avx512vl");
	return v4 ? 4 : v3 ? 3 : v2 ? 2 : 1;
}
#else
static int cpu_march(void)
{
	return 1;
}
#endif

static int choose_march(int wanted)
{
	int best = cpu_march();
	if (wanted > best)
		return fail(-EINVAL, "this CPU runs x86-64-v%d code at best, not v%d", best, wanted);
	chosen_march = wanted > 0 ? wanted : best;
	return 0;
}

static int check_cpus(const struct ws_runtime_config *config)
{
	long online = sysconf(_SC_NPROCESSORS_CONF);
	for (uint16_t i = 0; i < config->worker_count; i++) {
		cpu_set_t one;
		if (config->worker_cpus[i] >= online)
			return fail(-EINVAL, "CPU %u does not exist; this machine has CPUs 0 to %ld",
						config->worker_cpus[i], online - 1);
		for (uint16_t j = 0; !config->shared_cpus && j < i; j++)
			if (config->worker_cpus[i] == config->worker_cpus[j])
				return fail(-EINVAL, "CPU %u is named twice; each worker needs one of its own",
							config->worker_cpus[i]);
		CPU_ZERO(&one);
		CPU_SET(config->worker_cpus[i], &one);
		cpu_set_t before;
		sched_getaffinity(0, sizeof(before), &before);
		int error = sched_setaffinity(0, sizeof(one), &one);
		sched_setaffinity(0, sizeof(before), &before);
		if (error)
			return fail(-EINVAL,
						"CPU %u may not be used by this process (offline or outside its cpuset); "
						"give another",
						config->worker_cpus[i]);
	}
	return 0;
}

/* lcore 0 is the main thread on any of its CPUs, lcore i+1 is worker i on its CPU. */
static void lcore_argument(const struct ws_runtime_config *config, const cpu_set_t *mine, char *out,
						   size_t size)
{
	size_t used = (size_t)snprintf(out, size, "--lcores=0@(");
	const char *comma = "";
	for (int cpu = 0; cpu < CPU_SETSIZE && used < size; cpu++) {
		if (!CPU_ISSET(cpu, mine))
			continue;
		used += (size_t)snprintf(out + used, size - used, "%s%d", comma, cpu);
		comma = ",";
	}
	used += (size_t)snprintf(out + used, size - used, ")");
	for (uint16_t i = 0; i < config->worker_count && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, ",%u@%u", i + 1, config->worker_cpus[i]);
}

int ws_runtime_init(const struct ws_runtime_config *config)
{
	static bool done;
	if (done)
		return fail(-EALREADY, "the runtime runs already; it starts once per process");
	if (config->worker_count < 1 || config->worker_count > WS_MAX_WORKERS)
		return fail(-EINVAL, "%u workers asked; 1 to %d are possible", config->worker_count,
					WS_MAX_WORKERS);
	int error = choose_march(config->march);
	if (!error)
		error = check_cpus(config);
	if (error)
		return error;

	cpu_set_t mine;
	sched_getaffinity(0, sizeof(mine), &mine);
	char lcores[4096], memory[32], program[WS_NAME_LEN];
	lcore_argument(config, &mine, lcores, sizeof(lcores));
	snprintf(memory, sizeof(memory), "%u", config->memory_mb);
	snprintf(program, sizeof(program), "%s", config->program);
	/* No devices but those that ws_ports_open names: the allow list holds an address that cannot
	 * exist. */
	char *argv[16] = {program, lcores, "--no-telemetry", "--no-shconf", "-a", "ffff:ff:1f.7"};
	int argc = 6;
	if (config->hugepages) {
		argv[argc++] = "--in-memory";
		argv[argc++] = "--single-file-segments";
	} else {
		argv[argc++] = "--no-huge";
		argv[argc++] = "-m";
		argv[argc++] = memory;
	}
	struct instant start = now();
	dpdk_log_keep(config->verbose);
	error = rte_eal_init(argc, argv);
	sched_setaffinity(0, sizeof(mine), &mine);
	dpdk_log_keep(config->verbose);
	if (error < 0)
		return fail(-rte_errno, "DPDK does not start with %u MB of %s: %s", config->memory_mb,
					config->hugepages ? "hugepages" : "memory", dpdk_log_reason());
	done = true;
	calibrate(start);
	error = links_open();
	return error ? error : workers_init(config);
}

void ws_runtime_close(void)
{
	ws_ports_close();
	workers_close();
	links_close();
	rte_eal_cleanup();
}

uint64_t ws_tsc(void)
{
	return rte_rdtsc();
}

uint64_t ws_tsc_hz(void)
{
	return tsc_hz;
}

int ws_march(void)
{
	return chosen_march;
}
