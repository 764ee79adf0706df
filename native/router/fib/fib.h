/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of routes of one family, as users name it: prefix to load balance,
 * LOAD_BALANCE_NO_ROUTE where nothing matches. Workers look up in `trie`; the main thread writes.
 */
#ifndef ROUTER_FIB_H
#define ROUTER_FIB_H

#include "router/fib/fib_trie.h"
#include "wirespeed/routes.h"

#include <stdint.h>

/* What tells flows apart unless it is set. */
enum {
	FLOW_HASH_IP4 = WS_FLOW_SRC | WS_FLOW_DST | WS_FLOW_SPORT | WS_FLOW_DPORT | WS_FLOW_PROTO,
	FLOW_HASH_IP6 = FLOW_HASH_IP4 | WS_FLOW_LABEL,
};

static inline uint32_t fib_flow_hash(uint8_t family)
{
	return family == WS_IP6 ? FLOW_HASH_IP6 : FLOW_HASH_IP4;
}

struct fib_table {
	uint8_t family;
	uint16_t index; /* in its family; 0 is the default table */
	uint32_t id;    /* as the user calls it */
	char name[WS_NAME_LEN];
	struct fib_trie trie;
	uint32_t flow_hash; /* enum ws_flow_field, one by one */
	uint32_t tunnels;   /* that are routed by it, and places of unicast RPF; main thread's */
};

#endif
