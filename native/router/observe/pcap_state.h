/* SPDX-License-Identifier: Apache-2.0 */
/* A capture, as seen by the workers that fill it and the main thread that writes its file. */
#pragma once

#include "router/module.h"
#include "wirespeed/trace.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct rte_mempool;
struct rte_ring;

/* Stored in the headroom of a copy. */
struct note {
	uint64_t tsc;
	uint32_t length;
};

struct pcap {
	struct ws_pcap_config config;
	struct rte_ring *ring;
	struct rte_mempool *pool;
	FILE *file;
	uint64_t start_tsc, start_ns, tsc_hz;
	uint32_t written;
	int error; /* errno of a write to the file */
	bool is_complete;
	uint32_t taken __attribute__((aligned(64))); /* packets of all workers; may exceed the limit */
	uint32_t missed;
};

extern struct router_module observe_module;

/* NULL without a capture; changed only while no worker observes. */
static inline struct pcap *pcap_of(const struct ws_router *router)
{
	return module_state(router, &observe_module);
}

/* True if workers are to inspect packets for the capture. */
static inline bool pcap_is_on(const struct ws_router *router)
{
	return pcap_of(router) && !pcap_of(router)->is_complete;
}
