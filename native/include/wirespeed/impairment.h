/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wirespeed/limits.h"

#include <stdint.h>

struct ws_router;

/* Deliberate impairment of packets that a port sends; shares of packets are 0 to 1. */
struct ws_impairment {
	double loss;
	double loss_burst; /* mean number of consecutive losses; 0 or 1: independent losses */
	double duplicate;
	double reorder; /* share of packets that change places with the next one */
	uint64_t delay_ns;
	uint64_t jitter_ns; /* maximum additional delay, uniformly distributed; order is kept */
	uint64_t seed;
};
/* Since the impairment was set; `held` packets are waiting now. */
struct ws_impairment_counters {
	uint64_t packets; /* packets to send */
	uint64_t lost, duplicated, reordered, delayed, held;
	uint64_t no_room; /* dropped, since too many packets waited */
	uint64_t no_copy; /* not duplicated for the same reason, or for lack of buffers */
};
/* Each call restarts the random sequences. Main thread. */
int ws_router_set_impairment(struct ws_router *router, uint16_t index,
							 const struct ws_impairment *wanted);
/* Held packets are dropped. */
int ws_router_clear_impairment(struct ws_router *router, uint16_t index);
/* Returns 1, or 0 if the interface is not impaired. */
int ws_router_impairment(struct ws_router *router, uint16_t index, struct ws_impairment *out,
						 struct ws_impairment_counters *counters);
