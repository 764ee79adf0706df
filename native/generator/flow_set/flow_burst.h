/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams of IPv4 that are written a burst at a time: their checksums are computed for eight at
 * once. */
#pragma once

#include "generator/flow_set/flow_share.h"

/* Flows and tuples of the frames of a burst; `sequence`: number of the first one. */
struct flow_burst {
	uint64_t addresses[FLOW_BURST];
	uint32_t ports[FLOW_BURST], flows[FLOW_BURST];
	uint32_t sequence;
};

/* flow_write for each of `n` frames of IPv4. */
void flow_write_burst(const struct flow_writer *writer, const struct flow_burst *burst,
					  uint8_t *const *frames, uint16_t n);
