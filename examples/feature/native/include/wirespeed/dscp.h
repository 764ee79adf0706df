/* SPDX-License-Identifier: Apache-2.0 */
/* Packets counted by their DSCP. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

enum { WS_DSCP_VALUES = 64 };

/* Count IPv4 packets that the interface receives, or no longer. */
int ws_router_set_dscp(struct ws_router *router, uint16_t index, bool on);
/* 1 if packets of the interface are counted, else 0. */
int ws_router_dscp(struct ws_router *router, uint16_t index);
/* Packets by DSCP, of all workers and interfaces; `out` has WS_DSCP_VALUES places. */
void ws_router_dscp_counts(struct ws_router *router, uint64_t *out);
