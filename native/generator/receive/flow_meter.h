/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receive side of flow statistics: the flow, order and latency of each packet. A worker has one
 * meter for all its ports. No locks and no allocation; nothing here needs DPDK or reads the clock.
 */
#pragma once

#include "generator/observe/flow_counts.h"
#include "generator/receive/flow_order.h"

struct flow_meter;

/* NULL: out of memory. `hz`: ticks per second. */
struct flow_meter *flow_meter_create(double hz);
void flow_meter_free(struct flow_meter *meter);
/* Check the order of signatures of the series below `count`; false: out of memory. Series with the
 * mark `start` are the generator's own and begin at their first number; other series begin at the
 * first number that arrives. Main thread, while the worker may run. */
bool flow_meter_reserve(struct flow_meter *meter, uint32_t count, uint8_t start);

/* A received packet: its contiguous beginning, its last FLOW_TAIL_LEN bytes, its length with FCS.
 */
struct flow_packet {
	const uint8_t *head, *tail;
	uint32_t head_len, bytes;
};

void flow_meter_count(struct flow_meter *meter, struct port_flows *port,
					  const struct flow_packet *packet, uint64_t now);

/* From now on packets of the latency flow `id` belong to start number `start`. */
void flow_meter_begin(struct flow_meter *meter, uint32_t id, uint8_t start);
void flow_meter_reset(struct flow_meter *meter, uint32_t id);
/* Read the flow's statistics, except those that depend on order. */
void flow_meter_read(const struct flow_meter *meter, uint32_t id, uint64_t now,
					 struct ws_latency *out);
/* Order statistics since the flow was begun or reset. */
struct flow_order flow_meter_order(const struct flow_meter *meter, uint32_t id);
struct ws_flow_faults flow_meter_faults(const struct flow_meter *meter);

/* Add another meter's statistics of the same flow, except those that depend on order. */
void flow_latency_add(struct ws_latency *sum, const struct ws_latency *other);
