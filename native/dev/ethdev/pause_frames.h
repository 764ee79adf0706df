/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pause frames (IEEE 802.3 annex 31B), counted by drivers under many names. The NIC consumes
 * them: they never appear among the packets.
 */
#pragma once

#include <stdint.h>

enum { PAUSE_NAMES = 2 }; /* drivers count pause and resume together, or each separately */

/*
 * Find the extended counters, out of the `count` names, whose sum is the number of pause frames
 * received or sent. Returns their number and stores their places; 0 if there are none.
 */
int pause_find(const char *const *names, int count, const char *direction,
			   uint64_t places[PAUSE_NAMES]);

/* Look up the counters of DPDK's port `id` when it is opened. */
void pause_frames_open(uint16_t id);
/* A number is UINT64_MAX if the driver does not count it. */
void pause_frames_read(uint16_t id, uint64_t *received, uint64_t *sent);
