/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receiving side of flow statistics: the flow of a packet, its order, its age.
 *
 * A worker has one meter for all its ports; no locks, no allocation, and nothing here needs DPDK or
 * looks at the clock.
 */
#pragma once

#include "generator/observe/flow_counts.h"
#include "generator/receive/flow_order.h"

struct flow_meter;

/* NULL when memory is short. `hz`: ticks a second. */
struct flow_meter *flow_meter_create(double hz);
void flow_meter_free(struct flow_meter *meter);
/* Signatures of the series below `count` are looked at for their order; false: memory is short.
 * Those of the generator with the mark `start` begin at their first number, those of others where
 * they are seen first. For the main thread, while the worker may run. */
bool flow_meter_reserve(struct flow_meter *meter, uint32_t count, uint8_t start);

/* A received packet: its beginning, contiguous, its last FLOW_TAIL_LEN bytes, its length with FCS.
 */
struct flow_packet {
	const uint8_t *head, *tail;
	uint32_t head_len, bytes;
};

void flow_meter_count(struct flow_meter *meter, struct port_flows *port,
					  const struct flow_packet *packet, uint64_t now);

/* From now on packets of the latency flow `id` are of start number `start`. */
void flow_meter_begin(struct flow_meter *meter, uint32_t id, uint8_t start);
void flow_meter_reset(struct flow_meter *meter, uint32_t id);
/* Without what its order tells. */
void flow_meter_read(const struct flow_meter *meter, uint32_t id, uint64_t now,
					 struct ws_latency *out);
/* Since the flow was begun, or reset. */
struct flow_order flow_meter_order(const struct flow_meter *meter, uint32_t id);
struct ws_flow_faults flow_meter_faults(const struct flow_meter *meter);

/* Add what another meter saw of the same flow, but for its order. */
void flow_latency_add(struct ws_latency *sum, const struct ws_latency *other);
