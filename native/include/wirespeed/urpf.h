/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wirespeed/address.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

/* Sources that an interface accepts: all, those with any route back, or those whose route back
 * leads by this interface (RFC 3704). */
enum ws_urpf_mode { WS_URPF_OFF = 0, WS_URPF_LOOSE, WS_URPF_STRICT };

/* Looked at as packets come in by the interface, or as they go out by it; then strict is a route
 * back by the one that they go out by. In a table: its id, or -1 for that of the interface. */
int ws_router_set_urpf(struct ws_router *router, uint16_t index, uint8_t family, bool is_tx,
					   int32_t mode, int64_t table);
/* The mode, or a negative errno. */
int ws_router_urpf(struct ws_router *router, uint16_t index, uint8_t family, bool is_tx,
				   int64_t *table);

/* Sources within `prefix` pass where the mode is loose, whatever routes there are in the table. */
struct ws_urpf_accepted {
	uint32_t table; /* its id */
	struct ws_prefix prefix;
};
/* -EEXIST when it is there already, -ENOENT when it is not. */
int ws_router_set_urpf_accept(struct ws_router *router, const struct ws_urpf_accepted *accepted,
							  bool on);
/* In no order; returns how many were written. */
int ws_router_urpf_accepted(struct ws_router *router, struct ws_urpf_accepted *out, uint32_t max);
