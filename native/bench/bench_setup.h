/* SPDX-License-Identifier: Apache-2.0 */
/* What each bench program begins with. */
#ifndef BENCH_SETUP_H
#define BENCH_SETUP_H

#include "wirespeed.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static inline void bench_expect(int result)
{
	if (result >= 0)
		return;
	fprintf(stderr, "%s\n", ws_error());
	exit(1);
}

/* The runtime, without hugepages; this thread stays on the last CPU that it may use. */
static inline void bench_start(int march, uint32_t memory_mb)
{
	struct ws_runtime_config config = {
		.program = "bench", .memory_mb = memory_mb, .worker_count = 1, .march = march};
	cpu_set_t mine, last;
	sched_getaffinity(0, sizeof(mine), &mine);
	for (uint16_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &mine))
			config.worker_cpus[0] = cpu;
	bench_expect(ws_runtime_init(&config));
	CPU_ZERO(&last);
	CPU_SET(config.worker_cpus[0], &last);
	sched_setaffinity(0, sizeof(last), &last);
}

#endif
