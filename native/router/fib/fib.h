/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of routes of one family, as users name it: prefix to load balance,
 * LOAD_BALANCE_NO_ROUTE where nothing matches. Workers look up in `trie`; the main thread writes.
 */
#pragma once

#include "router/fib/fib_trie.h"
#include "wirespeed/limits.h"

#include <stdint.h>

struct fib_table {
	uint8_t family;
	uint16_t index; /* in its family; 0 is the default table */
	uint32_t id;    /* the user's number */
	char name[WS_NAME_LEN];
	struct fib_trie trie;
	uint32_t flow_hash; /* enum ws_flow_field, one by one */
	uint32_t tunnels;   /* that are routed by it, and places of unicast RPF; main thread's */
};
