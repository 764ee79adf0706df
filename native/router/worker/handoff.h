/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hand-off: packets of an interface are distributed over several workers by flow, for ports without
 * RSS. Each worker has a ring into which the others put packets.
 */
#pragma once

#include "wirespeed/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct rte_ring;
struct ws_router;

enum { HANDOFF_SLOTS = 4096 };

/* Hand-off of an interface; changed while no worker is in its graph. */
struct handoff {
	uint16_t count; /* number of workers; 0: off */
	bool is_symmetrical;
	uint8_t workers[WS_MAX_WORKERS];
};
