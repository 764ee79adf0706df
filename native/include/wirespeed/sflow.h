/* SPDX-License-Identifier: Apache-2.0 */
/* sFlow: headers of packets sampled at random, one in N. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

enum {
	WS_SFLOW_MOST_HEADER = 256,
	WS_SFLOW_MOST_RATE = 1000000000,
};

/* Which packets of a port are sampled. */
enum ws_sflow_direction { WS_SFLOW_RX = 1, WS_SFLOW_TX = 2, WS_SFLOW_BOTH = 3 };

/* One in `sampling_rate` packets is sampled; its first `header_bytes` are kept. */
struct ws_sflow_settings {
	uint32_t sampling_rate;
	uint32_t header_bytes;
	int32_t direction; /* enum ws_sflow_direction */
};

/* Port numbers; `output` is UINT16_MAX if it is not known yet, as for received packets. */
struct ws_sflow_sample {
	uint32_t sampling_rate;
	uint32_t packet_bytes;
	uint16_t input, output;
	uint16_t header_bytes;
	bool is_output; /* sampled on transmission */
	uint8_t header[WS_SFLOW_MOST_HEADER];
};

/* Samples since the first port was enabled. Dropped ones found the worker's queue full. */
struct ws_sflow_counters {
	uint64_t sampled, dropped;
};

/* Only the main thread may call these functions. New settings also hold for enabled ports. */
int ws_router_sflow_set(struct ws_router *router, const struct ws_sflow_settings *wanted);
void ws_router_sflow(const struct ws_router *router, struct ws_sflow_settings *out,
					 struct ws_sflow_counters *counters);
/* Starts or stops sampling on a port. -EEXIST if the port already has that state. */
int ws_router_sflow_enable(struct ws_router *router, uint16_t index, bool on);
int ws_router_sflow_is_enabled(const struct ws_router *router, uint16_t index);
/* Take up to `most` waiting samples; returns their number. */
uint32_t ws_router_sflow_take(struct ws_router *router, struct ws_sflow_sample *out, uint32_t most);
