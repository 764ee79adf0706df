/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of a trace, shared by the workers that mark and record and by the main thread that
 * reads.
 */
#pragma once

#include "router/module.h"
#include "wirespeed/trace.h"

#include <stdint.h>

enum { TRACE_STEPS = 4096 };

struct trace_filter {
	struct ws_prefix prefix;
};

struct trace {
	uint32_t remaining[GRAPH_MAX_NODES]; /* number of packets left to mark, by node */
	uint32_t packets;
	uint64_t count; /* number of steps; published by the worker after each */
	struct ws_trace_step steps[TRACE_STEPS];
};

extern struct router_module trace_module;

/* NULL without a filter; changed only while no worker observes. */
static inline struct trace_filter *trace_filter_of(const struct ws_router *router)
{
	return module_state(router, &trace_module);
}
