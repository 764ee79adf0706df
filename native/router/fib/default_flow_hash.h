/* SPDX-License-Identifier: Apache-2.0 */
/* What tells the flows of a table apart unless it is set. */
#ifndef ROUTER_DEFAULT_FLOW_HASH_H
#define ROUTER_DEFAULT_FLOW_HASH_H

#include "wirespeed/routes.h"

enum {
	FLOW_HASH_IP4 = WS_FLOW_SRC | WS_FLOW_DST | WS_FLOW_SPORT | WS_FLOW_DPORT | WS_FLOW_PROTO,
	FLOW_HASH_IP6 = FLOW_HASH_IP4 | WS_FLOW_LABEL,
};

static inline uint32_t fib_flow_hash(uint8_t family)
{
	return family == WS_IP6 ? FLOW_HASH_IP6 : FLOW_HASH_IP4;
}

#endif
