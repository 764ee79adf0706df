/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hand-off: the packets of an interface spread over several workers by flow, for ports without
 * RSS. Each worker has a ring that the others put packets into.
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
