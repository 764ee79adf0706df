/* SPDX-License-Identifier: Apache-2.0 */
/* Interfaces that count packets by DSCP, and their counts. */
#pragma once

#include "router/module.h"
#include "wirespeed/dscp.h"

struct dscp {
	bool is_on[WS_MAX_INTERFACES];                   /* the main thread writes */
	uint64_t counts[WS_MAX_WORKERS][WS_DSCP_VALUES]; /* each worker writes its own */
};

extern struct router_module dscp_module;

/* NULL before counting is first turned on. A node reads it once per frame. */
static inline struct dscp *dscp_of(const struct ws_router *router)
{
	return module_state(router, &dscp_module);
}
