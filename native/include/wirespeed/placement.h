/* SPDX-License-Identifier: Apache-2.0 */
/* Placement of queues: the worker that polls each, the mode, and hand-off. */
#pragma once

#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

/* RX queue `queue` of interface `index` is polled by `worker`. */
int ws_router_set_placement(struct ws_router *router, uint16_t index, uint16_t queue,
							uint16_t worker);
int ws_router_placement(struct ws_router *router, uint16_t index, uint16_t queue); /* worker */

/* A worker without packets sleeps unless one of its queues is in polling mode. */
enum ws_rx_mode {
	WS_RX_POLLING = 0,
	WS_RX_INTERRUPT = 1, /* sleeps after the first empty poll */
	WS_RX_ADAPTIVE = 2,  /* sleeps after some time without packets */
};
int ws_router_set_rx_mode(struct ws_router *router, uint16_t index, uint16_t queue, int32_t mode);
/* Distribute the packets of a port over workers by flow; without workers, packets stay on the
 * worker that polls them. */
int ws_router_set_handoff(struct ws_router *router, uint16_t index, const uint16_t *workers,
						  uint16_t count, bool is_symmetrical);
/* Returns the number of workers. */
int ws_router_handoff(struct ws_router *router, uint16_t index, uint16_t *workers, uint16_t max);
int ws_router_rx_mode(struct ws_router *router, uint16_t index, uint16_t queue);
