/* SPDX-License-Identifier: Apache-2.0 */
/* Distribution of one worker's packets over all rings of a memif port, by flow. */
#pragma once

#include "dev/port.h"

struct memif_port;

/* A port_burst whose queue is the port. All packets of a flow go into one ring, in order. A full
 * ring also delays the packets behind it that are for other rings. */
uint16_t memif_transmit_spread(void *port, struct rte_mbuf **packets, uint16_t n);
/* A hash per flow: that of frame_flow_hash, or of the MAC addresses and the first label. */
uint32_t memif_flow_hash(const uint8_t *frame, uint16_t length);
