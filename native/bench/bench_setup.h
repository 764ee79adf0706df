/* SPDX-License-Identifier: Apache-2.0 */
/* Start of each bench program. */
#pragma once

#include "wirespeed/runtime.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* Put around the code that callgrind counts: instrumenting start and end as well takes seconds. */
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#endif

static inline void bench_expect(int result)
{
	if (result >= 0)
		return;
	fprintf(stderr, "%s\n", ws_error());
	exit(1);
}

/* The last `count` CPUs that this process may use, in their order. */
static inline void bench_last_cpus(uint16_t *cpus, int count)
{
	cpu_set_t mine;
	sched_getaffinity(0, sizeof(mine), &mine);
	if (CPU_COUNT(&mine) < count) {
		fprintf(stderr, "this needs %d CPUs\n", count);
		exit(3);
	}
	for (uint16_t cpu = CPU_SETSIZE; cpu-- && count;)
		if (CPU_ISSET(cpu, &mine))
			cpus[--count] = cpu;
}

/* The runtime, without hugepages; this thread stays on `cpu`. */
static inline void bench_start_on(int march, uint32_t memory_mb, uint16_t cpu)
{
	struct ws_runtime_config config = {
		.program = "bench", .memory_mb = memory_mb, .worker_count = 1, .march = march};
	cpu_set_t only;
	config.worker_cpus[0] = cpu;
	bench_expect(ws_runtime_init(&config));
	CPU_ZERO(&only);
	CPU_SET(cpu, &only);
	sched_setaffinity(0, sizeof(only), &only);
}

static inline void bench_start(int march, uint32_t memory_mb)
{
	uint16_t cpu = 0;
	bench_last_cpus(&cpu, 1);
	bench_start_on(march, memory_mb, cpu);
}

static inline int bench_compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return (left > right) - (left < right);
}

/* Sorts `values`. */
static inline double bench_quantile(double *values, int count, double share)
{
	qsort(values, (size_t)count, sizeof(*values), bench_compare);
	return values[(int)(share * (count - 1))];
}
