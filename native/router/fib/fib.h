/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of routes of one family, as users refer to it: prefix to load balance,
 * LOAD_BALANCE_NO_ROUTE without a match. Workers look up in `trie`; the main thread writes.
 */
#pragma once

#include "router/fib/fib_trie.h"
#include "wirespeed/limits.h"

#include <stdint.h>

struct fib_table {
	uint8_t family;
	uint16_t index; /* in its family; 0 is the default table */
	uint32_t id;    /* the user's number of the table */
	char name[WS_NAME_LEN];
	struct fib_trie trie;
	uint32_t flow_hash; /* bits of enum ws_flow_field */
	uint32_t tunnels;   /* users other than routes: tunnels and unicast RPF; main thread only */
};
