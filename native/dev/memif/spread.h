/* SPDX-License-Identifier: Apache-2.0 */
/* Distribution over all rings of a memif port by flow, by one worker. */
#pragma once

#include "dev/port.h"

struct memif_port;

/* A port_burst whose queue is the port: each flow's packets go into one ring, in their order. A
 * ring that is full holds up what is behind it, of other rings too. */
uint16_t memif_transmit_spread(void *port, struct rte_mbuf **packets, uint16_t n);
/* A hash per flow: that of frame_flow_hash, or of the MAC addresses and the first label. */
uint32_t memif_flow_hash(const uint8_t *frame, uint16_t length);
