/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of packets in a frame that were received by one interface; each run is counted at its end.
 */
#pragma once

#include "wire/own_count.h"

#include <stddef.h>
#include <stdint.h>

struct interface_run {
	uint16_t interface, start;
	uint64_t *counter;
};
#define INTERFACE_RUN_NONE ((struct interface_run){.interface = UINT16_MAX})

/* The run ends before packet `at`. */
static inline void interface_run_end(const struct interface_run *run, uint16_t at)
{
	if (run->counter)
		own_count_add(run->counter, (uint16_t)(at - run->start));
}

/* The next run begins there. */
static inline void interface_run_next(struct interface_run *run, uint16_t at, uint16_t interface,
									  uint64_t *counter)
{
	interface_run_end(run, at);
	*run = (struct interface_run){interface, at, counter};
}
