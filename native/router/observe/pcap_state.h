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

/* In the headroom of a copy. */
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
	int error; /* error of the file */
	bool is_complete;
	uint32_t taken
		__attribute__((aligned(64))); /* packets of all workers; a few more than asked for */
	uint32_t missed;
};

extern struct router_module observe_module;

/* NULL without a capture; it changes while nobody observes. */
static inline struct pcap *pcap_of(const struct ws_router *router)
{
	return module_state(router, &observe_module);
}

/* Workers are to look at packets for it. */
static inline bool pcap_is_on(const struct ws_router *router)
{
	return pcap_of(router) && !pcap_of(router)->is_complete;
}
