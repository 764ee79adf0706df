/* SPDX-License-Identifier: Apache-2.0 */
/* EAL, CPUs, memory, and the last error text. */
#pragma once

#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

/* Text of the last error. */
const char *ws_error(void);

struct ws_runtime_config {
	char program[WS_NAME_LEN]; /* name of the process for DPDK; must be unique among running
								  processes */
	bool hugepages;            /* false: ordinary pages */
	uint32_t memory_mb;        /* memory limit of pools and tables */
	uint16_t worker_count;
	uint16_t worker_cpus[WS_MAX_WORKERS];
	bool shared_cpus; /* several workers may share a CPU, if speed does not matter */
	int32_t march;    /* x86-64 level of hot code: 2, 3 or 4; 0: the highest that the CPU has */
	bool verbose;     /* let DPDK log to stderr */
};

struct ws_worker_info {
	char name[WS_NAME_LEN]; /* ws_wk_0 … */
	uint16_t cpu;
	int32_t thread_id; /* Linux thread id; 0: not running */
	uint64_t loops;
};

/* Once per process; the calling thread keeps its CPU affinity. No fork afterwards. */
int ws_runtime_init(const struct ws_runtime_config *config);
void ws_runtime_close(void);
uint64_t ws_tsc(void);
uint64_t ws_tsc_hz(void);
int ws_march(void); /* the level chosen at init: 1 (baseline), 2, 3 or 4 */
int ws_worker_info(uint16_t worker, struct ws_worker_info *out);

struct ws_pool_info {
	char name[WS_NAME_LEN];
	uint32_t buffer_size, total;
	uint32_t available, cached; /* cached buffers are available, each to one worker */
	int32_t node;               /* NUMA node it was requested on */
};
/* Pools of the ports' RX rings: one per NUMA node with workers; none before ports are open. */
uint16_t ws_pool_count(void);
int ws_pool_info(uint16_t index, struct ws_pool_info *out);
