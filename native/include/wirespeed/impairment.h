/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wirespeed/limits.h"

#include <stdint.h>

struct ws_router;

/* Deliberate impairment of packets sent by a port; shares of packets are 0 to 1. */
struct ws_impairment {
	double loss;
	double loss_burst; /* mean length of losses in a row; 0 or 1: each by itself */
	double duplicate;
	double reorder; /* change places with the next one */
	uint64_t delay_ns;
	uint64_t jitter_ns; /* up to so much more, evenly spread, in order */
	uint64_t seed;
};
/* Since the impairment began; `held` are waiting now. */
struct ws_impairment_counters {
	uint64_t packets; /* that the port was to send */
	uint64_t lost, duplicated, reordered, delayed, held;
	uint64_t no_room; /* dropped, since too many waited */
	uint64_t no_copy; /* not duplicated, for the same reason or want of buffers */
};
/* Each setting begins its rows of random numbers anew. Main thread. */
int ws_router_set_impairment(struct ws_router *router, uint16_t index,
							 const struct ws_impairment *wanted);
/* Held packets are dropped. */
int ws_router_clear_impairment(struct ws_router *router, uint16_t index);
/* 1, or 0 when the interface is not impaired. */
int ws_router_impairment(struct ws_router *router, uint16_t index, struct ws_impairment *out,
						 struct ws_impairment_counters *counters);
