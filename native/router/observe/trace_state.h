/* SPDX-License-Identifier: Apache-2.0 */
/* What is traced, as the workers that mark and record and the main thread that asks see it. */
#ifndef ROUTER_TRACE_STATE_H
#define ROUTER_TRACE_STATE_H

#include "graph/graph.h"
#include "wirespeed/trace.h"

#include <stdint.h>

enum { TRACE_STEPS = 4096 };

struct trace_filter {
	struct ws_prefix prefix;
};

struct trace {
	uint32_t remaining[GRAPH_MAX_NODES]; /* packets still to mark, by node */
	uint32_t packets;
	uint64_t count; /* of steps; published by the worker after each */
	struct ws_trace_step steps[TRACE_STEPS];
};

#endif
