/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of packets for the main thread. Each worker writes into its own ring, so neither side
 * waits. Packets that find the ring full are counted and not copied.
 */
#pragma once

#include "wirespeed/captures.h"

#include <rte_mbuf.h>

struct capture_slot {
	struct ws_captured packet;
	uint16_t in_burst; /* its place in the burst it came in */
	uint8_t bytes[];
};

/* A worker writes, the main thread reads. */
struct capture_ring {
	struct ws_capture_config config;
	uint32_t slot_size, room; /* bytes per slot; bytes of a packet that fit into it */
	uint32_t staged; /* the writer's position, including packets that are not published yet */
	uint64_t missed;
	uint32_t written __attribute__((aligned(64)));
	uint32_t read __attribute__((aligned(64)));
	uint8_t slots[] __attribute__((aligned(64)));
};

/* The captures that a worker serves. */
struct captures {
	uint32_t tx_ports, rx_ports; /* ports of all captures, as bits */
	struct capture_ring *rings[WS_MAX_CAPTURES];
};

struct capture_ring *capture_create(const struct ws_capture_config *config, uint16_t longest);
void capture_free(struct capture_ring *ring);
/* The oldest packet; NULL: the ring is empty. */
const struct ws_captured *capture_oldest(struct capture_ring *ring);
/* Take the oldest packet, with its bytes if they fit into `room`; false: the ring is empty, or
 * there is no room. */
bool capture_take(struct capture_ring *ring, struct ws_captured *out, uint8_t *bytes,
				  uint64_t room);

void captures_set(struct captures *captures, uint32_t capture, struct capture_ring *ring);

/* Copy the packets of a burst into the rings. capture_commit publishes the first `n` and drops the
 * others, since a sender knows only afterwards how many were sent. */
void captures_stage(struct captures *captures, uint16_t port, bool is_tx,
					struct rte_mbuf *const *packets, uint16_t n, uint64_t now);
void captures_commit(struct captures *captures, uint16_t n);
