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

/* Packets of a port that are sampled. */
enum ws_sflow_direction { WS_SFLOW_RX = 1, WS_SFLOW_TX = 2, WS_SFLOW_BOTH = 3 };

/* A packet in `sampling_rate` is sampled; its first `header_bytes` are kept. */
struct ws_sflow_settings {
	uint32_t sampling_rate;
	uint32_t header_bytes;
	int32_t direction; /* enum ws_sflow_direction */
};

/* Ports; `output` is UINT16_MAX where it was not known yet, as with what is received. */
struct ws_sflow_sample {
	uint32_t sampling_rate;
	uint32_t packet_bytes;
	uint16_t input, output;
	uint16_t header_bytes;
	bool is_output; /* sampled as it was sent */
	uint8_t header[WS_SFLOW_MOST_HEADER];
};

/* Samples since the first port was enabled; dropped were those that nobody took in time. */
struct ws_sflow_counters {
	uint64_t sampled, dropped;
};

/* All are for the main thread. What ports are enabled stays as it is. */
int ws_router_sflow_set(struct ws_router *router, const struct ws_sflow_settings *wanted);
void ws_router_sflow(const struct ws_router *router, struct ws_sflow_settings *out,
					 struct ws_sflow_counters *counters);
/* -EEXIST when it is so already; ports only. */
int ws_router_sflow_enable(struct ws_router *router, uint16_t index, bool on);
int ws_router_sflow_is_enabled(const struct ws_router *router, uint16_t index);
/* Take up to `most` samples of those that wait; returns how many. */
uint32_t ws_router_sflow_take(struct ws_router *router, struct ws_sflow_sample *out, uint32_t most);
