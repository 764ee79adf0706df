/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wirespeed/address.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

/* Sources that an interface accepts: all, those with any route back, or those with a route back
 * through this interface (RFC 3704). */
enum ws_urpf_mode { WS_URPF_OFF = 0, WS_URPF_LOOSE, WS_URPF_STRICT };

/* Check packets when they are received by the interface, or when they are sent by it; strict then
 * requires a route back through the sending interface. `table`: the id of the table, or -1 for the
 * interface's table. */
int ws_router_set_urpf(struct ws_router *router, uint16_t index, uint8_t family, bool is_tx,
					   int32_t mode, int64_t table);
/* Returns the mode, or a negative errno. */
int ws_router_urpf(struct ws_router *router, uint16_t index, uint8_t family, bool is_tx,
				   int64_t *table);

/* Sources within `prefix` pass in loose mode, independent of the routes in the table. */
struct ws_urpf_accepted {
	uint32_t table; /* its id */
	struct ws_prefix prefix;
};
/* -EEXIST if it exists already, -ENOENT if it does not. */
int ws_router_set_urpf_accept(struct ws_router *router, const struct ws_urpf_accepted *accepted,
							  bool on);
/* In no particular order; returns the number written. */
int ws_router_urpf_accepted(struct ws_router *router, struct ws_urpf_accepted *out, uint32_t max);
