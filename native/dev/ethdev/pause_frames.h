/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pause frames (IEEE 802.3 annex 31B), counted by drivers under many names. The NIC consumes
 * them: they never appear among the packets.
 */
#pragma once

#include <stdint.h>

enum { PAUSE_NAMES = 2 }; /* a driver counts pausing and going on together, or each by itself */

/*
 * Which of `count` names of extended counters add up to the pause frames received or sent: their
 * places, and how many these are; 0 when there are none.
 */
int pause_find(const char *const *names, int count, const char *direction,
			   uint64_t places[PAUSE_NAMES]);

/* Look up what the driver of DPDK's port `id` has; when the port is open. */
void pause_frames_open(uint16_t id);
/* UINT64_MAX of what the driver does not count. */
void pause_frames_read(uint16_t id, uint64_t *received, uint64_t *sent);
